package hookguard

import (
	"encoding/json"
	"testing"
)

// exampleFacts are what the examples beside the rules assume.
var exampleFacts = Facts{
	Worktree: "/wt/proj", GitDir: "/srv/repo/.git/worktrees/proj", CommonDir: "/srv/repo/.git",
	Tmp: "/wt/.lane/tmp", Home: "/home/dev", User: "dev", LaneHome: "/home/dev/.lane",
}

func (e Example) judge() Verdict {
	facts := exampleFacts
	if e.Set != nil {
		e.Set(&facts)
	}
	ev := Event{Harness: "claude-code", Kind: "PreToolUse", Tool: e.Tool, Cwd: "/wt/proj"}
	key := "file_path"
	if e.Tool == "" {
		ev.Tool, key = "Bash", "command"
	}
	ev.Input, _ = json.Marshal(map[string]string{key: e.Text})
	return JudgeOn(LinkMap{}, ev, facts)
}

// TestRuleExamples runs the inputs each rule must catch and must pass.
func TestRuleExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("rule %s is listed twice", r.ID)
		}
		seen[r.ID] = true
		if len(r.Pass) == 0 || r.Says == "" {
			t.Errorf("rule %s has no text or nothing it must pass", r.ID)
		}
		for _, e := range r.Catch {
			if v := e.judge(); v.Rule != r.ID {
				t.Errorf("%s must catch %s %q: got %q %s", r.ID, e.Tool, e.Text, v.Rule, v.Reason)
			}
		}
		for _, e := range r.Pass {
			if v := e.judge(); v.Decision != None {
				t.Errorf("%s must pass %s %q: got %s %s", r.ID, e.Tool, e.Text, v.Rule, v.Reason)
			}
		}
	}
}
