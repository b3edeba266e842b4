package owngit

import (
	"context"
	"path/filepath"
)

// Carry copies the commits at the HEAD of in.Dir, and all that they need and
// the repository does not have, into the git directory to, which
// [Setup.Make] made for the same worktree. It returns the commit. No ref names
// it there, and nothing of the repository is touched.
//
// It is for a second lane that works on them, so that git there never sees
// what else stands in in.Dir: its configuration, hooks and refs stay behind.
// in.Dir is read as [TakeIn] reads it, with the same bounds; what the commits
// change is not judged here but when they are taken in.
func Carry(ctx context.Context, in TakeInInputs, to string) (string, error) {
	t := newTakeIn(in)
	if err := t.check(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.in.Limits.Time)
	defer cancel()
	t.m = &meter{ctx: ctx, limits: t.in.Limits}
	if err := t.open(); err != nil {
		return "", err
	}
	defer t.close()
	err := t.guarded(func() error {
		tip, err := t.tip()
		if err != nil {
			return err
		}
		w := newWalk(t.o, t.listed)
		if err := w.commits(tip); err != nil {
			return err
		}
		t.add(w)
		return nil
	})
	if err == nil && len(t.list) > 0 {
		_, err = writePack(filepath.Join(to, "objects"), t.list, t.o.private)
	}
	return t.result.Tip, err
}

// RefuseRebase is the refusal of commits that cannot be replayed on the branch
// as it is now.
func RefuseRebase(path, detail string) *RefusedError {
	return refuse(RebaseConflict, path, "%s", detail)
}
