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

// What git's config runs or obeys in the worktree is protected where it is
// there, and noted where it is not; words of a program that are no file of the
// worktree are nothing.
func TestWhatConfigRunsInTheWorktree(t *testing.T) {
	wt, common, home := t.TempDir(), t.TempDir(), t.TempDir()
	wt, err := filepath.EvalSymlinks(wt)
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(wt, "tools"), 0o755))
	must(t, os.Symlink("tools", filepath.Join(wt, "bin")))
	for _, f := range []string{"fsm.sh", "tools/clean.py", "deploy", "inc.cfg"} {
		must(t, os.WriteFile(filepath.Join(wt, f), nil, 0o755))
	}
	config := "[core]\n\tfsmonitor = ./fsm.sh\n\thooksPath = bin/_\n[filter \"x\"]\n\tclean = python3 tools/clean.py -o s/a/b %f\n[diff]\n\texternal = ./dx.sh\n" +
		"[alias]\n\td = !./deploy\n[credential]\n\thelper = store --file ~/x/y\n[core]\n\tsshCommand = ssh -i /etc/key\n[include]\n\tpath = " + wt + "/inc.cfg\n" +
		"[includeIf \"onbranch:x\"]\n\tpath = " + wt + "/new/more.cfg\n[core]\n\tpager = less -F\n"
	must(t, os.WriteFile(filepath.Join(common, "config"), []byte(config), 0o644))
	h := Host{Home: home}
	surveyHooks(&h, gitdiscover.Repo{Worktree: wt, CommonDir: common, GitDir: common})
	var protected, noted []string
	for _, r := range h.Wiring {
		rel, err := filepath.Rel(wt, r.Path)
		must(t, err)
		protected = append(protected, rel)
	}
	for _, s := range h.Steered {
		noted = append(noted, s.Path)
	}
	slices.Sort(protected)
	slices.Sort(noted)
	if want := []string{"fsm.sh", "inc.cfg", "tools/clean.py"}; !slices.Equal(protected, want) {
		t.Errorf("protected %v, want %v", protected, want)
	}
	if want := []string{"dx.sh", "new/more.cfg", "s/a/b", "tools/_"}; !slices.Equal(noted, want) {
		t.Errorf("noted %v, want %v", noted, want)
	}
}
