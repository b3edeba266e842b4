package confine

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeTerminal makes the child a process group of its own, in the foreground
// of the private pty on standard input. The layer's process leads the session
// and has the pty as its controlling terminal, so that job control and ^C work
// inside and reach nobody outside. As the session's leader itself the child
// could not be stopped by ^Z: the kernel stops no group without a parent in
// its session.
func takeTerminal(plan ChildPlan) error {
	if !plan.Terminal {
		return nil
	}
	if sid, err := unix.Getsid(0); err == nil && sid == unix.Getpid() {
		// The landlock layer has no process of its own: the child leads the
		// session already, in the foreground, and so cannot be stopped.
		return nil
	}
	if err := unix.Setpgid(0, 0); err != nil {
		return fmt.Errorf("setpgid: %w", err)
	}
	// Still in the background, it would be stopped for setting the
	// foreground. The thread is locked, and its mask outlives execve.
	var stop, was unix.Sigset_t
	stop.Val[0] = 1 << (unix.SIGTTOU - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &stop, &was); err != nil {
		return fmt.Errorf("sigprocmask: %w", err)
	}
	err := unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, unix.Getpgrp())
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &was, nil); err != nil {
		return fmt.Errorf("sigprocmask: %w", err)
	}
	if err != nil {
		return fmt.Errorf("ioctl TIOCSPGRP: %w", err)
	}
	return nil
}

// setLimits sets soft and hard limits, so that the lane cannot raise them:
// on this process and on process 1, which the agent may trace and fork from.
func setLimits(plan ChildPlan) error {
	each := func(resource int, value uint64) error {
		for _, pid := range limited(plan) {
			if err := lowerLimit(pid, resource, value); err != nil {
				return fmt.Errorf("process %d: %w", pid, err)
			}
		}
		return nil
	}
	if err := eachLimit(plan.Limits, each); err != nil {
		return err
	}
	// Not 0 but 1: a core_pattern that is a pipe starts a program of the
	// host's, as root, and only this value keeps the kernel from it.
	if err := each(unix.RLIMIT_CORE, 1); err != nil {
		return fmt.Errorf("limit RLIMIT_CORE: %w", err)
	}
	return nil
}

// limited are the processes that get the limits: with the landlock layer
// process 1 is the host's.
func limited(plan ChildPlan) []int {
	if plan.Landlock != nil {
		return []int{0}
	}
	return []int{1, 0}
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
