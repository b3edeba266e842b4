package owngit

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// newObjects is what has to be brought in so that a root is whole, each once.
type newObjects struct {
	o     *objects
	list  []newObject
	kinds map[plumbing.Hash]plumbing.ObjectType // seen, new or not
	// known are objects that an earlier walk listed, with all they need.
	known map[plumbing.Hash]plumbing.ObjectType
	obeys map[plumbing.Hash]bool // contents that git obeys, checked
	bytes int64
	count int // commits
}

type newObject struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
	size int64
}

func newWalk(o *objects, known map[plumbing.Hash]plumbing.ObjectType) *newObjects {
	return &newObjects{o: o, known: known, kinds: map[plumbing.Hash]plumbing.ObjectType{}, obeys: map[plumbing.Hash]bool{}}
}

// visit says whether an object is new and not yet on the list; if so, it is
// put there. One that is neither in the repository nor in the lane is a
// refusal: no root that needs it is whole.
func (w *newObjects) visit(h plumbing.Hash, kind plumbing.ObjectType) (isNew bool, err error) {
	seen, ok := w.kinds[h]
	if !ok {
		seen, ok = w.known[h]
	}
	if ok {
		if seen != kind {
			return false, refuse(BadObject, h.String(), "is a %s and a %s", seen, kind)
		}
		return false, nil
	}
	shared, err := w.o.isShared(h, kind)
	if err != nil {
		return false, err
	}
	w.kinds[h] = kind
	if shared {
		return false, nil
	}
	found, err := w.o.private.open(h)
	if errors.Is(err, fs.ErrNotExist) {
		return false, refuse(MissingObject, h.String(), "the %s is neither in the repository nor in the lane", kind)
	}
	if err != nil {
		return false, err
	}
	found.close()
	if found.kind != kind {
		return false, refuse(BadObject, h.String(), "is a %s where a %s should be", found.kind, kind)
	}
	m := w.o.m
	if err := m.admit("the "+kind.String()+" "+h.String(), found.size); err != nil {
		return false, err
	}
	if w.bytes += found.size; w.bytes > m.limits.Bytes {
		return false, refuse(TooLarge, "", "the new objects are more than the %d bytes allowed", m.limits.Bytes)
	}
	if w.list = append(w.list, newObject{h, kind, found.size}); len(w.list)+len(w.known) > m.limits.Objects {
		return false, refuse(TooLarge, "", "there are more new objects than the %d allowed", m.limits.Objects)
	}
	return true, nil
}

// commits walks everything that a commit needs. Commits are read first and
// their trees after that, oldest first: a tree is compared with its parent's,
// and only what differs is looked up.
func (w *newObjects) commits(root plumbing.Hash) error {
	var found []plumbing.Hash
	for todo := []plumbing.Hash{root}; len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		isNew, err := w.visit(h, plumbing.CommitObject)
		if err != nil {
			return err
		}
		if !isNew {
			continue
		}
		c, err := w.o.commit(h)
		if err != nil {
			return err
		}
		w.count++
		found = append(found, h)
		todo = append(todo, c.parents...)
	}
	for i := len(found) - 1; i >= 0; i-- {
		c, err := w.o.commit(found[i])
		if err != nil {
			return err
		}
		var old plumbing.Hash
		if len(c.parents) > 0 {
			p, err := w.o.commit(c.parents[0])
			if err != nil {
				return err
			}
			old = p.tree
		}
		if err := w.tree(c.tree, old, "", 0); err != nil {
			return err
		}
	}
	return nil
}

// maxDepth is how deep directories may lie in each other: git's own is 2048,
// and PATH_MAX ends sooner.
const maxDepth = 2048

// tree walks a tree beside an old one at the same place, zero for none. What
// is the same in both is whole because the old one is.
func (w *newObjects) tree(h, old plumbing.Hash, path string, depth int) error {
	if h == old {
		return nil
	}
	if depth > maxDepth {
		return refuse(BadObject, h.String(), "directories lie more than %d deep", maxDepth)
	}
	isNew, err := w.visit(h, plumbing.TreeObject)
	if err != nil || !isNew {
		return err
	}
	list, _, err := w.o.tree(h)
	if err != nil {
		return err
	}
	before := map[string]treeEntry{}
	if !old.IsZero() {
		entries, _, err := w.o.tree(old)
		if err != nil {
			return err
		}
		for _, e := range entries {
			before[e.name] = e
		}
	}
	for _, e := range list {
		b := before[e.name]
		if b == e || e.mode == modeGitlink {
			continue
		}
		if e.isTree() {
			if !b.isTree() {
				b.hash = plumbing.ZeroHash
			}
			err = w.tree(e.hash, b.hash, path+e.name+"/", depth+1)
		} else if b.hash != e.hash || b.kind() != plumbing.BlobObject {
			err = w.blob(e.hash, e.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blob looks a file up. Its content is checked when it is written; here only
// that of files which git itself obeys.
func (w *newObjects) blob(h plumbing.Hash, name string) error {
	if _, err := w.visit(h, plumbing.BlobObject); err != nil {
		return err
	}
	switch {
	case looksLikeModules(name):
		return w.obeyed(h, name, maxModulesFile, checkModules)
	case strings.EqualFold(name, ".gitattributes"):
		return w.obeyed(h, name, maxAttributesFile, checkAttributes)
	}
	return nil
}

// obeyed checks a file's content, whoever has it: the same bytes may have
// been in the repository under a harmless name.
func (w *newObjects) obeyed(h plumbing.Hash, name string, limit int64, check func([]byte) error) error {
	if w.obeys[h] {
		return nil
	}
	data, _, err := w.o.read(h, plumbing.BlobObject)
	if err != nil {
		return err
	}
	if int64(len(data)) > limit {
		return refuse(BadObject, h.String(), "%+q is %d bytes", name, len(data))
	}
	if err := check(data); err != nil {
		return refuse(BadObject, h.String(), "%v", err)
	}
	w.obeys[h] = true
	return nil
}

// tag walks an annotated tag and what it names; the commit is returned, if it
// comes to one.
func (w *newObjects) tag(h plumbing.Hash) (plumbing.Hash, error) {
	for range 100 { // a tag may name a tag
		if _, err := w.visit(h, plumbing.TagObject); err != nil {
			return plumbing.ZeroHash, err
		}
		data, _, err := w.o.read(h, plumbing.TagObject)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		target, kind, err := parseTag(data)
		if err != nil {
			return plumbing.ZeroHash, refuse(BadObject, h.String(), "%v", err)
		}
		switch kind {
		case plumbing.CommitObject:
			return target, w.commits(target)
		case plumbing.TreeObject:
			return plumbing.ZeroHash, w.tree(target, plumbing.ZeroHash, "", 0)
		case plumbing.BlobObject:
			return plumbing.ZeroHash, w.blob(target, "")
		}
		h = target
	}
	return plumbing.ZeroHash, refuse(BadObject, h.String(), "tags name tags too many times")
}
