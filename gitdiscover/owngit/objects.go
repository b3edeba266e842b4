package owngit

import (
	"errors"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"
)

// objects are the repository's and the lane's together. The repository is
// always asked first: what it has is not read from the agent, so that no
// object of its own can be replaced by another of the same name.
type objects struct {
	shared  *store
	private *private
	m       *meter

	commits map[plumbing.Hash]*commit
}

// shared says whether the repository has an object, and checks its type.
func (o *objects) isShared(h plumbing.Hash, want plumbing.ObjectType) (bool, error) {
	kind, found, err := o.shared.kind(h)
	if err != nil || !found {
		return false, err
	}
	if kind != want {
		return false, refuse(BadObject, h.String(), "is a %s where a %s should be", kind, want)
	}
	return true, nil
}

// read returns an object that fits in memory, and whether it is new.
func (o *objects) read(h plumbing.Hash, want plumbing.ObjectType) (data []byte, isNew bool, err error) {
	kind, data, found, err := o.shared.read(h)
	if err == nil && !found {
		kind, data, err = o.private.read(h)
		isNew = true
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, refuse(MissingObject, h.String(), "the %s is neither in the repository nor in the lane", want)
	case err != nil:
		return nil, false, err
	case kind != want:
		return nil, false, refuse(BadObject, h.String(), "is a %s where a %s should be", kind, want)
	}
	return data, isNew, nil
}

// tree reads a tree. A new one must pass git's strict rules; one that the
// repository has already is only read.
func (o *objects) tree(h plumbing.Hash) (list []treeEntry, isNew bool, err error) {
	data, isNew, err := o.read(h, plumbing.TreeObject)
	if err != nil {
		return nil, false, err
	}
	list, err = parseTree(data, isNew)
	if err != nil {
		return nil, false, refuse(BadObject, h.String(), "%v", err)
	}
	return list, isNew, nil
}

// commit reads a commit, and keeps what it read.
func (o *objects) commit(h plumbing.Hash) (*commit, error) {
	if c, ok := o.commits[h]; ok {
		return c, nil
	}
	data, isNew, err := o.read(h, plumbing.CommitObject)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(data)
	if err != nil && (isNew || c.tree.IsZero()) {
		return nil, refuse(BadObject, h.String(), "%v", err)
	}
	o.commits[h] = &c
	return &c, nil
}

// at returns the entry at a path below a tree; found is false where there is
// none.
func (o *objects) at(root plumbing.Hash, parts []string) (e treeEntry, found bool, err error) {
	e = treeEntry{mode: modeTree, hash: root}
	for _, part := range parts {
		if !e.isTree() {
			return e, false, nil
		}
		list, _, err := o.tree(e.hash)
		if err != nil {
			return e, false, err
		}
		found = false
		for i := range list {
			if list[i].name == part {
				e, found = list[i], true
			}
		}
		if !found {
			return e, false, nil
		}
	}
	return e, true, nil
}
