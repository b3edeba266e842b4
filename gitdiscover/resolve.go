package gitdiscover

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// resolve follows raw from base as the kernel would and returns the directory
// it names, open, with its physical path. Every component is opened once and
// ".." is the real parent, also behind a link. The error is a *pathError.
//
// A path through procfs or /dev/fd is refused even though it resolves: there
// it names something else for each process.
func (f *finder) resolve(base *dir, raw string) (*dir, error) {
	w := &pathWalk{cur: base, rest: raw}
	d, err := w.run()
	if err != nil {
		if w.owned {
			unix.Close(w.cur.fd)
		}
		return nil, err
	}
	return f.keep(d), nil
}

// pathWalk is one path on its way to a directory.
type pathWalk struct {
	cur   *dir
	owned bool   // cur is the walk's to close, base is not
	rest  string // what is still to follow from cur
	links int
}

func (w *pathWalk) run() (*dir, error) {
	if d := plainDir(w.rest); d != nil {
		w.set(d)
		w.rest = ""
	} else if err := w.fromRoot(w.rest); err != nil {
		return nil, err
	}
	for {
		w.rest = strings.TrimLeft(w.rest, "/")
		if w.rest == "" {
			break
		}
		name := w.rest
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name = name[:i]
		}
		w.rest = w.rest[len(name):]
		if name == "." {
			continue
		}
		if err := w.follow(name); err != nil {
			return nil, err
		}
	}
	if unstable(w.cur, "") {
		return nil, w.fail("", errUnstable)
	}
	if len(w.cur.path) >= pathMax {
		return nil, w.fail("", errTooLong)
	}
	if !w.owned { // raw was "." or empty: a descriptor of its own all the same
		if err := w.into(".", w.cur.path); err != nil {
			return nil, w.fail("", err)
		}
	}
	return w.cur, nil
}

// plainDir opens an absolute path in one step where it is written the way it
// resolves, without links, "." or "..", as most are. It is nil for all others
// and where the system cannot tell: they are followed one by one.
func plainDir(raw string) *dir {
	path := strings.TrimRight(raw, "/")
	if path == "" || path[0] != '/' || filepath.Clean(path) != path {
		return nil
	}
	fd, ok := openNoLinks(path)
	if !ok {
		return nil
	}
	d, err := newDir(fd, path, nil)
	if err != nil {
		return nil
	}
	return d
}

// follow takes one component: a directory is entered, a link put in front of
// what is left.
func (w *pathWalk) follow(name string) error {
	if unstable(w.cur, name) {
		return w.fail(name, errUnstable)
	}
	path := join(w.cur.path, name)
	if name == ".." {
		path = filepath.Dir(w.cur.path)
	}
	err := w.into(name, path)
	if err == nil {
		return nil
	}
	target, linkErr := readLink(w.cur, name)
	if linkErr != nil {
		return w.fail(name, err)
	}
	if w.links++; w.links > maxLinks {
		return w.fail(name, errLoop)
	}
	w.rest = target + w.rest
	return w.fromRoot(target)
}

// into enters the directory name of cur; a link there is not followed.
func (w *pathWalk) into(name, path string) error {
	fd, err := openAt(w.cur.fd, name, dirFlags|unix.O_NOFOLLOW)
	if err != nil {
		return sysError(err)
	}
	d, err := newDir(fd, path, w.cur)
	if err != nil {
		return err
	}
	w.set(d)
	return nil
}

// fromRoot starts over at the root directory when path is absolute.
func (w *pathWalk) fromRoot(path string) error {
	if !strings.HasPrefix(path, "/") {
		return nil
	}
	fd, err := openAt(unix.AT_FDCWD, "/", dirFlags)
	if err != nil {
		return w.fail("", sysError(err))
	}
	root, err := newDir(fd, "/", nil)
	if err != nil {
		return w.fail("", err)
	}
	w.set(root)
	return nil
}

func (w *pathWalk) set(d *dir) {
	if w.owned {
		unix.Close(w.cur.fd)
	}
	w.cur, w.owned = d, true
}

func (w *pathWalk) fail(name string, err error) error {
	return &pathError{path: join(w.cur.path, name), last: w.rest == "", err: err}
}

// unstable is true when name in d, or d itself, is a place whose meaning
// depends on the process that looks.
func unstable(d *dir, name string) bool {
	if d.procfs {
		return true
	}
	switch join(d.path, name) {
	case "/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
