package owngit

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Bounds on what is read of the user's own repository. git has none; a file
// beyond these is a mistake or a trap.
const (
	maxConfigFile = 1 << 20
	maxRefFile    = 4 << 10
	maxPackedRefs = 512 << 20
	maxIndexFile  = 512 << 20
	maxSmallFile  = 16 << 20 // exclude, attributes, sparse-checkout, shallow
	maxLooseRefs  = 500_000
)

// errNotRegular and errTooLarge are what readRegular adds to the system's own.
var (
	errNotRegular = errors.New("is no regular file")
	errTooLarge   = errors.New("is larger than lane reads")
)

// readRegular reads a file of the user's own. Links are followed, as dotfiles
// often are links; a FIFO does not hang it, and no file grows without a bound.
func readRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOpen(f, limit)
}

func readOpen(f *os.File, limit int64) ([]byte, error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errNotRegular}
	case st.Size() > limit:
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errTooLarge}
	}
	data := make([]byte, 0, st.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errTooLarge}
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// readIfThere is readRegular where a missing file is no error.
func readIfThere(path string, limit int64) (data []byte, found bool, err error) {
	data, err = readRegular(path, limit)
	if isMissing(err) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// isMissing is true for what git takes for "not there": ENOTDIR as well.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)
}

// unreadable turns an error of the above into a refusal.
func unreadable(path string, err error) *RefusedError {
	if errors.Is(err, errTooLarge) {
		return refuse(TooLarge, path, "%v", errTooLarge)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return refuse(Unreadable, path, "cannot be read: %v", err)
}

// exists says whether there is anything at path, a dangling link included.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
