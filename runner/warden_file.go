package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFile is the file of a run before it has its name.
type openFile struct {
	*os.File
	path      string
	temporary string // "" for a file that has no name at all
}

// createOpenRun makes and locks the file of a run. It appears under its name
// only when it is locked, for an unlocked one is taken for that of a dead lane,
// and when the warden is there: of a lane that is killed before, no trace is
// left where the file system can make files without a name.
func createOpenRun(laneHome string, o openRun) (*openFile, error) {
	f := &openFile{path: openPath(laneHome, o.Run)}
	dir := filepath.Dir(f.path)
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, f.refusal(err)
	}
	f.File, err = os.OpenFile(dir, os.O_RDWR|os.O_APPEND|openNameless, 0o600)
	if err != nil { // some file systems have no O_TMPFILE: NFS, FUSE
		f.temporary = filepath.Join(dir, "."+o.Run)
		f.File, err = os.OpenFile(f.temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	}
	if err != nil {
		return nil, f.refusal(err)
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		err = addPart(f.File, o)
	}
	if err != nil {
		f.discard()
		return nil, f.refusal(err)
	}
	return f, nil
}

// publish gives the file its name.
func (f *openFile) publish() error {
	var err error
	if f.temporary != "" {
		err = os.Rename(f.temporary, f.path)
	} else {
		err = unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, f.path, unix.AT_SYMLINK_FOLLOW)
	}
	if err != nil {
		f.discard()
		return f.refusal(err)
	}
	return nil
}

func (f *openFile) discard() {
	if f.temporary != "" {
		os.Remove(f.temporary)
	}
	f.Close()
}

func (f *openFile) refusal(err error) error {
	return &Refusal{Reason: "lane-home", Path: f.path, Detail: cause(err), Hint: "set LANE_HOME to a directory that can be written, on a file system with locks"}
}
