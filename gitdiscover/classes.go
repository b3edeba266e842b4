package gitdiscover

import "fmt"

// The classes. Each is a stable word: it is printed, recorded, and matched by
// scripts. What a class means and what to do about it stands in the table of
// [Classes], from which the manual is generated.
const (
	// GlobCharacter: sandboxes read paths as patterns; a literal path with a
	// pattern character in it is a deny rule that silently denies nothing.
	GlobCharacter Class = "glob-character"
	// ControlCharacter: a path that cannot be shown or put in a line-based
	// file without changing its meaning.
	ControlCharacter Class = "control-character"
	// InvalidEncoding: a path that is not UTF-8 does not survive JSON.
	InvalidEncoding Class = "invalid-encoding"
	// DanglingGitdir: the .git file names something that is no git directory.
	DanglingGitdir Class = "dangling-gitdir"
	// NotARepository: no repository here or above, up to the mount point.
	NotARepository Class = "not-a-repository"
	// Bare: there is a repository, but no working tree.
	Bare Class = "bare"
	// InsideGitdir: the start is inside a git directory.
	InsideGitdir Class = "inside-gitdir"
	// InvalidGitfile: .git is a regular file without "gitdir: <path>".
	InvalidGitfile Class = "invalid-gitfile"
	// TooLarge: a control file is larger than lane reads.
	TooLarge Class = "too-large"
	// InvalidCommondir: git itself dies on the commondir file.
	InvalidCommondir Class = "invalid-commondir"
	// UnsupportedFormat: a repository format or extension lane does not know.
	UnsupportedFormat Class = "unsupported-format"
	// BadConfig: the repository's config does not parse.
	BadConfig Class = "bad-config"
	// Permission: something decisive cannot be read or entered.
	Permission Class = "permission"
	// Ownership: one of the four places belongs to somebody else.
	Ownership Class = "ownership"
	// CwdUnreadable: the directory to start from cannot be entered.
	CwdUnreadable Class = "cwd-unreadable"
	// PointerMismatch: the git directory does not point back to this worktree.
	PointerMismatch Class = "pointer-mismatch"
	// PointerUnverified: nothing points back, so nothing confirms the .git file.
	PointerUnverified Class = "pointer-unverified"
	// CommondirMismatch: commondir leads to another repository.
	CommondirMismatch Class = "commondir-mismatch"
	// SymlinkDotgit: .git is a symbolic link.
	SymlinkDotgit Class = "symlink-dotgit"
	// NotRegular: a FIFO, socket or device stands where git reads a file.
	NotRegular Class = "not-regular"
	// SkippedDotgit: git would pass over a broken .git and use a repository
	// further up.
	SkippedDotgit Class = "skipped-dotgit"
	// WorktreeRedirect: core.worktree moves the working tree elsewhere.
	WorktreeRedirect Class = "worktree-redirect"
	// UnstablePath: a path that means something else to another process, or
	// that changed while it was read.
	UnstablePath Class = "unstable-path"
	// Overlap: the worktree lies inside a git directory.
	Overlap Class = "overlap"
)

// ClassInfo is a row of the manual's table of refusals.
type ClassInfo struct {
	Class Class
	// Means says what is wrong, as a clause.
	Means string
	// Do says what to do about it, as a sentence.
	Do string
	// GitGoesOn says that git itself would work here (or, for some versions,
	// hang); the refusal is lane's own.
	GitGoesOn bool
}

var classes = []ClassInfo{
	{GlobCharacter, "a path holds one of * ? [ ] { } ! \\, which sandboxes read as a pattern, so that a rule for the path would protect something else", "Rename the directory, or move the repository or the worktree to a path without these characters (git worktree move).", true},
	{ControlCharacter, "a path holds a control character, a line separator or a character that reorders text", "Rename the directory; look at it with ls -b first, such names are rarely an accident.", true},
	{InvalidEncoding, "a path is not valid UTF-8 and would not survive in settings and records", "Rename the directory to a UTF-8 name.", true},
	{DanglingGitdir, "the .git file names a place that does not exist or is no git directory", "If the repository moved, run git worktree repair in it; if the worktree was pruned, add it again.", false},
	{NotARepository, "neither the directory nor one above it, up to the mount point, is a repository", "Start in a git worktree, or name one with --dir.", false},
	{Bare, "the repository has no working tree here", "Start in one of its worktrees (git worktree list), or add one.", false},
	{InsideGitdir, "the directory is inside a git directory", "Start in the working tree, not in its .git.", false},
	{InvalidGitfile, "the .git file is not the one line git writes, \"gitdir: <path>\"", "Look at the file; git worktree repair, run in the repository, rewrites it.", false},
	{TooLarge, "a control file, list or path is larger than lane reads", "Look at it: git writes these files with a line or two.", true},
	{InvalidCommondir, "the commondir file cannot be followed", "Restore it (git writes ../.. for a worktree), or remove the worktree and add it again.", false},
	{UnsupportedFormat, "the repository's format or one of its extensions is not known here", "Use a lane that knows the format; do not edit it away, git would misread the repository.", false},
	{BadConfig, "the repository's configuration does not parse, or a value that decides where things are is wrong", "Repair the file; git config --list --show-origin names the line.", false},
	{Permission, "something that must be read or entered is closed to this user (root is asked without its privileges, as the agent will have none)", "Give the user read and search permission, or run as the owner.", false},
	{Ownership, "the worktree, its .git, the git directory or the common directory belongs to another user, who could make git run programs; safe.directory is not heard", "Run as the owner, or chown the files.", false},
	{CwdUnreadable, "the directory to start from does not exist, is no directory or cannot be entered", "Change to an existing directory.", false},
	{PointerMismatch, "the git directory named by .git does not point back to this worktree: it is another worktree's, or this one was copied or moved by hand", "If the worktree was moved, run git worktree repair in it; if it was copied, add a worktree of its own.", true},
	{PointerUnverified, "the .git file names a whole repository which says nowhere that this is its working tree", "If it is yours, say so in it: git config core.worktree <this directory>.", true},
	{CommondirMismatch, "the commondir file leads to a repository that is not the one the git directory belongs to", "Restore it (git writes ../.. for a worktree); a plain .git directory has none.", true},
	{SymlinkDotgit, ".git is a symbolic link, which can be exchanged and which git resolves from two places", "Replace the link with what it names, or with a .git file.", true},
	{NotRegular, "a FIFO, socket or device stands where git reads a file; git would hang, pass over it or die, by version", "Remove it.", true},
	{SkippedDotgit, "there is a .git directory that is no repository, and git would silently use the repository above it", "Remove or repair the broken .git directory.", true},
	{WorktreeRedirect, "core.worktree names another directory than the one that holds .git", "Start in the directory it names, or unset core.worktree.", true},
	{UnstablePath, "a path leads through /proc or /dev/fd, or changed while it was read, so it means something else to the agent", "Write the real path.", true},
	{Overlap, "the worktree lies inside a git directory, so denying the one would deny the other", "Move the worktree out (git worktree move).", true},
}

// Classes returns every refusal class with its meaning and its remedy, in the
// order of the manual. The slice is the caller's.
func Classes() []ClassInfo { return append([]ClassInfo(nil), classes...) }

func infoOf(c Class) ClassInfo {
	for _, i := range classes {
		if i.Class == c {
			return i
		}
	}
	panic("gitdiscover: class without a row: " + string(c)) // a bug of ours; the tests read every constant
}

// refuse builds the refusal of path. The detail is one clause; the hint is the
// class's remedy unless the caller sets another.
func refuse(c Class, path, format string, args ...any) *RefusedError {
	return &RefusedError{Class: c, Path: path, Detail: fmt.Sprintf(format, args...), Hint: infoOf(c).Do}
}
