package owngit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Locks are git's own: a file of the name with ".lock" behind it, which must
// not exist before. They are made as hard links of a file of lane's, so that a
// lock has its whole content from its first moment, and lane knows its own
// again after a crash: the link is the same file. One that is not is never
// removed, however old.

// takeLock makes lock a link of tmp. It waits for a lock that somebody holds,
// and refuses with reason after that.
func takeLock(tmp, lock string, reason Reason, wait time.Duration) error {
	end := time.Now().Add(wait)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := os.Link(tmp, lock)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			// git removes a directory of refs when its last one is packed.
			if err := os.MkdirAll(filepath.Dir(lock), 0o777); err != nil {
				return refuse(Unreadable, filepath.Dir(lock), "cannot be made: %v", err)
			}
		case !errors.Is(err, fs.ErrExist):
			return refuse(Unreadable, lock, "cannot be made: %v", err)
		}
		if time.Now().After(end) {
			return refuse(reason, lock, "has been there for more than %v", wait)
		}
		time.Sleep(pause)
	}
}

// ours says whether lock is a link of tmp.
func ours(tmp, lock string) bool {
	a, errA := os.Lstat(tmp)
	b, errB := os.Lstat(lock)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// dropLock removes a lock if it is lane's own.
func dropLock(tmp, lock string) {
	if ours(tmp, lock) {
		os.Remove(lock)
	}
}

// commitLock puts a lock in the place of what it locks, as git does. Renamed
// says whether that happened, whatever the error is.
func commitLock(lock, path string) (renamed bool, err error) {
	err = os.Rename(lock, path)
	for range 3 {
		if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.ENOTEMPTY) {
			break
		}
		// Directories that deleted refs left behind; git removes them too.
		removeEmpty(path)
		err = os.Rename(lock, path)
	}
	if err != nil {
		return false, err
	}
	// git pack-refs may have packed the ref by now, and removed its directory.
	if err := syncDir(filepath.Dir(path)); !isMissing(err) {
		return true, err
	}
	return true, nil
}

// removeEmpty removes a directory if there is nothing but directories in it.
func removeEmpty(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeEmpty(filepath.Join(dir, e.Name()))
		}
	}
	syscall.Rmdir(dir) // never a file, never one with something in it
}

// writeSynced writes a new file and has it on disk.
func writeSynced(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}
