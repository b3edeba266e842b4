package seal

import (
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Each case is something done behind lane's back, and the whole list of what
// must trip then: kind, path and name.
var tripCases = []struct {
	name string
	do   func(s *scene)
	want []string
}{
	{"the pointer is rewritten", func(s *scene) { s.write("lane/.git", "gitdir: /elsewhere\n") }, []string{"pointer lane/.git"}},
	{"the pointer becomes a directory", func(s *scene) {
		s.must(os.Remove(s.path("lane/.git")))
		s.git("lane", "init", "-q")
	}, []string{"pointer lane/.git"}},
	{"the pointer becomes a link", func(s *scene) {
		s.must(os.Rename(s.path("lane/.git"), s.path("lane/.git2")))
		s.must(os.Symlink(".git2", s.path("lane/.git")))
	}, []string{"pointer lane/.git"}},
	{"the pointer goes", func(s *scene) { s.must(os.Remove(s.path("lane/.git"))) }, []string{"pointer lane/.git"}},
	{"the pointer becomes a FIFO", func(s *scene) {
		s.must(os.Remove(s.path("lane/.git")))
		s.must(syscall.Mkfifo(s.path("lane/.git"), 0o644))
	}, []string{"pointer lane/.git"}},

	{"commondir is rewritten", func(s *scene) { s.write("main/.git/worktrees/lane/commondir", "/elsewhere\n") }, []string{"commondir main/.git/worktrees/lane/commondir"}},
	{"a commondir appears in the main git directory", func(s *scene) { s.write("main/.git/commondir", "/elsewhere\n") }, []string{"commondir main/.git/commondir"}},
	{"the back pointer is rewritten", func(s *scene) { s.write("main/.git/worktrees/lane/gitdir", "/elsewhere/.git\n") }, []string{"back-pointer main/.git/worktrees/lane/gitdir"}},
	{"HEAD is rewritten", func(s *scene) { s.write("main/.git/worktrees/lane/HEAD", "ref: refs/heads/other\n") }, []string{"head main/.git/worktrees/lane/HEAD worktrees/lane/HEAD"}},
	{"HEAD becomes a FIFO", func(s *scene) {
		s.must(os.Remove(s.common("worktrees/lane/HEAD")))
		s.must(syscall.Mkfifo(s.common("worktrees/lane/HEAD"), 0o644))
	}, []string{"head main/.git/worktrees/lane/HEAD worktrees/lane/HEAD"}},
	{"the git directory is exchanged", func(s *scene) {
		s.must(os.Rename(s.common("worktrees/lane"), s.common("old")))
		s.must(os.CopyFS(s.common("worktrees/lane"), os.DirFS(s.common("old"))))
	}, []string{"gitdir main/.git/worktrees/lane"}},
	{"the git directory goes", func(s *scene) { s.must(os.RemoveAll(s.common("worktrees/lane"))) }, []string{"unreadable main/.git/worktrees/lane"}},

	{"config.worktree is added", func(s *scene) { s.write("main/.git/worktrees/lane/config.worktree", "[core]\n\tfsmonitor = /evil\n") },
		[]string{"worktree-config main/.git/worktrees/lane/config.worktree"}},
	{"a program in the config", func(s *scene) { s.git("main", "config", "core.fsmonitor", "/evil") }, []string{"config-program main/.git/config core.fsmonitor"}},
	{"a filter in the config", func(s *scene) { s.git("main", "config", "filter.X.Y.clean", "evil") }, []string{"config-program main/.git/config filter.X.Y.clean"}},
	{"an include in the config", func(s *scene) { s.git("main", "config", "include.path", "/evil") }, []string{"config-redirect main/.git/config include.path"}},
	{"core.bare", func(s *scene) { s.git("main", "config", "core.bare", "true") }, []string{"config-redirect main/.git/config core.bare"}},
	{"worktreeConfig", func(s *scene) {
		s.git("main", "config", "extensions.worktreeConfig", "true")
		s.write("main/.git/worktrees/lane/config.worktree", "[core]\n\teditor = evil\n")
	}, []string{"config-redirect main/.git/config extensions.worktreeconfig", "worktree-config main/.git/worktrees/lane/config.worktree"}},
	{"a remote with a transport program", func(s *scene) { s.git("main", "remote", "add", "x", "ext::sh -c evil") }, []string{"config-program main/.git/config remote.x.url"}},
	{"the config is broken", func(s *scene) { s.write("main/.git/config", "[core\n") }, []string{"config-broken main/.git/config"}},
	{"the config becomes a link to its copy", func(s *scene) {
		s.must(os.Rename(s.common("config"), s.path("copy")))
		s.must(os.Symlink(s.path("copy"), s.common("config")))
	}, []string{"layout main/.git/config"}},
	{"the config becomes a FIFO", func(s *scene) {
		s.must(os.Remove(s.common("config")))
		s.must(syscall.Mkfifo(s.common("config"), 0o644))
	}, []string{"config-broken main/.git/config", "layout main/.git/config"}},

	{"a hook is added", func(s *scene) { s.write("main/.git/hooks/post-checkout", "#!/bin/sh\n") }, []string{"hook main/.git/hooks/post-checkout"}},
	{"a hook is added below a directory", func(s *scene) { s.write("main/.git/hooks/pre-commit.d/x", "#!/bin/sh\n") }, []string{"hook main/.git/hooks/pre-commit.d"}},
	{"a hook is made executable", func(s *scene) { s.must(os.Chmod(s.common("hooks/off"), 0o755)) }, []string{"hook main/.git/hooks/off"}},
	{"a hook is changed", func(s *scene) { s.write("main/.git/hooks/pre-push", "#!/bin/sh\nevil\n") }, []string{"hook main/.git/hooks/pre-push"}},
	{"a hook is changed with its size and mtime put back", func(s *scene) {
		p := s.common("hooks/pre-push")
		info, err := os.Stat(p)
		s.must(err)
		s.write(p, strings.Repeat("#", int(info.Size())))
		s.must(os.Chtimes(p, info.ModTime(), info.ModTime()))
	}, []string{"hook main/.git/hooks/pre-push"}},
	{"a hook is removed", func(s *scene) { s.must(os.Remove(s.common("hooks/pre-push"))) }, []string{"hook main/.git/hooks/pre-push"}},
	{"what a hook links to is changed", func(s *scene) { s.write("lane/tools/hook", "evil\n") }, []string{"hook main/.git/hooks/pre-rebase"}},
	{"hooks becomes a link", func(s *scene) {
		s.must(os.Rename(s.common("hooks"), s.path("hooks")))
		s.must(os.Symlink(s.path("hooks"), s.common("hooks")))
	}, []string{"hook main/.git/hooks"}},

	{"info/attributes is added", func(s *scene) { s.write("main/.git/info/attributes", "* filter=x\n") }, []string{"info main/.git/info/attributes"}},
	{"info/exclude is changed", func(s *scene) { s.write("main/.git/info/exclude", "*\n") }, []string{"info main/.git/info/exclude"}},
	{"info/grafts is added", func(s *scene) { s.write("main/.git/info/grafts", "\n") }, []string{"info main/.git/info/grafts"}},
	{"the sparse checkout is changed", func(s *scene) { s.write("main/.git/worktrees/lane/info/sparse-checkout", "/*\n") }, []string{"info main/.git/worktrees/lane/info/sparse-checkout"}},
	{"alternates are added", func(s *scene) { s.write("main/.git/objects/info/alternates", "/elsewhere/objects\n") }, []string{"alternates main/.git/objects/info/alternates"}},
	{"objects are exchanged", func(s *scene) {
		s.must(os.Rename(s.common("objects"), s.path("objects")))
		s.must(os.Symlink(s.path("objects"), s.common("objects")))
	}, []string{"layout main/.git/objects"}},
	{"an old remote", func(s *scene) { s.write("main/.git/remotes/origin", "URL: ext::evil\n") }, []string{"legacy-remote main/.git/remotes"}},
	{"a todo list", func(s *scene) { s.write("main/.git/worktrees/lane/rebase-merge/git-rebase-todo", "exec evil\n") },
		[]string{"operation main/.git/worktrees/lane/rebase-merge"}},
	{"the reflog leads elsewhere", func(s *scene) {
		s.must(os.Remove(s.common("worktrees/lane/logs/HEAD")))
		s.must(os.Symlink(s.path("bashrc"), s.common("worktrees/lane/logs/HEAD")))
	}, []string{"gitdir main/.git/worktrees/lane/logs/HEAD"}},

	{"the own branch moves by a ref file", func(s *scene) { s.write("main/.git/refs/heads/lane", strings.Repeat("1", 40)+"\n") },
		[]string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},
	{"the own branch moves by packed-refs", func(s *scene) {
		s.git("main", "pack-refs", "--all")
		s.write("main/.git/packed-refs", strings.ReplaceAll(s.read("main/.git/packed-refs"), s.git("main", "rev-parse", "lane"), strings.Repeat("1", 40)))
	}, []string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},
	{"the own branch moves by update-ref", func(s *scene) {
		s.git("main", "commit", "-q", "--allow-empty", "-m", "x")
		s.git("main", "update-ref", "refs/heads/lane", "HEAD")
	}, []string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},
	{"the user commits in the lane", func(s *scene) { s.git("lane", "commit", "-q", "--allow-empty", "-m", "x") },
		[]string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},
	{"the own branch goes", func(s *scene) { s.git("main", "update-ref", "-d", "refs/heads/lane") },
		[]string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},
	{"the own branch becomes a symbolic ref", func(s *scene) { s.git("main", "symbolic-ref", "refs/heads/lane", "refs/heads/main") },
		[]string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}},

	{"wiring appears", func(s *scene) { s.write("lane/.mcp.json", "{}\n") }, []string{"wiring-appeared lane/.mcp.json"}},
	{"wiring appears in a new directory", func(s *scene) { s.write("lane/.claude/hooks/x", "evil\n") }, []string{"wiring-appeared lane/.claude/hooks"}},
	{"wiring appears as a dangling link", func(s *scene) { s.must(os.Symlink("nowhere", s.path("lane/.envrc"))) }, []string{"wiring-appeared lane/.envrc"}},
	{"wiring appears behind a link", func(s *scene) {
		s.write("lane/dir/lane.toml", "")
		s.must(os.Symlink("dir", s.path("lane/.config")))
	}, []string{"wiring-appeared lane/.config/lane.toml"}},
	{"wiring changes", func(s *scene) { s.write("lane/.claude/settings.json", "{\"hooks\":1}\n") }, []string{"wiring-changed lane/.claude/settings.json"}},
	{"wiring gets another file", func(s *scene) { s.write("lane/.vscode/tasks.json", "{}\n") }, []string{"wiring-changed lane/.vscode/tasks.json"}},
	{"wiring goes", func(s *scene) { s.must(os.Remove(s.path("lane/.claude/settings.json"))) }, []string{"wiring-removed lane/.claude/settings.json"}},
	{"wiring becomes a FIFO", func(s *scene) {
		s.must(os.Remove(s.path("lane/.claude/settings.json")))
		s.must(syscall.Mkfifo(s.path("lane/.claude/settings.json"), 0o644))
	}, []string{"wiring-changed lane/.claude/settings.json"}},
}

// tripScene has some of everything before the seal.
func tripScene(t *testing.T) *scene {
	s := newScene(t)
	s.write("main/.git/hooks/off", "#!/bin/sh\n")
	s.write("main/.git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
	s.must(os.Chmod(s.common("hooks/pre-push"), 0o755))
	s.write("lane/tools/hook", "#!/bin/sh\n")
	s.must(os.Symlink(s.path("lane/tools/hook"), s.common("hooks/pre-rebase")))
	s.write("lane/.claude/settings.json", "{}\n")
	s.write("lane/.vscode/settings.json", "{}\n")
	return s
}

func TestTrips(t *testing.T) {
	for _, c := range tripCases {
		t.Run(c.name, func(t *testing.T) {
			s := tripScene(t)
			r := s.after(func() { c.do(s) })
			if got := s.brief(r.Tripped); !slices.Equal(got, c.want) {
				t.Errorf("tripped:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			s.brief(r.Reported)
		})
	}
}

// TestNothingChanged is the other side: what was written anew with the same
// content, and what only has other times, does not count.
func TestNothingChanged(t *testing.T) {
	s := tripScene(t)
	r := s.after(func() {
		for _, p := range []string{"lane/.git", "main/.git/config", "main/.git/hooks/off", "main/.git/worktrees/lane/HEAD", "lane/.claude/settings.json", "main/.git/info/exclude"} {
			content := s.read(p)
			s.must(os.Remove(s.path(p)))
			s.write(p, content)
		}
		s.write("main/.git/config", "# a comment\n"+s.read("main/.git/config"))
		s.must(os.MkdirAll(s.path("lane/.claude/hooks/empty"), 0o755))
		s.must(os.Mkdir(s.path("lane/.config"), 0o755))
		s.must(os.Chmod(s.common("hooks/pre-push"), 0o750))
	})
	s.quiet(r)
	if r.Reported = slices.DeleteFunc(r.Reported, func(c Change) bool { return c.Kind == HardLink }); len(r.Reported) != 0 {
		t.Errorf("reported: %v", s.brief(r.Reported))
	}
}

//go:embed kinds.go
var kindsSource string

// TestEveryKindHasARow reads the constants: a kind without a row would be
// reported where it should trip.
func TestEveryKindHasARow(t *testing.T) {
	rows := map[Kind]bool{}
	for _, k := range Kinds() {
		if rows[k.Kind] || k.Means == "" {
			t.Errorf("row of %s: %+v", k.Kind, k)
		}
		rows[k.Kind] = true
	}
	constants := regexp.MustCompile(`(?m)^\t\w+ +Kind = "([a-z-]+)"$`).FindAllStringSubmatch(kindsSource, -1)
	for _, c := range constants {
		if !rows[Kind(c[1])] {
			t.Errorf("no row for %s", c[1])
		}
	}
	if len(constants) != len(rows) {
		t.Errorf("%d constants, %d rows", len(constants), len(rows))
	}
	for _, l := range [][]spot{ownSpots, sharedSpots, mainSpots} {
		for _, s := range l {
			if !rows[s.kind] || s.why == "" {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestHookSamples: git init leaves a dozen and a template may leave a hundred;
// none of them is a hook until it loses its suffix.
func TestHookSamples(t *testing.T) {
	s := newScene(t)
	for i := range 100 {
		s.write(fmt.Sprintf("main/.git/hooks/h%d.sample", i), "#!/bin/sh\n")
	}
	r := s.after(func() {
		s.write("main/.git/hooks/h1.sample", "#!/bin/sh\nelse\n")
		s.must(os.Chmod(s.common("hooks/h2.sample"), 0o755))
	})
	s.quiet(r)
	if got := s.brief(r.Reported); !slices.Equal(got, []string{"hook-sample main/.git/hooks/h1.sample", "hook-sample main/.git/hooks/h2.sample"}) {
		t.Errorf("%q", got)
	}
	r = s.after(func() { s.must(os.Rename(s.common("hooks/h2.sample"), s.common("hooks/pre-push"))) })
	if got := s.brief(r.Tripped); !slices.Equal(got, []string{"hook main/.git/hooks/pre-push"}) {
		t.Errorf("%q", got)
	}
}
