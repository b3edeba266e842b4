package seal

import (
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"lane/gitdiscover"
)

// ErrNotAtHead says that the commit of HEAD has no such file, or that there is
// no commit yet.
var ErrNotAtHead = errors.New("not in the commit of HEAD")

// FileAtHead returns a file as the commit of HEAD has it, at most limit bytes
// of it: what is committed was seen by whoever reviews commits, what lies in
// the worktree may be an agent's. No filter is applied and no link followed.
//
// A longer file, a link and a directory are errors, and so is a repository
// whose objects go-git does not read.
func FileAtHead(repo gitdiscover.Repo, name string, limit int64) ([]byte, error) {
	id, err := headID(repo)
	if err != nil {
		return nil, err
	}
	o, err := openObjects(repo)
	if err != nil {
		return nil, err
	}
	defer o.close()
	commit, err := object.GetCommit(o, plumbing.NewHash(id))
	if err != nil {
		return nil, err
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil, err
	}
	f, err := tree.File(name)
	if errors.Is(err, object.ErrFileNotFound) {
		return nil, ErrNotAtHead
	}
	switch {
	case err != nil:
		return nil, err
	case !f.Mode.IsRegular():
		return nil, errors.New("not a regular file in the commit of HEAD")
	case f.Size > limit:
		return nil, errors.New("longer than is read")
	}
	r, err := f.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}

// headID is the commit that HEAD leads to.
func headID(repo gitdiscover.Repo) (string, error) {
	if repo.RefStorage == "reftable" {
		return "", errors.New("refs are kept in reftables, which go-git does not read")
	}
	dir, name := repo.CommonDir, repo.HeadRef
	if name == "" {
		dir, name = repo.GitDir, "HEAD"
	}
	d, err := openFolder(dir, true)
	if err != nil {
		return "", err
	}
	defer d.close()
	id := strings.TrimSpace(readRef(d, name))
	if id == "" || id == Absent {
		id = takePacked(d, nil).lookup(name)
	}
	if !isID(id) {
		return "", ErrNotAtHead
	}
	return id, nil
}
