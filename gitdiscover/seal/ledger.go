package seal

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Unavailable says what a ledger cannot tell, and why. It is never a reason
// for a run to fail.
type Unavailable struct {
	What string `json:"what"` // "commits", "dropped", "files"
	Why  string `json:"why"`
}

// Ledger is what moved during a run, and what lies in the worktree.
type Ledger struct {
	// Head is this worktree's HEAD: the ref it names, or "HEAD" when detached,
	// with the commit before and after.
	Head HeadMove `json:"head"`
	// Refs are the refs that moved, this worktree's own included.
	Refs     []RefMove `json:"refs"`
	RefsMore int       `json:"refs_more,omitempty"`
	// Commits are those that the own branch, or a detached HEAD, gained;
	// Dropped those that it lost, when it did not just go forward.
	Commits     []Commit `json:"commits"`
	CommitsMore int      `json:"commits_more,omitempty"`
	Dropped     []Commit `json:"dropped,omitempty"`
	DroppedMore int      `json:"dropped_more,omitempty"`
	// Files are those of the worktree that differ from HEAD's tree after the
	// run. Ignore rules, filters and line-ending rules are not applied.
	Files     []FileChange  `json:"files"`
	FilesMore int           `json:"files_more,omitempty"`
	Missing   []Unavailable `json:"unavailable,omitempty"`
}

// HeadMove is where HEAD was and is.
type HeadMove struct {
	RefBefore Name   `json:"ref_before"`
	RefAfter  Name   `json:"ref_after"`
	Before    string `json:"before"`
	After     string `json:"after"`
}

// LedgerOptions say how files are compared. The zero value hashes every file
// that HEAD's tree holds.
type LedgerOptions struct {
	// Stamps, if set, are the stamps of the worktree's files before the run,
	// by path relative to it. What has the same stamp now is not looked at:
	// it is as it was, whether or not that is what HEAD's tree says.
	Stamps map[string]Stamp
	// Skip are absolute paths that are not entered: other worktrees below
	// this one.
	Skip []string
	// Caps bound the look at files. The zero value is [DefaultCaps].
	Caps Caps
}

// ReadLedger tells what happened between two seals of the same worktree. It
// reads objects with go-git, from the paths that the seals are of; it writes
// nothing and never fails: what cannot be told is named.
func ReadLedger(ctx context.Context, before, after Seal, opt LedgerOptions) (l Ledger) {
	l = Ledger{Refs: []RefMove{}, Commits: []Commit{}, Files: []FileChange{}}
	l.Head = HeadMove{headRef(before.head), headRef(after.head), before.headCommit(), after.headCommit()}
	l.Refs = append(l.Refs, diffRefs(before.refs, after.refs)...)
	l.Refs = append(l.Refs, diffRefs(before.ownRefs, after.ownRefs)...)
	if len(l.Refs) > maxReported {
		l.Refs, l.RefsMore = l.Refs[:maxReported], len(l.Refs)-maxReported
	}
	// go-git reads packs that git wrote and this package did not check. Should
	// one make it panic, that is a ledger without commits, not a lost run.
	defer func() {
		if p := recover(); p != nil {
			l.Missing = append(l.Missing, Unavailable{"commits", "reading objects failed: " + shown(fmt.Sprint(p))})
		}
	}()
	o, err := openObjects(after.repo)
	if err != nil {
		why := shown(err.Error())
		l.Missing = append(l.Missing, Unavailable{"commits", why}, Unavailable{"files", why})
		return l
	}
	defer o.close()
	l.readCommits(ctx, o, before, after)
	l.readFiles(ctx, o, after, opt)
	return l
}

func headRef(head string) Name {
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		return Name(ref)
	}
	return "HEAD"
}

// headCommit is the commit that is checked out, "" on an unborn branch or
// where HEAD leads to no id.
func (s Seal) headCommit() string {
	ref, symbolic := strings.CutPrefix(s.head, "ref: ")
	switch {
	case !symbolic && isID(s.head):
		return s.head
	case symbolic && ref == s.repo.HeadRef && isID(s.branch):
		return s.branch
	case symbolic:
		return s.refs.resolve(ref)
	}
	return ""
}

// resolve follows a ref to an id, as far as its values were read.
func (r refState) resolve(name string) string {
	for range 5 { // git's own limit
		v := r.values[name]
		switch {
		case r.tables != nil:
			v = r.tables.values[name]
		case v == "" && r.fresh[name] != "":
			v = r.fresh[name]
		case v == "":
			v = r.packed.lookup(name)
		}
		if isID(v) {
			return v
		}
		next, ok := strings.CutPrefix(v, "ref: ")
		if !ok {
			return ""
		}
		name = next
	}
	return ""
}

func (l *Ledger) readCommits(ctx context.Context, o *objects, before, after Seal) {
	was, now := l.Head.Before, l.Head.After
	if was == now || now == "" {
		return
	}
	shallow := readShallow(after.repo.CommonDir)
	gained := (&rangeWalk{objects: o, shallow: shallow}).between(ctx, was, now)
	l.Commits, l.CommitsMore = append(l.Commits, gained.commits...), gained.more
	if gained.cut != "" {
		l.Missing = append(l.Missing, Unavailable{"commits", gained.cut})
	}
	if gained.descends {
		return
	}
	lost := (&rangeWalk{objects: o, shallow: shallow}).between(ctx, now, was)
	l.Dropped, l.DroppedMore = lost.commits, lost.more
	if lost.cut != "" {
		l.Missing = append(l.Missing, Unavailable{"dropped", lost.cut})
	}
}

// readShallow are the commits at which a shallow clone ends.
func readShallow(commonDir string) map[string]bool {
	ids := map[string]bool{}
	d, err := openFolder(commonDir, true)
	if err != nil {
		return ids
	}
	defer d.close()
	_, data := d.read("shallow", maxHashed)
	for id := range strings.FieldsSeq(string(data)) {
		ids[id] = true
	}
	return ids
}

// readFiles compares the worktree with the tree of HEAD's commit.
func (l *Ledger) readFiles(ctx context.Context, o *objects, after Seal, opt LedgerOptions) {
	s := fileScan{scan: newScan(ctx, opt.Caps, after.repo, opt.Skip), objects: o, stamps: opt.Stamps}
	missing := func(why string) { l.Missing = append(l.Missing, Unavailable{"files", why}) }
	var root plumbing.Hash
	if after.headCommit() != "" {
		c, err := o.commit(plumbing.NewHash(after.headCommit()))
		if err != nil {
			missing("HEAD's commit: " + shown(err.Error()))
			return
		}
		root = c.TreeHash
	}
	d, err := openFolder(filepath.Clean(after.repo.Worktree), false)
	if err != nil {
		missing(closedText(err))
		return
	}
	defer d.close()
	s.start(d, root)
	l.Files, l.FilesMore = append(l.Files, s.found...), s.more
	for _, why := range s.incomplete {
		missing(why)
	}
}
