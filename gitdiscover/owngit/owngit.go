// Package owngit gives a lane a git directory of its own, and takes what was
// committed there into the repository afterwards.
//
// [Survey] reads the repository, [Plan] says what the lane's directory will be
// (a value: printed, sealed, compared), [Setup.Make] makes it. Inside the lane
// a pointer to it ([Setup.Pointer]) lies over the worktree's .git file, so that
// git there is whole while the shared directory is read-only. Objects are not
// copied: an alternates file names the real store, so the cost does not depend
// on how many there are.
//
//	facts := owngit.Survey(repo, owngit.Places{Home: home, System: "/etc/gitconfig"})
//	setup, err := owngit.Plan(repo, owngit.Inputs{Facts: facts, Placeholders: names})
//	err = setup.Make(dir)
//	// the lane runs; then, when its last process is gone:
//	taken, err := owngit.TakeIn(ctx, owngit.TakeInInputs{...})
//
// [TakeIn] reads that directory as data from an enemy. It runs no program and
// hears no configuration, hook, filter, replace ref, graft, shallow file,
// commit-graph or pack index of the agent's; it opens only regular files, no
// link, with bounds on size, count and time; and it looks at every object that
// it brings in. It moves one branch, under git's own locks, and nothing else.
//
// Not granted: what the commits hold is the agent's work. A Makefile, a script
// or a test in it runs as the agent's code when the user runs it.
//
// Limits: refs kept in files and SHA-1 objects only, linked worktrees only;
// submodules are readable, and git in the lane cannot commit in them.
package owngit

import "fmt"

// Reason is the stable word for why there is no git directory of the lane's
// own, or why nothing was taken in. What each means stands in [Reasons].
type Reason string

// RefusedError says why, and for what.
type RefusedError struct {
	Reason Reason `json:"reason"`
	// Path is a file or a name in a tree; raw, print it with %+q.
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail"` // one clause
	Hint   string `json:"hint"`   // what to do, one sentence
}

func (e *RefusedError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.Reason, e.Detail)
	}
	return fmt.Sprintf("%s: %+q: %s", e.Reason, e.Path, e.Detail)
}

// Before a lane: why it gets no git directory of its own.
const (
	MainWorktree     Reason = "main-worktree"
	PartialClone     Reason = "partial-clone"
	Reftable         Reason = "reftable"
	SHA256           Reason = "sha256"
	Unfinished       Reason = "unfinished-operation"
	IndexUnsupported Reason = "index-unsupported"
	BranchSymbolic   Reason = "branch-symbolic"
	BadConfig        Reason = "bad-config"
	Unreadable       Reason = "unreadable"
	TooLarge         Reason = "too-large"
	Changed          Reason = "changed"
)

// After a lane: why nothing was taken in. The lane's directory stays as it is,
// and the take-in can be tried again.
const (
	NothingToTakeIn   Reason = "nothing-to-take-in"
	UnbornHead        Reason = "unborn"
	HeadElsewhere     Reason = "head-elsewhere"
	BranchMoved       Reason = "branch-moved"
	BaseDiverged      Reason = "base-diverged"
	Gitlink           Reason = "gitlink"
	Gitmodules        Reason = "gitmodules"
	WiringCommitted   Reason = "wiring-committed"
	AlternatesChanged Reason = "alternates-changed"
	BadDirectory      Reason = "bad-directory"
	BadObject         Reason = "bad-object"
	MissingObject     Reason = "missing-object"
	IndexChanged      Reason = "index-changed"
	IndexLocked       Reason = "index-locked"
	RefLocked         Reason = "ref-locked"
	RebaseConflict    Reason = "rebase-conflict"
)

// ReasonInfo is a row of the manual's table.
type ReasonInfo struct {
	Reason Reason
	// Means says what is wrong, as a clause; Do what to do, as a sentence.
	Means, Do string
}

var reasons = []ReasonInfo{
	{MainWorktree, "the main worktree's .git is a directory, which cannot be replaced for the lane alone", "Start in a linked worktree (git worktree add makes one), or use --git read-only."},
	{PartialClone, "objects are missing here and git would fetch them in the middle of a command", "Use --git read-only, or fetch everything first: git fetch --refetch --no-filter."},
	{Reftable, "refs are kept in reftables, which lane does not write", "Use --git read-only."},
	{SHA256, "objects are named by SHA-256, which lane does not read", "Use --git read-only."},
	{Unfinished, "a merge, rebase, cherry-pick, revert or bisect is not finished", "Finish or abort it; git status says how."},
	{IndexUnsupported, "the index is in a state that lane cannot hand on: split, sparse, with conflicts or with intent-to-add entries", "Resolve and commit or reset it; for a split or sparse index set core.splitIndex or index.sparse to false and run git status."},
	{BranchSymbolic, "HEAD does not name a plain branch", "Switch to a plain branch, or detach: git switch --detach."},
	{BadConfig, "the user's or the repository's git configuration cannot be followed", "git config --list --show-origin names the line."},
	{Unreadable, "a file of the repository is not what git would have written, or cannot be read", "Look at the file; git fsck may say more."},
	{TooLarge, "something is larger than lane reads", "Raise --max-take-in if it is meant, or bring the commits over by hand."},
	{Changed, "the worktree changed while lane was starting", "See what else works there, then start again."},
	{NothingToTakeIn, "the lane's HEAD is at the commit it started from", "Nothing is lost: uncommitted work is in the worktree."},
	{UnbornHead, "the lane's HEAD is on a branch without a commit", "Nothing is lost: the files are in the worktree. With --keep-refs the lane's other branches are kept."},
	{HeadElsewhere, "the lane's branch has commits, but its HEAD was left where the lane started, and the files with it", "Keep the branch under another name: lane runs take-in --keep-refs."},
	{BranchMoved, "the worktree's branch is not where it was when the lane started", "Replay the commits on it as it is now: lane runs take-in --rebase; or keep them beside it: lane runs take-in --keep-refs."},
	{BaseDiverged, "the lane's HEAD does not descend from the commit it started from: that was amended, rebased or reset away", "Replay the commits on the branch: lane runs take-in --rebase; or keep them beside it: lane runs take-in --keep-refs."},
	{Gitlink, "the commits add or change a submodule or nested repository, in which git status runs what its configuration names", "Look at it, then --accept gitlinks."},
	{Gitmodules, "the commits change .gitmodules, which says where submodules come from", "Look at it, then --accept gitlinks."},
	{WiringCommitted, "the commits change files that make an agent, an editor or a shell run code", "Look at them, then --accept wiring."},
	{AlternatesChanged, "the lane's objects/info/alternates is not what lane wrote", "Bring the commits over by hand, if at all: something in the lane redirected its git."},
	{BadDirectory, "the lane's git directory holds a link, FIFO or other thing that git does not make", "Look at it; what is in the worktree is not affected."},
	{BadObject, "an object is not what its name says, or not what git fsck --strict allows", "Look at it with git fsck in the lane's git directory, inside a lane."},
	{MissingObject, "the commits need an object that is neither in the repository nor in the lane", "Fetch it, or bring the files over from the worktree."},
	{IndexChanged, "the worktree's index was changed by another git than the lane's, which would be lost", "Commit or unstage it (git status), then lane runs take-in."},
	{IndexLocked, "the worktree's index is locked by another git", "Let it finish, then lane runs take-in; a lock that nobody holds any more is yours to remove."},
	{RefLocked, "the branch or HEAD is locked by another git", "Let it finish, then lane runs take-in; a lock that nobody holds any more is yours to remove."},
	{RebaseConflict, "the lane's commits do not go on top of the branch as it is now", "Keep them beside the branch and merge them yourself: lane runs take-in --keep-refs."},
}

// Reasons returns every reason with its meaning and its remedy, in the order
// of the manual. The slice is the caller's.
func Reasons() []ReasonInfo { return append([]ReasonInfo(nil), reasons...) }

// refuse builds the refusal of path with the reason's remedy.
func refuse(r Reason, path, format string, args ...any) *RefusedError {
	e := &RefusedError{Reason: r, Path: path, Detail: fmt.Sprintf(format, args...)}
	for _, i := range reasons {
		if i.Reason == r {
			e.Hint = i.Do
			return e
		}
	}
	panic("owngit: reason without a row: " + string(r)) // a bug of ours; a test reads every constant
}
