package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// StdioError says which standard descriptor the lane must not be given.
type StdioError struct {
	FD   int
	Kind string
}

// Reason is the stable word.
func (*StdioError) Reason() string { return "unsafe-stdio" }

func (e *StdioError) Error() string {
	return fmt.Sprintf("descriptor %d is %s", e.FD, e.Kind)
}

// pathOnly reports whether file flags are those of a descriptor that names a
// file without opening it (O_PATH), where a system has such.
var pathOnly = func(int) bool { return false }

// CheckStdio refuses descriptors that reach past every mount: a directory
// (openat(0, …) wrote outside, measured), a block device, and O_PATH. It
// passes pipes, FIFOs, sockets, regular files, terminals and the harmless
// devices.
//
// It does not say that a regular file may be handed on as it is: whoever has
// one open for reading may open it again for writing at /proc/self/fd. The
// child refuses such a file; copy it through a pipe.
func CheckStdio(fds ...int) error {
	for _, fd := range fds {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return &StdioError{fd, "not open"}
		}
		if pathOnly(flags) {
			return &StdioError{fd, "a path without an open file (O_PATH)"}
		}
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return &StdioError{fd, "not readable: " + err.Error()}
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFIFO, unix.S_IFSOCK, unix.S_IFREG:
		case unix.S_IFDIR:
			return &StdioError{fd, "a directory"}
		case unix.S_IFBLK:
			return &StdioError{fd, "a block device"}
		case unix.S_IFCHR:
			if !isTerminal(fd) && !harmlessDevice(uint64(st.Rdev)) {
				return &StdioError{fd, "a device that is no terminal"}
			}
		case 0:
			// Linux: an anonymous inode (pidfd, epoll, …) has no type.
			return &StdioError{fd, "neither file, pipe, socket nor terminal"}
		default:
			return &StdioError{fd, "of an unknown kind"}
		}
	}
	return nil
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	return err == nil
}

func harmlessDevice(rdev uint64) bool {
	for _, path := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"} {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(st.Rdev) == rdev {
			return true
		}
	}
	return false
}
