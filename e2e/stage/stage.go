// Package stage runs tests a second time as an ordinary user, beside root: a
// lane, and what attacks it, differ between them. It is for tests alone.
package stage

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Unprivileged is the user of the second run. It needs no entry in
// /etc/passwd: containers run with such users all the time.
const Unprivileged = 1001

// suite is the test binary's own name on a stage.
const suite = "suite"

// Stage is a directory that every user may enter, in a place that lane does not
// replace by a private one: the checkout may be closed to the other user.
type Stage struct {
	Dir string
	Bin string // programs, and the test binary under each of its names
}

// New makes one that goes with the test, with the test binary in it.
func New(t testing.TB, prefix string, names ...string) Stage {
	t.Helper()
	var dir string
	var err error
	for _, parent := range []string{"/srv", "/var/lib", "/var/tmp"} {
		if dir, err = os.MkdirTemp(parent, prefix); err == nil {
			break
		}
	}
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755)) // the caller's umask may be 077
	s := Stage{Dir: dir}
	s.Bin = s.Folder(t, "bin", os.Geteuid())
	self, err := os.Executable()
	must(t, err)
	Install(t, self, filepath.Join(s.Bin, suite), 0o755)
	for _, name := range names {
		must(t, os.Link(filepath.Join(s.Bin, suite), filepath.Join(s.Bin, name)))
	}
	return s
}

// Folder makes a directory of the stage that belongs to a user.
func (s Stage) Folder(t testing.TB, name string, uid int) string {
	t.Helper()
	dir := filepath.Join(s.Dir, name)
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.Chmod(dir, 0o755))
	if uid != os.Geteuid() {
		must(t, os.Chown(dir, uid, uid))
	}
	return dir
}

// AsUser runs the test of that name in the test binary as the unprivileged
// user, in a directory of theirs, and returns what it said. That it failed
// fails the test.
func (s Stage) AsUser(t *testing.T, dir, name string, env []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(s.Bin, suite), append([]string{"-test.run=^" + name + "$", "-test.v"}, args...)...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "HOME="+dir, "TMPDIR=/tmp"), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: Unprivileged, Gid: Unprivileged}}
	out, err := c.CombinedOutput()
	t.Logf("as uid %d:\n%s", Unprivileged, out)
	must(t, err)
	return string(out)
}

// Install copies a file, readable by everybody.
func Install(t testing.TB, from, to string, mode os.FileMode) {
	t.Helper()
	b, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, b, 0o755))
	must(t, os.Chmod(to, mode)) // the caller's umask may be 077
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
