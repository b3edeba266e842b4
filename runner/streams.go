package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// streams are what a command gets as its standard streams.
type streams struct {
	in, out, err *os.File

	inside []*os.File // ends of lane's own pipes, closed once the child has them
	copies sync.WaitGroup
}

// passStreams hands the caller's streams on. Pipes, sockets and /dev/null go
// in as they are. A file or a terminal is copied through a pipe of lane's: at
// /proc/self/fd the command could open a file again, for writing when it was
// given for reading, or truncate and read one that it was to append to
// (measured), and with a terminal it could read what the user types.
func passStreams(in, out, stderr *os.File) (*streams, error) {
	s := &streams{in: in, out: out, err: stderr}
	if mustCopy(in) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("pipe: %w", err)
		}
		s.in, s.inside = r, append(s.inside, r)
		go func() {
			copyTyped(w, in) // ends with the file, or with the command
			w.Close()
		}()
	}
	for _, o := range []struct {
		to *os.File
		at **os.File
	}{{out, &s.out}, {stderr, &s.err}} {
		if !mustCopy(o.to) {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("pipe: %w", err)
		}
		*o.at, s.inside = w, append(s.inside, w)
		s.copies.Add(1)
		go func() {
			defer s.copies.Done()
			copyShown(o.to, r)
			r.Close()
		}()
	}
	return s, nil
}

// copyTyped copies a file of the caller's to a command's input, and from a
// terminal only what is typed while lane is in its foreground: a job in the
// background that reads is stopped, also where its command never asked for
// input.
func copyTyped(to io.Writer, from *os.File) {
	if !term.IsTerminal(int(from.Fd())) {
		_, _ = io.Copy(to, from) // the command need not read it all
		return
	}
	buf := make([]byte, 4096)
	for {
		set := []unix.PollFd{{Fd: int32(from.Fd()), Events: unix.POLLIN}}
		if !foreground(from) {
			set = nil
		}
		n, err := unix.Poll(set, int(lookEvery.Milliseconds()))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if n <= 0 || !foreground(from) {
			continue
		}
		if n, err = from.Read(buf); n > 0 {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// copyShown copies a command's output to a file of the caller's, and to a
// terminal only what it may be told.
func copyShown(to *os.File, from io.Reader) {
	if !term.IsTerminal(int(to.Fd())) {
		_, _ = io.Copy(to, from) // what cannot be written is the caller's full disk
		return
	}
	var s screen
	in, out := make([]byte, 32<<10), make([]byte, 0, 32<<10)
	for {
		n, err := from.Read(in)
		out = s.feed(out[:0], in[:n])
		if err != nil {
			out = append(s.finish(out), s.set.undo()...)
		}
		_, _ = to.Write(out) // a terminal that is gone: the command's end will come
		if err != nil {
			return
		}
	}
}

func mustCopy(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular() || term.IsTerminal(int(f.Fd()))
}

// started closes what the child has by now.
func (s *streams) started() {
	for _, f := range s.inside {
		f.Close()
	}
	s.inside = nil
}

// drain waits for the last output, after the last process is gone.
func (s *streams) drain() {
	done := make(chan struct{})
	go func() { s.copies.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drainTime):
	}
}
