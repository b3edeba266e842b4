package confine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lane/sandbox"
)

// Property: what Policy.Decide says is what a real lane does, for random
// policies over a tree with awkward names, links included.
func TestOracleAgreesWithReality(t *testing.T) {
	asBoth(t, func(t *testing.T) { oracleRounds(t, newFixture(t)) })
}

func oracleRounds(t *testing.T, f *fixture) {
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		seed := rand.Uint64()
		if !t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) { oracleRound(t, f, seed) }) {
			return
		}
	}
}

var awkward = []string{"a", "b c", "ü\u202e", "[p]*", "-x", "a\\b", "$(id)", "'q\""}

func oracleRound(t *testing.T, f *fixture, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	tree := filepath.Join(f.Dir, fmt.Sprintf("tree-%d", seed))
	dirs, files := growTree(t, rng, tree)
	defer os.RemoveAll(tree)
	links := plantLinks(t, rng, tree, dirs)
	var p sandbox.Policy
	for {
		p = f.Layer.Fit(randomPolicy(rng, f, tree, dirs, files))
		if sandbox.Validate(p) == nil && CheckPaths(p) == nil {
			break
		}
	}
	list := filepath.Join(f.Dir, "list.json")
	names := slices.Concat(dirs, files, links)
	b, err := json.Marshal(names)
	must(t, err)
	must(t, os.WriteFile(list, b, 0o644))
	before := hostState(t, tree, "")

	plan := f.Layer.Checks(p)
	plan.Argv, plan.Path, plan.Dir = []string{f.Lane, "act", "look", list}, f.Lane, "/"
	opt := f.options()
	opt.Cwd = ""
	argv, err := f.Layer.Argv(p, []string{f.Lane, "confine"}, opt)
	must(t, err)
	o := f.startChild(t, nil, argv, plan)
	var seen []sight
	if err := json.Unmarshal([]byte(o.Out), &seen); err != nil || len(seen) != len(names) {
		t.Fatalf("%v: %s %s\n%s", err, o.Report.Reason, o.Report.Detail, o.Out)
	}
	for _, s := range seen {
		if slices.Contains(links, s.Path) {
			judgeLink(t, p, s)
		} else {
			judge(t, p, s)
		}
	}
	if after := hostState(t, tree, ""); after != before {
		t.Errorf("the host changed:\n%s\n%s", before, after)
	}
	if t.Failed() {
		t.Logf("policy: %s", toJSON(p.Sorted()))
	}
}

// growTree makes directories and files; each file holds its own path.
func growTree(t *testing.T, rng *rand.Rand, tree string) (dirs, files []string) {
	must(t, os.Mkdir(tree, 0o755))
	dirs = []string{tree}
	for range 12 {
		dir := filepath.Join(dirs[rng.IntN(len(dirs))], awkward[rng.IntN(len(awkward))])
		if os.Mkdir(dir, 0o755) == nil {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for range 2 {
			file := filepath.Join(dir, "f"+awkward[rng.IntN(len(awkward))])
			if !slices.Contains(files, file) {
				write(t, file, file)
				files = append(files, file)
			}
		}
	}
	return dirs, files
}

func plantLinks(t *testing.T, rng *rand.Rand, tree string, dirs []string) (through []string) {
	for i := range 4 {
		link := filepath.Join(dirs[rng.IntN(len(dirs))], fmt.Sprintf("link%d", i))
		target := dirs[rng.IntN(len(dirs))]
		must(t, os.Symlink(target, link))
		entries, err := os.ReadDir(target)
		must(t, err)
		through = append(through, link)
		for _, e := range entries {
			if e.Type().IsRegular() {
				through = append(through, filepath.Join(link, e.Name()))
			}
		}
	}
	return through
}

func randomPolicy(rng *rand.Rand, f *fixture, tree string, dirs, files []string) sandbox.Policy {
	p := sandbox.Policy{Rows: existing(sandbox.BaseRows()), Network: sandbox.NetworkNone, Nesting: f.Layer.Namespaces() && rng.IntN(2) == 0}
	add := func(row sandbox.Row) {
		row.Reason = "random"
		p.Rows = append(p.Rows, row)
	}
	add(sandbox.Row{Path: f.Dir, Access: sandbox.Read})
	kinds := []sandbox.Access{sandbox.Read, sandbox.Write, sandbox.Write, sandbox.Protect, sandbox.Hide, sandbox.Private}
	for range 1 + rng.IntN(7) {
		row := sandbox.Row{Path: dirs[rng.IntN(len(dirs))], Access: kinds[rng.IntN(len(kinds))]}
		if rng.IntN(3) == 0 {
			row = sandbox.Row{Path: files[rng.IntN(len(files))], Access: kinds[rng.IntN(len(kinds)-1)], File: true}
		}
		withSource := f.Layer.Namespaces() && rng.IntN(5) == 0 && (row.Access == sandbox.Read || row.Access == sandbox.Write || row.Access == sandbox.Protect)
		if withSource && row.File {
			row.Source = files[rng.IntN(len(files))]
		} else if withSource {
			row.Source = dirs[rng.IntN(len(dirs))]
		}
		add(row)
	}
	return p
}

// judge compares one path of the host's tree with the decision about it.
func judge(t *testing.T, p sandbox.Policy, s sight) {
	read, writing := p.Decide(s.Path, sandbox.Read), p.Decide(s.Path, sandbox.Write)
	source := shown(read.Row, s.Path)
	_, err := os.Lstat(source)
	visible := err == nil && !read.Own && read.Allowed
	if info, err := os.Stat(source); err == nil && info.IsDir() != s.Dir && visible {
		// A file over a directory and the like: the mount would have failed.
		t.Errorf("%q: kind differs", s.Path)
		return
	}
	switch {
	case visible && s.Read != "ok":
		t.Errorf("%q: Decide says readable (%s row %q), got %s", s.Path, read.Row.Access, read.Row.Path, s.Read)
	case visible && !s.Dir && s.Content != source:
		t.Errorf("%q: content %q, want that of %q", s.Path, s.Content, source)
	case !visible && !s.Dir && s.Content != "":
		t.Errorf("%q: Decide says not shown (%s row %q), content %q", s.Path, read.Row.Access, read.Row.Path, s.Content)
	}
	switch {
	case s.Write == "ok" && !writing.Allowed:
		t.Errorf("%q: Decide says read-only (%s row %q), written", s.Path, writing.Row.Access, writing.Row.Path)
	case s.Write != "ok" && writing.Allowed && visible:
		t.Errorf("%q: Decide says writable (%s row %q), got %s", s.Path, writing.Row.Access, writing.Row.Path, s.Write)
	}
}

// judgeLink: through a link only what Decide allows at the end of it; that
// the link itself may be out of sight makes the other direction moot.
func judgeLink(t *testing.T, p sandbox.Policy, s sight) {
	dir, base := filepath.Dir(s.Path), filepath.Base(s.Path)
	end, err := os.Readlink(s.Path)
	if err != nil {
		target, err := os.Readlink(dir)
		must(t, err)
		end = filepath.Join(target, base)
	}
	if s.Write == "ok" && !p.Allows(end, sandbox.Write) {
		t.Errorf("%q: written through the link to %q", s.Path, end)
	}
	if d := p.Decide(end, sandbox.Read); s.Content != "" && (!d.Allowed || d.Own) {
		t.Errorf("%q: read through the link to %q", s.Path, end)
	}
}
