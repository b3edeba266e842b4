package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lane is the facts that the recorded payloads were taken with.
const recordedFacts = `{"worktree":"/srv/lanes/lane-a","gitdir":"/srv/repo/.git/worktrees/lane-a","commondir":"/srv/repo/.git","tmp":"/tmp/lane","home":"/home/dev","user":"dev","lanehome":"/home/dev/.local/state/lane","headless":true}`

// refusedFixtures are the recorded events that must not go on.
var refusedFixtures = map[string]string{
	"PreToolUse-Agent-isolation-worktree.json": "lane/worktree-tool",
	"PreToolUse-EnterWorktree.json":            "lane/worktree-tool",
	"PreToolUse-Write-sharedgit.json":          "lane/shared-git",
	"WorktreeCreate-Agent.json":                "lane/worktree-tool",
	"WorktreeCreate-EnterWorktree.json":        "lane/worktree-tool",
}

// runHook calls Main with facts in a file.
func runHook(t *testing.T, facts, payload string, extra ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "facts.json")
	if err := os.WriteFile(file, []byte(facts), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--harness", "claude-code", "--plan", file}, extra...)
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(payload), &out, &errs)
	return code, out.String(), errs.String()
}

// TestClaudeFixtures answers every recorded payload of the real Claude Code.
func TestClaudeFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/claude-code/*.json")
	if err != nil || len(files) != 33 {
		t.Fatalf("want 33 recorded payloads, have %d (%v)", len(files), err)
	}
	for _, name := range files {
		payload, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := runHook(t, recordedFacts, string(payload))
		if rule := refusedFixtures[filepath.Base(name)]; rule != "" {
			if code != 2 || stdout != "" || !strings.Contains(stderr, rule) {
				t.Errorf("%s: exit %d, stdout %q, stderr %q; want a refusal by %s", name, code, stdout, stderr, rule)
			}
			continue
		}
		if code != 0 || stdout != "" || stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want silence", name, code, stdout, stderr)
		}
	}
}

func preToolUse(tool string, input map[string]string) string {
	raw, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/srv/lanes/lane-a", "tool_name": tool, "tool_input": input})
	return string(raw)
}

// TestClaudeAnswers pins the form of each kind of answer.
func TestClaudeAnswers(t *testing.T) {
	code, stdout, stderr := runHook(t, recordedFacts, preToolUse("Write", map[string]string{"file_path": "/tmp/x"}))
	if code != 2 || stdout != "" || !strings.Contains(stderr, "/tmp/lane") {
		t.Errorf("deny: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	ask := preToolUse("Bash", map[string]string{"command": "rm -rf $(where-is-it)"})
	code, stdout, stderr = runHook(t, recordedFacts, ask)
	if code != 2 || stdout != "" || stderr == "" {
		t.Errorf("headless ask: exit %d, stdout %q, stderr %q; want a deny", code, stdout, stderr)
	}
	attended := strings.Replace(recordedFacts, `"headless":true`, `"headless":false`, 1)
	code, stdout, _ = runHook(t, attended, ask)
	var answer struct {
		HookSpecificOutput struct{ HookEventName, PermissionDecision, PermissionDecisionReason string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || answer.HookSpecificOutput.PermissionDecision != "ask" {
		t.Errorf("ask: exit %d, stdout %q (%v)", code, stdout, err)
	}
}

// TestMainFailsClosed: what the guard cannot judge does not run, and nothing
// is printed that a harness could take for an answer.
func TestMainFailsClosed(t *testing.T) {
	write := preToolUse("Write", map[string]string{"file_path": "a"})
	for _, c := range []struct {
		name, facts, payload string
		args                 []string
	}{
		{name: "no JSON", facts: recordedFacts, payload: "{bad"},
		{name: "empty input", facts: recordedFacts, payload: ""},
		{name: "array", facts: recordedFacts, payload: "[]"},
		{name: "no event", facts: recordedFacts, payload: "{}"},
		{name: "no tool", facts: recordedFacts, payload: `{"hook_event_name":"PreToolUse"}`},
		{name: "wrong types", facts: recordedFacts, payload: `{"hook_event_name":7}`},
		{name: "facts no JSON", facts: "x", payload: write},
		{name: "facts empty", facts: "{}", payload: write},
		{name: "facts relative", facts: `{"worktree":"a"}`, payload: write},
		{name: "unknown flag", facts: recordedFacts, payload: write, args: []string{"--allow"}},
		{name: "flag without value", facts: recordedFacts, payload: write, args: []string{"--harness"}},
		{name: "unknown harness", facts: recordedFacts, payload: write, args: []string{"--harness", "nobody"}},
		{name: "no harness", facts: recordedFacts, payload: write, args: []string{"--harness="}},
		{name: "both files", facts: recordedFacts, payload: write, args: []string{"--facts=x"}},
		{name: "oversize", facts: recordedFacts, payload: strings.Repeat(" ", maxPayload+1)},
	} {
		code, stdout, stderr := runHook(t, c.facts, c.payload, c.args...)
		if code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want exit 2 with text on stderr only", c.name, code, stdout, stderr)
		}
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"--harness", "claude-code"}, strings.NewReader(write), &out, &errs); code != 2 {
		t.Errorf("without facts: exit %d", code)
	}
}

// TestFactsInPlan: the sealed plan holds the facts under a key of its own.
func TestFactsInPlan(t *testing.T) {
	plan := `{"argv":["claude"],"facts":` + recordedFacts + `}`
	code, _, stderr := runHook(t, plan, preToolUse("Write", map[string]string{"file_path": "../x"}))
	if code != 2 || !strings.Contains(stderr, "lane/outside") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

// TestWithinAnswers: a panic and a hang become the harness's refusal.
func TestWithinAnswers(t *testing.T) {
	d, _ := Lookup("claude-code")
	if a := within(Deadline, d, "", func() Answer { panic("x") }); a.Exit != 2 || a.Stderr == "" {
		t.Errorf("panic: %+v", a)
	}
	if a := within(1, d, "", func() Answer { select {} }); a.Exit != 2 || a.Stderr == "" {
		t.Errorf("hang: %+v", a)
	}
}

// TestRegisterTwice: two dialects of one name are a defect of the program.
func TestRegisterTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	register(Dialect{Name: "claude-code"})
}
