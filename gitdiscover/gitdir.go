package gitdiscover

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// gitDir is a directory that passes git's own test for a git directory.
type gitDir struct {
	dir    *dir
	common *dir // dir itself when there is no commondir file
	// hasCommonFile is what git goes by, not whether the two differ: with the
	// file present, core.bare and core.worktree of the shared config are
	// someone else's business.
	hasCommonFile bool
	// headRef is the ref HEAD names, "" when detached or no valid ref name.
	headRef string
}

// notGitDir says why a directory fails the test. It is no refusal by itself:
// what follows from it depends on how the directory was found.
type notGitDir struct{ why string }

func (e *notGitDir) Error() string { return e.why }

// testGitDir applies git's test: HEAD first, then commondir, then objects and
// refs below the common directory, which need only be searchable. The error is
// a *notGitDir, or a *RefusedError for what git would die on or hang in.
//
// named says that something pointed here. A directory that is merely passed on
// the way up is not refused for an unreadable file that happens to be called
// HEAD.
func (f *finder) testGitDir(d *dir, named bool) (*gitDir, error) {
	g := &gitDir{dir: d}
	if err := f.readHEAD(g, named); err != nil {
		return nil, err
	}
	if err := f.readCommonDir(g); err != nil {
		return nil, err
	}
	for _, name := range []string{"objects", "refs"} {
		if err := f.searchable(g.common, name); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (f *finder) readHEAD(g *gitDir, named bool) error {
	if named && !f.identity.maySearch(g.dir.uid, g.dir.gid, g.dir.mode) {
		return refuse(Permission, g.dir.path, "cannot be searched without root's privileges")
	}
	path := join(g.dir.path, "HEAD")
	if target, err := readLink(g.dir, "HEAD"); err == nil {
		// git looks at the text of the link only; the target may be missing.
		if !strings.HasPrefix(target, "refs/") {
			return &notGitDir{"HEAD is a link to something that is no ref"}
		}
		g.headRef = validRef(target)
		return nil
	}
	data, err := f.readStart(g.dir, "HEAD", maxHead, noLinks)
	switch {
	case err == nil:
	case errors.Is(err, errMissing):
		return &notGitDir{"there is no HEAD"}
	case errors.Is(err, errIsDir):
		return &notGitDir{"HEAD is a directory"}
	case errors.Is(err, errClosed) && !named:
		return &notGitDir{"HEAD cannot be read"}
	default:
		return readRefusal(err, path, DanglingGitdir)
	}
	text, _, _ := strings.Cut(string(data), "\x00")
	if rest, ok := strings.CutPrefix(text, "ref:"); ok {
		ref := strings.Trim(rest, " \t\n\r")
		if strings.HasPrefix(ref, "refs/") {
			g.headRef = validRef(ref)
			return nil
		}
	}
	if len(text) >= 40 && strings.Trim(text[:40], "0123456789abcdefABCDEF") == "" {
		return nil
	}
	return &notGitDir{"HEAD is neither a ref nor an object name"}
}

// validRef returns name if git would take it for a ref name, "" if not. Others
// make lock files and records from it, so nothing odd may pass.
func validRef(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return ""
		}
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return ""
		}
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return ""
	}
	return name
}

// readCommonDir obeys a commondir file wherever one stands, also in a plain
// .git directory, as git does. It is not followed a second time from there.
func (f *finder) readCommonDir(g *gitDir) error {
	path := join(g.dir.path, "commondir")
	var st unix.Stat_t
	if err := unix.Fstatat(g.dir.fd, "commondir", &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if err == unix.ENOENT {
			g.common = g.dir
			return nil
		}
		return readRefusal(sysError(err), path, InvalidCommondir)
	}
	data, err := f.readFile(g.dir, "commondir", maxPointer, followLinks)
	if err != nil {
		return readRefusal(err, path, InvalidCommondir)
	}
	if len(data) == 0 {
		return refuse(InvalidCommondir, path, "is empty")
	}
	raw := strings.TrimRight(string(data), "\r\n")
	if err := checkCharacters(raw, "the path in "+quoted(path)); err != nil {
		return err
	}
	g.hasCommonFile = true
	common, err := f.resolve(g.dir, raw)
	if err != nil {
		return commonDirRefusal(err, path)
	}
	if !f.identity.maySearch(common.uid, common.gid, common.mode) {
		return refuse(Permission, common.path, "cannot be searched without root's privileges")
	}
	g.common = common
	return nil
}

// commonDirRefusal tells apart what git does: it dies when the path cannot be
// followed, and takes the directory for no repository when only its last
// component is missing or no directory.
func commonDirRefusal(err error, path string) error {
	var p *pathError
	if !errors.As(err, &p) {
		return refuse(InvalidCommondir, path, "%v", err)
	}
	switch {
	case errors.Is(err, errUnstable):
		return refuse(UnstablePath, p.path, "%v", p.err)
	case errors.Is(err, errClosed):
		return refuse(Permission, p.path, "cannot be searched: %v", p.err)
	case p.last && (errors.Is(err, errMissing) || errors.Is(err, errNotDir)):
		return &notGitDir{"its commondir names " + quoted(p.path) + ", which " + p.err.Error()}
	}
	return refuse(InvalidCommondir, path, "names %s, which %v", quoted(p.path), p.err)
}

// searchable asks what git asks of objects and refs: access for execution. An
// executable file passes, as it does there.
func (f *finder) searchable(d *dir, name string) error {
	path := join(d.path, name)
	err := unix.Faccessat(d.fd, name, unix.X_OK, 0)
	var st unix.Stat_t
	statErr := unix.Fstatat(d.fd, name, &st, 0)
	isDir := statErr == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case statErr == unix.EACCES, err == unix.EACCES && isDir,
		isDir && !f.identity.maySearch(st.Uid, st.Gid, uint32(st.Mode)):
		return refuse(Permission, path, "cannot be searched")
	case err != nil:
		return &notGitDir{"there is no " + name + " directory in " + quoted(d.path)}
	}
	return nil
}
