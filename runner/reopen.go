package runner

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"lane/gitdiscover"
)

// reopened are directories that their owner could not list, enter or change
// and that lane has opened to look into them: a directory that is closed keeps
// what was planted in it from the look after the run, until somebody opens it.
type reopened struct {
	root *os.Root
	dirs []closedDir // parents before what is in them
}

type closedDir struct {
	name string // relative to the root
	info os.FileInfo
}

// open opens one directory; its parents are open.
func (r *reopened) open(name string) error {
	info, err := r.root.Lstat(name)
	if err != nil || !info.IsDir() || !isClosed(info) {
		return err
	}
	if err := r.root.Chmod(name, info.Mode()|ownerAll); err != nil {
		return err
	}
	r.dirs = append(r.dirs, closedDir{name, info})
	return nil
}

// ownerAll lets the owner list, enter and change a directory.
const ownerAll = 0o700

func isClosed(info os.FileInfo) bool { return info.Mode()&ownerAll != ownerAll }

// closeAgain gives the directories that are still there the modes that they
// were left with: a cache of modules is closed for writing by its tool.
func (r *reopened) closeAgain() error {
	var failed []error
	for i := len(r.dirs) - 1; i >= 0; i-- {
		d := r.dirs[i]
		now, err := r.root.Lstat(d.name)
		if err != nil || !os.SameFile(now, d.info) {
			continue // held back, with what was in it
		}
		failed = append(failed, r.root.Chmod(d.name, d.info.Mode()))
	}
	return errors.Join(failed...)
}

// openWorktree opens the worktree itself, if it is still the directory that
// the lane had.
func openWorktree(repo gitdiscover.Repo) (*reopened, error) {
	info, err := os.Lstat(repo.Worktree)
	if err != nil {
		return nil, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if want := repo.IDs["worktree"]; !ok || !info.IsDir() || uint64(st.Dev) != want.Dev || st.Ino != want.Ino {
		return nil, errors.New("another directory lies in its place")
	}
	r := &reopened{}
	if isClosed(info) {
		if err := os.Chmod(repo.Worktree, info.Mode()|ownerAll); err != nil {
			return nil, err
		}
		r.dirs = []closedDir{{".", info}}
	}
	r.root, err = os.OpenRoot(repo.Worktree + "/") // an error, not a wait, should a FIFO be there
	return r, err
}

// openAll opens a whole directory, for one that is about to be moved away: its
// owner could not move it closed, nor read it where it then lies.
func (r *reopened) openAll(name string, left *int) error {
	if *left--; *left < 0 {
		return errors.New("more than it takes to hold a repository")
	}
	if err := r.open(name); err != nil {
		return err
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		if err == nil && e.IsDir() {
			err = r.openAll(filepath.Join(name, e.Name()), left)
		}
	}
	return err
}

// maxOpened bounds openAll, in directories.
const maxOpened = 100_000
