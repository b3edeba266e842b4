package owngit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// examine looks at the lane's HEAD and all that it needs. Cheap questions come
// first, and what a person can put right before what nobody can.
func (t *takeIn) examine() error {
	s := t.in.Setup
	tip, err := t.tip()
	if err != nil {
		return err
	}
	if t.result.Tip == s.Base && t.onBranch() {
		return refuse(HeadElsewhere, "", "HEAD is at %s, where the lane started, and %s is at another commit", s.Base, s.head())
	}
	if t.result.Tip == s.Base {
		return refuse(NothingToTakeIn, "", "HEAD is at %s, where the lane started", s.Base)
	}
	if err := compareBase(s); err != nil {
		return err
	}
	if other := t.mine.conflict(s.HeadRef); s.Base == "" && other != "" {
		return refuse(BranchMoved, s.HeadRef, "cannot be made beside %s", quoted(other))
	}
	w := newWalk(t.o, t.listed)
	if err := w.commits(tip); err != nil {
		return err
	}
	if err := t.checkBase(tip); err != nil {
		return err
	}
	if err := t.compareTrees(tip, &t.result.Seen); err != nil {
		return err
	}
	if err := t.readIndex(w); err != nil {
		return err
	}
	t.result.Commits = w.count
	t.add(w)
	return nil
}

// onBranch says whether the agent committed on the lane's branch and left it.
func (t *takeIn) onBranch() bool {
	return slices.ContainsFunc(t.result.Others, func(r OtherRef) bool { return r.Name == t.in.Setup.HeadRef })
}

// tip is the commit at the lane's HEAD, which the agent has come to an end
// with.
func (t *takeIn) tip() (plumbing.Hash, error) {
	if t.agent.branch != t.in.Setup.HeadRef {
		t.result.AgentBranch = strings.TrimPrefix(t.agent.branch, "refs/heads/")
	}
	tip := t.agent.head
	if !tip.IsZero() {
		t.result.Tip = tip.String()
	}
	for _, o := range operations {
		if t.dir.has(t.private() + "/" + o.file) {
			r := refuse(Unfinished, t.dir.path+"/"+t.private()+"/"+o.file, "the agent left %s unfinished", o.what)
			r.Hint = "Its files are in the worktree; to have the lane's branches and its HEAD too: lane runs take-in --keep-refs."
			return tip, r
		}
	}
	if tip.IsZero() {
		return tip, refuse(UnbornHead, t.dir.path, "HEAD is on %s, which has no commit", quoted(t.agent.branch))
	}
	return tip, nil
}

func (t *takeIn) checkBase(tip plumbing.Hash) error {
	if t.in.Setup.Base == "" {
		return nil
	}
	base, ok := parseHash(t.in.Setup.Base)
	if !ok {
		return fmt.Errorf("bug: base %q is no hash", t.in.Setup.Base)
	}
	is, err := t.o.descends(tip, base)
	if err == nil && !is {
		return refuse(BaseDiverged, "", "%s does not descend from %s", tip, base)
	}
	return err
}

// compareTrees applies the policy to what a commit changes, and notes in seen,
// if that is given, what should be looked at.
func (t *takeIn) compareTrees(tip plumbing.Hash, seen *Seen) error {
	old, err := t.baseTree()
	if err != nil {
		return err
	}
	c, err := t.o.commit(tip)
	if err != nil {
		return err
	}
	return t.o.diff(old, c.tree, func(c change) error {
		if reason, why := t.policy.objection(c); reason != "" {
			return refuse(reason, c.path, "%s", why)
		}
		if seen == nil {
			return nil
		}
		return seen.look(t.o, &t.policy, c)
	})
}

// baseTree is the tree that the lane started from, zero on an unborn branch.
func (t *takeIn) baseTree() (plumbing.Hash, error) {
	base, ok := parseHash(t.in.Setup.Base)
	if !ok {
		return plumbing.ZeroHash, nil
	}
	c, err := t.o.commit(base)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.tree, nil
}

// readIndex reads the lane's index and adds the objects that are only staged.
func (t *takeIn) readIndex(w *newObjects) error {
	rel := t.private() + "/index"
	data, err := t.dir.read(rel, maxIndexFile/2)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(IndexUnsupported, t.dir.path+"/"+rel, "is missing")
	}
	if err != nil {
		return err
	}
	if t.index, err = decodeIndex(data); err == nil {
		err = checkAgentIndex(t.index)
	}
	if err != nil {
		return refuse(IndexUnsupported, t.dir.path+"/"+rel, "%v", err)
	}
	real, err := readRealIndex(t.in.Setup.GitDir)
	if err != nil {
		return err
	}
	m := t.merger(real, plumbing.ZeroHash)
	for i := range t.index.entries {
		e := &t.index.entries[i]
		mine := real.mine[e.name]
		if e.mode() == modeGitlink || mine != nil && mine.hash == e.hash && mine.mode() == e.mode() || m.sensitive(e, mine) {
			continue // not a file, or there already, or not going to be handed over but as committed
		}
		if err := w.blob(e.hash, path.Base(e.name)); err != nil {
			return err
		}
	}
	return nil
}

// merger makes the worktree's new index; tip is the tip's tree.
func (t *takeIn) merger(real *realIndex, tip plumbing.Hash) *indexMerge {
	s := t.in.Setup
	return &indexMerge{o: t.o, policy: &t.policy, tip: tip, mine: real.mine, mtime: real.mtime, root: s.Worktree,
		sparse: slices.Contains(s.Config, Setting{"core.sparsecheckout", "true"})}
}

// add puts what a walk found on the list for the pack.
func (t *takeIn) add(w *newObjects) {
	for _, n := range w.list {
		t.listed[n.hash] = n.kind
		t.list = append(t.list, n)
		t.result.Objects++
		t.result.Bytes += n.size
	}
}
