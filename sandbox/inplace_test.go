package sandbox

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Private directories are out of reach, what lies below them stays open, and
// what rules cannot take away inside a writable directory is left out.
func TestInPlace(t *testing.T) {
	p := policy(
		Row{Path: "/home/u", Access: Private, Size: 1, Mode: 0o700},
		Row{Path: "/home/u/src/wt", Access: Write},
		Row{Path: "/home/u/src/wt/.git", Access: Protect, File: true},
		Row{Path: "/home/u/src/wt/.env", Access: Hide, File: true},
		Row{Path: "/home/u/src/repo", Access: Read},
		Row{Path: "/home/u/src/repo/.git", Access: Protect},
		Row{Path: "/secret", Access: Hide},
	)
	for _, protects := range []bool{true, false} {
		in := p.InPlace(protects)
		if err := Validate(in); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			path        string
			read, write bool
		}{
			{"/home/u/.bashrc", false, false},
			{"/tmp/x", false, false},
			{"/home/u/src/wt/a", true, true},
			{"/home/u/src/wt/.git", true, !protects},
			{"/home/u/src/wt/.env", !protects, !protects},
			{"/home/u/src/repo/.git/config", true, false},
			{"/secret/key", false, false},
			{"/usr/bin/env", true, false},
		} {
			if in.Allows(c.path, Read) != c.read || in.Allows(c.path, Write) != c.write {
				t.Errorf("protects %v: %s: read %v write %v", protects, c.path, in.Allows(c.path, Read), in.Allows(c.path, Write))
			}
		}
	}
	var taken []string
	for _, row := range p.TakenInside() {
		taken = append(taken, row.Path)
	}
	if diff := cmp.Diff([]string{"/home/u/src/wt/.env", "/home/u/src/wt/.git"}, taken); diff != "" {
		t.Error(diff)
	}
}

// Property: in place, nothing of the host can be read or written that could
// not be, but for what TakenInside lists; and a valid policy stays valid.
func TestInPlaceGivesNoMore(t *testing.T) {
	names := []string{"/a", "/a/b", "/a/b/c", "/a/b/c/d", "/a/x", "/a/x/y", "/z", "/z/w"}
	kinds := []Access{Read, Write, Protect, Hide, Private}
	for range 2000 {
		var rows []Row
		for _, i := range rand.Perm(len(names))[:rand.IntN(len(names))] {
			rows = append(rows, Row{Path: names[i], Access: kinds[rand.IntN(len(kinds))]})
		}
		p := policy(rows...)
		if Validate(p) != nil {
			continue
		}
		strict, loose := p.InPlace(true), p.InPlace(false)
		if Validate(strict) != nil || Validate(loose) != nil {
			t.Fatalf("%v, %v: %+v", Validate(strict), Validate(loose), p.Rows)
		}
		for _, path := range append(names, "/a/b/c/d/e", "/q", "/a/q", "/z/w/v") {
			inside := false
			for _, row := range p.TakenInside() {
				inside = inside || Contains(row.Path, path)
			}
			for _, access := range []Access{Read, Write} {
				d := p.Decide(path, access)
				was := d.Allowed && !d.Own
				if !was && strict.Allows(path, access) {
					t.Fatalf("%s %s: %+v", access, path, p.Rows)
				}
				if was && !strict.Allows(path, access) {
					t.Fatalf("%s %s is lost: %+v", access, path, p.Rows)
				}
				if !was && !inside && loose.Allows(path, access) {
					t.Fatalf("%s %s without protects: %+v", access, path, p.Rows)
				}
			}
		}
	}
}
