package dialect

import (
	"strings"
	"testing"
	"time"

	"lane/hookguard"
)

// TestAntigravityRows are the rows of Antigravity.
func TestAntigravityRows(t *testing.T) {
	agy := func(t *testing.T, event, payload string) reply {
		t.Helper()
		r := hook(t, adaFacts, payload, "--harness", "antigravity", "--event", event)
		if r.code != 0 || r.stderr != "" {
			t.Errorf("%s: %+v", event, r)
		}
		return r
	}
	shell := antigravityCall("run_command", fields{"CommandLine": write})
	invocation := func(n, steps int, prompt string) string {
		return js(fields{"conversationId": "c1", "workspacePaths": []string{adaCwd}, "invocationNum": n, "initialNumSteps": steps, "lastUserInput": prompt})
	}
	empty := func(r reply) bool { return strings.TrimSpace(r.stdout) == "{}" }
	secret := "use ghp_a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2"
	runRows(t, []row{
		{153, "the shape; --event names the event", func(t *testing.T) {
			if r := agy(t, "PreToolUse", shell); r.at(t, "decision") != "deny" {
				t.Errorf("%+v", r)
			}
			if r := hook(t, adaFacts, shell, "--harness", "antigravity"); r.code != 0 || r.at(t, "decision") != "deny" || !strings.Contains(r.stdout, "--event") {
				t.Errorf("%+v", r)
			}
		}},
		{154, "session, directory, tools", func(t *testing.T) {
			d, _ := Lookup("antigravity")
			c, err := d.Read([]byte(shell), "PreToolUse")
			if err != nil || c.Session != "c1" || c.Cwd != adaCwd {
				t.Errorf("%+v %v", c, err)
			}
			t.Setenv("HOME", "/home/ada")
			if c, err := d.Read([]byte(`{"conversationId":"c","invocationNum":0}`), "PreInvocation"); err != nil || c.Cwd != "/home/ada" {
				t.Errorf("%+v %v", c, err)
			}
			for tool, want := range map[string]string{"run_command": "Bash", "read_file": "Read", "write_file": "Write", "edit_file": "Edit", "view_file": "Read", "replace_file_content": "Edit", "write_to_file": "Write"} {
				if got, _ := antigravityTool(tool, []byte("{}")); got != want {
					t.Errorf("%s is %s, want %s", tool, got, want)
				}
			}
		}},
		{155, "always JSON with exit 0", func(t *testing.T) {
			for event := range antigravityEvents {
				for _, payload := range []string{"", "{", "[]", "7", "{}", shell, invocation(0, 0, "x"), invocation(3, 0, "x")} {
					agy(t, event, payload).json(t)
				}
			}
		}},
		{156, "SessionStart injects a system message", func(t *testing.T) {
			r := written("antigravity", Call{Native: "SessionStart", Event: hookguard.Event{Kind: "SessionStart"}}, sayHint)
			if r.at(t, "injectSteps", "systemMessage", "systemMessage") == "" {
				t.Errorf("%+v", r)
			}
			if r := agy(t, "SessionStart", `{"conversationId":"c1"}`); !empty(r) {
				t.Errorf("%+v", r)
			}
		}},
		{157, "a secret in a new prompt terminates the turn", func(t *testing.T) {
			r := agy(t, "PreInvocation", invocation(0, 0, secret))
			if r.at(t, "terminationBehavior") != "terminate" || r.at(t, "injectSteps", "errorMessage", "userMessage") == "" {
				t.Errorf("%+v", r)
			}
			if r := agy(t, "PreInvocation", invocation(0, 0, "hello")); !empty(r) {
				t.Errorf("%+v", r)
			}
		}},
		{158, "a later request of the turn is not judged again", func(t *testing.T) {
			if r := agy(t, "PreInvocation", invocation(1, 0, secret)); !empty(r) {
				t.Errorf("%+v", r)
			}
		}},
		{159, "deny, force_ask, allow for no opinion; never auto_approve", func(t *testing.T) {
			c := Call{Native: "PreToolUse", Event: hookguard.Event{Kind: "PreToolUse"}}
			for v, want := range map[*hookguard.Verdict]string{&sayDeny: "deny", &sayAsk: "force_ask", &sayHint: "allow", &sayNone: "allow"} {
				r := written("antigravity", c, *v)
				if r.at(t, "decision") != want || (r.at(t, "reason") == "") != (v == &sayNone) {
					t.Errorf("%s: %+v", want, r)
				}
			}
		}},
		{160, "what is found after a tool is told at the next request, once", func(t *testing.T) {
			r := written("antigravity", Call{Native: "PostToolUse", Event: hookguard.Event{Kind: "PostToolUse"}}, sayHint)
			if !empty(r) {
				t.Errorf("%+v", r)
			}
			d, _ := Lookup("antigravity")
			f, text := aloneFacts(t, false)
			sessionsOf(f).keep("c1", d.Write(Call{Native: "PostToolUse", Session: "c1"}, sayHint).Keep)
			args := []string{"--harness", "antigravity", "--event", "PreInvocation"}
			first, second := hook(t, text, invocation(2, 0, "x"), args...), hook(t, text, invocation(3, 0, "x"), args...)
			if !strings.Contains(first.at(t, "injectSteps", "systemMessage", "systemMessage"), "mind the step") || !empty(second) {
				t.Errorf("%+v, then %+v", first, second)
			}
		}},
		{161, "the ends say nothing", func(t *testing.T) {
			for _, event := range []string{"PostInvocation", "Stop", "PostToolUse"} {
				if r := agy(t, event, invocation(1, 0, secret)); !empty(r) {
					t.Errorf("%s: %+v", event, r)
				}
			}
		}},
		{162, "headless an ask is a deny with the way on", func(t *testing.T) {
			t.Setenv("CI", "true")
			f, _ := aloneFacts(t, false)
			if r := judged(t, "antigravity", shell, sayAsk, f, "PreToolUse"); r.at(t, "decision") != "deny" || !strings.Contains(r.stdout, "Nobody is there") {
				t.Errorf("%+v", r)
			}
		}},
		{164, "own errors refuse in the event's own words", func(t *testing.T) {
			if r := agy(t, "PreToolUse", "{"); r.at(t, "decision") != "deny" || r.at(t, "reason") == "" {
				t.Errorf("%+v", r)
			}
			if r := agy(t, "PreInvocation", "{"); r.at(t, "terminationBehavior") != "terminate" {
				t.Errorf("%+v", r)
			}
			if r := agy(t, "SessionStart", "{"); r.at(t, "injectSteps", "systemMessage", "systemMessage") == "" {
				t.Errorf("%+v", r)
			}
			if r := agy(t, "PostToolUse", "{"); !empty(r) {
				t.Errorf("%+v", r)
			}
			if r := hook(t, "no facts", shell, "--harness", "antigravity", "--event", "PreToolUse"); r.code != 0 || r.at(t, "decision") != "deny" {
				t.Errorf("%+v", r)
			}
			d, _ := Lookup("antigravity")
			if a := within(time.Second, d, "PreToolUse", func() Answer { panic("x") }); a.Exit != 0 || !strings.Contains(a.Stdout, `"deny"`) {
				t.Errorf("%+v", a)
			}
		}},
		{165, "ten seconds in the wiring, the answer well before", func(t *testing.T) {
			if text := wired(t, "antigravity", "PreToolUse"); !strings.Contains(text, `"timeout":10`) || Deadline > 5*time.Second {
				t.Error(text)
			}
		}},
		{166, "one answer per event; a quick second prompt is still checked", func(t *testing.T) {
			f, _ := aloneFacts(t, false)
			if r := judged(t, "antigravity", shell, sayDeny, f, "PreToolUse"); r.at(t, "decision") != "deny" {
				t.Errorf("%+v", r)
			}
			if r := judged(t, "antigravity", shell, sayDeny, f, "PreToolUse"); r.at(t, "decision") != "allow" {
				t.Errorf("the second: %+v", r)
			}
			for _, prompt := range []string{invocation(0, 0, "one"), invocation(0, 0, "two"), invocation(0, 7, "two")} {
				if r := judged(t, "antigravity", prompt, sayDeny, f, "PreInvocation"); r.at(t, "terminationBehavior") != "terminate" {
					t.Errorf("%s: %+v", prompt, r)
				}
			}
			unnumbered := strings.Replace(shell, `"stepIdx":3,`, "", 1)
			for range 2 {
				if r := judged(t, "antigravity", unnumbered, sayDeny, f, "PreToolUse"); r.at(t, "decision") != "deny" {
					t.Errorf("%+v", r)
				}
			}
		}},
		{167, "what a session leaves is removed after a week", TestPrune},
		{168, "names of servers' tools", func(t *testing.T) {
			for name, want := range map[string]string{"mcp__files__write_x": "mcp__files__write_x", "files/write_x": "mcp__files__write_x", "mcp_files_write_x": "mcp__files__write_x", "multi_replace_file_content": "MultiEdit", "view_file_outline": "Read"} {
				if got, _ := antigravityTool(name, []byte("{}")); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			for _, arguments := range []any{fields{"path": "/etc/x"}, `{"path":"/etc/x"}`} {
				r := agy(t, "PreToolUse", antigravityCall("call_mcp_tool", fields{"ServerName": "files", "ToolName": "write_x", "Arguments": arguments}))
				if r.at(t, "decision") != "deny" || !strings.Contains(r.stdout, "mcp__files__write_x") {
					t.Errorf("%v: %+v", arguments, r)
				}
			}
		}},
	})
}
