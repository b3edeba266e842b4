package runner

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func getTermios(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TCGETS) }

// setTermios does not wait for output to drain: a terminal that is held (^S)
// would hold lane.
func setTermios(fd int, t *unix.Termios) error { return unix.IoctlSetTermios(fd, unix.TCSETS, t) }

// flushInput throws away what was typed, or answered, and not read.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// rawTermios is cfmakeraw(3).
func rawTermios(t unix.Termios) unix.Termios {
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return t
}

// stopAsDefault sends SIGTSTP with its default action, and calls after once
// the process goes on. Go keeps its own handler after signal.Reset, and that
// swallows the signal (measured, go1.26); SIGSTOP instead would stop lane also
// where nobody could have it go on.
func stopAsDefault(pid int, after func()) {
	// The kernel's struct sigaction, on every 64-bit system that lane is built
	// for; all zero is SIG_DFL.
	var deflt, was [4]uint64
	const setSize = 8
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTSTP), uintptr(unsafe.Pointer(&deflt)), uintptr(unsafe.Pointer(&was)), setSize, 0, 0)
	_ = unix.Kill(pid, unix.SIGTSTP) // to lane's own: never refused
	after()
	if errno == 0 {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTSTP), uintptr(unsafe.Pointer(&was)), 0, setSize, 0, 0)
	}
}
