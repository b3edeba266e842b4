package gitdiscover

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// hit is what the way up ended at.
type hit struct {
	top           *dir // the directory that holds .git
	pointer       string
	pointerIsFile bool
	pointerID     FileID
	pointerUID    uint32
	git           *gitDir
}

// enter opens the directory to start from at its physical place. $PWD is not
// looked at: it may be stale, and git does not use it either.
func (f *finder) enter(start string) (*dir, error) {
	if start == "" {
		start = "."
	}
	base := &dir{fd: unix.AT_FDCWD, path: "/"} // not looked at for an absolute start
	if !filepath.IsAbs(start) {
		var err error
		if base, err = f.currentDir(); err != nil {
			return nil, err
		}
	}
	d, err := f.resolve(base, start)
	if err != nil {
		var p *pathError
		if errors.As(err, &p) && errors.Is(err, errUnstable) {
			return nil, refuse(UnstablePath, p.path, "%v", p.err)
		}
		return nil, refuse(CwdUnreadable, start, "cannot be entered: %v", err)
	}
	return d, nil
}

// currentDir opens the current directory and asks the kernel for its path.
func (f *finder) currentDir() (*dir, error) {
	fd, err := openAt(unix.AT_FDCWD, ".", dirFlags)
	if err != nil {
		return nil, refuse(CwdUnreadable, ".", "the current directory cannot be opened: %v", err)
	}
	buf := make([]byte, 2*pathMax)
	n, err := unix.Getcwd(buf)
	if err != nil || n < 2 || buf[0] != '/' {
		// The answer starts with "(unreachable)" for a directory outside of
		// this process's root.
		unix.Close(fd)
		return nil, refuse(CwdUnreadable, ".", "the current directory has no path: it was removed or is out of reach")
	}
	d, err := newDir(fd, string(buf[:n-1]), nil)
	if err != nil {
		return nil, refuse(CwdUnreadable, ".", "the current directory cannot be read: %v", err)
	}
	return f.keep(d), nil
}

// walk goes up from start to the first directory that git would use, staying
// on the file system it started on. It never steps past a .git that git
// versions disagree about, and remembers one that git would step past.
func (f *finder) walk(start string) (*hit, error) {
	d, err := f.enter(start)
	if err != nil {
		return nil, err
	}
	first := d
	var skipped *RefusedError
	for {
		h, err := f.look(d)
		var not *notGitDir
		switch {
		case errors.As(err, &not):
			if skipped == nil {
				path := join(d.path, ".git")
				skipped = refuse(SkippedDotgit, path, "is no repository: %s", not.why)
			}
		case err != nil:
			return nil, err
		case h != nil && skipped != nil:
			return nil, skipped
		case h != nil:
			return h, nil
		}
		if err := f.refuseBare(d); err != nil {
			return nil, err
		}
		if d.path == "/" {
			break
		}
		up, err := f.parent(d)
		if err != nil {
			return nil, refuse(Permission, filepath.Dir(d.path), "cannot be entered: %v", err)
		}
		if up.id.Dev != first.id.Dev {
			break
		}
		d = up
	}
	if skipped != nil {
		return nil, refuse(NotARepository, skipped.Path, "%s", skipped.Detail)
	}
	return nil, refuse(NotARepository, first.path, "no .git here or above, up to %s", quoted(d.path))
}

// look tests d/.git. No hit and no error means that there is none; a
// *notGitDir means a directory that git would pass over.
func (f *finder) look(d *dir) (*hit, error) {
	var st unix.Stat_t
	h := &hit{top: d, pointer: join(d.path, ".git")}
	if err := unix.Fstatat(d.fd, ".git", &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if err == unix.ENOENT {
			return nil, nil
		}
		return nil, refuse(Permission, h.pointer, "cannot be looked at: %v", err)
	}
	h.pointerID, h.pointerUID = fileID(&st), st.Uid
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil, refuse(SymlinkDotgit, h.pointer, "is a symbolic link")
	case unix.S_IFDIR:
		c, err := f.child(d, ".git")
		if err != nil {
			return nil, refuse(UnstablePath, h.pointer, "cannot be opened: %v", err)
		}
		if c.id != h.pointerID {
			return nil, refuse(UnstablePath, h.pointer, "%v", errChanged)
		}
		if h.git, err = f.testGitDir(c, true); err != nil {
			return nil, err
		}
	case unix.S_IFREG:
		h.pointerIsFile = true
		g, err := f.followPointer(h)
		if err != nil {
			return nil, err
		}
		h.git = g
	default:
		return nil, refuse(NotRegular, h.pointer, "%v", errNotRegular)
	}
	if err := checkCharacters(d.path, "the worktree's path"); err != nil {
		return nil, err
	}
	return h, nil
}

// followPointer reads a .git file and opens what it names. Every fault is
// final: git does not look further up behind a .git file.
func (f *finder) followPointer(h *hit) (*gitDir, error) {
	data, err := f.readFile(h.top, ".git", maxPointer, noLinks)
	if err != nil {
		return nil, readRefusal(err, h.pointer, UnstablePath)
	}
	raw, why := parsePointer(data)
	if why != "" {
		return nil, refuse(InvalidGitfile, h.pointer, "%s", why)
	}
	if err := checkCharacters(raw, "the path in "+quoted(h.pointer)); err != nil {
		return nil, err
	}
	if err := checkCharacters(h.top.path, "the worktree's path"); err != nil {
		return nil, err
	}
	full := raw
	if !strings.HasPrefix(raw, "/") {
		full = join(h.top.path, raw)
	}
	if len(full)+len("/HEAD") >= pathMax {
		return nil, refuse(DanglingGitdir, h.pointer, "names a path that %v", errTooLong)
	}
	d, err := f.resolve(h.top, raw)
	if err != nil {
		var p *pathError
		errors.As(err, &p)
		switch {
		case errors.Is(err, errUnstable):
			return nil, refuse(UnstablePath, full, "%v", errUnstable)
		case errors.Is(err, errClosed):
			return nil, refuse(Permission, p.path, "cannot be searched: %v", p.err)
		}
		return nil, refuse(DanglingGitdir, full, "%s %v", quoted(p.path), p.err)
	}
	g, err := f.testGitDir(d, true)
	var not *notGitDir
	if errors.As(err, &not) {
		return nil, refuse(DanglingGitdir, d.path, "is no git directory: %s", not.why)
	}
	return g, err
}

// parsePointer returns the path in a .git file: all that follows "gitdir: ",
// less the trailing newlines. Blanks, quotes, ~ and further lines belong to
// the path. Why is set when the file is no pointer.
func parsePointer(data []byte) (raw, why string) {
	rest, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return "", `does not start with "gitdir: "`
	}
	if raw = strings.TrimRight(rest, "\r\n"); raw == "" {
		return "", "names no path"
	}
	return raw, ""
}

// refuseBare refuses when d itself is a git directory: git would use it, as a
// bare repository or with core.worktree, wherever that points.
func (f *finder) refuseBare(d *dir) error {
	g, err := f.testGitDir(d, false)
	var not *notGitDir
	switch {
	case errors.As(err, &not):
		return nil
	case err != nil:
		return err
	case g.common != g.dir || hasComponent(d.path, ".git"):
		return refuse(InsideGitdir, d.path, "is the git directory that the start is in")
	}
	return refuse(Bare, d.path, "is itself a git directory, without a worktree round it")
}

func hasComponent(path, name string) bool {
	for _, c := range strings.Split(path, "/") {
		if c == name {
			return true
		}
	}
	return false
}
