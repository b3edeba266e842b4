package seal

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"golang.org/x/sys/unix"
)

// FileChange is a file of the worktree that differs from HEAD's tree.
type FileChange struct {
	Path Name `json:"path"` // relative to the worktree; a directory as a whole ends in /
	// Kind is "modified", "mode", "type", "deleted", "untracked", or
	// "unverified" for one that was written and is too large to hash.
	Kind string `json:"kind"`
}

const maxFileChanges = 1000

// fileScan compares a worktree with a tree, directory by directory. The
// content decides, not the index: who can set a file's times can make git's
// index believe that it is unchanged.
type fileScan struct {
	scan
	objects *objects
	stamps  map[string]Stamp
	known   map[string]bool // directories that hold something of stamps
	found   []FileChange
	more    int
}

func (s *fileScan) start(d *folder, root plumbing.Hash) {
	if s.stamps != nil {
		s.known = map[string]bool{}
		for name := range s.stamps {
			for i := strings.LastIndexByte(name, '/'); i > 0 && !s.known[name[:i]]; i = strings.LastIndexByte(name[:i], '/') {
				s.known[name[:i]] = true
			}
		}
	}
	s.dir(d, ".", "", root, 0)
}

func (s *fileScan) add(path, kind string) {
	if len(s.found) == maxFileChanges {
		s.more++
		return
	}
	s.found = append(s.found, FileChange{Name(path), kind})
}

// dir compares one directory with one tree; the zero hash is no tree, for a
// directory that HEAD does not have.
func (s *fileScan) dir(d *folder, name, rel string, hash plumbing.Hash, depth int) {
	want := map[string]object.TreeEntry{}
	if !hash.IsZero() {
		tree, err := s.objects.tree(hash)
		if err != nil { // a partial clone may lack it
			s.miss("%s: tree %s: %s", Name(shortened(rel)), hash, shown(err.Error()))
			return
		}
		for _, e := range tree.Entries {
			want[e.Name] = e
		}
	}
	whole := s.list(d, name, rel, depth, func(in *folder, e fs.DirEntry) {
		if rel == "" && e.Name() == ".git" {
			return
		}
		w, tracked := want[e.Name()]
		delete(want, e.Name())
		s.entry(in, e, childPath(rel, e.Name()), w, tracked, depth)
	})
	if !whole {
		return // what was not seen is not deleted
	}
	for n, w := range want {
		s.deleted(childPath(rel, n), w)
	}
}

// deleted lists what is in the tree and not on disk, unless it was not there
// before the run either, as in a sparse checkout.
func (s *fileScan) deleted(path string, w object.TreeEntry) {
	if s.stamps != nil {
		if _, ok := s.stamps[path]; !ok && !s.known[path] {
			return
		}
	}
	if w.Mode == filemode.Dir {
		path += "/"
	}
	s.add(path, "deleted")
}

func (s *fileScan) entry(in *folder, e fs.DirEntry, path string, w object.TreeEntry, tracked bool, depth int) {
	if s.skip[s.top+"/"+path] {
		return
	}
	if e.IsDir() {
		s.subdir(in, e.Name(), path, w, tracked, depth)
		return
	}
	var st unix.Stat_t
	if err := unix.Fstatat(in.fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return // gone meanwhile
	}
	if old, ok := s.stamps[path]; ok && old == stampOf(&st) {
		return
	}
	switch {
	case !tracked:
		s.add(path, "untracked")
	case w.Mode == filemode.Dir || w.Mode == filemode.Submodule:
		s.add(path+"/", "deleted")
		s.add(path, "untracked")
	default:
		if kind := s.compare(in, e.Name(), markOf(&st), w); kind != "" {
			s.add(path, kind)
		}
	}
}

func (s *fileScan) subdir(in *folder, name, path string, w object.TreeEntry, tracked bool, depth int) {
	switch {
	case tracked && w.Mode == filemode.Dir:
		s.dir(in, name, path, w.Hash, depth+1)
	case tracked && w.Mode == filemode.Submodule:
		// a repository of its own
	case s.known[path]:
		s.dir(in, name, path, plumbing.ZeroHash, depth+1) // which of its files are new?
	default:
		if tracked {
			s.add(path, "deleted")
		}
		s.add(path+"/", "untracked")
	}
}

// compare says how a file differs from a blob, "" for not at all.
func (s *fileScan) compare(in *folder, name string, m mark, w object.TreeEntry) string {
	switch {
	case m.form == special, (m.form == link) != (w.Mode == filemode.Symlink):
		return "type"
	case m.form == link:
		buf := make([]byte, maxLink)
		n, err := unix.Readlinkat(in.fd, name, buf)
		if err != nil || blobHash(buf[:n]) != w.Hash.String() {
			return "modified"
		}
		return ""
	}
	same, err := s.sameBlob(in, name, m, w.Hash)
	switch {
	case errors.Is(err, errUnhashed):
		if n := s.objects.blobSize(w.Hash); n >= 0 && n != m.size {
			return "modified"
		}
		return "unverified"
	case err != nil:
		s.miss("%s: %s", Name(name), closedMark(err).why)
		return "unverified"
	case !same:
		return "modified"
	case (m.mode&0o100 != 0) != (w.Mode == filemode.Executable):
		return "mode"
	}
	return ""
}

var errUnhashed = errors.New("too large to hash")

// sameBlob hashes a file as git does: "blob", its length, NUL, its content.
func (s *fileScan) sameBlob(in *folder, name string, m mark, id plumbing.Hash) (bool, error) {
	if !s.take(m.size) { // a sparse file can be an exbibyte
		return false, errUnhashed
	}
	fd, err := openat(in.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW)
	if err != nil {
		return false, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false, err
	}
	if got := markOf(&st); got.form != file || got.id != m.id || got.size != m.size {
		return false, errChanged
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", m.size)
	n, err := io.Copy(h, io.LimitReader(f, m.size))
	return err == nil && n == m.size && hex.EncodeToString(h.Sum(nil)) == id.String(), err
}

func blobHash(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
