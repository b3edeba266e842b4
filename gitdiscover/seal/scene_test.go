package seal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lane/e2e/feature"
	"lane/gitdiscover"
)

// scene is a real repository with a linked worktree, made by the installed
// git in an environment of its own.
type scene struct {
	t    testing.TB
	home string // HOME of every git, and the root of all
	main string // the main worktree
	lane string // a linked worktree on branch "lane"
	repo gitdiscover.Repo
	opt  Options
}

var testWiring = []string{".claude/settings.json", ".claude/hooks", ".mcp.json", ".vscode", ".envrc", ".config/lane.toml"}

// template is a scene that is made once and copied: git takes half a second
// for it on a busy machine.
var template = sync.OnceValues(func() (string, error) {
	root, err := os.MkdirTemp("", "seal-template-")
	if err != nil {
		return "", err
	}
	templateRoot = root
	s := &scene{home: root}
	for _, step := range [][]string{
		{".", "init", "-q", "-b", "main", "main"},
		{"main", "add", "."},
		{"main", "commit", "-qm", "first"},
		{"main", "worktree", "add", "-q", "-b", "lane", root + "/lane"},
	} {
		if out, err := s.tryGit(step[0], step[1:]...); err != nil {
			return root, fmt.Errorf("git %q: %w: %s", step, err, out)
		}
		if step[1] == "init" {
			err := errors.Join(os.WriteFile(root+"/main/a.txt", []byte("a\n"), 0o644), os.Mkdir(root+"/main/sub", 0o755),
				os.WriteFile(root+"/main/sub/b.txt", []byte("b\n"), 0o644))
			if err != nil {
				return root, err
			}
		}
	}
	return root, nil
})

var templateRoot string // "" if no test needed it

func TestMain(m *testing.M) {
	code := m.Run()
	if templateRoot != "" {
		os.RemoveAll(templateRoot)
	}
	os.Exit(code)
}

func newScene(t testing.TB) *scene {
	t.Helper()
	root, err := template()
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, home: home, main: home + "/main", lane: home + "/lane", opt: Options{Wiring: testWiring, Home: home}}
	s.must(os.CopyFS(home, os.DirFS(root)))
	s.write("lane/.git", "gitdir: "+s.common("worktrees/lane")+"\n")
	s.write("main/.git/worktrees/lane/gitdir", s.lane+"/.git\n")
	s.repo = s.discover(s.lane)
	return s
}

func (s *scene) discover(dir string) gitdiscover.Repo {
	s.t.Helper()
	repo, err := gitdiscover.Discover(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return repo
}

// path makes a path below the scene absolute.
func (s *scene) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.home, name)
}

// common is a path in the shared git directory.
func (s *scene) common(name string) string { return filepath.Join(s.main, ".git", name) }

func (s *scene) git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.tryGit(dir, args...)
	if err != nil {
		s.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (s *scene) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.path(dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *scene) write(name, content string) {
	s.t.Helper()
	p := s.path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) take() Seal {
	s.t.Helper()
	seal, err := Take(s.repo, s.opt)
	if err != nil {
		s.t.Fatal(err)
	}
	return seal
}

// after seals, acts, and compares; a compare that hangs fails.
func (s *scene) after(act func()) Report {
	s.t.Helper()
	before := s.take()
	act()
	return s.compare(before)
}

func (s *scene) compare(before Seal) Report {
	s.t.Helper()
	c := make(chan Report, 1)
	go func() { c <- Compare(context.Background(), before, s.opt) }()
	select {
	case r := <-c:
		return r
	case <-time.After(20 * time.Second):
		s.t.Fatal("Compare hangs")
		panic("unreachable")
	}
}

// brief is what a report says, a line each, for tests: kind, path from the
// scene's root, and name.
func (s *scene) brief(l []Change) []string {
	var out []string
	for _, c := range l {
		p, err := filepath.Rel(s.home, string(c.Path))
		s.must(err)
		line := string(c.Kind) + " " + p
		if c.Name != "" {
			line += " " + string(c.Name)
		}
		out = append(out, line)
		if c.Before == c.After || c.Before == "" || c.After == "" || c.Inspect == "" {
			s.t.Errorf("%s: before %q, after %q, inspect %q", line, c.Before, c.After, c.Inspect)
		}
		if !isPlain(c.Before + c.After + c.Why + c.Inspect) {
			s.t.Errorf("%s: not fit to print: %q %q %q", line, c.Before, c.After, c.Inspect)
		}
	}
	slices.Sort(out)
	return out
}

func (s *scene) quiet(r Report) {
	s.t.Helper()
	for _, c := range r.Tripped {
		s.t.Errorf("trips: %+v", c)
	}
	if r.Incomplete != nil {
		s.t.Errorf("incomplete: %q", r.Incomplete)
	}
}

const (
	asUserEnv = "LANE_SEAL_AS_USER"
	userID    = 61002 // nobody's; it needs no entry in /etc/passwd
)

// sameForAll are tests for which it makes no difference who runs them.
const sameForAll = "^(TestAsUser|TestNothingHangs|TestLedgerAgreesWithGitOnRandomHistories|TestManyRefsThatMove|TestUnsealable|TestJournal.*|.*Key.*|.*Row.*|.*Secret.*|Fuzz.*)$"

// TestAsUser runs the other tests again as an ordinary user, for whom modes
// and owners count.
func TestAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become another user; the other tests already run as one")
	}
	if testing.Short() {
		t.Skip("runs every test a second time")
	}
	home, err := os.MkdirTemp("", "as-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	// go test leaves the binary in a directory that only its owner enters.
	bin := home + "/seal.test"
	copyProgram(t, "/proc/self/exe", bin)
	for _, p := range []string{home, home + "/tmp"} {
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(p, userID, userID); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bin, "-test.v", "-test.skip="+sameForAll)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + home + "/tmp", "HOME=" + home, asUserEnv + "=1", "LANE_MUST=" + os.Getenv("LANE_MUST")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		feature.Missing(t, "setuid", err.Error())
	}
	if err != nil {
		t.Errorf("as uid %d: %v", userID, err)
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "--- PASS") && !strings.Contains(line, "=== RUN") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}
