package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"lane/hookguard"
)

// wired is the hook of an event as an installation writes it, compact.
func wired(t *testing.T, harness, event string) string {
	t.Helper()
	d, _ := Lookup(harness)
	text, err := json.Marshal(d.Wiring.Entry(event, []string{"/opt/bin/lane", "hook", "--harness", harness}))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCapabilities holds what the manual says of each harness against what
// its dialect does.
func TestCapabilities(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "antigravity claude-code codex copilot gemini-cli" {
		t.Errorf("harnesses: %s", got)
	}
	for _, name := range Names() {
		d, _ := Lookup(name)
		can := d.Can
		if can.Measured == "" || can.Deny == "" || can.Ask == "" || can.Tell == "" || can.Prompt == "" || len(can.Events) == 0 {
			t.Errorf("%s: %+v", name, can)
		}
		for _, m := range Mishaps() {
			if can.Failure[m] == "" {
				t.Errorf("%s: what becomes of %s?", name, m)
			}
		}
		// What is wired has an opinion.
		for _, event := range d.Wiring.Events {
			if !strings.Contains(" "+strings.Join(can.Events, " ")+" ", " "+event+" ") {
				t.Errorf("%s: %s is wired and not judged", name, event)
			}
		}
		// A refusal of the guard's own is one that blocks there.
		for _, event := range append([]string{""}, can.Events...) {
			a := d.Fail(event, "x")
			switch {
			case a.Exit == 0 && a.Stdout != "":
				if name == "claude-code" || name == "codex" || name == "gemini-cli" {
					t.Errorf("%s fails by JSON", name)
				}
			case a.Exit != 2 || a.Stderr == "" || can.Failure[ExitTwo] != Blocks:
				t.Errorf("%s, %s: %+v does not block", name, event, a)
			}
		}
		// The ask as it is described.
		headless := d.CanAsk(Call{Event: hookguard.Event{Kind: "PreToolUse"}}, hookguard.Facts{Headless: true, Version: "9.0"})
		if headless || !strings.Contains(can.Ask, "deny") {
			t.Errorf("%s: headless %v, %q", name, headless, can.Ask)
		}
		for _, diff := range can.Differs {
			if diff.Row == 0 || diff.Wanted == "" || diff.Does == "" {
				t.Errorf("%s: %+v", name, diff)
			}
		}
	}
}

// TestMainRefusesUnknownHarnesses, missing ones, and words it does not know,
// with exit 2 wherever the harness would obey it.
func TestMainRefusesUnknownHarnesses(t *testing.T) {
	payload := claudeLike("PreToolUse", "Bash", fields{"command": "ls"}, nil)
	for _, args := range [][]string{{}, {"--harness", "nobody"}, {"--harness="}, {"--harness"}, {"--harness", "nobody", "--allow"}, {"--harness", "codex", "--allow"}, {"--harness", "gemini-cli", "--event"}} {
		if r := hook(t, adaFacts, payload, args...); r.code != 2 || r.stdout != "" || r.stderr == "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := hook(t, adaFacts, payload, "--harness", "antigravity", "--allow"); r.code != 0 || r.at(t, "decision") != "deny" {
		t.Errorf("%+v", r)
	}
	if r := hook(t, adaFacts, payload, "--harness", "copilot", "--allow"); r.at(t, "permissionDecision") != "deny" {
		t.Errorf("%+v", r)
	}
}

// TestLooseFields: a field that the guard can do without is no reason to
// refuse a call when it is of another type; one that it needs is.
func TestLooseFields(t *testing.T) {
	for _, more := range []fields{{"source": fields{"a": 1}}, {"tool_use_id": 7}, {"turn_id": nil}, {"mcp_context": "x"}, {"prompt": []string{"x"}}, {"session_id": 1}, {"timestamp": true}} {
		for _, h := range []struct{ harness, event, tool string }{{"claude-code", "PreToolUse", "Bash"}, {"codex", "PreToolUse", "Bash"}, {"gemini-cli", "BeforeTool", "run_shell_command"}, {"copilot", "PreToolUse", "Bash"}} {
			if r := hook(t, adaFacts, claudeLike(h.event, h.tool, fields{"command": "ls"}, more), "--harness", h.harness); !r.silent() {
				t.Errorf("%s, %v: %+v", h.harness, more, r)
			}
		}
	}
	// A prompt in parts is looked through all the same.
	parts := js(fields{"hook_event_name": "UserPromptSubmit", "cwd": adaCwd, "prompt": []any{fields{"text": "ghp_a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2"}}})
	for _, harness := range []string{"claude-code", "codex", "copilot"} {
		if r := hook(t, adaFacts, parts, "--harness", harness); !strings.Contains(r.stdout, "lane/secret-in-prompt") {
			t.Errorf("%s: %+v", harness, r)
		}
	}
}
