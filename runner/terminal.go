package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal relays between the caller's terminal and a private pty, whose
// slave is the command's controlling terminal. The command never holds the
// caller's terminal itself: with it, it could push input into it (TIOCSTI),
// or leave it in a state of its own.
type terminal struct {
	in, out *os.File // the caller's
	master  *os.File
	slave   *os.File
	saved   *term.State
	done    chan struct{} // output has ended
	once    sync.Once
}

func openTerminal(in, out *os.File) (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a pty: %w", err)
	}
	t := &terminal{in: in, out: out, master: master, slave: slave, done: make(chan struct{})}
	if err := pty.InheritSize(in, master); err != nil {
		t.close()
		return nil, fmt.Errorf("size of the terminal: %w", err)
	}
	return t, nil
}

// begin puts the caller's terminal into raw mode and starts relaying. Keys
// such as ^C become signals inside, in the private pty.
func (t *terminal) begin() {
	t.slave.Close()                           // the child has it
	t.saved, _ = term.MakeRaw(int(t.in.Fd())) // not raw is worse to use, not less safe
	go func() {
		defer close(t.done)
		_, _ = io.Copy(t.out, t.master) // EIO when the last slave is closed
	}()
	go func() { _, _ = io.Copy(t.master, t.in) }() // ends with lane: a read from a terminal cannot be called off
}

// follow passes on window sizes, and stops lane when the command was stopped
// from the keyboard: nobody else sees a stopped process in a pid namespace.
func (t *terminal) follow(c *child, resize <-chan os.Signal) {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-resize:
			_ = pty.InheritSize(t.in, t.master) // the old size stays
		case <-look.C:
			if c.reports.stopped() {
				t.suspend()
				c.reports.signal(syscall.SIGCONT)
			}
		case <-c.waited:
			return
		}
	}
}

// suspend gives the terminal back, stops lane as the shell expects, and goes
// on when the shell says so.
func (t *terminal) suspend() {
	t.restore()
	_ = syscall.Kill(0, syscall.SIGSTOP)
	t.saved, _ = term.MakeRaw(int(t.in.Fd()))
	_ = pty.InheritSize(t.in, t.master)
}

func (t *terminal) restore() {
	if t.saved != nil {
		_ = term.Restore(int(t.in.Fd()), t.saved) // the terminal may be gone
	}
}

// drain waits for the last output.
func (t *terminal) drain() {
	select {
	case <-t.done:
	case <-time.After(drainTime):
	}
}

func (t *terminal) close() {
	t.once.Do(func() {
		t.restore()
		_ = errors.Join(t.master.Close(), t.slave.Close())
	})
}
