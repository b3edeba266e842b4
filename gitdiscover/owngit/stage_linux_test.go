package owngit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lane/e2e/feature"
	"lane/gitdiscover"
)

// stage is a repository with a linked worktree, and a lane's git directory for
// it once plan was called.
type stage struct {
	t     testing.TB
	root  string
	home  string
	main  string // the main worktree
	wt    string // the lane's worktree
	dir   string // the lane's git directory
	setup Setup
	repo  gitdiscover.Repo
	env   []string // further environment of every git
}

// newStage makes main with two commits and, on branch topic, the worktree.
// git makes them once; starting git is most of the time here.
func newStage(t testing.TB) *stage {
	t.Helper()
	s := emptyStage(t)
	template.once.Do(func() { template.dir, template.err = makeTemplate() })
	s.must(template.err)
	for _, name := range []string{"main", "wt"} {
		s.must(os.CopyFS(s.root+"/"+name, os.DirFS(template.dir+"/"+name)))
	}
	s.write(s.wt+"/.git", "gitdir: "+s.main+"/.git/worktrees/wt\n")
	s.write(s.main+"/.git/worktrees/wt/gitdir", s.wt+"/.git\n")
	s.git(s.main, "update-index", "-q", "--refresh")
	s.git(s.wt, "update-index", "-q", "--refresh")
	return s
}

var template struct {
	once sync.Once
	dir  string
	err  error
}

func makeTemplate() (string, error) {
	dir, err := os.MkdirTemp("", "owngit-template-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("/bin/bash", "-euc", `
git init -q -b main main; cd main; mkdir dir
echo one >a.txt; echo two >dir/b.txt; git add .; git commit -q -m first
echo more >>a.txt; git commit -q -a -m second
git tag -a v1 -m tagged; git worktree add -q -b topic ../wt`)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	return dir, nil
}

func TestMain(m *testing.M) {
	if os.Getenv(crashEnv) != "" {
		os.Exit(crashMain())
	}
	code := m.Run()
	if template.dir != "" {
		os.RemoveAll(template.dir)
	}
	os.Exit(code)
}

func emptyStage(t testing.TB) *stage {
	t.Helper()
	root, err := os.MkdirTemp("", "owngit-")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	s := &stage{t: t, root: root, home: root + "/home", main: root + "/main", wt: root + "/wt", dir: root + "/state/git"}
	s.write(s.home+"/.gitconfig", "[user]\n\tname = Some One\n\temail = some@example.invalid\n[init]\n\tdefaultBranch = main\n")
	s.must(os.MkdirAll(root+"/state", 0o700))
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) write(path, data string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, []byte(data), 0o644))
}

// gitEnv is the whole environment of the user's git.
func (s *stage) gitEnv() []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true"}, s.env...)
}

// git runs the user's git, outside the lane.
func (s *stage) git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.tryGit(dir, args...)
	if err != nil {
		s.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (s *stage) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.gitEnv()
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func (s *stage) places() Places { return Places{Home: s.home} }

// plan surveys, plans and makes the lane's git directory.
func (s *stage) plan() {
	s.t.Helper()
	repo, err := gitdiscover.Discover(s.wt)
	s.must(err)
	s.repo = repo
	s.setup, err = Plan(repo, Inputs{Facts: Survey(repo, s.places()), Placeholders: []string{".mcp.json", ".idea"}, SeenAs: seenInBwrap()})
	s.must(err)
	s.must(s.setup.Make(s.dir))
	s.write(s.root+"/pointer", s.setup.Pointer(s.dir))
}

// seenInBwrap is the lane's user: root is not root in a lane.
func seenInBwrap() *Owner {
	o := &Owner{HostUID: uint32(os.Geteuid()), HostGID: uint32(os.Getegid())}
	o.UID, o.GID = o.HostUID, o.HostGID
	if o.UID == 0 {
		o.UID, o.GID = 1000, 1000
	}
	return o
}

// lane runs a shell script in the worktree with the lane's pointer over the
// real one and all else read-only, as a lane has it.
func (s *stage) lane(script string) string {
	s.t.Helper()
	out, err := s.tryLane(script)
	if err != nil {
		s.t.Fatalf("in the lane: %v\n%s\n%s", err, script, out)
	}
	return out
}

func (s *stage) tryLane(script string) (string, error) {
	args := []string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", s.wt, s.wt, "--bind", s.root + "/state", s.root + "/state",
		"--ro-bind", s.root + "/pointer", s.wt + "/.git", "--unshare-user", "--unshare-pid", "--die-with-parent", "--chdir", s.wt}
	if os.Geteuid() == 0 {
		args = append(args, "--uid", "1000", "--gid", "1000")
	}
	args = append(args, "--", "/bin/bash", "-euc", script)
	cmd := exec.Command(bwrap(s.t), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.root + "/state", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_OPTIONAL_LOCKS=0"}
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func bwrap(t testing.TB) string {
	t.Helper()
	const path = "/usr/bin/bwrap"
	if err := exec.Command(path, "--ro-bind", "/", "/", "--unshare-user", "true").Run(); err != nil {
		feature.Missing(t, "bwrap", err.Error())
	}
	return path
}

// shared hashes every file of the shared git directory.
func (s *stage) shared() map[string]string {
	s.t.Helper()
	sums := map[string]string{}
	s.must(filepath.WalkDir(s.main+"/.git", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		sum := sha256.Sum256(data)
		sums[strings.TrimPrefix(p, s.main+"/.git/")] = hex.EncodeToString(sum[:])
		return err
	}))
	return sums
}

// unchanged fails when a file of the shared git directory is not as it was.
func (s *stage) unchanged(before map[string]string) {
	s.t.Helper()
	now := s.shared()
	for name, sum := range before {
		if now[name] != sum {
			s.t.Errorf("shared file %s changed", name)
		}
	}
	for name := range now {
		if _, ok := before[name]; !ok {
			s.t.Errorf("shared file %s appeared", name)
		}
	}
}

func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot:\n%s\nwant:\n%s", what, got, want)
	}
}

const (
	asUserEnv = "LANE_OWNGIT_AS_USER"
	userID    = 61002 // nobody's; it needs no entry in /etc/passwd
)

// TestAsUser runs all other tests as an ordinary user, the long loops shorter.
func TestAsUser(t *testing.T) {
	if os.Getenv(asUserEnv) != "" {
		t.Skip("is the ordinary user already")
	}
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user anyway")
	}
	if testing.Short() {
		t.Skip("short")
	}
	home, err := os.MkdirTemp("", "owngit-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(home, 0o755), os.WriteFile(home+"/test", exe, 0o755), os.Mkdir(home+"/tmp", 0o755), os.Chown(home+"/tmp", userID, userID)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(home+"/test", "-test.short", "-test.timeout=15m")
	cmd.Dir = home + "/tmp"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + home + "/tmp", "HOME=" + home + "/tmp", asUserEnv + "=1", "LANE_MUST=" + os.Getenv("LANE_MUST")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as uid %d: %v\n%s", userID, err, out)
	}
}

func (s *stage) discover() gitdiscover.Repo {
	s.t.Helper()
	repo, err := gitdiscover.Discover(s.wt)
	s.must(err)
	return repo
}

// shell runs a script as the user, outside the lane.
func shell(s *stage, dir, script string) error {
	cmd := exec.Command("/bin/bash", "-euc", script)
	cmd.Dir, cmd.Env = dir, s.gitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Logf("%s: %s", script, out)
	}
	return err
}

func refused(t testing.TB, err error, want Reason) {
	t.Helper()
	var r *RefusedError
	if !errors.As(err, &r) || r.Reason != want {
		t.Errorf("got %v, want a refusal %s", err, want)
	}
}
