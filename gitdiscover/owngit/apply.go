package owngit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// apply moves the branch and the index. The order is the argument: the intent
// before anything that must be undone; the index's lock first, since every git
// that would change this worktree takes it first and so stands still; HEAD and
// the branch next, both compared while they are locked; then the rename that
// decides; then what follows from it.
type apply struct {
	intent
	setup Setup
	wait  time.Duration
	// merge makes the new index from the worktree's own.
	merge func(*realIndex) ([]byte, error)
	// moving is asked last, when all locks are held and all values compared.
	moving func() error
	step   func(string) // told before each step; tests fail there

	done bool // the branch moved
}

func (a *apply) run(dir string) (err error) {
	a.step("intent")
	if err := a.open(dir); err != nil {
		return err
	}
	if err := a.prepare(); err != nil {
		return errors.Join(err, a.undo())
	}
	a.step("move")
	if a.done, err = commitLock(a.target()+".lock", a.target()); !a.done {
		return errors.Join(refuse(Unreadable, a.target(), "cannot be moved: %v", err), a.undo())
	}
	// From here on there is no way back: a failure leaves the intent open, and
	// the next lane command goes on from it.
	if err != nil {
		return fmt.Errorf("after the branch moved: %w", err)
	}
	a.step("log")
	if err := a.log(); err != nil {
		return fmt.Errorf("after the branch moved: %w", err)
	}
	a.step("index")
	if _, err := commitLock(a.intent.index()+".lock", a.intent.index()); err != nil {
		return fmt.Errorf("after the branch moved: %w", err)
	}
	a.step("unlock")
	if a.Ref != "" {
		dropLock(a.newHead(), a.head()+".lock")
	}
	a.step("close")
	return a.close()
}

// prepare is everything up to the rename: all of it can be undone.
func (a *apply) prepare() error {
	a.step("prepare")
	if err := os.Mkdir(a.prep(), 0o700); err != nil {
		return refuse(Unreadable, a.prep(), "cannot be made; is it left from a take-in? %v", err)
	}
	head, err := readRegular(a.head(), maxRefFile)
	if err != nil {
		return unreadable(a.head(), err)
	}
	mode := modeLike(a.GitDir, 0o666)
	err = errors.Join(writeSynced(a.newRef(), []byte(a.New+"\n"), mode), writeSynced(a.newHead(), head, mode))
	if err != nil {
		return err
	}
	if err := a.lockIndex(mode); err != nil {
		return err
	}
	if a.Ref != "" {
		a.step("lock-head")
		if err := takeLock(a.newHead(), a.head()+".lock", RefLocked, a.wait); err != nil {
			return err
		}
	}
	a.step("lock-ref")
	if err := takeLock(a.newRef(), a.target()+".lock", RefLocked, a.wait); err != nil {
		return err
	}
	if err := compareBase(a.setup); err != nil {
		return err
	}
	if err := a.moving(); err != nil {
		return err
	}
	a.step("moving")
	return errors.Join(writeSynced(a.intent.moving(), nil, 0o600), syncDir(a.prep()))
}

// lockIndex makes the new index and locks the old one with it. The lock comes
// after the work, as git status refreshes the index at any time; if it did so
// meanwhile, the work is done again.
func (a *apply) lockIndex(mode os.FileMode) error {
	for range 20 {
		real, err := readRealIndex(a.GitDir)
		if err != nil {
			return err
		}
		if real.index.digest() != a.setup.Index {
			return refuse(IndexChanged, a.intent.index(), "something was staged or unstaged there since the lane started")
		}
		data, err := a.merge(real)
		if err != nil {
			return err
		}
		os.Remove(a.newIndex())
		if err := writeSynced(a.newIndex(), data, mode); err != nil {
			return err
		}
		a.step("lock-index")
		if err := takeLock(a.newIndex(), a.intent.index()+".lock", IndexLocked, a.wait); err != nil {
			return err
		}
		if real.same(a.GitDir) {
			return nil
		}
		dropLock(a.newIndex(), a.intent.index()+".lock")
	}
	return refuse(IndexLocked, a.intent.index(), "changes all the time")
}

// compareBase wants HEAD and the branch to be where the lane started. It is
// asked before the work, to say no early, and again under the locks, when the
// answer counts.
func compareBase(s Setup) error {
	path := filepath.Join(s.GitDir, "HEAD")
	data, err := readRegular(path, maxRefFile)
	if err != nil {
		return unreadable(path, err)
	}
	hash, target, ok := parseRefFile(data)
	if !ok || target != s.HeadRef {
		return refuse(BranchMoved, path, "HEAD is not on %s any more", s.head())
	}
	now := hash.String()
	if target != "" {
		r, found, err := resolveRef(s.CommonDir, target)
		if err != nil {
			return err
		}
		if r.target != "" {
			return refuse(BranchMoved, filepath.Join(s.CommonDir, target), "is another name of %s now", quoted(r.target))
		}
		if now = r.hash.String(); !found {
			now = ""
		}
	}
	if now != s.Base {
		return refuse(BranchMoved, path, "%s was at %s when the lane started and is at %s", s.head(), orUnborn(s.Base), orUnborn(now))
	}
	return nil
}
