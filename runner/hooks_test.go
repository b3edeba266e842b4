package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lane/gitdiscover"
)

// What of the worktree the user's git would run as a hook is protected: by
// core.hooksPath of the repository or of the user, and behind links.
func TestHooksInTheWorktreeAreProtected(t *testing.T) {
	wt, common, home := t.TempDir(), t.TempDir(), t.TempDir()
	for _, d := range []string{".husky/_", ".githooks", "scripts", "plain"} {
		must(t, os.MkdirAll(filepath.Join(wt, d), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(wt, "scripts/pre-push"), []byte("#!/bin/sh\n"), 0o755))
	must(t, os.MkdirAll(filepath.Join(common, "hooks"), 0o755))
	must(t, os.WriteFile(filepath.Join(common, "config"), []byte("[core]\n\thooksPath = .husky/_\n"), 0o644))
	must(t, os.Symlink(filepath.Join(wt, "scripts/pre-push"), filepath.Join(common, "hooks/pre-push")))
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\thookspath = .githooks\n"), 0o644))

	h := Host{Home: home}
	surveyHooks(&h, gitdiscover.Repo{Worktree: wt, CommonDir: common, GitDir: common})
	var got []string
	for _, r := range h.Wiring {
		rel, err := filepath.Rel(wt, r.Path)
		must(t, err)
		got = append(got, rel)
	}
	slices.Sort(got)
	if want := []string{".githooks", ".husky/_", "scripts/pre-push"}; !slices.Equal(got, want) {
		t.Errorf("protected %v, want %v", got, want)
	}
}

func TestHooksElsewhereAreNoRow(t *testing.T) {
	wt, common := t.TempDir(), t.TempDir()
	for _, path := range []string{"/etc", ".", "../outside", "absent", "$HOME/x"} {
		must(t, os.WriteFile(filepath.Join(common, "config"), []byte("[core]\n\thooksPath = \""+path+"\"\n"), 0o644))
		h := Host{}
		surveyHooks(&h, gitdiscover.Repo{Worktree: wt, CommonDir: common, GitDir: common})
		if len(h.Wiring) != 0 {
			t.Errorf("%s: %v", path, h.Wiring)
		}
	}
}
