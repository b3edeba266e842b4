package runner

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

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
			_, _ = io.Copy(w, in) // ends with the file, or with the command
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
			_, _ = io.Copy(o.to, r) // what cannot be written is the caller's full disk
			r.Close()
		}()
	}
	return s, nil
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
