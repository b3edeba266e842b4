package dialect

import (
	"strings"
	"testing"

	"lane/hookguard"
)

// TestGeminiRows are the rows of the Gemini CLI.
func TestGeminiRows(t *testing.T) {
	gemini := func(t *testing.T, payload string) reply {
		t.Helper()
		return hook(t, adaFacts, payload, "--harness", "gemini-cli")
	}
	call := func(tool string, input any, more fields) string { return claudeLike("BeforeTool", tool, input, more) }
	shell := call("run_shell_command", fields{"command": write}, stamp)
	runRows(t, []row{
		{139, "the shape, the tools, and the events without an opinion", func(t *testing.T) {
			for tool, input := range map[string]fields{
				"run_shell_command": {"command": write}, "write_file": {"file_path": "/etc/x"}, "replace": {"file_path": "/etc/x"}, "mcp_files_write_file": {"path": "/etc/x"},
			} {
				if r := gemini(t, call(tool, input, stamp)); r.code != 0 || r.at(t, "decision") != "deny" {
					t.Errorf("%s: %+v", tool, r)
				}
			}
			if r := gemini(t, call("read_file", fields{"file_path": "/etc/hosts"}, stamp)); !r.silent() {
				t.Errorf("%+v", r)
			}
			for _, event := range []string{"BeforeModel", "AfterModel", "BeforeToolSelection", "Notification", "PreCompress", "SessionStart", "SomethingNew"} {
				if r := gemini(t, claudeLike(event, "run_shell_command", fields{"command": write}, stamp)); !r.silent() {
					t.Errorf("%s: %+v", event, r)
				}
			}
		}},
		{140, "SessionStart takes a hint as Claude Code does", func(t *testing.T) {
			r := written("gemini-cli", Call{Native: "SessionStart", Event: hookguard.Event{Kind: "SessionStart"}}, sayHint)
			if r.at(t, "hookSpecificOutput", "additionalContext") == "" {
				t.Errorf("%+v", r)
			}
		}},
		{141, "a prompt with a secret is denied", TestPromptsWithSecrets},
		{142, "deny carries rule and reason", func(t *testing.T) {
			if r := gemini(t, shell); r.at(t, "decision") != "deny" || !strings.HasPrefix(r.at(t, "reason"), "lane (lane/temp-block): ") || len(r.json(t)) != 2 {
				t.Errorf("%+v", r)
			}
		}},
		{143, "ask has the text twice", func(t *testing.T) {
			r := written("gemini-cli", Call{Native: "BeforeTool", Event: hookguard.Event{Kind: "PreToolUse"}}, sayAsk)
			if r.at(t, "decision") != "ask" || r.at(t, "reason") != r.at(t, "systemMessage") || r.at(t, "reason") == "" {
				t.Errorf("%+v", r)
			}
		}},
		{144, "no objection is no output, a hint no decision", func(t *testing.T) {
			if r := gemini(t, call("run_shell_command", fields{"command": "ls"}, stamp)); !r.silent() {
				t.Errorf("%+v", r)
			}
			f, _ := aloneFacts(t, false)
			r := judged(t, "gemini-cli", shell, sayHint, f, "")
			if _, decides := r.json(t)["decision"]; decides || r.at(t, "hookSpecificOutput", "additionalContext") == "" {
				t.Errorf("%+v", r)
			}
		}},
		{145, "AfterTool withholds a result, the ends say nothing", func(t *testing.T) {
			c := Call{Native: "AfterTool", Event: hookguard.Event{Kind: "PostToolUse"}}
			if r := written("gemini-cli", c, sayDeny); r.at(t, "decision") != "deny" || r.at(t, "reason") == "" {
				t.Errorf("%+v", r)
			}
			if r := written("gemini-cli", c, sayHint); r.at(t, "hookSpecificOutput", "hookEventName") != "AfterTool" {
				t.Errorf("%+v", r)
			}
			for _, event := range []string{"AfterAgent", "SessionEnd", "AfterTool"} {
				if r := gemini(t, claudeLike(event, "run_shell_command", fields{"command": write}, stamp)); !r.silent() {
					t.Errorf("%s: %+v", event, r)
				}
			}
		}},
		{146, "a deny carries the way on after its reason", func(t *testing.T) {
			if r := gemini(t, shell); !strings.Contains(r.at(t, "reason"), "$TMPDIR = /tmp/lane") {
				t.Errorf("%+v", r)
			}
		}},
		{147, "an old or unknown version denies instead of asking", func(t *testing.T) {
			for version, want := range map[string]bool{"": false, "0.35.9": false, "0.36.0": true, "0.61.0": true, "1.0": true, "x.y": false, "1": false} {
				if atLeast(version, 0, 36) != want {
					t.Errorf("%s: %v", version, !want)
				}
				f, _ := aloneFacts(t, true)
				f.Version = version
				if r := judged(t, "gemini-cli", shell, sayAsk, f, ""); r.at(t, "decision") != "deny" {
					t.Errorf("%s: %+v", version, r)
				}
			}
		}},
		{149, "headless an ask is a deny on every version", func(t *testing.T) {
			for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
				t.Run(name, func(t *testing.T) {
					t.Setenv(name, "true")
					f, _ := aloneFacts(t, false)
					f.Version = "0.61.0"
					if r := judged(t, "gemini-cli", shell, sayAsk, f, ""); r.at(t, "decision") != "deny" || !strings.Contains(r.stdout, "Nobody is there") {
						t.Errorf("%+v", r)
					}
				})
			}
		}},
		{150, "own errors exit 2 with text, ten seconds in the wiring", func(t *testing.T) {
			for _, bad := range []string{"", "{", "[]", "{}", `{"hook_event_name":"BeforeTool"}`} {
				if r := gemini(t, bad); r.code != 2 || r.stdout != "" || strings.TrimSpace(r.stderr) == "" {
					t.Errorf("%s: %+v", bad, r)
				}
			}
			if text := wired(t, "gemini-cli", "BeforeTool"); !strings.Contains(text, `"timeout":10000`) {
				t.Error(text)
			}
		}},
		{151, "one answer per event, without a timestamp always", func(t *testing.T) {
			f, _ := aloneFacts(t, false)
			if r := judged(t, "gemini-cli", shell, sayDeny, f, ""); r.at(t, "decision") != "deny" {
				t.Errorf("%+v", r)
			}
			if r := judged(t, "gemini-cli", shell, sayDeny, f, ""); !r.silent() {
				t.Errorf("the second: %+v", r)
			}
			for range 2 {
				if r := judged(t, "gemini-cli", call("run_shell_command", fields{"command": write}, nil), sayDeny, f, ""); r.at(t, "decision") != "deny" {
					t.Errorf("%+v", r)
				}
			}
		}},
	})
}
