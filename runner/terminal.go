package runner

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal relays between the caller's terminal and a private pty, whose
// slave is the command's controlling terminal. The command never holds the
// caller's terminal itself: with it, it could push input into it (TIOCSTI),
// or leave it in a state of its own.
//
// Lane touches the caller's terminal only while it is in its foreground: a
// job in the background that changes it, or reads from it, would be stopped
// by the kernel, or would take the shell's terminal from under it.
type terminal struct {
	in, out *os.File // the caller's
	master  *os.File
	slave   *os.File
	done    chan struct{} // output has ended
	once    sync.Once
	input   *input

	// mu guards the rest: what lane has done to the caller's terminal.
	mu     sync.Mutex
	screen screen
	found  unix.Termios // before lane made it raw
	raw    bool
	over   bool // given back for good
	asked  time.Time
	told   string
	// tell says to the warden what it would have to put back: the settings
	// found and those made, and what undoes the command's modes.
	tell func(settings *terminalSettings, undo string)
}

// terminalSettings are a terminal's before lane made it raw, and after.
type terminalSettings struct {
	Found unix.Termios `json:"found"`
	Raw   unix.Termios `json:"raw"`
}

func openTerminal(in, out *os.File) (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a pty: %w", err)
	}
	t := &terminal{in: in, out: out, master: master, slave: slave, done: make(chan struct{}),
		tell: func(*terminalSettings, string) {}}
	t.input, err = newInput(t)
	if err == nil {
		err = pty.InheritSize(in, master)
	}
	if err != nil {
		t.close()
		return nil, fmt.Errorf("terminal: %w", err)
	}
	return t, nil
}

// begin starts relaying. Keys such as ^C become signals inside, in the private
// pty.
func (t *terminal) begin() {
	t.slave.Close() // the child has it
	t.take()
	go t.copyOut()
	go t.input.copy()
}

func (t *terminal) foreground() bool { return foreground(t.in) }

// foreground says whether lane may use a terminal. Where it is not lane's
// controlling terminal, the kernel has no opinion.
func foreground(tty *os.File) bool {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// take puts the terminal into raw mode. Not raw is worse to use, and not less
// safe: then the keys' signals reach lane, which passes them on.
func (t *terminal) take() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw || t.over || !t.foreground() {
		return
	}
	found, err := getTermios(int(t.in.Fd()))
	if err != nil {
		return
	}
	t.found = *found
	made := rawTermios(*found)
	// Told first: a lane that is killed in between leaves nothing unknown.
	t.tell(&terminalSettings{*found, made}, t.screen.set.undo())
	if setTermios(int(t.in.Fd()), &made) != nil {
		return
	}
	t.raw = true
	if now, err := getTermios(int(t.in.Fd())); err == nil && *now != made {
		t.tell(&terminalSettings{*found, *now}, t.screen.set.undo())
	}
	_ = pty.InheritSize(t.in, t.master) // the old size stays
	t.input.allow(true)
}

// give puts the terminal back as it was found, the modes that the command has
// set in it included. They are still known: take sets them again for a command
// that goes on.
func (t *terminal) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.input.allow(false)
	if !t.raw {
		return
	}
	t.raw = false
	if !t.foreground() {
		return // lane was stopped, and the shell has long put it right
	}
	t.writeSoon(t.screen.set.undo())
	_ = setTermios(int(t.in.Fd()), &t.found) // the terminal may be gone
}

// look follows a change between foreground and background that no signal
// tells of: a shell's fg sends none to a job that runs.
func (t *terminal) look() {
	front := t.foreground()
	t.mu.Lock()
	raw := t.raw
	t.mu.Unlock()
	switch {
	case front && !raw:
		t.take()
	case !front && raw:
		t.give()
	}
}

// goOn takes the terminal again after lane was stopped. The shell may have
// changed it meanwhile, and started other programs that did.
func (t *terminal) goOn() {
	t.mu.Lock()
	t.raw = false
	t.mu.Unlock()
	t.take()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw {
		t.writeSoon(t.screen.set.again())
	}
}

// resize passes the window's size on; the kernel tells the command.
func (t *terminal) resize() { _ = pty.InheritSize(t.in, t.master) } // the old size stays

// writeSoon writes a little of lane's own, unless the terminal takes nothing: a
// window that is held must not keep lane from ending.
func (t *terminal) writeSoon(s string) { writeSoon(int(t.out.Fd()), s) }

func writeSoon(fd int, s string) {
	set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(set, 200); s != "" && err == nil && n > 0 {
		_, _ = unix.Write(fd, []byte(s)) // the terminal may be gone
	}
}

func (t *terminal) copyOut() {
	defer close(t.done)
	in, out := make([]byte, 32<<10), make([]byte, 0, 32<<10)
	for {
		n, err := t.master.Read(in) // EIO when the last slave is closed
		t.mu.Lock()
		asked := t.screen.asked
		out = t.screen.feed(out[:0], in[:n])
		if err != nil {
			out = t.screen.finish(out)
		}
		if t.screen.asked != asked {
			t.asked = time.Now()
		}
		if undo := t.screen.set.undo(); undo != t.told {
			t.told = undo
			t.tell(nil, undo)
		}
		t.mu.Unlock()
		_, _ = t.out.Write(out) // a terminal that is gone: the command's end will come
		if err != nil {
			return
		}
	}
}

// explain adds what the layer has said on the private pty to a start that
// failed: nobody else has read it. Without a terminal it was the caller's
// standard error.
func (t *terminal) explain(err error) error {
	var r *Refusal
	if t == nil || !errors.As(err, &r) || r.Reason != "layer-failed" {
		return err
	}
	said := make([]byte, 4096)
	_ = t.master.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // a pty can be waited for
	if n, _ := t.master.Read(said); n > 0 {
		r.Detail = printable(strings.TrimSpace(string(said[:n])))
	}
	return err
}

// drain waits for the last output.
func (t *terminal) drain(limit time.Duration) {
	select {
	case <-t.done:
	case <-time.After(limit):
	}
}

// answerTime is how long a terminal may take to answer what the command asked:
// it may be on the other side of the world.
const answerTime = 300 * time.Millisecond

// close gives the terminal back for good. Answers to questions that the
// command has asked at the very end are waited for and thrown away: the shell
// would take them for something typed.
func (t *terminal) close() {
	t.once.Do(func() {
		t.mu.Lock()
		left, raw := time.Until(t.asked.Add(answerTime)), t.raw
		t.mu.Unlock()
		if raw && left > 0 {
			time.Sleep(left)
		}
		t.mu.Lock()
		raw = t.raw && t.foreground()
		t.mu.Unlock()
		if t.input != nil {
			t.give()
			t.input.end()
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if raw {
			_ = flushInput(int(t.in.Fd())) // the terminal may be gone
		}
		t.over, t.screen.set = true, modes{}
		_ = errors.Join(t.master.Close(), t.slave.Close())
	})
}

// input copies what the user types to the private pty, while lane is in the
// foreground. It waits in poll, not in read: a read that waits while lane goes
// to the background would have the kernel stop lane, and could not be ended.
type input struct {
	t       *terminal
	wake    [2]*os.File // a byte in the pipe ends the waiting
	allowed atomic.Bool
	ended   atomic.Bool
}

func newInput(t *terminal) (*input, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	return &input{t: t, wake: [2]*os.File{r, w}}, nil
}

func (i *input) allow(yes bool) {
	if i.allowed.Swap(yes) != yes {
		i.rouse()
	}
}

func (i *input) end() {
	i.ended.Store(true)
	i.rouse()
}

func (i *input) rouse() { _, _ = i.wake[1].Write([]byte{0}) } // the pipe is never full: allow and end are rare

func (i *input) copy() {
	defer i.wake[0].Close()
	wake, in := int32(i.wake[0].Fd()), int32(i.t.in.Fd())
	buf := make([]byte, 4096)
	for !i.ended.Load() {
		set := []unix.PollFd{{Fd: wake, Events: unix.POLLIN}, {Fd: in, Events: unix.POLLIN}}
		if !i.allowed.Load() {
			set = set[:1]
		}
		if _, err := unix.Poll(set, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if set[0].Revents != 0 {
			_, _ = unix.Read(int(wake), buf)
			continue
		}
		if len(set) < 2 || set[1].Revents == 0 {
			continue
		}
		if !i.t.foreground() {
			i.allow(false)
			continue
		}
		n, err := unix.Read(int(in), buf)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if n <= 0 {
			return // the terminal is gone; SIGHUP says the rest
		}
		if _, err := i.t.master.Write(buf[:n]); err != nil {
			return
		}
	}
}
