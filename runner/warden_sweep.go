package runner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// sealNames looks, right before the start, which of the names that the agent
// and its sandbox leave behind are not there yet. Only those are removed
// afterwards.
func sealNames(worktree string, placeholders, litter []string) (*openSeal, error) {
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s := &openSeal{Worktree: worktree, Absent: []string{}, Litter: []string{}, Dirs: []string{}, Wiring: []string{}}
	top, err := openTop(root)
	if err != nil {
		return nil, err
	}
	defer unix.Close(top)
	var st unix.Stat_t
	if err := unix.Fstat(top, &st); err != nil {
		return nil, fmt.Errorf("stat %s: %w", quote(worktree), err)
	}
	s.Dev, s.Ino = uint64(st.Dev), st.Ino
	looked := map[string]bool{}
	absent := func(name string) bool {
		for dir := path.Dir(name); dir != "." && !looked[dir]; dir = path.Dir(dir) {
			looked[dir] = true
			if unix.Fstatat(top, dir, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				s.Dirs = append(s.Dirs, dir)
			}
		}
		return errors.Is(unix.Fstatat(top, name, &st, unix.AT_SYMLINK_NOFOLLOW), unix.ENOENT)
	}
	for _, name := range placeholders {
		if absent(name) {
			s.Absent = append(s.Absent, name)
		}
	}
	for _, name := range litter {
		if absent(name) {
			s.Litter = append(s.Litter, name)
		}
	}
	return s, nil
}

// same says whether root is still the directory that was sealed.
func (s *openSeal) same(root *os.Root) bool {
	top, err := openTop(root)
	if err != nil {
		return false
	}
	defer unix.Close(top)
	var st unix.Stat_t
	return unix.Fstat(top, &st) == nil && uint64(st.Dev) == s.Dev && st.Ino == s.Ino
}

// sweep removes what the agent itself leaves: directories of its own, and the
// empty placeholder files and directories that its sandbox makes for each
// command and that a hard end leaves behind. Only names that were absent
// before, so that nothing anyone wrote is lost.
func (s *openSeal) sweep(root *os.Root) []string {
	top, err := openTop(root)
	if err != nil {
		return nil
	}
	defer unix.Close(top)
	var removed []string
	for _, name := range s.Litter {
		if at, ok := reach(top, name); ok {
			at.close()
			if root.RemoveAll(name) == nil {
				removed = append(removed, name)
			}
		}
	}
	for _, name := range s.Absent {
		if at, ok := reach(top, name); ok {
			if at.removePlaceholder() {
				removed = append(removed, name)
			}
			at.close()
		}
	}
	for _, name := range removed {
		for dir := path.Dir(name); dir != "." && !s.has(dir); dir = path.Dir(dir) {
			at, ok := reach(top, dir)
			if !ok {
				continue // removed already, for another name
			}
			err := unix.Unlinkat(at.dir, at.name, unix.AT_REMOVEDIR)
			at.close()
			if err != nil { // not empty: it holds somebody's work
				break
			}
		}
	}
	return removed
}

// spot is one name in an open directory.
type spot struct {
	dir  int
	name string
	is   unix.Stat_t
}

func (at spot) close() { unix.Close(at.dir) }

// reach goes to a name below top, component by component, and follows no link:
// an agent that replaces .claude by a link to src must not have src/agents
// removed. It is not ok when there is no such name.
func reach(top int, name string) (spot, bool) {
	at := spot{name: path.Base(name)}
	var err error
	if at.dir, err = unix.Openat(top, ".", dirFlags, 0); err != nil {
		return at, false
	}
	if dir := path.Dir(name); dir != "." {
		for part := range strings.SplitSeq(dir, "/") {
			next, err := unix.Openat(at.dir, part, dirFlags, 0)
			unix.Close(at.dir)
			if at.dir = next; err != nil {
				return at, false
			}
		}
	}
	if unix.Fstatat(at.dir, at.name, &at.is, unix.AT_SYMLINK_NOFOLLOW) != nil {
		at.close()
		return at, false
	}
	return at, true
}

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

func openTop(root *os.Root) (int, error) {
	f, err := root.Open(".")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// removePlaceholder removes an empty regular file with one name, or an empty
// directory: bubblewrap makes one for a directory's mask.
func (at spot) removePlaceholder() bool {
	if at.is.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.Unlinkat(at.dir, at.name, unix.AT_REMOVEDIR) == nil
	}
	if !emptyFile(at.is) {
		return false
	}
	// Once more, right before: it must still be that file, and still empty.
	var now unix.Stat_t
	if unix.Fstatat(at.dir, at.name, &now, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		now.Dev != at.is.Dev || now.Ino != at.is.Ino || !emptyFile(now) {
		return false
	}
	return unix.Unlinkat(at.dir, at.name, 0) == nil
}

func emptyFile(st unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == 0 && st.Nlink == 1
}
