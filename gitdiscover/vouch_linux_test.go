package gitdiscover

import (
	"os"
	"slices"
	"testing"

	"lane/e2e/feature"
)

func TestVouchSeparateGitDir(t *testing.T) {
	s := newSite(t)
	s.git("init", "-q", "--separate-git-dir", s.root+"/sep", s.root+"/wt")
	r := refusedAs(t, s.root+"/wt", Options{}, PointerUnverified)
	if r.Vouch != SeparateGitDir {
		t.Errorf("the refusal does not name the word: %+v", r)
	}
	refusedAs(t, s.root+"/wt", Options{Vouch: []Vouch{BindMount, ForeignOwner}}, PointerUnverified)
	repo := discovered(t, s.root+"/wt", Options{Vouch: []Vouch{SeparateGitDir}})
	if repo.GitDir != s.root+"/sep" || !slices.Equal(repo.Vouched, []string{"separate-git-dir"}) {
		t.Errorf("%+v", repo)
	}
	// Said in the repository itself, nobody need vouch.
	s.git("-C", s.root+"/wt", "config", "core.worktree", s.root+"/wt")
	if repo := discovered(t, s.root+"/wt", Options{Vouch: []Vouch{SeparateGitDir}}); len(repo.Vouched) != 0 {
		t.Errorf("vouched for without need: %+v", repo)
	}
}

// TestVouchIsNarrow: a word lifts one check, not what else is wrong.
func TestVouchIsNarrow(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(linked, other,
		[]string{"cp", "{R}/wt", "{R}/copy"},
		[]string{"write", "{R}/evil/.git", "gitdir: ../wt/.git\n"},
		[]string{"write", "{R}/other/x/.git", "gitdir: ..\n"},
		[]string{"write", "{R}/other/.git/in/.git", "gitdir: ..\n"})})
	all := Options{Vouch: []Vouch{SeparateGitDir, BindMount, ForeignOwner}}
	refusedAs(t, s.root+"/copy", all, PointerMismatch)
	refusedAs(t, s.root+"/evil", all, DanglingGitdir)
	refusedAs(t, s.root+"/other/.git/in", all, Overlap)
	if r := refusedAs(t, s.root+"/copy", Options{}, PointerMismatch); r.Vouch != "" {
		t.Errorf("a copied worktree can be vouched for: %+v", r)
	}
}

func TestVouchBindMount(t *testing.T) {
	if os.Geteuid() != 0 {
		feature.Missing(t, "root", "only root mounts")
	}
	s := newSite(t)
	s.build(layout{Build: steps(linked, []string{"bind", "{R}/wt", "{R}/bound"})})
	r := refusedAs(t, s.root+"/bound", Options{}, PointerMismatch)
	if r.Vouch != BindMount || r.Hint == infoOf(PointerMismatch).Do {
		t.Errorf("%+v", r)
	}
	repo := discovered(t, s.root+"/bound", Options{Vouch: []Vouch{BindMount}})
	if repo.Worktree != s.root+"/bound" || !slices.Equal(repo.Vouched, []string{"bind-mount"}) || slices.Contains(repo.Others, s.root+"/wt") {
		t.Errorf("%+v", repo)
	}
}

func TestVouchForeignOwner(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: linked})
	// git would accept the worktree with this; lane does not hear it.
	s.write(s.root+"/home/.gitconfig", "[safe]\n\tdirectory = *\n")
	t.Setenv("HOME", s.root+"/home")
	stranger := &Identity{EUID: os.Geteuid() + 12345}
	if r := refusedAs(t, s.root+"/wt", Options{As: stranger}, Ownership); r.Vouch != ForeignOwner {
		t.Errorf("%+v", r)
	}
	repo := discovered(t, s.root+"/wt", Options{As: stranger, Vouch: []Vouch{ForeignOwner}})
	if !slices.Equal(repo.Vouched, []string{"foreign-owner"}) {
		t.Errorf("%+v", repo)
	}
}

func TestVouches(t *testing.T) {
	if _, err := DiscoverWith(t.TempDir(), Options{Vouch: []Vouch{"all"}}); err == nil {
		t.Error("an unknown word passes")
	}
	for _, v := range Vouches() {
		if infoOf(v.Class); v.Accepts == "" || v.Risk == "" {
			t.Errorf("row %+v", v)
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		who  Identity
		uid  uint32
		owns bool
	}{
		{Identity{EUID: 1000}, 1000, true},
		{Identity{EUID: 1000}, 0, false},
		{Identity{EUID: 1000, SudoUID: "0"}, 0, false}, // heard for root only
		{Identity{EUID: 0}, 0, true},
		{Identity{EUID: 0}, 1000, false},
		{Identity{EUID: 0, SudoUID: "1000"}, 1000, true},
		{Identity{EUID: 0, SudoUID: "1000"}, 0, true},
		{Identity{EUID: 0, SudoUID: "1000x"}, 1000, false},
		{Identity{EUID: 0, SudoUID: ""}, 0, true},
		{Identity{EUID: 0, SudoUID: "-1"}, 4294967295, false},
		{Identity{EUID: 0, SudoUID: "4294968296"}, 1000, false},
	} {
		if got := c.who.owns(c.uid); got != c.owns {
			t.Errorf("%+v owns uid %d: %v", c.who, c.uid, got)
		}
	}
	root, user := Identity{EUID: 0}, Identity{EUID: 1000}
	for _, c := range []struct {
		who            Identity
		uid, gid, mode uint32
		read, search   bool
	}{
		{user, 0, 0, 0, true, true}, // the kernel decides
		{root, 0, 0, 0o700, true, true},
		{root, 0, 0, 0o077, false, false},
		{root, 5, 0, 0o040, true, false},
		{root, 5, 0, 0o707, false, false},
		{root, 5, 5, 0o770, false, false},
		{root, 5, 5, 0o001, false, true},
	} {
		if r, x := c.who.mayRead(c.uid, c.gid, c.mode), c.who.maySearch(c.uid, c.gid, c.mode); r != c.read || x != c.search {
			t.Errorf("%+v: read %v, search %v", c, r, x)
		}
	}
}
