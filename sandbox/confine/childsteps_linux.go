package confine

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeTerminal makes the private pty on standard input the controlling
// terminal of a session of the lane's own, so that job control and ^C work
// inside and reach nobody outside.
func takeTerminal(plan ChildPlan) error {
	if !plan.Terminal {
		return nil
	}
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("setsid: %w", err)
	}
	if err := unix.IoctlSetInt(0, unix.TIOCSCTTY, 0); err != nil {
		return fmt.Errorf("ioctl TIOCSCTTY: %w", err)
	}
	return nil
}

// setLimits sets soft and hard limits, so that the lane cannot raise them:
// on this process and on process 1, which the agent may trace and fork from.
func setLimits(plan ChildPlan) error {
	l := plan.Limits
	for _, limit := range []struct {
		name     string
		resource int
		value    int64
	}{
		// RLIMIT_AS would refuse what JavaScript engines merely reserve;
		// RLIMIT_DATA counts what is writable and private.
		{"RLIMIT_DATA", unix.RLIMIT_DATA, l.Memory},
		{"RLIMIT_NPROC", unix.RLIMIT_NPROC, l.Procs},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, l.FileSize},
		{"RLIMIT_CPU", unix.RLIMIT_CPU, l.CPUTime},
		// Not 0 but 1: a core_pattern that is a pipe starts a program of the
		// host's, as root, and only this value keeps the kernel from it.
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 1},
	} {
		if limit.value == 0 {
			continue
		}
		for _, pid := range []int{1, 0} {
			if err := lowerLimit(pid, limit.resource, uint64(limit.value)); err != nil {
				return fmt.Errorf("prlimit %s of process %d: %w", limit.name, pid, err)
			}
		}
	}
	return nil
}

// lowerLimit leaves a limit that lane was started with when it is the lower.
func lowerLimit(pid, resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(pid, resource, nil, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Prlimit(pid, resource, &unix.Rlimit{Cur: value, Max: value}, nil)
}

// closeOnExec: a directory that lane inherited would be a way round every
// mount (openat(9, …), measured). Marked, not closed: the report is still
// needed when exec fails.
func closeOnExec(ChildPlan) error {
	err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return closeOnExecEach() // before Linux 5.11
	}
	if err != nil {
		return fmt.Errorf("close_range: %w", err)
	}
	return nil
}

func closeOnExecEach() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return fmt.Errorf("descriptor %q: %w", e.Name(), err)
		}
		if fd < 3 {
			continue
		}
		// The one that listed the directory is closed again already.
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil && !errors.Is(err, unix.EBADF) {
			return fmt.Errorf("fcntl F_SETFD %d: %w", fd, err)
		}
	}
	return nil
}
