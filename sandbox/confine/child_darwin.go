package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// CanVerify: the child of this system makes no canaries of a Verify.
const CanVerify = false

// The child stage of an unverified layer: it tries what can be tried with the
// calls of every Unix, and refuses on anything else than expected. There is no
// file without a name here, so a probe's name appears for a moment.
func init() {
	stages = childStages{
		checks: []childCheck{
			{"unsafe-stdio", tryKinds},
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
	return eachLimit(plan.Limits, func(resource int, value uint64) error {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return err
		}
		value = min(value, now.Max)
		return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
	})
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
