package attack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// What judges and set-ups are made of, outside.

// later undoes something of this attack before the next.
func (f *Fixture) later(undo func()) { f.undo = append(f.undo, undo) }

// looted says whether a secret was carried out.
func (f *Fixture) looted(name string) Finding {
	b, err := os.ReadFile(filepath.Join(f.Worktree, lootFile))
	return found(err == nil && bytes.Contains(b, []byte(f.secrets[name])), "read the secret "+name)
}

// holds says whether a file of the host has a text.
func holds(path, text string) bool {
	b, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(b), text)
}

// planted says whether the payload stands where it would be run.
func (f *Fixture) planted(path string) Finding { return found(holds(path, f.Canary), "wrote "+path) }

// reached says whether somebody came to a service.
func (s *services) reached(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[name] > 0
}

// visited judges by the service that was to be reached.
func visited(name string) func(*Fixture) Finding {
	return func(f *Fixture) Finding {
		return found(f.services.reached(name), "reached the service "+name)
	}
}

// mine takes a change of one path for the harness's own.
func (f *Fixture) mine(path string) {
	if s, err := stampOf(path); err == nil {
		f.before[path] = s
	}
}
