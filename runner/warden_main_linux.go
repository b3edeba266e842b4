package runner

import (
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// WardenMain is `lane warden`. It is started by lane and by nobody else.
func WardenMain() int {
	// What ends lane, or is meant for the user's session, is not for it.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	// Lane may have been started with descriptors that nobody closed; held
	// here, somebody would wait for their end.
	_ = unix.CloseRange(shownFD+1, ^uint(0), 0)
	for fd := wordFD; fd <= shownFD; fd++ {
		unix.CloseOnExec(fd)
	}
	w := &watch{first: -1}
	switch err := w.listen(); {
	case err == nil:
		return ExitDone
	case !errors.Is(err, errLaneGone) || w.path == "":
		return ExitUsage
	}
	until := time.Now().Add(wardenLimit)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.finish(until)
	}()
	select {
	case <-done:
	case <-time.After(time.Until(until)):
		// A disk or a terminal that does not answer: it goes with the process.
	}
	return ExitDone
}

// watch is what the warden has been told.
type watch struct {
	path     string
	first    int // pidfd
	terminal *terminalSettings
	undo     string
}

// listen returns nil when lane has ended as it should.
func (w *watch) listen() error {
	buf, rights := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4))
	for {
		n, rn, _, _, err := unix.Recvmsg(wordFD, buf, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err // started by hand: there is no such descriptor
		case n == 0:
			return errLaneGone
		}
		var said word
		if json.Unmarshal(buf[:n], &said) != nil {
			continue
		}
		if said.Done {
			return nil
		}
		if said.Open != "" {
			w.path = said.Open
		}
		if said.First {
			w.learn(rights[:rn])
		}
		if said.Terminal != nil {
			w.terminal = said.Terminal
		}
		if said.Undo != nil {
			w.undo = *said.Undo
		}
	}
}

func (w *watch) learn(rights []byte) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return
	}
	for _, m := range messages {
		if fds, err := unix.ParseUnixRights(&m); err == nil && len(fds) > 0 {
			w.first = fds[0]
		}
	}
}

// finish does what lane would have done. The terminal is first: the user's
// shell has it by now and is about to prompt.
func (w *watch) finish(until time.Time) {
	if w.terminal != nil {
		var st unix.Stat_t
		if unix.Fstat(terminalFD, &st) == nil {
			giveTerminalBack(&openTerminalState{uint64(st.Rdev), *w.terminal}, terminalFD)
		}
		writeSoon(shownFD, w.undo)
	}
	file := os.NewFile(openFD, "open")
	if gone(file) {
		return
	}
	o := readOpenRun(file)
	if r := o.finish(until.Add(-wardenLimit/10), w.first); r.Failed == "" {
		_ = os.Remove(w.path) // or the next lane command does it once more
	}
}
