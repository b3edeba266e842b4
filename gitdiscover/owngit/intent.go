package owngit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// intent is what one take-in is about to do, written before it does anything
// that would have to be undone. It is held locked by the process that does it:
// one that can be locked belongs to a process that is gone.
type intent struct {
	Schema    string `json:"schema"`
	Run       string `json:"run"`
	GitDir    string `json:"gitdir"`
	CommonDir string `json:"commondir"`
	// Ref is the branch, "" when HEAD itself is moved.
	Ref string `json:"ref"`
	Old string `json:"old"` // "" for a branch that is not there yet
	New string `json:"new"`
	Who string `json:"who"` // name, address and time of the reflog line

	path string
	file *os.File
}

const intentSchema = "lane.intent/1"

// The files of a take-in, in a directory of its own inside the worktree's git
// directory: it must be on one file system with what is locked.
func (t *intent) prep() string { return filepath.Join(t.GitDir, "lane-"+t.Run) }

func (t *intent) newIndex() string { return t.prep() + "/index" }
func (t *intent) newRef() string   { return t.prep() + "/ref" }
func (t *intent) newHead() string  { return t.prep() + "/head" }

// moving is there from when all locks are held and all values are compared.
func (t *intent) moving() string { return t.prep() + "/moving" }

func (t *intent) index() string { return filepath.Join(t.GitDir, "index") }
func (t *intent) head() string  { return filepath.Join(t.GitDir, "HEAD") }

// target is the file that is moved.
func (t *intent) target() string {
	if t.Ref == "" {
		return t.head()
	}
	return filepath.Join(t.CommonDir, t.Ref)
}

// open writes the intent down.
func (t *intent) open(dir string) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	t.path = filepath.Join(dir, t.Run+".json")
	if t.file, err = os.CreateTemp(dir, t.Run+".*.new"); err != nil {
		return err
	}
	tmp := t.file.Name()
	if err := unix.Flock(int(t.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.file.Close()
		return refuse(Changed, t.path, "another process is taking this run in")
	}
	_, err = t.file.Write(append(data, '\n'))
	if err = errors.Join(err, t.file.Sync()); err == nil {
		// Not over one that is open: what it says must be finished first.
		err = unlessThere(tmp, t.path)
	}
	if err != nil {
		t.file.Close()
		os.Remove(tmp)
		return err
	}
	return syncDir(dir)
}

// unlessThere renames a file to a name that must be free.
func unlessThere(from, to string) error {
	if err := os.Link(from, to); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return refuse(Changed, to, "an earlier take-in of this run is still open")
		}
		return err
	}
	return os.Remove(from)
}

// close removes the intent when nothing is left of it.
func (t *intent) close() error {
	err := os.RemoveAll(t.prep())
	if err == nil {
		err = os.Remove(t.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(t.path))
	}
	t.file.Close()
	return err
}

// undo takes back everything before the ref moved.
func (t *intent) undo() error {
	dropLock(t.newRef(), t.target()+".lock")
	dropLock(t.newHead(), t.head()+".lock")
	dropLock(t.newIndex(), t.index()+".lock")
	return t.close()
}

// Finished is what became of an open intent.
type Finished struct {
	Run string `json:"run"`
	// Taken says that the commits are in; otherwise all is as it was before.
	Taken bool   `json:"taken"`
	Ref   string `json:"ref"`
	New   string `json:"new"`
}

// FinishOpenIntents finishes or undoes what processes that died left open in
// dir. Those of processes that live are left to them.
func FinishOpenIntents(dir string) ([]Finished, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if isMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	var list []Finished
	var errs []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(e.Name(), ".new") {
			removeDead(path)
			continue
		}
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		f, err := finish(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("intent %q: %w", path, err))
		} else if f != nil {
			list = append(list, *f)
		}
	}
	slices.SortFunc(list, func(a, b Finished) int { return strings.Compare(a.Run, b.Run) })
	return list, errors.Join(errs...)
}

// removeDead removes a file that was being written by a process that died. One
// that is young may be of a process that has not locked it yet.
func removeDead(path string) {
	if st, err := os.Lstat(path); err != nil || time.Since(st.ModTime()) < time.Minute {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		os.Remove(path)
	}
}

func finish(path string) (*Finished, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, nil // its process lives, or another finishes it
	}
	if a, err := f.Stat(); err != nil {
		f.Close()
		return nil, err
	} else if b, err := os.Lstat(path); err != nil || !os.SameFile(a, b) {
		f.Close()
		return nil, nil // closed between opening and locking
	}
	t := &intent{path: path, file: f}
	data, err := readOpen(f, maxConfigFile)
	if err == nil {
		err = json.Unmarshal(data, t)
	}
	if err == nil && t.Schema != intentSchema {
		err = fmt.Errorf("is of another lane: schema %q", t.Schema)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	moved, err := t.moved()
	if err != nil {
		f.Close()
		return nil, err
	}
	result := &Finished{Run: t.Run, Taken: moved, Ref: t.Ref, New: t.New}
	if !moved {
		return result, t.undo()
	}
	return result, t.complete()
}

// moved finds out on which side of the rename the process died.
func (t *intent) moved() (bool, error) {
	switch {
	case ours(t.newRef(), t.target()):
		return true, nil
	case ours(t.newRef(), t.target()+".lock"):
		return false, nil
	}
	now, err := t.value()
	if !exists(t.moving()) { // nothing was done yet, or all
		return now == t.New, err
	}
	// The lock is gone and the ref is another file. Either somebody moved it
	// on since, or somebody removed the lock by hand before it was renamed.
	return now != t.Old, err
}

// value is what the target says now, "" when it is not there.
func (t *intent) value() (string, error) {
	if t.Ref == "" {
		data, err := readRegular(t.head(), maxRefFile)
		if err != nil {
			return "", unreadable(t.head(), err)
		}
		hash, _, _ := parseRefFile(data)
		return hash.String(), nil
	}
	r, found, err := resolveRef(t.CommonDir, t.Ref)
	if err != nil || !found {
		return "", err
	}
	return r.hash.String(), nil
}

// complete does what is left after the ref moved. Each step is harmless when
// it was done before.
func (t *intent) complete() error {
	if err := t.log(); err != nil {
		return err
	}
	if ours(t.newIndex(), t.index()+".lock") {
		if _, err := commitLock(t.index()+".lock", t.index()); err != nil {
			return err
		}
	}
	if t.Ref != "" {
		dropLock(t.newHead(), t.head()+".lock")
	}
	return t.close()
}
