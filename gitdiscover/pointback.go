package gitdiscover

import (
	"errors"
	"path/filepath"
	"strings"
)

// checkWorktreeKey wants core.worktree, where git hears it, to name the
// directory that holds .git. It is relative to the git directory.
func (f *finder) checkWorktreeKey(h *hit, m *format) error {
	if m.worktree == nil {
		return nil
	}
	raw := *m.worktree
	if err := checkCharacters(raw, "core.worktree"); err != nil {
		return err
	}
	if raw == "" {
		return refuse(WorktreeRedirect, h.top.path, "core.worktree is empty")
	}
	d, err := f.resolve(h.git.dir, raw)
	var p *pathError
	switch {
	case errors.Is(err, errUnstable):
		return refuse(UnstablePath, raw, "core.worktree %v", errUnstable)
	case errors.Is(err, errClosed) && errors.As(err, &p):
		return refuse(Permission, p.path, "core.worktree leads here: %v", p.err)
	case err != nil:
		return refuse(WorktreeRedirect, raw, "core.worktree names a place that cannot be entered: %v", err)
	case d.path != h.top.path || d.id != h.top.id:
		return refuse(WorktreeRedirect, d.path, "core.worktree names it, but .git is in %s", quoted(h.top.path))
	}
	return nil
}

// checkBackPointer wants somebody other than the .git file to say that this
// git directory and this worktree belong together. A .git directory needs
// nobody: it is where it is. A worktrees/<id> says it in its gitdir file, a
// submodule in core.worktree.
func (f *finder) checkBackPointer(h *hit, m *format) (linked bool, err error) {
	g := h.git
	if g.common.path != g.dir.path {
		if filepath.Dir(g.dir.path) != join(g.common.path, "worktrees") {
			return false, refuse(CommondirMismatch, join(g.dir.path, "commondir"), "leads to %s, which is not two levels up", quoted(g.common.path))
		}
		return true, f.checkGitdirFile(h)
	}
	if !h.pointerIsFile || m.worktree != nil {
		return false, nil // core.worktree was found to name this directory
	}
	if f.vouches(SeparateGitDir) {
		return false, nil
	}
	return false, vouchable(SeparateGitDir, refuse(PointerUnverified, g.dir.path,
		"nothing in it says that %s is its working tree", quoted(h.top.path)))
}

// checkGitdirFile compares by resolved path, not by inode: a hard link of
// somebody's .git file has the inode of the original. The price is that a
// worktree mounted at a second place is refused there.
func (f *finder) checkGitdirFile(h *hit) error {
	path := join(h.git.dir.path, "gitdir")
	data, err := f.readFile(h.git.dir, "gitdir", maxPointer, followLinks)
	if err != nil {
		return readRefusal(err, path, PointerMismatch)
	}
	raw := strings.TrimRight(string(data), "\r\n")
	if err := checkCharacters(raw, "the path in "+quoted(path)); err != nil {
		return err
	}
	holder, ok := strings.CutSuffix(raw, "/.git")
	if !ok {
		return refuse(PointerMismatch, path, "does not name a .git file")
	}
	d, err := f.resolve(h.git.dir, holder+"/")
	if err != nil {
		var p *pathError
		errors.As(err, &p)
		switch {
		case errors.Is(err, errUnstable):
			return refuse(UnstablePath, path, "%v", p.err)
		case errors.Is(err, errClosed):
			return refuse(Permission, p.path, "cannot be searched: %v", p.err)
		}
		return refuse(PointerMismatch, path, "names %s, but %s %v", quoted(raw), quoted(p.path), p.err)
	}
	switch {
	case d.path == h.top.path && d.id == h.top.id:
		return nil
	case d.id != h.top.id:
		return refuse(PointerMismatch, path, "names %s, not %s", quoted(d.path), quoted(h.top.path))
	case f.vouches(BindMount):
		return nil
	}
	e := refuse(PointerMismatch, path, "names %s, which is the same directory as %s, mounted twice", quoted(d.path), quoted(h.top.path))
	e.Hint = "Start the lane at the path the worktree was added at."
	return vouchable(BindMount, e)
}

// checkOverlap refuses a worktree inside a git directory: what is denied and
// what is granted would be the same. Looked for by name and by device and
// inode, since a mount can put the same directory under another name.
func (f *finder) checkOverlap(h *hit) error {
	if hasComponent(h.top.path, ".git") {
		return refuse(Overlap, h.top.path, "lies in a directory named .git")
	}
	for _, inner := range []*dir{h.git.common, h.git.dir} {
		if within(h.top.path, inner.path) {
			return refuse(Overlap, h.top.path, "lies in %s", quoted(inner.path))
		}
	}
	for d := h.top; ; {
		if d.id == h.git.common.id || d.id == h.git.dir.id {
			return refuse(Overlap, h.top.path, "lies in %s, by another name", quoted(h.git.common.path))
		}
		if d.path == "/" {
			return nil
		}
		up, err := f.parent(d)
		if err != nil {
			return refuse(Permission, filepath.Dir(d.path), "cannot be entered: %v", err)
		}
		d = up
	}
}

// within says whether path is root or below it; both are clean.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}
