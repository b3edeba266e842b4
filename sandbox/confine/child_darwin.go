package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// The child stage of an unverified layer: it tries what can be tried with the
// calls of every Unix, and refuses on anything else than expected. There is no
// file without a name here, so a probe's name appears for a moment.
func init() {
	stages = childStages{
		checks: []childCheck{
			{"unsafe-stdio", tryStdio},
			{"path-changed", tryIDs},
			{"directory", tryDir},
			{"not-writable", tryMustWrite},
			{"write-got-through", tryMustNotWrite},
			{"write-got-through", tryMustNotOpen},
			{"not-hidden", tryHidden},
		},
		before: []childStep{
			{"terminal-refused", takeTerminal},
			{"limits-refused", setLimits},
			{"descriptors", closeOnExec},
		},
	}
}

func tryStdio(ChildPlan) []Check {
	c := Check{Name: "stdio", Want: "pipe, socket, regular file, terminal or null", Got: "so", OK: true}
	if err := CheckStdio(0, 1, 2); err != nil {
		c.Got, c.OK = err.Error(), false
	}
	return []Check{c}
}

func tryIDs(plan ChildPlan) []Check {
	var checks []Check
	for _, id := range plan.IDs {
		c := Check{Name: "identity", Path: id.Path, Want: fmt.Sprintf("%d:%d", id.Dev, id.Ino)}
		var st unix.Stat_t
		if err := unix.Lstat(id.Path, &st); err != nil {
			c.Got = err.Error()
		} else {
			c.Got = fmt.Sprintf("%d:%d", uint64(st.Dev), st.Ino)
			c.OK = c.Got == c.Want
		}
		checks = append(checks, c)
	}
	return checks
}

func tryDir(plan ChildPlan) []Check {
	c := Check{Name: "directory", Path: plan.Dir, Want: "entered", Got: "entered", OK: true}
	if err := os.Chdir(plan.Dir); err != nil {
		c.Got, c.OK = err.Error(), false
	}
	return []Check{c}
}

// refused says that an error is one of the sandbox's.
func refused(err error) bool { return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) }

func tryEach(name, want string, paths []string, try func(string) error, ok func(error) bool) []Check {
	var checks []Check
	for _, path := range paths {
		err := try(path)
		got := "got through"
		if err != nil {
			got = err.Error()
		}
		checks = append(checks, Check{Name: name, Path: path, Want: want, Got: got, OK: ok(err)})
	}
	return checks
}

func createIn(dir string) error {
	name := filepath.Join(dir, fmt.Sprintf(".lane-probe-%d", os.Getpid()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(name))
}

func openFor(flag int) func(string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
}

func tryMustWrite(plan ChildPlan) []Check {
	return tryEach("write", "created", plan.MustWrite, createIn, func(err error) bool { return err == nil })
}

func tryMustNotWrite(plan ChildPlan) []Check {
	return tryEach("no-write", "refused", plan.MustNotWrite, createIn, refused)
}

// tryMustNotOpen passes over what this system has not: the plan names files of
// every Unix.
func tryMustNotOpen(plan ChildPlan) []Check {
	return tryEach("no-open", "refused", plan.MustNotOpen, openFor(os.O_WRONLY), func(err error) bool {
		return refused(err) || errors.Is(err, os.ErrNotExist)
	})
}

func tryHidden(plan ChildPlan) []Check {
	return tryEach("hidden", "refused", plan.MustBeHidden, openFor(os.O_RDONLY), func(err error) bool {
		return refused(err) || errors.Is(err, os.ErrNotExist)
	})
}

// takeTerminal: the child leads its session, on the private terminal.
func takeTerminal(ChildPlan) error { return nil }

func setLimits(plan ChildPlan) error {
	l := plan.Limits
	for _, limit := range []struct {
		name     string
		resource int
		value    int64
	}{
		{"RLIMIT_DATA", unix.RLIMIT_DATA, l.Memory},
		{"RLIMIT_NPROC", unix.RLIMIT_NPROC, l.Procs},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, l.FileSize},
		{"RLIMIT_CPU", unix.RLIMIT_CPU, l.CPUTime},
	} {
		if limit.value == 0 {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("getrlimit %s: %w", limit.name, err)
		}
		value := min(uint64(limit.value), now.Max)
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setrlimit %s: %w", limit.name, err)
		}
	}
	return nil
}

func closeOnExec(ChildPlan) error {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
