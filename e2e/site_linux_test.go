package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// site is a repository with a linked worktree, a home and a lane home of its
// own, for tests that are not scripts.
type site struct {
	t    *testing.T
	uid  int
	home string
	lane string // the worktree
	env  []string
}

// everyUser runs a test as the caller and, when that is root, as an
// unprivileged user too.
func everyUser(t *testing.T, test func(t *testing.T, uid int)) {
	if os.Getuid() == 0 {
		t.Run("root", func(t *testing.T) { test(t, 0) })
		t.Run("user", func(t *testing.T) { test(t, unprivileged) })
		return
	}
	t.Run("user", func(t *testing.T) { test(t, os.Getuid()) })
}

func newSite(t *testing.T, uid int) *site {
	t.Helper()
	below := filepath.Join(stage, "user")
	if uid == 0 {
		below = filepath.Join(stage, "root")
	}
	dir, err := os.MkdirTemp(below, "site-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = removeStage(dir) }) // TestMain removes the whole stage
	s := &site{t: t, uid: uid, home: filepath.Join(dir, "home"), lane: filepath.Join(dir, "home", "src", "lane")}
	bin := filepath.Join(stage, "bin")
	s.env = []string{"HOME=" + s.home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "USER=tester",
		"TERM=xterm", "LANE_HOME=" + filepath.Join(dir, "lanehome"), "ANTHROPIC_API_KEY=sk-scripted", "ANTHROPIC_BASE_URL=http://127.0.0.1:9"}
	if err := os.MkdirAll(filepath.Join(s.home, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, s.home, filepath.Join(s.home, "src")} {
		if err := os.Chown(d, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	s.must("git", "init", "-q", "-b", "main", s.home+"/src/repo")
	s.must("git", "-C", s.home+"/src/repo", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "first")
	s.must("git", "-C", s.home+"/src/repo", "worktree", "add", "-q", s.lane)
	return s
}

// command is a command of the site's user, in the lane, not started yet.
func (s *site) command(argv ...string) *exec.Cmd {
	c := exec.Command(argv[0], argv[1:]...)
	if argv[0] == "lane" {
		c.Path, c.Err = filepath.Join(stage, "bin", "lane"), nil
	}
	c.Env, c.Dir = s.env, s.lane
	if _, err := os.Stat(s.lane); err != nil {
		c.Dir = s.home
	}
	c.SysProcAttr = &syscall.SysProcAttr{}
	if os.Getuid() == 0 && s.uid != 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid)}
	}
	return c
}

// must runs a command that has to succeed, and returns what it said.
func (s *site) must(argv ...string) string {
	s.t.Helper()
	out, err := s.command(argv...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
	return string(out)
}

// write makes a file in the lane, as its user.
func (s *site) write(name, content string, mode os.FileMode) string {
	s.t.Helper()
	path := filepath.Join(s.lane, name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chown(path, s.uid, s.uid); err != nil {
		s.t.Fatal(err)
	}
	return path
}
