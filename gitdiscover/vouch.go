package gitdiscover

import "slices"

// Vouch is the word for a layout that a user can vouch for: lane cannot check
// it, git accepts it, and somebody must say that it is meant.
type Vouch string

const (
	// SeparateGitDir accepts a .git file that names a whole repository which
	// does not name the worktree (git init --separate-git-dir).
	SeparateGitDir Vouch = "separate-git-dir"
	// BindMount accepts a back pointer that names this very directory by
	// another path.
	BindMount Vouch = "bind-mount"
	// ForeignOwner accepts a worktree or repository of another user. It takes
	// the place of git's safe.directory, which is not heard: that setting says
	// that reading with git is safe, not that an agent may be let loose there.
	ForeignOwner Vouch = "foreign-owner"
)

// VouchInfo is a row of the manual's table of layouts to vouch for.
type VouchInfo struct {
	Vouch Vouch
	// Class is the refusal it lifts.
	Class Class
	// Accepts says what is accepted, Risk what is no longer checked.
	Accepts, Risk string
}

var vouches = []VouchInfo{
	{SeparateGitDir, PointerUnverified,
		"a .git file that names a whole repository without core.worktree",
		"Whoever wrote the .git file chose the repository: a hostile file may name a private repository of yours, which the agent could then read."},
	{BindMount, PointerMismatch,
		"a worktree mounted at another path than the one it was added at; the directory must be the same by device and inode",
		"The same files are reachable by the other path, where no lane guards them, and git worktree prune may take the worktree for lost."},
	{ForeignOwner, Ownership,
		"a worktree, .git, git directory or common directory that belongs to another user",
		"The owner can change hooks and config at any time, and git run by you in this repository then runs the owner's programs."},
}

// Vouches returns every layout that can be vouched for, in the order of the
// manual. The slice is the caller's.
func Vouches() []VouchInfo { return slices.Clone(vouches) }

func vouchInfo(v Vouch) (VouchInfo, bool) {
	i := slices.IndexFunc(vouches, func(i VouchInfo) bool { return i.Vouch == v })
	if i < 0 {
		return VouchInfo{}, false
	}
	return vouches[i], true
}

// vouches says whether the user vouched for v, and records that it was needed.
func (f *finder) vouches(v Vouch) bool {
	if !f.vouch[v] {
		return false
	}
	if !slices.Contains(f.vouched, string(v)) {
		f.vouched = append(f.vouched, string(v))
	}
	return true
}

// vouchable marks a refusal that v would lift.
func vouchable(v Vouch, e *RefusedError) *RefusedError {
	e.Vouch = v
	return e
}
