package gitdiscover

import "fmt"

// Repo is what a worktree consists of. All paths are absolute, clean and
// free of symbolic links.
type Repo struct {
	// Worktree is the top level of the working tree.
	Worktree string `json:"worktree"`
	// GitDir is the git directory of this worktree (git rev-parse --absolute-git-dir).
	GitDir string `json:"gitdir"`
	// CommonDir is the directory shared by all worktrees (git rev-parse --git-common-dir).
	CommonDir string `json:"commondir"`
	// Linked says that this is a linked worktree: GitDir is CommonDir/worktrees/<id>.
	Linked bool `json:"linked"`
	// Branch is HEAD's branch without refs/heads/, "" when HEAD is detached.
	Branch string `json:"branch"`

	// Pointer is <Worktree>/.git, a regular file or a directory.
	Pointer string `json:"-"`
	// PointerIsFile says which of the two it is.
	PointerIsFile bool `json:"-"`
	// HeadRef is HEAD's full ref name, "" when HEAD is detached or names nothing
	// that git takes for a ref name.
	HeadRef string `json:"-"`
	// Alternates are the object directories named by objects/info/alternates,
	// transitively, as they resolve on this host. They are other repositories'
	// paths and may hold any character.
	Alternates []string `json:"-"`
	// Others are the top levels of every other worktree registered in
	// CommonDir (the main one included), where they exist. They may hold any
	// character.
	Others []string `json:"-"`
	// ObjectFormat is "sha1" or "sha256", RefStorage "files" or "reftable".
	ObjectFormat string `json:"-"`
	RefStorage   string `json:"-"`
	// WorktreeConfig says that extensions.worktreeConfig is on.
	WorktreeConfig bool `json:"-"`
	// Bare says that the shared repository is bare (a worktree of a bare hub).
	Bare bool `json:"-"`
	// IDs are the device and inode numbers of what was resolved, compared
	// again by the confined child.
	IDs map[string]FileID `json:"-"`
	// Vouched are the layouts that were accepted only because the user vouched
	// for them ([Vouches]), each once, in the order they were needed.
	Vouched []string `json:"-"`
}

// FileID is a file's identity on this host.
type FileID struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
}

// Class is the stable word for why a directory was refused.
type Class string

// RefusedError says that a directory cannot be a lane, and why.
type RefusedError struct {
	Class  Class  `json:"class"`
	Path   string `json:"path"`   // raw; print it with %+q
	Detail string `json:"detail"` // what is wrong, one clause
	Hint   string `json:"hint"`   // what to do, one sentence
	// Vouch is the word with which the user could have this accepted, "" when
	// nothing could. Its risk is in [Vouches].
	Vouch Vouch `json:"vouch,omitempty"`
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %+q: %s", e.Class, e.Path, e.Detail)
}
