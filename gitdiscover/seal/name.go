package seal

import (
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Name is a path, ref or key as it is on disk, where an agent may have put
// anything in it. Printed or written as JSON it is fit for a terminal: plain
// names as they are, others in quotes with escapes. string(n) is the bytes.
type Name string

// String quotes a name unless it is plain; no plain name starts with a quote.
func (n Name) String() string {
	if s := string(n); s == "" || isPlain(s) && !strings.HasPrefix(s, `"`) {
		return s
	}
	return strconv.QuoteToASCII(string(n))
}

// MarshalText is String, so that no name loses bytes in JSON.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// Stamp changes whenever a file's content or mode does: ctime cannot be set
// by an unprivileged process, so putting mtime back does not hide a change.
type Stamp struct {
	Ino   uint64
	Size  int64
	CTime int64  // nanoseconds
	Mode  uint32 // st_mode, with the kind of file
}

// StampOf is the stamp of what os.Lstat or a directory entry says about a
// file; false when the file system does not say it.
func StampOf(info fs.FileInfo) (Stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}, false
	}
	return Stamp{Ino: st.Ino, Size: st.Size, CTime: statCTime(st), Mode: uint32(st.Mode)}, true
}

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{Ino: st.Ino, Size: st.Size, CTime: st.Ctim.Nano(), Mode: uint32(st.Mode)}
}

// Tree is what a worktree held before a run, by path relative to it.
type Tree struct {
	// Files are all entries but directories, Dirs the directories.
	Files map[string]Stamp
	Dirs  map[string]bool
	// Repositories are the nested .git entries, files or directories.
	Repositories map[string]bool
}
