package sandbox

import (
	"errors"
	"hash/fnv"
	"path/filepath"
	"testing"
)

// place makes a Place whose identities follow from the names, so that two
// different names never agree by chance.
func place(path string) Place {
	p := Place{Name: "the " + filepath.Base(path), Path: path}
	for dir := path; ; dir = filepath.Dir(dir) {
		h := fnv.New64a()
		h.Write([]byte(dir))
		p.Chain = append(p.Chain, FileID{Dev: 1, Ino: h.Sum64()})
		if dir == "/" {
			return p
		}
	}
}

func places(paths ...string) []Place {
	var all []Place
	for _, path := range paths {
		all = append(all, place(path))
	}
	return all
}

// ordinary is a linked worktree below home, as most are.
func ordinary() Overlap {
	return Overlap{
		Worktree: place("/h/u/src/wt"), Home: place("/h/u"),
		CommonDir: place("/h/u/src/repo/.git"), GitDir: place("/h/u/src/repo/.git/worktrees/wt"),
		Others:   places("/h/u/src/repo", "/h/u/src/other"),
		Own:      places("/h/u/.local/state/lane", "/h/u/.config/lane"),
		Hidden:   places("/h/u/.ssh", "/h/u/.aws"),
		Programs: places("/h/u/go/bin/lane", "/usr/bin/bwrap"),
		Write:    places("/h/u/data"), Read: places("/h/u/docs"),
	}
}

// Each rule of DESIGN 5 "Overlap is refused", with what must stay allowed.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		rule, reason string
		change       func(*Overlap)
	}{
		{"an ordinary lane", "", func(o *Overlap) {}},
		{"a main worktree holds its git directory", "", func(o *Overlap) {
			o.Worktree, o.Others = place("/h/u/src/repo"), places("/h/u/src/other")
			o.GitDir = o.CommonDir
		}},
		{"a worktree outside home", "", func(o *Overlap) { o.Worktree = place("/srv/wt") }},
		{"no home at all", "", func(o *Overlap) { o.Home = Place{} }},
		{"a name that only begins alike", "", func(o *Overlap) { o.Worktree = place("/h/u/.ssh-tools") }},
		{"worktree is home", "worktree-contains-home", func(o *Overlap) { o.Worktree = place("/h/u") }},
		{"worktree contains home", "worktree-contains-home", func(o *Overlap) { o.Worktree = place("/h") }},
		{"worktree is / ", "worktree-contains-home", func(o *Overlap) { o.Worktree = place("/") }},
		{"home by another name", "worktree-contains-home", func(o *Overlap) { o.Worktree.Chain[0] = o.Home.Chain[0] }},
		{"home's parent by another name", "worktree-contains-home", func(o *Overlap) { o.Worktree.Chain[0] = o.Home.Chain[1] }},
		{"worktree is lane's", "worktree-overlaps-lane", func(o *Overlap) { o.Worktree = place("/h/u/.config/lane") }},
		{"worktree in lane's", "worktree-overlaps-lane", func(o *Overlap) { o.Worktree = place("/h/u/.local/state/lane/runs/1/wt") }},
		{"worktree over lane's", "worktree-overlaps-lane", func(o *Overlap) { o.Worktree = place("/h/u/.local") }},
		{"worktree is hidden", "worktree-overlaps-hidden", func(o *Overlap) { o.Worktree = place("/h/u/.ssh") }},
		{"worktree in hidden", "worktree-overlaps-hidden", func(o *Overlap) { o.Worktree = place("/h/u/.ssh/wt") }},
		{"worktree over hidden", "worktree-overlaps-hidden", func(o *Overlap) { o.Hidden = places("/h/u/src/wt/keys") }},
		{"worktree in hidden by another name", "worktree-overlaps-hidden", func(o *Overlap) { o.Worktree.Chain[1] = o.Hidden[0].Chain[0] }},
		{"worktree contains lane", "worktree-contains-program", func(o *Overlap) { o.Worktree = place("/h/u/go") }},
		{"worktree contains bwrap by another name", "worktree-contains-program", func(o *Overlap) { o.Worktree.Chain[0] = o.Programs[1].Chain[1] }},
		{"write the commondir", "write-overlaps-git", func(o *Overlap) { o.Write = places("/h/u/src/repo/.git") }},
		{"write in the commondir", "write-overlaps-git", func(o *Overlap) { o.Write = places("/h/u/src/repo/.git/objects") }},
		{"write over the commondir", "write-overlaps-git", func(o *Overlap) { o.Write = places("/h/u/src/repo") }},
		{"write the commondir by another name", "write-overlaps-git", func(o *Overlap) { o.Write[0].Chain[0] = o.CommonDir.Chain[0] }},
		{"write in the worktree", "write-overlaps-worktree", func(o *Overlap) { o.Write = places("/h/u/src/wt/.claude") }},
		{"write over the worktree", "write-overlaps-worktree", func(o *Overlap) {
			o.Worktree, o.Write = place("/data/wt"), places("/data")
		}},
		{"write another worktree", "write-overlaps-other-worktree", func(o *Overlap) { o.Write = places("/h/u/src/other") }},
		{"write in another worktree", "write-overlaps-other-worktree", func(o *Overlap) { o.Write = places("/h/u/src/other/a") }},
		{"write home", "write-contains-home", func(o *Overlap) {
			*o = Overlap{Worktree: place("/w"), Home: place("/h/u"), Write: places("/h/u")}
		}},
		{"write over a program", "write-contains-program", func(o *Overlap) { o.Write = places("/h/u/go/bin") }},
		{"write lane's", "write-overlaps-lane", func(o *Overlap) { o.Write = places("/h/u/.local/state") }},
		{"write hidden", "write-overlaps-hidden", func(o *Overlap) { o.Write = places("/h/u/.aws/cli") }},
		{"read the commondir", "read-overlaps-git", func(o *Overlap) { o.Read = places("/h/u/src/repo/.git") }},
		{"read over the worktree", "read-overlaps-worktree", func(o *Overlap) {
			o.Worktree, o.Read = place("/data/wt"), places("/data")
		}},
		{"read another worktree", "read-overlaps-other-worktree", func(o *Overlap) { o.Read = places("/h/u/src/other") }},
		{"read lane's", "read-overlaps-lane", func(o *Overlap) { o.Read = places("/h/u/.local/state/lane") }},
		{"read hidden", "read-overlaps-hidden", func(o *Overlap) { o.Read = places("/h/u/.ssh") }},
		{"read over programs is harmless", "", func(o *Overlap) { o.Read = places("/h/u/go") }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			o := ordinary()
			c.change(&o)
			err := CheckOverlap(o)
			var oe *OverlapError
			switch {
			case c.reason == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.reason != "" && (!errors.As(err, &oe) || oe.Reason != c.reason):
				t.Errorf("got %v, want %s", err, c.reason)
			}
		})
	}
}
