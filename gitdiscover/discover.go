// Package gitdiscover finds out which directories a git worktree consists of,
// exactly as git would, without running git, or refuses with a reason.
//
// [Discover] walks up from a directory to the first .git, follows a .git file
// and a commondir file, applies git's own test for a git directory, reads the
// few config keys that move things, and then asks for more than git does: that
// the git directory points back to the worktree, that all four places are
// one's own, that no path holds a character some sandbox or terminal would
// take for another, and that the worktree does not lie in what will be denied.
//
//	repo, err := gitdiscover.Discover(".")
//	var refused *gitdiscover.RefusedError
//	if errors.As(err, &refused) {
//		fmt.Printf("%s: %+q\n", refused.Class, refused.Path)
//	}
//
// It reads only, hangs on no special file and reads no file without a bound.
// It hears no environment but SUDO_UID, and no configuration but the
// repository's own, without includes: GIT_DIR, GIT_CEILING_DIRECTORIES,
// safe.directory and the like change what git answers, not what is answered
// here.
//
// What it grants: Worktree, GitDir and CommonDir are what git rev-parse prints
// for them, each free of links. What it does not: nothing is held open, so a
// path may be exchanged afterwards (discover again right before use and compare
// with [Repo.Same]); nothing is said about hooks, filters or other programs the
// repository names; and a repository whose objects are broken is accepted.
//
// Root is asked as an ordinary process would be: what only root's privileges
// open is refused, since the agent it starts will not have them.
//
// Limits: a main worktree made with --separate-git-dir is not found from its
// linked worktrees (nothing names it). On a file system that folds case, .GIT
// is .git to git and unknown here.
package gitdiscover

import (
	"fmt"
)

// Options change what DiscoverWith accepts. The zero value is Discover.
type Options struct {
	// As is whose files are one's own; nil is this process.
	As *Identity
	// Vouch lists layouts the user vouches for. Each is a weaker check, see
	// [Vouches]; one that was needed is recorded in Repo.Vouched.
	Vouch []Vouch
}

// Discover resolves the worktree that holds dir ("" is the current directory).
// The error is a *[RefusedError].
func Discover(dir string) (Repo, error) { return DiscoverWith(dir, Options{}) }

// DiscoverWith is Discover with options. The error is a *[RefusedError] but for
// an unknown word in o.Vouch.
func DiscoverWith(dir string, o Options) (Repo, error) {
	f := &finder{vouch: map[Vouch]bool{}, identity: CurrentIdentity()}
	if o.As != nil {
		f.identity = *o.As
	}
	for _, v := range o.Vouch {
		if _, ok := vouchInfo(v); !ok {
			return Repo{}, fmt.Errorf("unknown layout to vouch for: %q", v)
		}
		f.vouch[v] = true
	}
	defer f.close()
	return f.discover(dir)
}

// finder is one discovery: its options and the directories it holds open.
type finder struct {
	identity Identity
	vouch    map[Vouch]bool
	vouched  []string
	open     []int

	// What the shared config says of the main worktree, also where a linked
	// worktree does not hear it.
	sharedBare     bool
	sharedWorktree *string
}

// discover goes from the outside in: nothing is believed before the place it
// was read from has passed. Owners come before the config, so that no byte of
// a stranger's config is acted on; the back pointer comes after it, because a
// submodule's back pointer is a config key; overlap is last, as only there all
// paths are known to be right.
func (f *finder) discover(start string) (Repo, error) {
	h, err := f.walk(start)
	if err != nil {
		return Repo{}, err
	}
	if err := checkCharacters(h.git.dir.path, "the git directory's path"); err != nil {
		return Repo{}, err
	}
	if err := checkCharacters(h.git.common.path, "the common directory's path"); err != nil {
		return Repo{}, err
	}
	if err := f.checkOwners(h); err != nil {
		return Repo{}, err
	}
	m, err := f.readFormat(h.git)
	if err != nil {
		return Repo{}, err
	}
	if m.bare {
		return Repo{}, refuse(Bare, h.git.dir.path, "core.bare is set")
	}
	if err := f.checkWorktreeKey(h, m); err != nil {
		return Repo{}, err
	}
	linked, err := f.checkBackPointer(h, m)
	if err != nil {
		return Repo{}, err
	}
	if err := f.checkOverlap(h); err != nil {
		return Repo{}, err
	}
	return f.repo(h, m, linked)
}

// checkOwners wants all four places to be one's own. git leaves the common
// directory out, though hooks and config are in it.
func (f *finder) checkOwners(h *hit) error {
	for _, p := range []struct {
		path string
		uid  uint32
	}{
		{h.pointer, h.pointerUID},
		{h.top.path, h.top.uid},
		{h.git.dir.path, h.git.dir.uid},
		{h.git.common.path, h.git.common.uid},
	} {
		if f.identity.owns(p.uid) || f.vouches(ForeignOwner) {
			continue
		}
		return vouchable(ForeignOwner, refuse(Ownership, p.path, "belongs to uid %d, not to uid %d", p.uid, f.identity.EUID))
	}
	return nil
}

func (f *finder) repo(h *hit, m *format, linked bool) (Repo, error) {
	g := h.git
	r := Repo{
		Worktree:       h.top.path,
		GitDir:         g.dir.path,
		CommonDir:      g.common.path,
		Linked:         linked,
		Pointer:        h.pointer,
		PointerIsFile:  h.pointerIsFile,
		HeadRef:        g.headRef,
		ObjectFormat:   m.objectFormat,
		RefStorage:     m.refStorage,
		WorktreeConfig: m.worktreeConfig,
		Bare:           f.sharedBare,
		Vouched:        f.vouched,
		IDs: map[string]FileID{
			"worktree":  h.top.id,
			"pointer":   h.pointerID,
			"gitdir":    g.dir.id,
			"commondir": g.common.id,
		},
	}
	var err error
	if r.RefStorage == "reftable" {
		r.HeadRef = f.reftableHead(g)
	}
	r.Branch = branchOf(r.HeadRef)
	if r.Others, err = f.others(h); err != nil {
		return Repo{}, err
	}
	if r.Alternates, err = f.alternates(g.common); err != nil {
		return Repo{}, err
	}
	return r, nil
}
