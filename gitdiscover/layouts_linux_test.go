package gitdiscover

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/e2e/feature"
)

const userID = 61001 // nobody's; it needs no entry in /etc/passwd

// TestLayouts builds every layout for real and asks Discover and the installed
// git. As root all layouts count; those of the group "permission" are asked of
// git by TestLayoutsAsUser, since no mode bit stops root's git.
func TestLayouts(t *testing.T) {
	all := readLayouts(t)
	agreed := 0
	for _, l := range all {
		t.Run(l.Group+"/"+l.ID, func(t *testing.T) {
			if slices.Contains(l.Needs, "root") && os.Geteuid() != 0 {
				feature.Missing(t, "root", "this is another user")
			}
			s := newSite(t)
			s.build(l)
			s.judge(l)
			if !t.Failed() {
				agreed++
			}
		})
	}
	t.Logf("%d of %d layouts agree as uid %d", agreed, len(all), os.Geteuid())
}

// TestLayoutsAsUser runs TestLayouts again as an ordinary user.
func TestLayoutsAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		feature.Missing(t, "root", "TestLayouts already runs as an ordinary user")
	}
	home, err := os.MkdirTemp("", "as-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	// go test leaves the binary in a directory that only its owner enters.
	bin := home + "/gitdiscover.test"
	copyFile(t, "/proc/self/exe", bin)
	copyFile(t, "testdata/layouts.json", home+"/testdata/layouts.json")
	if err := os.Mkdir(home+"/tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{home, home + "/tmp"} {
		if err := os.Chown(p, userID, userID); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bin, "-test.run=^TestLayouts$", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + home + "/tmp", "HOME=" + home, "LANE_MUST=" + strings.ReplaceAll(os.Getenv("LANE_MUST"), "root", "")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		feature.Missing(t, "setuid", err.Error())
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "layouts agree") || err != nil && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "=== RUN") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Errorf("as uid %d: %v", userID, err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
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

// judge asks Discover from inside the layout, as a caller at a prompt would,
// and holds the answer against the verdict and against git.
func (s *site) judge(l layout) {
	s.t.Helper()
	for k, v := range l.Env {
		s.t.Setenv(k, s.expand(v))
	}
	cwd := s.expand(l.Cwd)
	s.t.Chdir(cwd)
	if l.CwdRemoved {
		s.must(os.Remove(cwd))
	}
	repo, err := discoverInTime(s.t, "")
	byPath, errByPath := discoverInTime(s.t, cwd)
	if (err == nil) != (errByPath == nil) || err == nil && repo.Same(byPath) != nil {
		s.t.Errorf("from the current directory: %+v, %v; by path: %+v, %v", repo, err, byPath, errByPath)
	}
	patience := 20 * time.Second
	if l.Class == NotRegular { // git hangs in most of these; there is no more to learn
		patience = 300 * time.Millisecond
	}
	says := s.askGitFor("", patience)
	if l.Class != "" {
		s.judgeRefusal(l, repo, err, says)
		return
	}
	if err != nil {
		s.t.Fatalf("refused: %v; want %q", err, s.expand(l.Worktree))
	}
	want := gitSays{worktree: s.expand(l.Worktree), gitDir: s.expand(l.GitDir), commonDir: s.expand(l.CommonDir)}
	switch {
	case says.ok:
		if want.gitDir == "*" {
			want.gitDir = says.gitDir
		}
		s.samePaths("git", says, want)
	case l.MinGit == "" || gitAtLeast(s.t, l.MinGit):
		s.t.Errorf("git refuses: %s", says.text)
	}
	s.samePaths("Discover", gitSays{worktree: repo.Worktree, gitDir: repo.GitDir, commonDir: repo.CommonDir}, want)
}

func (s *site) samePaths(who string, got, want gitSays) {
	s.t.Helper()
	if got.worktree != want.worktree || got.gitDir != want.gitDir || got.commonDir != want.commonDir {
		s.t.Errorf("%s says\n  %q\n  %q\n  %q\nwant\n  %q\n  %q\n  %q", who, got.worktree, got.gitDir, got.commonDir, want.worktree, want.gitDir, want.commonDir)
	}
}

func (s *site) judgeRefusal(l layout, repo Repo, err error, says gitSays) {
	s.t.Helper()
	var r *RefusedError
	if !errors.As(err, &r) {
		s.t.Fatalf("accepted %+v (%v); want class %s", repo, err, l.Class)
	}
	if r.Class != l.Class {
		s.t.Errorf("class %s (%v), want %s", r.Class, r, l.Class)
	}
	if r.Path == "" || r.Detail == "" || r.Hint == "" {
		s.t.Errorf("refusal is not complete: %#v", r)
	}
	if strings.ContainsFunc(r.Detail+r.Hint, isControl) {
		s.t.Errorf("refusal prints a control character: %q", r.Detail+r.Hint)
	}
	// No mode bit stops root's git; the user's run asks it.
	rootOpensAll := l.Group == "permission" && os.Geteuid() == 0
	if l.Git == "yes" && says.ok && !rootOpensAll {
		s.t.Errorf("git accepts: %s", says.text)
	}
}

// discoverInTime fails the test when Discover hangs.
func discoverInTime(t testing.TB, dir string) (Repo, error) {
	t.Helper()
	type answer struct {
		repo Repo
		err  error
	}
	c := make(chan answer, 1)
	go func() {
		r, err := Discover(dir)
		c <- answer{r, err}
	}()
	select {
	case a := <-c:
		return a.repo, a.err
	case <-time.After(10 * time.Second):
		t.Fatal("Discover hangs")
		panic("unreachable")
	}
}
