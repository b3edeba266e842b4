package owngit

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// agentRefs are the refs of the lane's git directory, read as data.
type agentRefs struct {
	head   plumbing.Hash // zero when HEAD is on a branch without a commit
	branch string        // the ref HEAD is on, "" when detached
	refs   map[string]plumbing.Hash
}

const (
	maxAgentRefFiles  = 100_000
	maxAgentRefDepth  = 32
	maxAgentPackedRef = 256 << 20
)

// readAgentRefs reads HEAD of the worktree and every ref beside it. A file
// that is no ref is passed over but for HEAD's own: the agent cannot hide more
// than its own work.
func readAgentRefs(dir *hostileDir, private string) (*agentRefs, error) {
	a := &agentRefs{refs: map[string]plumbing.Hash{}}
	packed, err := dir.read("packed-refs", maxAgentPackedRef)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := parsePackedRefs(packed, func(r ref) { a.refs[r.name] = r.hash }); err != nil {
		return nil, refuse(BadDirectory, dir.path+"/packed-refs", "%v", err)
	}
	n := 0
	if err := a.loose(dir, "refs", &n, 0); err != nil {
		return nil, err
	}
	path := private + "/HEAD"
	data, err := dir.read(path, maxRefFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(BadDirectory, dir.path+"/"+path, "is missing")
	}
	if err != nil {
		return nil, err
	}
	hash, target, ok := parseRefFile(data)
	switch {
	case !ok:
		return nil, refuse(BadDirectory, dir.path+"/"+path, "is not a ref as git writes one")
	case target == "":
		a.head = hash
	default:
		a.branch, a.head = target, a.refs[target]
	}
	return a, nil
}

func (a *agentRefs) loose(dir *hostileDir, name string, n *int, depth int) error {
	list, err := dir.list(name, maxAgentRefFiles)
	if err != nil || depth > maxAgentRefDepth {
		return err
	}
	for _, e := range list {
		child := name + "/" + e.name
		if *n++; *n > maxAgentRefFiles {
			return refuse(TooLarge, dir.path+"/refs", "holds more than %d files", maxAgentRefFiles)
		}
		if e.dir {
			if err := a.loose(dir, child, n, depth+1); err != nil {
				return err
			}
			continue
		}
		if !validRef(child) {
			continue
		}
		data, err := dir.read(child, maxRefFile)
		if err != nil {
			return err
		}
		if hash, target, ok := parseRefFile(data); ok && target == "" {
			a.refs[child] = hash
		}
	}
	return nil
}

// OtherRef is a branch, tag or other ref that the agent made, besides what was
// taken in.
type OtherRef struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	// Kept is the name it has in the repository now, "" when it is only listed.
	Kept string `json:"kept,omitempty"`
	// Why says why it was not kept though that was asked for.
	Why string `json:"why,omitempty"`
}

// others are the refs that the repository does not have: of a new name, or at
// a commit that is new. The branch HEAD is on is not among them. One that is at
// another of the repository's own commits is left out: either side may have
// moved it. more counts those beyond the limit.
func (a *agentRefs) others(o *objects, mine *snapshot, limit int) (list []OtherRef, more int, err error) {
	known := map[string]bool{}
	for _, r := range mine.symbolic {
		known[r.name] = true
	}
	mine.each(func(name []byte, hash plumbing.Hash) {
		// Nearly all are as they were copied: drop those first.
		if was, ok := a.refs[string(name)]; ok && was == hash {
			delete(a.refs, string(name))
		} else if ok {
			known[string(name)] = true
		}
	})
	for _, name := range slices.Sorted(maps.Keys(a.refs)) {
		hash := a.refs[name]
		if name == a.branch || !copied(name) && name != "refs/stash" {
			continue
		}
		if known[name] {
			if _, found, err := o.shared.kind(hash); err != nil {
				return nil, 0, err
			} else if found {
				continue
			}
		}
		if len(list) == limit {
			more++
			continue
		}
		list = append(list, OtherRef{Name: name, Hash: hash.String()})
	}
	return list, more, nil
}

// keptName is where another ref of the agent's is kept.
func keptName(run, name string) string {
	return "refs/lane/" + run + "/" + strings.TrimPrefix(name, "refs/")
}
