package hookguard

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"lane/sandbox"
)

// wiringPolicy is what the operating system layer enforces in a worktree
// whose wiring all exists.
func wiringPolicy(worktree string) sandbox.Policy {
	p := sandbox.Policy{Rows: []sandbox.Row{{Path: "/", Access: sandbox.Read}, {Path: worktree, Access: sandbox.Write}}}
	for _, w := range sandbox.Wiring() {
		p.Rows = append(p.Rows, sandbox.Row{Path: worktree + "/" + w.Path, Access: sandbox.Protect, File: !w.Dir})
	}
	return p
}

// TestWiringAgreesWithPolicy: in a run, the guard says no to a write exactly
// where the layer below refuses it, so that the agent is told why instead of
// meeting a read-only file; and says nothing where the layer lets it through.
// The paths are made of the table's own components, in every order.
func TestWiringAgreesWithPolicy(t *testing.T) {
	facts := exampleFacts
	inRun(&facts)
	policy := wiringPolicy(facts.Worktree)
	var parts []string
	for _, w := range sandbox.Wiring() {
		parts = append(parts, strings.Split(w.Path, "/")...)
	}
	below := sandbox.NewWiringBelow()
	refuses := func(path string) bool {
		names := strings.Split(path, "/")
		for i := range names {
			if _, ok := below.Find(strings.Join(names[:i+1], "/")); ok {
				return true
			}
		}
		return !policy.Allows(facts.Worktree+"/"+path, sandbox.Write)
	}
	judge := func(tool, path string) Verdict {
		input, _ := json.Marshal(map[string]string{"file_path": path, "command": "echo x > '" + path + "'"})
		return JudgeOn(LinkMap{}, Event{Kind: "PreToolUse", Tool: tool, Input: input, Cwd: facts.Worktree}, facts)
	}
	refused, let := 0, 0
	check := func(path string) {
		want := refuses(path)
		for _, tool := range []string{"Write", "Bash"} {
			v := judge(tool, path)
			if got := v.Decision == Deny; got != want || got && v.Rule != wiring.ID {
				t.Errorf("%s %s: the guard says %s %s, the layer refuses: %v", tool, path, v.Decision, v.Rule, want)
			}
		}
		if want {
			refused++
		} else {
			let++
		}
	}
	for _, w := range sandbox.Wiring() {
		check(w.Path)
		check(w.Path + "x")
		if w.Dir {
			check(w.Path + "/a.md")
			check(w.Path + "/a/b.md")
			check(w.Path + "/a/b.json")
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	tails := []string{"a.md", "a.json", "SKILL.md", "settings.json", "b/c.md"}
	for range 3000 {
		path := parts[random.IntN(len(parts))]
		for range random.IntN(3) {
			path += "/" + parts[random.IntN(len(parts))]
		}
		path += "/" + tails[random.IntN(len(tails))]
		check(path)
		check("node_modules/" + path)
	}
	if refused < 500 || let < 500 {
		t.Errorf("%d refused and %d let through: too few of one kind to mean anything", refused, let)
	}
}
