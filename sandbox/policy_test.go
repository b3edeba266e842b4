package sandbox

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// policy makes a valid policy of the base rows and what a test adds.
func policy(rows ...Row) Policy {
	for i := range rows {
		if rows[i].Reason == "" {
			rows[i].Reason = "test"
		}
	}
	return Policy{Rows: append(BaseRows(), rows...), Network: NetworkNone}
}

// The row with the longest containing path decides, by component.
func TestDecide(t *testing.T) {
	p := policy(
		Row{Path: "/home/u", Access: Private},
		Row{Path: "/home/u/src/wt", Access: Write},
		Row{Path: "/home/u/src/wt/.git", Access: Protect, File: true},
		Row{Path: "/home/u/src/wt/.env", Access: Hide, File: true},
		Row{Path: "/home/u/src/repo", Access: Read},
		Row{Path: "/home/u/src/repo/wt2", Access: Write},
		Row{Path: "/secret", Access: Hide},
	)
	for _, c := range []struct {
		path              string
		read, write, own  bool
		row               string
		rule              string
		invalid, noAccess bool
	}{
		{path: "/usr/bin/env", read: true, row: "/", rule: "the host is read-only"},
		{path: "/", read: true, row: "/", rule: "the root itself"},
		{path: "/home/u/src/wt", read: true, write: true, row: "/home/u/src/wt", rule: "the worktree itself"},
		{path: "/home/u/src/wt/a/b c/ü", read: true, write: true, row: "/home/u/src/wt", rule: "below the worktree"},
		{path: "/home/u/src/wt/.git", read: true, row: "/home/u/src/wt/.git", rule: "a longer row wins"},
		{path: "/home/u/src/wt/.gitignore", read: true, write: true, row: "/home/u/src/wt", rule: "by component, not by prefix"},
		{path: "/home/u/src/wt/.env", own: true, row: "/home/u/src/wt/.env", rule: "hidden file"},
		{path: "/home/u/src/wt2", read: true, write: true, own: true, row: "/home/u", rule: "a sibling lies in the private home"},
		{path: "/home/u/src/repo/.git/config", read: true, row: "/home/u/src/repo", rule: "read below private"},
		{path: "/home/u/src/repo/wt2/x", read: true, write: true, row: "/home/u/src/repo/wt2", rule: "write below read below private"},
		{path: "/home/u/.bashrc", read: true, write: true, own: true, row: "/home/u", rule: "private is the lane's own"},
		{path: "/home/u2/.bashrc", read: true, row: "/", rule: "another home whose name begins alike"},
		{path: "/secret/key", own: true, row: "/secret", rule: "hidden directory"},
		{path: "/dev/null", read: true, write: true, own: true, row: "/dev", rule: "device node"},
		{path: "/dev/pts/0", read: true, write: true, own: true, row: "/dev", rule: "terminal"},
		{path: "/dev/pts", read: true, own: true, row: "/dev", rule: "the directory of terminals"},
		{path: "/dev/sda", read: true, own: true, row: "/dev", rule: "no node can be made"},
		{path: "/dev/null/x", read: true, own: true, row: "/dev", rule: "below a node"},
		{path: "/dev/shm/x", read: true, write: true, own: true, row: "/dev/shm", rule: "private below devices"},
		{path: "/proc/self/oom_score_adj", read: true, write: true, own: true, row: "/proc", rule: "own process"},
		{path: "/proc/12/comm", read: true, write: true, own: true, row: "/proc", rule: "own process by number"},
		{path: "/proc/sys/kernel/core_pattern", read: true, own: true, row: "/proc", rule: "kernel settings"},
		{path: "/proc/12x/comm", read: true, own: true, row: "/proc", rule: "no process"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			read, write := p.Decide(c.path, Read), p.Decide(c.path, Write)
			if read.Allowed != c.read || write.Allowed != c.write || read.Own != c.own || read.Row.Path != c.row {
				t.Errorf("%s: read %v write %v own %v row %q, want %v %v %v %q",
					c.path, read.Allowed, write.Allowed, read.Own, read.Row.Path, c.read, c.write, c.own, c.row)
			}
		})
	}
	for _, path := range []string{"", "relative", "/a/../b", "/a/", "//a"} {
		if p.Allows(path, Read) || p.Allows(path, Write) {
			t.Errorf("%q is not clean and absolute, and allowed", path)
		}
	}
	if p.Allows("/usr", "execute") || p.Allows("/home/u/src/wt", Private) {
		t.Error("an access that is no question was allowed")
	}
	if (Policy{}).Allows("/usr", Read) {
		t.Error("no row, and allowed")
	}
}

// Without Validate, of two rows for one path the stricter decides.
func TestDecideTie(t *testing.T) {
	rows := []Row{{Path: "/a", Access: Write}, {Path: "/a", Access: Hide}, {Path: "/a", Access: Read}}
	for range 6 {
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if d := (Policy{Rows: rows}).Decide("/a/x", Read); d.Allowed {
			t.Fatalf("%v: allowed by %v", rows, d.Row)
		}
	}
}

// Sorted puts parents first, whatever bytes sort before the slash.
func TestSorted(t *testing.T) {
	p := Policy{}
	for _, path := range []string{"/a/b/c", "/a/b-x", "/a/b", "/", "/a b/c", "/a", "/a/b!"} {
		p.Rows = append(p.Rows, Row{Path: path})
	}
	var got []string
	for _, row := range p.Sorted() {
		got = append(got, row.Path)
	}
	want := []string{"/", "/a", "/a/b", "/a/b/c", "/a/b!", "/a/b-x", "/a b/c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Property: replaying Sorted top to bottom, each row covering what lies below
// it, gives the row that Decide names.
func TestSortedAgreesWithDecide(t *testing.T) {
	for range 300 {
		p := Policy{Rows: []Row{{Path: "/", Access: Read}}}
		seen := map[string]bool{"/": true}
		for range rand.IntN(8) {
			if path := randomPath(4); !seen[path] {
				seen[path] = true
				p.Rows = append(p.Rows, Row{Path: path, Access: Write})
			}
		}
		for range 20 {
			path := randomPath(6)
			var last Row
			for _, row := range p.Sorted() {
				if Contains(row.Path, path) {
					last = row
				}
			}
			if got := p.Decide(path, Read).Row; got != last {
				t.Fatalf("%s: Decide says %v, order says %v in %v", path, got, last, p.Sorted())
			}
		}
	}
}

func randomPath(depth int) string {
	path := "/"
	for range 1 + rand.IntN(depth) {
		path = filepath.Join(path, []string{"a", "b", "ab", "a-b", "a b"}[rand.IntN(5)])
	}
	return path
}

// A pin stands at every directory between a row and the writable row over it.
func TestPins(t *testing.T) {
	p := policy(
		Row{Path: "/h", Access: Private, Size: 7, Mode: 0o700},
		Row{Path: "/h/src/wt", Access: Write},
		Row{Path: "/h/src/wt/.git", Access: Protect, File: true},
		Row{Path: "/h/src/wt/.claude/hooks", Access: Protect},
		Row{Path: "/h/src/wt/.claude/settings.json", Access: Protect, File: true},
		Row{Path: "/h/src/wt/third/party/sub/.git", Access: Protect, File: true},
		Row{Path: "/h/src/wt/third/party", Access: Read},
		Row{Path: "/h/bin/lane", Access: Read, File: true},
		Row{Path: "/x", Access: Write, Source: "/y/z"},
		Row{Path: "/x/a/b", Access: Protect},
	)
	got := map[string]Row{}
	for _, pin := range p.Pins() {
		if pin.Reason == "" {
			t.Errorf("%s: no reason", pin.Path)
		}
		pin.Reason = ""
		got[pin.Path] = pin
	}
	want := map[string]Row{
		"/h/src":            {Path: "/h/src", Access: Private, Size: 7, Mode: 0o700},
		"/h/bin":            {Path: "/h/bin", Access: Private, Size: 7, Mode: 0o700},
		"/h/src/wt/.claude": {Path: "/h/src/wt/.claude", Access: Write},
		"/h/src/wt/third":   {Path: "/h/src/wt/third", Access: Write},
		"/x/a":              {Path: "/x/a", Access: Write, Source: "/y/z/a"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Property: pins change no decision.
func TestPinsKeepDecisions(t *testing.T) {
	access := []Access{Read, Write, Protect, Hide, Private}
	for range 300 {
		p := Policy{Rows: []Row{{Path: "/", Access: Read}}}
		seen := map[string]bool{"/": true}
		for range rand.IntN(8) {
			if path := randomPath(5); !seen[path] {
				seen[path] = true
				p.Rows = append(p.Rows, Row{Path: path, Access: access[rand.IntN(len(access))]})
			}
		}
		pinned := Policy{Rows: slices.Concat(p.Rows, p.Pins())}
		for range 20 {
			path := randomPath(6)
			for _, a := range []Access{Read, Write} {
				if p.Allows(path, a) != pinned.Allows(path, a) {
					t.Fatalf("%s %s: %v without pins, with %v", a, path, p.Rows, p.Pins())
				}
			}
		}
	}
}

// Reopen opens the part of a hidden directory that a row names, there or at
// another place, and nothing above it.
func TestReopen(t *testing.T) {
	p := policy(
		Row{Path: "/lane", Access: Hide},
		Row{Path: "/lane/runs/1/state", Access: Write, Reopen: true},
		Row{Path: "/tmp/lane", Access: Write, Source: "/lane/runs/1/state/tmp", Reopen: true},
	)
	if err := Validate(p); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]bool{"/lane/runs/1/state/x": true, "/tmp/lane/x": true, "/lane/runs/1/record": false, "/lane/runs/2/state": false} {
		if p.Allows(path, Write) != want || p.Allows(path, Read) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}

// Every check refuses what it names, and an ordinary policy passes all.
func TestValidate(t *testing.T) {
	good := func() Policy {
		return policy(
			Row{Path: "/w", Access: Write},
			Row{Path: "/w/.git", Access: Protect, File: true},
			Row{Path: "/w/git", Access: Read, Source: "/state/git"},
			Row{Path: "/secret", Access: Hide},
			Row{Path: "/secret/ca", Access: Read},
			Row{Path: "/p", Access: Private, Size: 1, Mode: 0o700},
		)
	}
	if err := Validate(good()); err != nil {
		t.Fatal(err)
	}
	add := func(row Row) func(*Policy) {
		return func(p *Policy) {
			if row.Reason == "" {
				row.Reason = "test"
			}
			p.Rows = append(p.Rows, row)
		}
	}
	cases := []struct {
		check  string
		change func(*Policy)
	}{
		{"rows-present", func(p *Policy) { p.Rows = nil }},
		{"access-known", add(Row{Path: "/a", Access: "all"})},
		{"access-known", add(Row{Path: "/a"})},
		{"path-absolute", add(Row{Path: "a", Access: Read})},
		{"path-absolute", add(Row{Path: "", Access: Read})},
		{"path-absolute", add(Row{Path: "/a", Access: Read, Source: "b"})},
		{"path-clean", add(Row{Path: "/a/", Access: Read})},
		{"path-clean", add(Row{Path: "/a/../b", Access: Read})},
		{"path-clean", add(Row{Path: "/a", Access: Read, Source: "/b/./c"})},
		{"path-characters", add(Row{Path: "/a\nb", Access: Read})},
		{"path-characters", add(Row{Path: "/a\x7f", Access: Read})},
		{"path-characters", add(Row{Path: "/a\u0085", Access: Read})},
		{"path-characters", add(Row{Path: "/a\xff", Access: Read})},
		{"path-characters", add(Row{Path: "/a\x00", Access: Read})},
		{"path-characters", add(Row{Path: "/a", Access: Read, Source: "/b\x1b"})},
		{"reason-present", func(p *Policy) { p.Rows[0].Reason = " " }},
		{"reason-present", func(p *Policy) { p.Rows[0].Reason = "a\nb" }},
		{"source-allowed", add(Row{Path: "/a", Access: Hide, Source: "/b"})},
		{"source-allowed", add(Row{Path: "/a", Access: Private, Source: "/b"})},
		{"file-allowed", add(Row{Path: "/a", Access: Private, File: true})},
		{"size-allowed", add(Row{Path: "/a", Access: Private, Size: -1})},
		{"size-allowed", add(Row{Path: "/a", Access: Private, Mode: 0o4755})},
		{"size-allowed", add(Row{Path: "/a", Access: Write, Size: 1})},
		{"size-allowed", add(Row{Path: "/a", Access: Hide, Mode: 0o700})},
		{"root-row", func(p *Policy) { p.Rows = p.Rows[1:] }},
		{"root-row", func(p *Policy) { p.Rows[0].Access = Write }},
		{"root-row", func(p *Policy) { p.Rows[0].Source = "/other" }},
		{"root-row", add(Row{Path: "/", Access: Read})},
		{"fresh-dev-proc", func(p *Policy) { p.Rows = without(p.Rows, "/dev") }},
		{"fresh-dev-proc", func(p *Policy) { p.Rows = without(p.Rows, "/proc") }},
		{"fresh-dev-proc", add(Row{Path: "/w/dev", Access: Devices})},
		{"fresh-dev-proc", add(Row{Path: "/w/proc", Access: Processes})},
		{"path-once", add(Row{Path: "/w", Access: Write})},
		{"below-file", add(Row{Path: "/w/.git/x", Access: Read})},
		{"write-in-hidden", add(Row{Path: "/secret/x", Access: Write})},
		{"write-in-protected", func(p *Policy) {
			add(Row{Path: "/w/sub", Access: Protect})(p)
			add(Row{Path: "/w/sub/x", Access: Write})(p)
		}},
		{"source-shows-hidden", add(Row{Path: "/a", Access: Read, Source: "/secret/key"})},
		{"source-shows-hidden", add(Row{Path: "/a", Access: Read, Source: "/"})},
		{"source-writes-protected", add(Row{Path: "/a", Access: Write, Source: "/w/.git"})},
		{"source-writes-protected", add(Row{Path: "/a", Access: Write, Source: "/w"})},
		{"write-in-hidden", add(Row{Path: "/secret/x", Access: Write, Source: "/other"})},
		{"source-shows-hidden", add(Row{Path: "/a", Access: Read, Reopen: true, Source: "/"})},
		{"network-known", func(p *Policy) { p.Network = "" }},
		{"limits-positive", func(p *Policy) { p.Limits.Procs = -1 }},
	}
	tried := map[string]bool{}
	for _, c := range cases {
		tried[c.check] = true
		p := good()
		c.change(&p)
		var pe *PolicyError
		if err := Validate(p); !errors.As(err, &pe) || pe.Check != c.check {
			t.Errorf("want %s, got %v", c.check, err)
		}
	}
	for _, c := range checks {
		if !tried[c.name] {
			t.Errorf("check %s has no case", c.name)
		}
	}
}

func without(rows []Row, path string) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Path == path })
}

// The tables are such that a runner can put them into a policy as they are.
func TestTables(t *testing.T) {
	if err := Validate(policy(slices.Concat(RunRows(), RootSecrets())...)); err != nil {
		t.Error(err)
	}
	var rows []Row
	for _, s := range HomeSecrets() {
		rows = append(rows, Row{Path: filepath.Join("/home/u", s.Path), Access: Hide, File: s.File, Reason: s.Reason})
		if s.Kind == "" || strings.HasPrefix(s.Path, "/") {
			t.Errorf("secret %+v", s)
		}
	}
	if err := Validate(policy(rows...)); err != nil {
		t.Error(err)
	}
	rows = []Row{{Path: "/w", Access: Write}}
	harness := map[string]bool{}
	for _, w := range Wiring() {
		rows = append(rows, Row{Path: filepath.Join("/w", w.Path), Access: Protect, File: !w.Dir, Reason: w.Reason})
		harness[w.Harness] = true
	}
	if err := Validate(policy(rows...)); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"claude-code", "codex", "gemini-cli", "copilot", "antigravity"} {
		if !harness[name] {
			t.Errorf("no wiring of %s", name)
		}
	}
}
