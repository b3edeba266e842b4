package sandbox

import "fmt"

// FileID is a file's identity on this host.
type FileID struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
}

// Place is a resolved path together with the identities of itself and of
// every directory above it. Two names for one directory (a bind mount, a
// file system that ignores case) differ as strings and agree here.
type Place struct {
	// Name says what the place is, for people: "home", "the agent binary".
	Name string
	// Path is absolute, clean and free of symbolic links.
	Path string
	// Chain holds the identity of Path, then of its parent, up to "/".
	Chain []FileID
}

// contains reports whether p is or contains other, by name or by identity.
func (p Place) contains(other Place) bool {
	if Contains(p.Path, other.Path) {
		return true
	}
	if len(p.Chain) == 0 || p.Chain[0] == (FileID{}) {
		return false
	}
	for _, id := range other.Chain {
		if id == p.Chain[0] {
			return true
		}
	}
	return false
}

// Overlap is everything that is judged against each other before a lane.
type Overlap struct {
	Worktree Place
	Home     Place
	// CommonDir and GitDir are the shared git directory and the worktree's.
	// In a main worktree they lie inside it, which is fine.
	CommonDir, GitDir Place
	// Others are the other worktrees of the repository, the main one
	// included.
	Others []Place
	// Own are lane's own directories: state, configuration.
	Own []Place
	// Hidden are the paths that a lane must not see.
	Hidden []Place
	// Programs are what runs outside the lane or decides about it: lane, the
	// agent and its interpreter, bwrap.
	Programs []Place
	// Write and Read are the directories the user adds.
	Write, Read []Place
}

// OverlapError says which two places must not meet.
type OverlapError struct {
	Reason string // stable word
	Path   string // raw; the place that is refused
	Other  string // raw; the place that it meets
	Detail string
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s: %+q: %s", e.Reason, e.Path, e.Detail)
}

// CheckOverlap applies the rules in order and returns the first failure as
// an *OverlapError.
func CheckOverlap(o Overlap) error {
	for _, rule := range []func(Overlap) *OverlapError{
		worktreeAndHome, worktreeAndOwn, worktreeAndHidden, worktreeAndPrograms,
		writeAndGit, writeAndWorktrees, writeAndHome, writeAndClosed,
		readAndGit, readAndWorktrees, readAndClosed,
	} {
		if err := rule(o); err != nil {
			return err
		}
	}
	return nil
}

// worktreeAndHome: a worktree below home is the usual case. One that is home
// or contains it would open every file of the user.
func worktreeAndHome(o Overlap) *OverlapError {
	if o.Home.Path != "" && o.Worktree.contains(o.Home) {
		return meets("worktree-contains-home", o.Worktree, "is or contains", o.Home)
	}
	return nil
}

func worktreeAndOwn(o Overlap) *OverlapError {
	for _, own := range o.Own {
		if err := either("worktree-overlaps-lane", o.Worktree, own); err != nil {
			return err
		}
	}
	return nil
}

func worktreeAndHidden(o Overlap) *OverlapError {
	for _, hidden := range o.Hidden {
		if err := either("worktree-overlaps-hidden", o.Worktree, hidden); err != nil {
			return err
		}
	}
	return nil
}

// worktreeAndPrograms: an agent that can write the program that confines it,
// or itself, is confined once and never again.
func worktreeAndPrograms(o Overlap) *OverlapError {
	for _, program := range o.Programs {
		if o.Worktree.contains(program) {
			return meets("worktree-contains-program", o.Worktree, "contains", program)
		}
	}
	return nil
}

func writeAndGit(o Overlap) *OverlapError { return addedAndGit("write", o.Write, o) }
func readAndGit(o Overlap) *OverlapError  { return addedAndGit("read", o.Read, o) }

func addedAndGit(verb string, added []Place, o Overlap) *OverlapError {
	for _, dir := range added {
		for _, git := range []Place{o.CommonDir, o.GitDir} {
			if err := either(verb+"-overlaps-git", dir, git); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeAndWorktrees(o Overlap) *OverlapError { return addedAndWorktrees("write", o.Write, o) }
func readAndWorktrees(o Overlap) *OverlapError  { return addedAndWorktrees("read", o.Read, o) }

// addedAndWorktrees: a row inside the lane's own worktree could reopen what
// is protected there, and one above it would.
func addedAndWorktrees(verb string, added []Place, o Overlap) *OverlapError {
	for _, dir := range added {
		if err := either(verb+"-overlaps-worktree", dir, o.Worktree); err != nil {
			return err
		}
		for _, other := range o.Others {
			if err := either(verb+"-overlaps-other-worktree", dir, other); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeAndHome(o Overlap) *OverlapError {
	for _, dir := range o.Write {
		if o.Home.Path != "" && dir.contains(o.Home) {
			return meets("write-contains-home", dir, "is or contains", o.Home)
		}
	}
	return nil
}

func writeAndClosed(o Overlap) *OverlapError {
	for _, dir := range o.Write {
		for _, program := range o.Programs {
			if dir.contains(program) {
				return meets("write-contains-program", dir, "contains", program)
			}
		}
	}
	return addedAndClosed("write", o.Write, o)
}

func readAndClosed(o Overlap) *OverlapError { return addedAndClosed("read", o.Read, o) }

func addedAndClosed(verb string, added []Place, o Overlap) *OverlapError {
	for _, dir := range added {
		for _, own := range o.Own {
			if err := either(verb+"-overlaps-lane", dir, own); err != nil {
				return err
			}
		}
		for _, hidden := range o.Hidden {
			if err := either(verb+"-overlaps-hidden", dir, hidden); err != nil {
				return err
			}
		}
	}
	return nil
}

// either refuses a that is, contains or lies in b.
func either(reason string, a, b Place) *OverlapError {
	switch {
	case b.Path == "":
		return nil
	case a.contains(b):
		return meets(reason, a, "is or contains", b)
	case b.contains(a):
		return meets(reason, a, "lies in", b)
	}
	return nil
}

func meets(reason string, a Place, how string, b Place) *OverlapError {
	return &OverlapError{Reason: reason, Path: a.Path, Other: b.Path,
		Detail: fmt.Sprintf("%s %s (%+q)", how, b.Name, b.Path)}
}
