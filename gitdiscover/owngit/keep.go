package owngit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"
)

// keep decides which of the agent's other refs are written to refs/lane/, and
// puts what they need on the list. HEAD is one of them when it could not be
// taken in. A ref that cannot be kept says why and holds up nothing.
func (t *takeIn) keep(withHead bool) error {
	if withHead && t.result.Tip != "" && t.result.Tip != t.in.Setup.Base {
		t.result.Others = append([]OtherRef{{Name: "HEAD", Hash: t.result.Tip}}, t.result.Others...)
	}
	files := map[string]bool{}
	for i := range t.result.Others {
		r := &t.result.Others[i]
		h, ok := parseHash(r.Hash)
		if !ok {
			continue
		}
		name := keptName(t.in.Run, r.Name)
		if at := fileAbove(files, name); at != "" {
			r.Why = "its name lies below that of another ref, " + strconv.Quote(at)
			continue
		}
		w, err := t.closure(h)
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			r.Why = refused.Error()
		case err != nil:
			return err
		case t.result.Bytes+w.bytes > t.in.Limits.Bytes:
			r.Why = refuse(TooLarge, "", "with it the new objects are more than the %d bytes allowed", t.in.Limits.Bytes).Error()
		default:
			t.add(w)
			r.Kept, files[name] = name, true
		}
	}
	return nil
}

// fileAbove is the ref, of those that are kept, which is a file where name
// needs a directory: an agent writes both into packed-refs, where git itself
// would not. The refs come sorted, so that the shorter name was first.
func fileAbove(files map[string]bool, name string) string {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if files[at] {
			return at
		}
	}
	return ""
}

// closure walks all that an object needs, of whatever type it is.
func (t *takeIn) closure(h plumbing.Hash) (*newObjects, error) {
	kind, found, err := t.o.shared.kind(h)
	if err != nil {
		return nil, err
	}
	if !found {
		o, err := t.o.private.open(h)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, refuse(MissingObject, h.String(), "is neither in the repository nor in the lane")
		}
		if err != nil {
			return nil, err
		}
		o.close()
		kind = o.kind
	}
	w := newWalk(t.o, t.listed)
	switch kind {
	case plumbing.CommitObject:
		if err = w.commits(h); err == nil {
			err = t.compareTrees(h, nil)
		}
	case plumbing.TagObject:
		var target plumbing.Hash
		if target, err = w.tag(h); err == nil && !target.IsZero() {
			err = t.compareTrees(target, nil)
		}
	case plumbing.TreeObject:
		err = w.tree(h, plumbing.ZeroHash, "", 0)
	default:
		err = w.blob(h, "")
	}
	return w, err
}

// writeKept writes the refs that are kept. They are made whole and only if
// there is none of that name, so they need no lock.
func (t *takeIn) writeKept() error {
	for i := range t.result.Others {
		r := &t.result.Others[i]
		if r.Kept == "" {
			continue
		}
		err := newRef(t.in.Setup, r.Kept, r.Hash)
		switch {
		case cannotBeNamed(err): // an earlier take-in kept another, or the path is too long here
			r.Kept, r.Why = "", err.Error()
		case err != nil:
			return err
		}
	}
	return nil
}

// cannotBeNamed says that the fault is this ref's own.
func cannotBeNamed(err error) bool {
	for _, own := range []error{unix.ENOTDIR, unix.EISDIR, unix.ENAMETOOLONG, fs.ErrExist} {
		if errors.Is(err, own) {
			return true
		}
	}
	var refused *RefusedError
	return errors.As(err, &refused) && refused.Reason == RefLocked
}

func newRef(s Setup, name, hash string) error {
	path := filepath.Join(s.CommonDir, name)
	tmp, err := os.CreateTemp(s.GitDir, "lane-ref-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(hash + "\n")
	err = errors.Join(err, tmp.Chmod(modeLike(s.CommonDir, 0o666)), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	for range 10 { // git pack-refs removes a directory that is empty
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.Link(tmp.Name(), path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrExist) {
		r, _, err := resolveRef(s.CommonDir, name)
		if err == nil && r.hash.String() != hash {
			err = refuse(RefLocked, path, "is there already, with another commit")
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(path)); !isMissing(err) { // packed already
		return err
	}
	return nil
}
