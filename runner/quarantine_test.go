package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What makes an agent, an editor or a shell run code and was not there at
// launch is held back, in every spelling and behind every link; the agent's
// other work stays.
func TestHoldBack(t *testing.T) {
	for name, c := range map[string]struct {
		before, during func(t *testing.T, dir string)
		held           []string
		stays          []string
	}{
		"settings that appeared": {
			during: func(t *testing.T, d string) { put(t, d, ".claude/settings.json"); put(t, d, ".claude/notes.md") },
			held:   []string{".claude/settings.json"}, stays: []string{".claude/notes.md"},
		},
		"another agent's, and an editor's": {
			during: func(t *testing.T, d string) {
				put(t, d, ".codex/config.toml")
				put(t, d, ".vscode/tasks.json")
				put(t, d, ".envrc")
			},
			held: []string{".codex", ".vscode", ".envrc"},
		},
		"another spelling": {
			during: func(t *testing.T, d string) { put(t, d, ".Claude/Settings.JSON") },
			held:   []string{".Claude/Settings.JSON"},
		},
		"a link for a directory": {
			during: func(t *testing.T, d string) {
				put(t, d, "src/settings.json")
				must(t, os.Symlink("src", filepath.Join(d, ".claude")))
			},
			held: []string{".claude"}, stays: []string{"src/settings.json"},
		},
		"a link out of the worktree": {
			during: func(t *testing.T, d string) { must(t, os.Symlink("/etc/passwd", filepath.Join(d, ".mcp.json"))) },
			held:   []string{".mcp.json"},
		},
		"what was there before": {
			before: func(t *testing.T, d string) { put(t, d, ".claude/settings.json"); put(t, d, ".vscode/x") },
			during: func(t *testing.T, d string) { put(t, d, "main.go") },
			stays:  []string{".claude/settings.json", ".vscode/x", "main.go"},
		},
		"nothing but work": {
			during: func(t *testing.T, d string) { put(t, d, ".github/workflows/ci.yml"); put(t, d, "claude/settings.json") },
			stays:  []string{".github/workflows/ci.yml", "claude/settings.json"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := t.TempDir(), t.TempDir()
			if c.before != nil {
				c.before(t, dir)
			}
			j := Job{Host: Host{Tree: readTree(dir, nil)}, Plan: Plan{Worktree: dir, RunDir: run}}
			c.during(t, dir)
			root, err := os.OpenRoot(dir)
			must(t, err)
			defer root.Close()
			held, err := holdBack(root, j)
			must(t, err)
			got := map[string]bool{}
			for _, h := range held {
				got[h.Path] = true
			}
			if len(held) != len(c.held) {
				t.Errorf("held back %v, want %v", held, c.held)
			}
			for _, want := range c.held {
				if _, err := os.Lstat(filepath.Join(dir, want)); !got[want] || err == nil {
					t.Errorf("%s is still in the worktree (held back: %v)", want, held)
				}
				if _, err := os.Lstat(filepath.Join(run, recordDir, quarantineDir, want)); err != nil {
					t.Errorf("%s is lost: %v", want, err)
				}
			}
			for _, want := range c.stays {
				if _, err := os.Lstat(filepath.Join(dir, want)); err != nil {
					t.Errorf("%s is gone: %v", want, err)
				}
			}
		})
	}
}

func TestAcceptWiringLeavesItInPlace(t *testing.T) {
	dir := t.TempDir()
	j := Job{Request: Request{Accept: []string{"wiring"}}, Plan: Plan{Worktree: dir, RunDir: t.TempDir()}}
	put(t, dir, ".envrc")
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	if held, err := holdBack(root, j); err != nil || len(held) != 0 {
		t.Errorf("held %v, %v", held, err)
	}
}

func put(t *testing.T, dir, name string) {
	t.Helper()
	file := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte("{}"), 0o644))
}

// What git's config names and was absent is held back like wiring, by whatever
// spelling; what was there before is not.
func TestSteeredIsHeldBack(t *testing.T) {
	dir, run := t.TempDir(), t.TempDir()
	put(t, dir, "there/_/pre-commit")
	j := Job{Host: Host{Tree: readTree(dir, nil), Steered: []Steered{{".husky/_", "hooks"}, {"dx.sh", "program"}, {"there/_", "was there"}, {"absent", "stays so"}}},
		Plan: Plan{Worktree: dir, RunDir: run}}
	put(t, dir, ".Husky/_/pre-commit")
	put(t, dir, "dx.sh")
	put(t, dir, "there/_/pre-push")
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	held, err := holdBack(root, j)
	must(t, err)
	var got []string
	for _, h := range held {
		got = append(got, h.Path+" "+h.Reason)
	}
	if want := []string{".Husky/_ hooks", "dx.sh program"}; !slices.Equal(got, want) {
		t.Errorf("held back %q, want %q", got, want)
	}
}

// What is moved out lies in the worktree, also when a directory on the way to
// it has become a link meanwhile.
func TestMoveOutStaysInTheWorktree(t *testing.T) {
	dir, outside, to := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, dir, "real/.envrc")
	put(t, outside, ".envrc")
	must(t, os.Symlink(outside, filepath.Join(dir, "pkg")))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	if err := moveOut(root, "pkg/.envrc", to); err == nil {
		t.Error("something outside the worktree was moved")
	}
	if _, err := os.Lstat(filepath.Join(outside, ".envrc")); err != nil {
		t.Error(err)
	}
	must(t, moveOut(root, "real/.envrc", to))
	if _, err := os.Lstat(filepath.Join(to, "real/.envrc")); err != nil {
		t.Error(err)
	}
}
