package attack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// What attacks are made of, inside.

// lazily has a file's attacks and modes added when they are asked for.
func lazily(add func()) { adders = append(adders, add) }

// register adds attacks; those of no kind are escapes.
func register(list ...Attack) {
	for i := range list {
		if list[i].Kind == "" {
			list[i].Kind = Escape
		}
	}
	groups = append(groups, list)
}

// payload is what an attack plants: a program that shows, outside, that it ran.
func (l Layout) payload() []byte { return []byte("#!/bin/sh\n: > '" + l.Canary + "'\n") }

// loot carries out what was read, for the judge to compare.
func (l Layout) loot(b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("nothing to carry out")
	}
	return appendTo(filepath.Join(l.Worktree, lootFile), b)
}

// ready tells what runs beside that the inside was reached.
func (l Layout) ready() error {
	return os.WriteFile(filepath.Join(l.Worktree, readyFile), nil, 0o644)
}

func appendTo(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// any of several ways: nil when one got through, else all errors.
func anyOf(tries ...error) error {
	var all error
	for _, err := range tries {
		if err == nil {
			return nil
		}
		if all == nil {
			all = err
		} else {
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}

func shell(script string) error {
	out, err := exec.Command("/bin/sh", "-c", script).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, short(string(out)))
	}
	return nil
}
