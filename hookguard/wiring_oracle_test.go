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
	// Only what lies at the worktree's root: the guard says no to an agent's
	// wiring in a nested directory as well, which the layer cannot know.
	nested := func(path string) bool {
		first, rest, _ := strings.Cut(path, "/")
		for _, w := range sandbox.Wiring() {
			name, _, _ := strings.Cut(w.Path, "/")
			if strings.Contains("/"+rest+"/", "/"+name+"/") && first != "" {
				return true
			}
		}
		return false
	}
	judge := func(tool, path string) Verdict {
		input, _ := json.Marshal(map[string]string{"file_path": path, "command": "echo x > '" + path + "'"})
		return JudgeOn(LinkMap{}, Event{Kind: "PreToolUse", Tool: tool, Input: input, Cwd: facts.Worktree}, facts)
	}
	refused, let := 0, 0
	check := func(path string) {
		want := !policy.Allows(facts.Worktree+"/"+path, sandbox.Write)
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
		if !nested(path) {
			check(path)
		}
	}
	if refused < 500 || let < 200 {
		t.Errorf("%d refused and %d let through: too few of one kind to mean anything", refused, let)
	}
}
