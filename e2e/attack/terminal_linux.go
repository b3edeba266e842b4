package attack

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// console is both ends of it.
type console struct{ master, slave *os.File }

func openTerminal(c *exec.Cmd) (func() terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	var n, unlock uint32
	_, err = call(syscall.SYS_IOCTL, master.Fd(), syscall.TIOCSPTLCK, pointer(&unlock))
	if err == nil {
		_, err = call(syscall.SYS_IOCTL, master.Fd(), syscall.TIOCGPTN, pointer(&n))
	}
	if err != nil {
		master.Close()
		return nil, err
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		master.Close()
		return nil, err
	}
	con := console{master, slave}
	before := con.modes()
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Unshareflags: c.SysProcAttr.Unshareflags}
	read := make(chan string, 1)
	go func() { read <- readTerminal(master) }()
	return func() terminal {
		var t terminal
		// What the launcher wrote is there before its end; the master is
		// read until the last slave is closed.
		t.typed = con.typedAhead()
		t.changed = con.modes() != before
		slave.Close()
		select {
		case t.output = <-read:
		case <-time.After(2 * time.Second): // an orphan has it open
		}
		master.Close()
		return t
	}, nil
}

func (t console) modes() syscall.Termios {
	var m syscall.Termios
	_, _ = call(syscall.SYS_IOCTL, t.slave.Fd(), syscall.TCGETS, pointer(&m)) // zero on both sides is equal
	return m
}

// typedAhead is what waits to be read by the user's shell although nobody
// typed it.
func (t console) typedAhead() string {
	fd := int(t.slave.Fd()) // once: each call makes it block again
	if err := syscall.SetNonblock(fd, true); err != nil {
		return ""
	}
	b := make([]byte, 4096)
	n, err := syscall.Read(fd, b)
	if err != nil {
		return ""
	}
	return string(b[:max(n, 0)])
}

func readTerminal(master *os.File) string {
	var all []byte
	b := make([]byte, 4096)
	for {
		n, err := master.Read(b)
		all = append(all, b[:n]...)
		if err != nil {
			return string(all)
		}
	}
}
