package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// quote prints a path or name that may hold anything.
func quote(s string) string { return strconv.QuoteToASCII(s) }

// errTooLong says that a file is longer than was asked for.
var errTooLong = errors.New("too long")

// readBeneath is the one way to read a file that an agent or a repository may
// have written: beneath dir, links inside it work and those that leave it are
// refused, regular files only, without blocking on a FIFO, at most limit
// bytes. A launcher that follows CLAUDE.md -> ~/.ssh/id_ed25519 sends the key
// to the model.
//
// With a longer file it returns the first limit bytes and errTooLong.
func readBeneath(dir, name string, limit int64) ([]byte, error) {
	// With the slash a FIFO at dir is an error; without, opening waits.
	root, err := os.OpenRoot(dir + "/")
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, limit)
}

// readFile reads a file of the user's own: links are followed, the rest is as
// with readBeneath.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, limit)
}

func readRegular(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", kindOf(info.Mode()), errNotRegular)
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return b[:limit], errTooLong
	}
	return b, nil
}

var errNotRegular = errors.New("not a regular file")

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// printable strips what could drive a terminal: every control character but
// newline and tab, and the bidirectional overrides.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20, r == 0x7f, 0x80 <= r && r <= 0x9f,
			0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0x200e, r == 0x200f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Printable is text from an agent made safe for a terminal: its control
// characters are gone. What it means is not judged.
func Printable(s string) string { return printable(s) }

func readAllBounded(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		return b[:limit], errTooLong
	}
	return b, err
}
