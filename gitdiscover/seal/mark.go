package seal

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
)

// form is what kind of thing stands under a name.
type form uint8

const (
	absent  form = iota
	file         // a regular file
	dir          //
	link         // a symbolic link
	special      // a FIFO, socket or device; never opened
	closed       // there, but it cannot be looked at; mark.why says why
)

var formNames = [...]string{"absent", "a file", "a directory", "a symbolic link", "a FIFO, socket or device", "unreadable"}

func (f form) String() string { return formNames[f] }

const (
	maxHashed = 1 << 20 // what steers git is small; beyond this size the stat decides
	maxShown  = 4 << 10 // content that is kept as text, to show before and after
	maxLink   = 4096    // text of a symbolic link
)

// mark is what was seen under one name. The zero mark is an absent name.
type mark struct {
	form         form
	mode         uint32 // permission bits with setuid, setgid and sticky
	id           gitdiscover.FileID
	size         int64
	mtime, ctime int64
	nlink        uint64
	link         string // text of a symbolic link
	behind       bool   // a link to a regular file, whose numbers and sum these are
	hashed       bool   // sum is of the whole content, behind a link too
	sum          [sha256.Size]byte
	text         string // content of a small file that was asked for as text
	why          string // for closed
}

func formOf(mode uint32) form {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return file
	case unix.S_IFDIR:
		return dir
	case unix.S_IFLNK:
		return link
	}
	return special
}

func markOf(st *unix.Stat_t) mark {
	return mark{form: formOf(uint32(st.Mode)), mode: uint32(st.Mode) & 0o7777, id: gitdiscover.FileID{Dev: uint64(st.Dev), Ino: st.Ino},
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), nlink: uint64(st.Nlink)}
}

// sameStat says that nothing the kernel keeps about a file moved: not its
// content either, as far as ctime tells.
func (m mark) sameStat(o mark) bool {
	return m.form == o.form && m.id == o.id && m.size == o.size && m.mtime == o.mtime && m.ctime == o.ctime && m.mode == o.mode
}

// sameThing compares what a name means to git. A file that was written anew
// with the same content is the same; a directory is compared by its entries,
// which have marks of their own.
func (m mark) sameThing(o mark) bool {
	if m.form != o.form || m.link != o.link || m.behind != o.behind {
		return false
	}
	switch {
	case m.form == absent, m.form == closed:
		return m.why == o.why
	case m.form == dir, m.form == link && !m.behind:
		return true
	case m.form == special:
		return m.id == o.id
	case m.executable() != o.executable():
		return false // what makes a file of hooks/ a hook; the other bits steer nothing
	case m.hashed && o.hashed:
		return m.sum == o.sum
	}
	return m.hashed == o.hashed && m.sameStat(o)
}

func (m mark) executable() bool { return m.mode&0o111 != 0 }

// String is for people: safe to print, and short.
func (m mark) String() string {
	switch m.form {
	case absent:
		return Absent
	case closed:
		return "unreadable: " + m.why
	case link:
		s := "link to " + shown(m.link)
		if m.hashed {
			s += fmt.Sprintf(", sha256 %x", m.sum[:6])
		}
		return s
	case dir:
		return fmt.Sprintf("directory, mode %04o", m.mode)
	case special:
		return m.form.String()
	}
	if m.text != "" {
		s := shown(strings.TrimRight(m.text, "\n"))
		if s == Absent {
			return strconv.Quote(s) // a file that says so
		}
		return s
	}
	if m.hashed {
		return fmt.Sprintf("sha256 %x, mode %04o, %d bytes", m.sum[:6], m.mode, m.size)
	}
	return fmt.Sprintf("%d bytes, mode %04o, changed %s", m.size, m.mode, time.Unix(0, m.ctime).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// folder is an open directory to look from.
type folder struct {
	fd   int
	path string // for messages and as the start of keys
	// links says that links below are followed, as git does in its own
	// directories. In a worktree, where an agent writes, none is.
	links bool
}

func openFolder(path string, links bool) (*folder, error) {
	fd, err := openat(unix.AT_FDCWD, path, pathOnly|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	return &folder{fd, path, links}, nil
}

func (d *folder) close() { unix.Close(d.fd) }

// holder opens the directory that holds name, which may have slashes, and
// returns name's last component. Where links are not followed and one stands
// in the way, or a file does, there is no holder and odd is what stands there.
func (d *folder) holder(name string) (h *folder, base string, odd mark) {
	parent, base := path.Split(name)
	if d.links {
		if parent == "" {
			parent = "."
		}
		fd, err := openat(d.fd, parent, pathOnly)
		if err != nil {
			return nil, "", closedMark(err)
		}
		return &folder{fd, path.Join(d.path, parent), true}, base, mark{}
	}
	fd, err := openat(d.fd, ".", pathOnly)
	if err != nil {
		return nil, "", closedMark(err)
	}
	h = &folder{fd, d.path, false}
	for part := range strings.SplitSeq(strings.TrimSuffix(parent, "/"), "/") {
		if part == "" {
			continue
		}
		next, err := h.child(part)
		if err != nil {
			odd, _ := h.read(part, 0)
			if odd.form == dir {
				odd = closedMark(err)
			}
			h.close()
			return nil, "", odd
		}
		h.close()
		h = next
	}
	return h, base, mark{}
}

// child opens a directory in d; a link is not followed.
func (d *folder) child(name string) (*folder, error) {
	fd, err := openat(d.fd, name, pathOnly|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	return &folder{fd, path.Join(d.path, name), d.links}, nil
}

// list opens a directory in d for listing; a link is followed if asked.
func (d *folder) list(name string, follow bool) (*os.File, error) {
	flags := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NONBLOCK
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := openat(d.fd, name, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path.Join(d.path, name)), nil
}

func openat(fd int, name string, flags int) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// isGone says that an error means: there is nothing under this name.
func isGone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
}

func closedMark(err error) mark {
	if isGone(err) {
		return mark{}
	}
	var no unix.Errno
	if errors.As(err, &no) {
		return mark{form: closed, why: no.Error()}
	}
	return mark{form: closed, why: err.Error()}
}

// look is one lstat.
func (d *folder) look(name string) mark {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return closedMark(err)
	}
	return markOf(&st)
}

// read is look, and the content of a regular file up to limit bytes, behind a
// link too where links are followed. A larger file is returned unhashed and
// without content.
//
// The name is looked at before it is opened, so that no FIFO, tape or watchdog
// is touched; opened without waiting; and must then still be the same file.
// git replaces these files by rename, so another one there is tried again.
func (d *folder) read(name string, limit int64) (mark, []byte) {
	for try := 0; ; try++ {
		m, data, err := d.readOnce(name, limit)
		switch {
		case err == nil:
			return m, data
		case try == 4 || !isExchange(err):
			return closedMark(err), nil
		}
	}
}

// isExchange says that an error can come from a name that got another file
// between two calls: gone, a link now, or no link any more.
func isExchange(err error) bool {
	return errors.Is(err, errChanged) || isGone(err) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EINVAL)
}

func (d *folder) readOnce(name string, limit int64) (mark, []byte, error) {
	m := d.look(name)
	follow := unix.O_NOFOLLOW
	seen := m
	if m.form == link {
		buf := make([]byte, maxLink)
		n, err := unix.Readlinkat(d.fd, name, buf)
		if err != nil {
			return m, nil, err
		}
		m.link = string(buf[:n])
		if !d.links {
			return m, nil, nil
		}
		var st unix.Stat_t
		if err := unix.Fstatat(d.fd, name, &st, 0); err != nil {
			return m, nil, nil // dangling or closed: the text alone is sealed
		}
		seen, follow = markOf(&st), 0
		if seen.form == file { // what is behind counts: content, times, executable or not
			text := m.link
			m = seen
			m.form, m.link, m.behind = link, text, true
		}
	}
	if seen.form != file || seen.size > limit {
		return m, nil, nil
	}
	data, err := d.readSeen(name, follow, seen.id, limit)
	if errors.Is(err, errLarger) {
		return m, nil, nil
	}
	if err != nil {
		return m, nil, err
	}
	m.hashed, m.sum = true, sha256.Sum256(data)
	return m, data, nil
}

var (
	errLarger  = errors.New("grew while it was read")
	errChanged = errors.New("changed while it was read")
)

func (d *folder) readSeen(name string, follow int, id gitdiscover.FileID, limit int64) ([]byte, error) {
	fd, err := openat(d.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|follow)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if got := markOf(&st); got.form != file || got.id != id {
		return nil, errChanged
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errLarger
	}
	return data, err
}
