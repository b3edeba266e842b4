package confine

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// What the child does alike on every system.

func tryKinds(ChildPlan) []Check {
	c := Check{Name: "stdio", Want: "pipe, socket, regular file, terminal or null", Got: "so", OK: true}
	if err := CheckStdio(0, 1, 2); err != nil {
		c.Got, c.OK = err.Error(), false
	}
	return []Check{c}
}

// tryIDs compares identity, not name: between the plan and the mount
// somebody may have put another directory in the place of the worktree.
func tryIDs(plan ChildPlan) []Check {
	var checks []Check
	for _, id := range plan.IDs {
		c := Check{Name: "identity", Path: id.Path, Want: fmt.Sprintf("%d:%d", id.Dev, id.Ino)}
		var st unix.Stat_t
		if err := unix.Lstat(id.Path, &st); err != nil {
			c.Got = errnoName(err)
		} else {
			c.Got = fmt.Sprintf("%d:%d", uint64(st.Dev), st.Ino) // on some systems the device is signed
			c.OK = c.Got == c.Want
		}
		checks = append(checks, c)
	}
	return checks
}

func tryDir(plan ChildPlan) []Check {
	c := Check{Name: "directory", Path: plan.Dir, Want: "entered", Got: "entered", OK: true}
	if err := unix.Chdir(plan.Dir); err != nil {
		c.Got, c.OK = errnoName(err), false
	}
	return []Check{c}
}

// eachLimit calls set for each limit that is asked for. RLIMIT_AS would refuse
// what JavaScript engines merely reserve; RLIMIT_DATA counts what is writable
// and private.
func eachLimit(l sandbox.Limits, set func(resource int, value uint64) error) error {
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
		if err := set(limit.resource, uint64(limit.value)); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
	}
	return nil
}

// errnoName is the symbolic name of a system call's error.
func errnoName(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if name := unix.ErrnoName(errno); name != "" {
			return name
		}
	}
	return err.Error()
}
