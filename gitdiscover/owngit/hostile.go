package owngit

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// hostileDir is an open directory that an agent could write. Everything below
// is opened from its descriptor, one component at a time, following no link,
// not waiting for a FIFO's writer, and only if it is a regular file.
type hostileDir struct {
	fd   int
	path string
}

// openHostile opens path, whose parents are lane's own. The directory itself
// may have been replaced.
func openHostile(path string) (*hostileDir, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, refuse(BadDirectory, path, "cannot be opened: %v", err)
	}
	return &hostileDir{fd, path}, nil
}

func (d *hostileDir) close() { unix.Close(d.fd) }

// sub opens the directory rel below d; the caller closes it. A missing one is
// fs.ErrNotExist, a link or file in its place a refusal.
func (d *hostileDir) sub(rel string) (*hostileDir, error) {
	cur, path := d.fd, d.path
	for name := range strings.SplitSeq(rel, "/") {
		path += "/" + name
		next, err := openat(cur, name, unix.O_RDONLY|unix.O_DIRECTORY)
		if cur != d.fd {
			unix.Close(cur)
		}
		switch {
		case errors.Is(err, unix.ENOENT):
			return nil, fs.ErrNotExist
		case err != nil:
			return nil, refuse(BadDirectory, path, "is not the directory that git makes: %v", err)
		}
		cur = next
	}
	return &hostileDir{cur, path}, nil
}

func openat(fd int, name string, flags int) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// open opens the regular file rel below d.
func (d *hostileDir) open(rel string) (*os.File, int64, error) {
	parent, name := d, rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		p, err := d.sub(rel[:i])
		if err != nil {
			return nil, 0, err
		}
		defer p.close()
		parent, name = p, rel[i+1:]
	}
	path := parent.path + "/" + name
	// Looked at before it is opened: opening alone can act on a device.
	var seen, got unix.Stat_t
	if err := unix.Fstatat(parent.fd, name, &seen, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil, 0, fs.ErrNotExist
		}
		return nil, 0, refuse(BadDirectory, path, "cannot be looked at: %v", err)
	}
	if seen.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, 0, refuse(BadDirectory, path, "%v", errNotRegular)
	}
	fd, err := openat(parent.fd, name, unix.O_RDONLY)
	if err != nil {
		return nil, 0, refuse(BadDirectory, path, "cannot be opened: %v", err)
	}
	f := os.NewFile(uintptr(fd), path)
	if err := unix.Fstat(fd, &got); err != nil || got.Ino != seen.Ino || got.Dev != seen.Dev || got.Mode&unix.S_IFMT != unix.S_IFREG {
		f.Close()
		return nil, 0, refuse(BadDirectory, path, "changed while it was opened")
	}
	return f, got.Size, nil
}

// read reads the regular file rel, of at most limit bytes.
func (d *hostileDir) read(rel string, limit int64) ([]byte, error) {
	f, _, err := d.open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readOpen(f, limit)
	if errors.Is(err, errTooLarge) {
		return nil, refuse(TooLarge, d.path+"/"+rel, "%v", errTooLarge)
	}
	return data, err
}

// has says whether anything stands at rel.
func (d *hostileDir) has(rel string) bool {
	var st unix.Stat_t
	return unix.Fstatat(d.fd, rel, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// hostileEntry is a name in a directory and whether it is a directory too.
type hostileEntry struct {
	name string
	dir  bool
}

// list returns the names in the directory rel, sorted; none when it is missing.
func (d *hostileDir) list(rel string, limit int) ([]hostileEntry, error) {
	sub, err := d.sub(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(sub.fd), sub.path)
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, refuse(BadDirectory, sub.path, "cannot be listed: %v", err)
	}
	if len(names) > limit {
		return nil, refuse(TooLarge, sub.path, "holds more than %d entries", limit)
	}
	slices.Sort(names)
	list := make([]hostileEntry, 0, len(names))
	for _, n := range names {
		var st unix.Stat_t
		if unix.Fstatat(sub.fd, n, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			list = append(list, hostileEntry{n, st.Mode&unix.S_IFMT == unix.S_IFDIR})
		}
	}
	return list, nil
}
