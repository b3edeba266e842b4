package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// held is what the worktree holds now, as a caller would note it.
func (s *scene) held() *Tree {
	t := &Tree{Files: s.stamps(), Dirs: map[string]bool{}, Repositories: map[string]bool{}}
	s.walk(s.lane, "", func(rel string, e os.DirEntry) {
		if e.Name() == ".git" {
			t.Repositories[rel] = true
		}
		if e.IsDir() {
			t.Dirs[rel] = true
		}
	})
	for name := range t.Files {
		if t.Repositories[name] {
			delete(t.Files, name)
		}
	}
	return t
}

func (s *scene) sweep(opt SweepOptions) SweepReport {
	s.t.Helper()
	opt.Wiring = testWiring
	c := make(chan SweepReport, 1)
	go func() { c <- Sweep(context.Background(), s.lane, opt) }()
	select {
	case r := <-c:
		for _, f := range r.Findings {
			if !isPlain(f.Path.String() + f.Detail + strings.Join(f.Runs, "")) {
				s.t.Errorf("not fit to print: %+v", f)
			}
		}
		return r
	case <-time.After(60 * time.Second):
		s.t.Fatal("Sweep hangs")
		panic("unreachable")
	}
}

func findingLines(r SweepReport) []string {
	out := []string{}
	for _, f := range r.Findings {
		l := f.Kind + " " + string(f.Path) + " " + f.Was
		if f.Runs != nil {
			l += " " + strings.Join(f.Runs, " ")
		}
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}

// Each case is what an agent leaves, and all that is found of it.
var sweepCases = []struct {
	name string
	do   func(s *scene)
	want []string
}{
	{"nothing", func(s *scene) {}, nil},
	{"work", func(s *scene) {
		s.write("lane/new.txt", "x")
		s.write("lane/Makefile", "all:\n")
		s.write("lane/objects/HEAD", "x")
		s.write("lane/HEAD", "x")
		s.write("lane/refs/x", "x")
		s.write("lane/.gitignore", "*\n")
		s.write("lane/.gitattributes", "*.go diff=golang text\n*.png binary -diff merge=union\n")
		s.must(os.Symlink("a.txt", s.path("lane/inside")))
		s.must(os.Symlink("../a.txt", s.path("lane/sub/inside")))
		s.must(os.Symlink("nowhere", s.path("lane/dangling")))
	}, nil},
	{"a nested repository", func(s *scene) { s.git("lane", "init", "-q", "n") }, []string{"repository n/.git appeared"}},
	{"one that runs programs", func(s *scene) {
		s.git("lane", "init", "-q", "a/b")
		s.git("lane/a/b", "config", "core.fsmonitor", "/evil")
		s.git("lane/a/b", "config", "core.worktree", "../..")
		s.git("lane/a/b", "config", "filter.\x1b.clean", "/evil")
		s.write("lane/a/b/.git/hooks/pre-commit", "evil\n")
	}, []string{"repository a/b/.git appeared \"filter.\\x1b.clean\" core.fsmonitor core.worktree hooks/pre-commit"}},
	{"a pointer", func(s *scene) { s.write("lane/n/.git", "gitdir: /elsewhere\n") }, []string{"repository n/.git appeared leads out of the worktree"}},
	{"a linked .git", func(s *scene) { s.must(os.Symlink("../.git", s.path("lane/sub/.git"))) }, []string{"repository sub/.git appeared"}},
	{"a bare repository", func(s *scene) { s.git("lane", "init", "-q", "--bare", "x.git") }, []string{"bare-repository x.git appeared"}},
	{"an implicit one that redirects", func(s *scene) {
		s.write("lane/i/HEAD", "ref: refs/heads/x\n")
		s.write("lane/i/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = evil\n")
		s.must(os.MkdirAll(s.path("lane/i/objects"), 0o755))
		s.must(os.MkdirAll(s.path("lane/i/refs"), 0o755))
	}, []string{"bare-repository i appeared core.fsmonitor core.worktree"}},
	{"one that hides in another", func(s *scene) {
		s.git("lane", "init", "-q", "--bare", "x")
		s.git("lane", "init", "-q", "x/.git/objects/y")
		s.git("lane/x/.git/objects/y", "config", "core.fsmonitor", "evil")
		s.git("lane", "init", "-q", "pkg/.vscode/z")
	}, []string{"bare-repository x appeared", "repository pkg/.vscode/z/.git appeared", "repository x/.git appeared", "repository x/.git/objects/y/.git appeared core.fsmonitor",
		"wiring pkg/.vscode appeared"}},
	{"one with a commondir", func(s *scene) {
		s.write("lane/i/HEAD", "ref: refs/heads/x\n")
		s.write("lane/i/commondir", "/elsewhere\n")
	}, []string{"bare-repository i appeared commondir"}},
	{"one with a commondir that looks like none", func(s *scene) {
		s.git("lane", "init", "-q", "n")
		s.write("lane/n/.git/commondir", "../../cfg\n")
		s.write("lane/cfg/config", "[core]\n\tfsmonitor = /evil\n")
		s.must(errors.Join(os.Mkdir(s.path("lane/cfg/objects"), 0o755), os.Mkdir(s.path("lane/cfg/refs"), 0o755)))
	}, []string{"repository n/.git appeared commondir"}},
	{"a worktree's, of a repository that is looked at itself", func(s *scene) {
		s.git("lane", "init", "-q", "n")
		s.git("lane/n", "commit", "-q", "--allow-empty", "-m", "x")
		s.git("lane/n", "worktree", "add", "-q", "../w")
	}, []string{"bare-repository n/.git/worktrees/w appeared", "repository n/.git appeared", "repository w/.git appeared"}},
	{"a worktree's, of what has no HEAD", func(s *scene) {
		s.write("lane/n/worktrees/w/HEAD", "ref: refs/heads/x\n")
		s.write("lane/n/worktrees/w/commondir", "../..\n")
		s.write("lane/n/config", "[core]\n\tfsmonitor = /evil\n")
		s.must(errors.Join(os.Mkdir(s.path("lane/n/objects"), 0o755), os.Mkdir(s.path("lane/n/refs"), 0o755)))
	}, []string{"bare-repository n/worktrees/w appeared commondir"}},
	{"pointers", func(s *scene) {
		s.git("main", "worktree", "add", "-q", "-b", "below", s.path("lane/below"))
		s.write("lane/copy/.git", s.read("lane/below/.git"))
		s.git("main", "worktree", "add", "-q", "-b", "relative", s.path("lane/relative"))
		s.write("lane/relative/.git", "gitdir: ../../main/.git/worktrees/relative\n")
		s.write("main/.git/worktrees/relative/gitdir", "../../../../lane/relative/.git\n")
		s.write("lane/in/.git", "gitdir: ../q\n")
		s.write("lane/absin/.git", "gitdir: "+s.lane+"/q\n")
		s.write("lane/up/.git", "gitdir: ../../main/.git\n")
		s.write("lane/abs/.git", "gitdir: "+s.main+"/.git\n")
		s.must(errors.Join(os.Mkdir(s.path("lane/l"), 0o755), os.Symlink(s.main+"/.git", s.path("lane/l/.git"))))
	}, []string{"link-outside l/.git appeared", "repository abs/.git appeared leads out of the worktree", "repository absin/.git appeared", "repository below/.git appeared",
		"repository copy/.git appeared leads out of the worktree", "repository in/.git appeared", "repository l/.git appeared leads out of the worktree", "repository relative/.git appeared", "repository up/.git appeared leads out of the worktree"}},
	{"one that lacked a directory", func(s *scene) { s.must(os.Mkdir(s.path("lane/fixture/refs"), 0o755)) }, []string{"bare-repository fixture appeared"}},
	{"a hook in one that was there", func(s *scene) { s.write("lane/old.git/hooks/update", "evil\n") }, []string{"bare-repository old.git appeared hooks/update"}},
	{"a key in one that was there", func(s *scene) {
		s.write("lane/old.git/config", s.read("lane/old.git/config")+"[alias]\n\tst = !evil\n")
	}, []string{"bare-repository old.git changed alias.st"}},
	{"names that are .git elsewhere", func(s *scene) {
		for _, n := range []string{".GIT", ".Git ", ".git.", "GIT~1", ".git::$INDEX_ALLOCATION", ".g\u200cit"} {
			s.write("lane/"+n+"/HEAD", "x")
		}
		s.write("lane/sub/.giT", "gitdir: x\n")
	}, []string{"dotgit-look-alike .GIT appeared", "dotgit-look-alike .Git  appeared", "dotgit-look-alike .git. appeared", "dotgit-look-alike .git::$INDEX_ALLOCATION appeared",
		"dotgit-look-alike .g\u200cit appeared", "dotgit-look-alike GIT~1 appeared", "dotgit-look-alike sub/.giT appeared"}},
	{"filters", func(s *scene) {
		s.write("lane/sub/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs\n[attr]m filter=evil\n")
		s.write("lane/.GITATTRIBUTES", "* diff=custom\n")
	}, []string{"attributes .GITATTRIBUTES appeared", "attributes sub/.gitattributes appeared"}},
	{"submodules", func(s *scene) { s.write("lane/.gitmodules", "[submodule]\n") }, []string{"submodules .gitmodules appeared"}},
	{"wiring", func(s *scene) {
		s.write("lane/.envrc", "evil\n")
		s.write("lane/pkg/.envrc", "evil\n")
		s.write("lane/pkg/.vscode/tasks.json", "{}\n")
		s.write("lane/pkg/.vscode/more/x", "{}\n")
		s.write("lane/.claude/settings.json", "{1}\n")
		s.write("lane/.vscode/tasks.json", "{}\n")
		s.write("lane/claude/settings.json", "no\n")
	}, []string{"wiring .claude/settings.json changed", "wiring .envrc appeared", "wiring .vscode/tasks.json appeared", "wiring pkg/.envrc appeared", "wiring pkg/.vscode appeared"}},
	{"special files", func(s *scene) {
		s.must(syscall.Mkfifo(s.path("lane/fifo"), 0o644))
		l, err := net.Listen("unix", s.path("lane/s"))
		if err != nil { // the path may be too long for a socket
			s.must(syscall.Mkfifo(s.path("lane/s"), 0o644))
			return
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		l.Close()
	}, []string{"special fifo appeared", "special s appeared"}},
	{"setuid", func(s *scene) {
		for name, mode := range map[string]uint32{"u": 0o4755, "g": 0o2755, "locking": 0o2644} {
			s.write("lane/"+name, "x")
			s.must(syscall.Chmod(s.path("lane/"+name), mode))
		}
		s.must(os.Mkdir(s.path("lane/d"), 0o755))
		s.must(syscall.Chmod(s.path("lane/d"), 0o2755)) // how a directory is shared
		s.must(syscall.Chmod(s.path("lane/a.txt"), 0o4755))
	}, []string{"setuid a.txt changed", "setuid g appeared", "setuid u appeared"}},
	{"links that leave", func(s *scene) {
		for name, to := range map[string]string{
			"abs": "/etc/passwd", "up": "../x", "sub/up2": "../../x", "self": "x/../../lane/a.txt", "viadir": "sub/deep/../../../x",
			"in": "sub/deep/../b.txt", "absin": s.lane + "/a.txt", "absup": s.lane + "/../x", "almost": s.lane + "x",
			"loop": "loop", "tricky": "hop/../../main/a.txt", "fine": "hop/../a.txt",
		} {
			s.must(os.MkdirAll(s.path("lane/sub/deep"), 0o755))
			s.must(os.Symlink(to, s.path("lane/"+name)))
		}
		s.must(os.Symlink("sub", s.path("lane/hop")))
		s.must(os.Symlink(".", s.path("lane/sub/dot")))
		s.must(os.Symlink("dot/../../x", s.path("lane/sub/out"))) // by its text it stays inside
		s.must(os.Symlink("sub/deep/back/../x", s.path("lane/chain")))
		s.must(os.Symlink("../..", s.path("lane/sub/deep/back")))
		s.must(os.Mkdir(s.path("lane/x"), 0o755))
	}, []string{"link-outside abs appeared", "link-outside absup appeared", "link-outside almost appeared", "link-outside chain appeared", "link-outside self appeared",
		"link-outside sub/out appeared", "link-outside sub/up2 appeared", "link-outside tricky appeared", "link-outside up appeared", "link-outside viadir appeared"}},
	{"names that hurt a terminal", func(s *scene) { s.must(syscall.Mkfifo(s.path("lane/a\n\x1b[31m\xff"), 0o644)) }, []string{"special a\n\x1b[31m\xff appeared"}},
}

func sweepScene(t testing.TB) *scene {
	s := newScene(t)
	s.write("lane/.claude/settings.json", "{}\n")
	s.write("lane/.vscode/settings.json", "{}\n")
	s.git("lane", "init", "-q", "nested")
	s.git("lane", "init", "-q", "--bare", "old.git")
	s.write("lane/fixture/HEAD", "ref: refs/heads/main\n")
	s.must(os.Mkdir(s.path("lane/fixture/objects"), 0o755))
	s.must(os.Symlink("/etc", s.path("lane/etc")))
	return s
}

func TestSweep(t *testing.T) {
	for _, c := range sweepCases {
		t.Run(c.name, func(t *testing.T) {
			s := sweepScene(t)
			before := s.held()
			c.do(s)
			r := s.sweep(SweepOptions{Before: before, CommonDir: s.main + "/.git"})
			if got := findingLines(r); !slices.Equal(got, c.want) && (len(got) > 0 || len(c.want) > 0) {
				t.Errorf("found:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			if r.Incomplete != nil || r.Clean() != (c.want == nil) {
				t.Errorf("incomplete %q, clean %v", r.Incomplete, r.Clean())
			}
		})
	}
}

func TestSweepWithoutBefore(t *testing.T) {
	s := sweepScene(t)
	want := []string{"bare-repository old.git appeared", "link-outside etc appeared", "repository nested/.git appeared", "wiring .claude/settings.json appeared", "wiring .vscode appeared"}
	if got := findingLines(s.sweep(SweepOptions{})); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	want = want[1:]
	if got := findingLines(s.sweep(SweepOptions{Skip: []string{s.path("lane/old.git")}})); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestSweepOfHooks(t *testing.T) {
	s := newScene(t)
	s.git("main", "config", "core.hooksPath", "tools/hooks")
	s.write("lane/tools/hooks/pre-commit", "x\n")
	before := s.held()
	s.write("lane/tools/hooks/pre-push", "x\n")
	s.write("lane/tools/pre-push", "x\n")
	r := s.sweep(SweepOptions{Before: before, Hooks: s.take().HooksPaths()})
	if got := findingLines(r); !slices.Equal(got, []string{"hook tools/hooks/pre-push appeared"}) {
		t.Errorf("%q", got)
	}
	s.write("lane/pre-push", "x\n")
	if got := findingLines(s.sweep(SweepOptions{Before: before, Hooks: []string{"."}})); !slices.Equal(got, []string{"hook pre-push appeared"}) {
		t.Errorf("%q", got)
	}
}

// TestSweepHangsOnNothing is what an agent can fill a worktree with: paths
// longer than the kernel takes, a sparse file, a million names in little.
func TestSweepHangsOnNothing(t *testing.T) {
	s := newScene(t)
	before := s.held()
	fd, err := unix.Open(s.lane, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	s.must(err)
	name := strings.Repeat("d", 200)
	for range 40 { // 8,000 bytes
		s.must(unix.Mkdirat(fd, name, 0o755))
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		s.must(err)
		unix.Close(fd)
		fd = next
	}
	s.must(unix.Symlinkat("/elsewhere", fd, "deep"))
	unix.Close(fd)
	f, err := os.Create(s.path("lane/.gitattributes"))
	s.must(err)
	if err := f.Truncate(1 << 60); err != nil {
		s.must(f.Truncate(1 << 43))
	}
	s.must(f.Close())
	for i := range 20_000 {
		s.must(os.WriteFile(s.path(fmt.Sprintf("lane/sub/f%d", i)), nil, 0o644))
	}
	r := s.sweep(SweepOptions{Before: before})
	if len(r.Findings) != 2 || r.Findings[1].Kind != FoundAttributes && r.Findings[0].Kind != FoundAttributes || len(r.Incomplete) != 1 || r.Entries < 20_000 {
		t.Errorf("%+v", r)
	}
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.HasSuffix(string(f.Path), "/deep") && len(f.Path) > 8000 }) {
		t.Errorf("the deep one is not found: %d", len(r.Findings))
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	s.must(os.RemoveAll(s.path("lane/" + name)))

	for what, caps := range map[string]Caps{"entries": {Entries: 100}, "time": {Time: time.Nanosecond}, "depth": {Depth: -1}} {
		if r := s.sweep(SweepOptions{Before: before, Caps: caps}); r.Clean() || r.Incomplete == nil {
			t.Errorf("%s: %+v", what, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := Sweep(ctx, s.lane, SweepOptions{Before: before}); r.Clean() || r.Incomplete == nil {
		t.Errorf("%+v", r)
	}
	if r := Sweep(context.Background(), s.path("nowhere"), SweepOptions{}); r.Clean() {
		t.Error("a worktree that is gone is clean")
	}
}

func TestSweepOfTheUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("no mode stops root; TestAsUser runs this")
	}
	s := newScene(t)
	before := s.held()
	s.must(os.Mkdir(s.path("lane/closed"), 0))
	defer os.Chmod(s.path("lane/closed"), 0o700)
	if r := s.sweep(SweepOptions{Before: before}); r.Clean() || len(r.Incomplete) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestManyFindings(t *testing.T) {
	s := newScene(t)
	for i := range maxFindings + 10 {
		s.must(os.Symlink("/x", s.path(fmt.Sprintf("lane/l%d", i))))
	}
	s.git("lane", "init", "-q", "z")
	if r := s.sweep(SweepOptions{}); len(r.Findings) != maxFindings+1 || r.More != 10 || r.Incomplete == nil {
		t.Errorf("%d and %d more, %q", len(r.Findings), r.More, r.Incomplete)
	}
}

// BenchmarkSweep walks 100,000 files in 1,000 directories.
func BenchmarkSweep(b *testing.B) {
	s := newScene(b)
	for i := range 100_000 {
		if i%100 == 0 {
			s.must(os.MkdirAll(s.path(fmt.Sprintf("lane/x/d%d", i/100)), 0o755))
		}
		s.must(os.WriteFile(s.path(fmt.Sprintf("lane/x/d%d/f%d", i/100, i)), nil, 0o644))
	}
	before := s.held()
	for b.Loop() {
		if r := Sweep(context.Background(), s.lane, SweepOptions{Before: before, Wiring: testWiring}); !r.Clean() {
			b.Fatalf("%+v", r)
		}
	}
}
