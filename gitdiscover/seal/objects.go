package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
	"github.com/go-git/go-git/v5/storage/memory"
	"golang.org/x/sys/unix"

	"lane/gitdiscover"
)

// Bounds of what is read of objects.
const (
	maxObject  = 64 << 20  // of one commit or tree, inflated
	maxIndexes = 512 << 20 // of all pack indexes: go-git holds them in memory
	cacheBytes = 32 << 20
)

// objects are a repository's objects, its own and those it borrows, read by
// go-git from the directories that gitdiscover resolved. go-git gets to see
// object directories only: no config, no refs, no alternates file, and so
// nothing with which it would find, refuse or follow something by its own
// rules.
type objects struct {
	// Storage is empty and in memory: the other methods of go-git's interface
	// find nothing and write nowhere.
	*memory.Storage
	all   []*filesystem.ObjectStorage
	roots []*os.Root
}

var errFormat = errors.New("objects are named by sha256, which go-git does not read")

// openObjects opens the object directories of a repository.
func openObjects(repo gitdiscover.Repo) (*objects, error) {
	if repo.ObjectFormat != "" && repo.ObjectFormat != "sha1" {
		return nil, errFormat
	}
	o := &objects{Storage: memory.NewStorage()}
	lru := cache.NewObjectLRU(cacheBytes)
	left := int64(maxIndexes)
	for i, dir := range append([]string{filepath.Join(repo.CommonDir, "objects")}, repo.Alternates...) {
		// With the slash a FIFO in its place is an error; without, OpenRoot
		// waits for somebody to write to it.
		root, err := os.OpenRoot(dir + "/")
		if err != nil && i > 0 {
			continue // git goes on without an alternate that is gone
		}
		if err != nil {
			o.close()
			return nil, err
		}
		o.roots = append(o.roots, root)
		if left -= indexBytes(objectDir{root}); left < 0 {
			o.close()
			return nil, fmt.Errorf("pack indexes of more than %d MiB", maxIndexes>>20)
		}
		opt := filesystem.Options{KeepDescriptors: true}
		o.all = append(o.all, filesystem.NewObjectStorageWithOptions(dotgit.New(objectDir{root}), lru, opt))
	}
	return o, nil
}

func indexBytes(d objectDir) (n int64) {
	infos, _ := d.ReadDir("objects/pack")
	for _, i := range infos {
		if strings.HasSuffix(i.Name(), ".idx") {
			n += i.Size()
		}
	}
	return n
}

func (o *objects) close() {
	for _, s := range o.all {
		s.Close()
	}
	for _, r := range o.roots {
		r.Close()
	}
}

// EncodedObject looks in every directory, and again after a repack took a
// pack away. A larger object than is read is an error.
func (o *objects) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, s := range o.all {
		size, err := s.EncodedObjectSize(h)
		if err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) {
			s.Reindex()
			size, err = s.EncodedObjectSize(h)
		}
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if size > maxObject {
			return nil, fmt.Errorf("object %s is larger than %d MiB", h, maxObject>>20)
		}
		return s.EncodedObject(t, h)
	}
	return nil, plumbing.ErrObjectNotFound
}

func (o *objects) commit(id plumbing.Hash) (*object.Commit, error) { return object.GetCommit(o, id) }
func (o *objects) tree(id plumbing.Hash) (*object.Tree, error)     { return object.GetTree(o, id) }

// blobSize is the size of a blob, -1 if it is not here.
func (o *objects) blobSize(id plumbing.Hash) int64 {
	for _, s := range o.all {
		if n, err := s.EncodedObjectSize(id); err == nil {
			return n
		}
	}
	return -1
}

// objectDir shows one object directory to go-git as the objects/ of a git
// directory that holds nothing else. It is read-only, opens regular files
// only, without waiting, and no link leads out of it.
type objectDir struct{ root *os.Root }

// beneath maps go-git's name to one below the object directory.
func (d objectDir) beneath(name string) (string, error) {
	rel, ok := strings.CutPrefix(path.Clean(name), "objects")
	switch {
	case !ok || rel != "" && rel[0] != '/', rel == "/info/alternates":
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case rel == "":
		return ".", nil
	}
	return rel[1:], nil
}

func (d objectDir) Open(name string) (billy.File, error) { return d.OpenFile(name, os.O_RDONLY, 0) }

func (d objectDir) OpenFile(name string, flag int, _ os.FileMode) (billy.File, error) {
	if flag != os.O_RDONLY {
		return nil, billy.ErrReadOnly
	}
	rel, err := d.beneath(name)
	if err != nil {
		return nil, err
	}
	// Looked at first: to open a device can do something. The errors stay as
	// they are: go-git asks os.IsNotExist, which sees through no wrapping.
	info, err := d.root.Stat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := d.root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNotRegular
	}
	return objectFile{f}, nil
}

var errNotRegular = errors.New("not a regular file")

func (d objectDir) Stat(name string) (os.FileInfo, error) {
	rel, err := d.beneath(name)
	if err != nil {
		return nil, err
	}
	return d.root.Stat(rel)
}

func (d objectDir) Lstat(name string) (os.FileInfo, error) {
	rel, err := d.beneath(name)
	if err != nil {
		return nil, err
	}
	return d.root.Lstat(rel)
}

func (d objectDir) ReadDir(name string) ([]os.FileInfo, error) {
	rel, err := d.beneath(name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdir(-1)
}

func (d objectDir) Join(elem ...string) string { return path.Join(elem...) }
func (d objectDir) Root() string               { return d.root.Name() }

func (d objectDir) Create(string) (billy.File, error)           { return nil, billy.ErrReadOnly }
func (d objectDir) Rename(string, string) error                 { return billy.ErrReadOnly }
func (d objectDir) Remove(string) error                         { return billy.ErrReadOnly }
func (d objectDir) MkdirAll(string, os.FileMode) error          { return billy.ErrReadOnly }
func (d objectDir) TempFile(string, string) (billy.File, error) { return nil, billy.ErrReadOnly }
func (d objectDir) Symlink(string, string) error                { return billy.ErrReadOnly }
func (d objectDir) Readlink(string) (string, error)             { return "", billy.ErrNotSupported }
func (d objectDir) Chroot(string) (billy.Filesystem, error)     { return nil, billy.ErrNotSupported }

// objectFile is an open file that cannot be written.
type objectFile struct{ *os.File }

func (objectFile) Write([]byte) (int, error) { return 0, billy.ErrReadOnly }
func (objectFile) Lock() error               { return billy.ErrReadOnly }
func (objectFile) Unlock() error             { return billy.ErrReadOnly }
func (objectFile) Truncate(int64) error      { return billy.ErrReadOnly }
