package gitdiscover

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	maxPointer = 8 << 10 // .git file, commondir, gitdir: a path and a newline
	maxConfig  = 1 << 20 // config, config.worktree, objects/info/alternates
	maxHead    = 255     // git looks at no more of HEAD
	maxLinks   = 32      // symbolic links git resolves in one path; the kernel takes 40
	pathMax    = 4096    // the kernel's longest path, with its final NUL
)

// dir is an open directory. All reading below it goes through the descriptor,
// so that a path which is exchanged meanwhile is not followed a second time.
type dir struct {
	fd   int
	path string // how it was reached: absolute, clean, free of links
	id   FileID
	uid  uint32
	mode uint32
	gid  uint32
	// procfs says that it lies on a proc file system.
	procfs bool
}

var (
	errMissing    = errors.New("does not exist")
	errClosed     = errors.New("permission denied")
	errNotRegular = errors.New("is a FIFO, socket or device")
	errIsDir      = errors.New("is a directory")
	errTooLarge   = errors.New("is larger than lane reads")
	errChanged    = errors.New("changed while it was read")
	errLoop       = errors.New("has too many symbolic links")
	errNotDir     = errors.New("is not a directory")
	errUnstable   = errors.New("leads through /proc or /dev/fd")
	errTooLong    = errors.New("is longer than the kernel takes")
)

// pathError is one of the above for one path. Last says that the path's final
// component was at fault, not one before it.
type pathError struct {
	path string
	last bool
	err  error
}

func (e *pathError) Error() string { return quoted(e.path) + " " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

func sysError(err error) error {
	switch err {
	case unix.ENOENT:
		return errMissing
	case unix.EACCES, unix.EPERM:
		return errClosed
	case unix.ELOOP:
		return errLoop
	case unix.ENOTDIR:
		return errNotDir
	case unix.EISDIR:
		return errIsDir
	case unix.ENAMETOOLONG:
		return errTooLong
	case unix.ENXIO: // a FIFO or socket, opened after it took a file's place
		return errNotRegular
	}
	return err
}

// keep has the directory closed when discovery ends.
func (f *finder) keep(d *dir) *dir {
	f.open = append(f.open, d.fd)
	return d
}

func (f *finder) close() {
	for _, fd := range f.open {
		unix.Close(fd)
	}
}

// newDir takes over fd, a directory reached from another (nil at the start).
func newDir(fd int, path string, from *dir) (*dir, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return nil, sysError(err)
	}
	d := &dir{fd: fd, path: path, id: fileID(&st), uid: st.Uid, gid: st.Gid, mode: uint32(st.Mode)}
	if from != nil && from.id.Dev == d.id.Dev {
		d.procfs = from.procfs // one device, one file system: no need to ask
	} else {
		d.procfs = onProcfs(fd)
	}
	return d, nil
}

func openAt(fd int, name string, flags int) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// parent opens the directory above d.
func (f *finder) parent(d *dir) (*dir, error) {
	fd, err := openAt(d.fd, "..", dirFlags)
	if err != nil {
		return nil, sysError(err)
	}
	p, err := newDir(fd, filepath.Dir(d.path), d)
	if err != nil {
		return nil, err
	}
	return f.keep(p), nil
}

// child opens the directory name in d; a link there is not followed.
func (f *finder) child(d *dir, name string) (*dir, error) {
	fd, err := openAt(d.fd, name, dirFlags|unix.O_NOFOLLOW)
	if err != nil {
		return nil, sysError(err)
	}
	c, err := newDir(fd, join(d.path, name), d)
	if err != nil {
		return nil, err
	}
	return f.keep(c), nil
}

// readLink returns the text of the link name in d.
func readLink(d *dir, name string) (string, error) {
	buf := make([]byte, pathMax)
	n, err := unix.Readlinkat(d.fd, name, buf)
	if err != nil {
		return "", sysError(err)
	}
	return string(buf[:n]), nil
}

type linkRule int

const (
	noLinks linkRule = iota
	followLinks
)

// readFile reads the regular file name in d, at most limit bytes of it. It is
// looked at before it is opened, so that no FIFO, tape or watchdog is touched,
// opened without waiting, and must still be the same file then.
func (f *finder) readFile(d *dir, name string, limit int, links linkRule) ([]byte, error) {
	return f.read(d, name, limit, links, true)
}

// readStart is readFile for a file whose length does not matter: it reads the
// first limit bytes.
func (f *finder) readStart(d *dir, name string, limit int, links linkRule) ([]byte, error) {
	return f.read(d, name, limit, links, false)
}

func (f *finder) read(d *dir, name string, limit int, links linkRule, whole bool) ([]byte, error) {
	atFlags, openFlags := unix.AT_SYMLINK_NOFOLLOW, unix.O_NOFOLLOW
	if links == followLinks {
		atFlags, openFlags = 0, 0
	}
	var seen, got unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &seen, atFlags); err != nil {
		return nil, sysError(err)
	}
	if err := f.checkFile(&seen, limit, whole); err != nil {
		return nil, err
	}
	fd, err := openAt(d.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|openFlags)
	if err != nil {
		return nil, sysError(err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &got); err != nil {
		return nil, sysError(err)
	}
	if fileID(&got) != fileID(&seen) {
		return nil, errChanged
	}
	if err := f.checkFile(&got, limit, whole); err != nil {
		return nil, err
	}
	if (uint64(got.Dev) != d.id.Dev || d.procfs) && onProcfs(fd) {
		return nil, errUnstable
	}
	data, err := readUpTo(fd, limit+1, int(min(got.Size, int64(limit)))+1)
	if err != nil {
		return nil, err
	}
	if len(data) > limit {
		if whole {
			return nil, errTooLarge
		}
		data = data[:limit]
	}
	return data, nil
}

// readUpTo reads to the end of fd, limit bytes at most. It starts with a buffer
// for the size the file had, which may have grown since. There is no os.File
// here: it would ask the poller about each descriptor.
func readUpTo(fd, limit, size int) ([]byte, error) {
	buf := make([]byte, min(limit, size))
	for n := 0; ; {
		k, err := unix.Read(fd, buf[n:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, err
		case k == 0:
			return buf[:n], nil
		}
		if n += k; n == limit {
			return buf, nil
		}
		if n == len(buf) {
			buf = append(buf, make([]byte, min(limit-n, n))...)
		}
	}
}

func (f *finder) checkFile(st *unix.Stat_t, limit int, whole bool) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return errIsDir
	case unix.S_IFREG:
	default:
		return errNotRegular
	}
	if whole && st.Size > int64(limit) {
		return errTooLarge
	}
	if !f.identity.mayRead(st.Uid, st.Gid, uint32(st.Mode)) {
		return errClosed
	}
	return nil
}

// readRefusal turns an error of readFile into a refusal; other is the class
// for what git would trip over in the same way.
func readRefusal(err error, path string, other Class) error {
	switch {
	case errors.Is(err, errNotRegular):
		return refuse(NotRegular, path, "%v", err)
	case errors.Is(err, errTooLarge):
		return refuse(TooLarge, path, "%v", err)
	case errors.Is(err, errClosed):
		return refuse(Permission, path, "cannot be read: %v", err)
	case errors.Is(err, errUnstable), errors.Is(err, errChanged):
		return refuse(UnstablePath, path, "%v", err)
	}
	return refuse(other, path, "cannot be read: %v", err)
}

func fileID(st *unix.Stat_t) FileID { return FileID{Dev: uint64(st.Dev), Ino: uint64(st.Ino)} }

// join puts name below dir without cleaning name.
func join(dir, name string) string {
	if name == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}
