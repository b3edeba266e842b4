package gitdiscover

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// quoted prints a path so that no byte of it reaches a terminal as it is.
func quoted(path string) string { return fmt.Sprintf("%+q", path) }

func branchOf(ref string) string {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// ChangedError says what differs between two discoveries.
type ChangedError struct {
	Field    string // the first Repo field that differs
	Was, Now string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed from %+q to %+q", e.Field, e.Was, e.Now)
}

// Same compares r with o, a later discovery of the same worktree, and names
// the first difference as a *[ChangedError].
//
// Worktrees that others added or removed elsewhere meanwhile do not count,
// since they may do so at any time; those below this worktree do, as they are
// protected inside it.
func (r Repo) Same(o Repo) error {
	below := func(x Repo) []string {
		var l []string
		for _, p := range x.Others {
			if within(p, x.Worktree) {
				l = append(l, p)
			}
		}
		return l
	}
	for _, c := range []struct {
		field    string
		was, now any
	}{
		{"Worktree", r.Worktree, o.Worktree},
		{"GitDir", r.GitDir, o.GitDir},
		{"CommonDir", r.CommonDir, o.CommonDir},
		{"Linked", r.Linked, o.Linked},
		{"Pointer", r.Pointer, o.Pointer},
		{"PointerIsFile", r.PointerIsFile, o.PointerIsFile},
		{"Branch", r.Branch, o.Branch},
		{"HeadRef", r.HeadRef, o.HeadRef},
		{"ObjectFormat", r.ObjectFormat, o.ObjectFormat},
		{"RefStorage", r.RefStorage, o.RefStorage},
		{"WorktreeConfig", r.WorktreeConfig, o.WorktreeConfig},
		{"Bare", r.Bare, o.Bare},
		{"Alternates", r.Alternates, o.Alternates},
		{"Others", below(r), below(o)},
		{"Vouched", r.Vouched, o.Vouched},
	} {
		if was, now := fmt.Sprint(c.was), fmt.Sprint(c.now); was != now {
			return &ChangedError{c.field, was, now}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.IDs)) {
		if r.IDs[k] != o.IDs[k] {
			return &ChangedError{"IDs[" + k + "]", fmt.Sprint(r.IDs[k]), fmt.Sprint(o.IDs[k])}
		}
	}
	if len(r.IDs) != len(o.IDs) {
		return &ChangedError{"IDs", fmt.Sprint(r.IDs), fmt.Sprint(o.IDs)}
	}
	return nil
}
