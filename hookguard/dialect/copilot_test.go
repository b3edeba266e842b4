package dialect

import (
	"fmt"
	"strings"
	"testing"

	"lane/hookguard"
)

// aloneFacts are those of a session that no lane confines, in a home of the
// test's own.
func aloneFacts(t *testing.T, headless bool) (hookguard.Facts, string) {
	t.Helper()
	f := hookguard.Facts{Worktree: adaCwd, CommonDir: "/home/ada/src/shop/.git", Tmp: "/tmp/lane", Home: "/home/ada", LaneHome: t.TempDir(), Headless: headless}
	return f, js(f)
}

var (
	sayNone = hookguard.Verdict{Decision: hookguard.None}
	sayHint = hookguard.Verdict{Decision: hookguard.Guidance, Rule: "lane/x", Reason: "mind the step"}
	sayAsk  = hookguard.Verdict{Decision: hookguard.Ask, Rule: "lane/x", Reason: "is this meant?"}
	sayDeny = hookguard.Verdict{Decision: hookguard.Deny, Rule: "lane/x", Reason: "not here"}
)

// row is one row of the list of wanted behaviour (reference/CHECKLIST.md).
type row struct {
	number int
	says   string
	test   func(t *testing.T)
}

// rowsRun are the rows that a test of this process named.
var rowsRun = map[int]bool{}

func runRows(t *testing.T, rows []row) {
	for _, r := range rows {
		rowsRun[r.number] = true
		t.Run(fmt.Sprintf("%d_%s", r.number, r.says), r.test)
	}
}

const write = "touch /tmp/x"

// TestCopilotRows are the rows of GitHub Copilot.
func TestCopilotRows(t *testing.T) {
	copilot := func(t *testing.T, payload string, args ...string) reply {
		t.Helper()
		return hook(t, adaFacts, payload, append([]string{"--harness", "copilot"}, args...)...)
	}
	camel := copilotCamel("bash", fields{"command": write})
	pascal := claudeLike("PreToolUse", "Bash", fields{"command": write}, stamp)
	denies := func(t *testing.T, r reply) {
		t.Helper()
		if r.code != 0 || r.at(t, "permissionDecision") != "deny" || r.at(t, "permissionDecisionReason") == "" {
			t.Errorf("%+v", r)
		}
	}
	runRows(t, []row{
		{98, "both shapes, with --event", func(t *testing.T) {
			denies(t, copilot(t, camel, "--event", "preToolUse"))
			denies(t, copilot(t, pascal, "--event", "preToolUse"))
			denies(t, copilot(t, strings.Replace(pascal, `"tool_name":"Bash"`, `"tool_name":"bash"`, 1)))
		}},
		{99, "toolArgs as an object or a string", func(t *testing.T) {
			denies(t, copilot(t, copilotCamel("bash", `{"command":"touch /tmp/x"}`), "--event", "preToolUse"))
			if r := copilot(t, copilotCamel("bash", `{"command":"touch x"}`), "--event", "preToolUse"); !r.silent() {
				t.Errorf("%+v", r)
			}
		}},
		{100, "the shape by hook_event_name, the event by fields", func(t *testing.T) {
			r := copilot(t, pascal, "--event", "sessionEnd")
			denies(t, r)
			if r.at(t, "hookSpecificOutput", "hookEventName") != "PreToolUse" {
				t.Errorf("%+v", r)
			}
			denies(t, copilot(t, camel))
			for _, silent := range []string{
				`{"sessionId":"s","cwd":"/x","toolName":"bash","toolArgs":{"command":"touch /tmp/x"},"toolResult":{"resultType":"success"}}`,
				`{"sessionId":"s","cwd":"/x","toolName":"bash","toolArgs":{},"error":"no"}`, `{"sessionId":"s","cwd":"/x","prompt":"hi"}`,
				`{"sessionId":"s","cwd":"/x","stopReason":"end_turn"}`, `{"sessionId":"s","cwd":"/x","source":"new"}`, `{"sessionId":"s","cwd":"/x","reason":"complete"}`,
			} {
				if r := copilot(t, silent); !r.silent() {
					t.Errorf("%s: %+v", silent, r)
				}
			}
		}},
		{101, "unreadable exits 2 and denies", func(t *testing.T) {
			for _, bad := range []string{"", "{bad", "[]", "7", `{"sessionId":"s","toolName":"bash","toolArgs":{}}`, `{"cwd":"/x","toolName":"bash","toolArgs":7}`,
				`{"cwd":"/x","toolName":"bash","toolArgs":"x"}`, `{"cwd":"/x","toolName":"bash","toolArgs":[]}`, `{"cwd":"/x","toolName":"bash"}`, `{"cwd":"/x"}`, `{"cwd":"/x","toolArgs":{}}`} {
				r := copilot(t, bad)
				if r.code != 2 || r.stderr == "" || r.at(t, "permissionDecision") != "deny" {
					t.Errorf("%s: %+v", bad, r)
				}
			}
			if r := copilot(t, camel, "--event", "nothing"); r.code != 2 {
				t.Errorf("an unknown event: %+v", r)
			}
		}},
		{102, "one session per directory without an id", func(t *testing.T) {
			d, _ := Lookup("copilot")
			a, err := d.Read([]byte(`{"cwd":"/a","prompt":"x"}`), "")
			b, err2 := d.Read([]byte(`{"cwd":"/b","prompt":"x"}`), "")
			if err != nil || err2 != nil || a.Session == "" || a.Session == b.Session {
				t.Errorf("%+v %+v %v", a, b, err)
			}
		}},
		{103, "sessionStart takes additionalContext alone", func(t *testing.T) {
			r := written("copilot", Call{Native: "sessionStart", Event: hookguard.Event{Kind: "SessionStart"}}, sayHint)
			if len(r.json(t)) != 1 || r.at(t, "additionalContext") == "" {
				t.Errorf("%+v", r)
			}
			if r := copilot(t, `{"sessionId":"s","cwd":"/x","source":"new"}`, "--event", "sessionStart"); !r.silent() {
				t.Errorf("%+v", r)
			}
		}},
		{104, "a prompt with a secret is blocked in both shapes", TestPromptsWithSecrets},
		{105, "deny, ask, nothing; the reason carries the rule", func(t *testing.T) {
			f, _ := aloneFacts(t, false)
			for v, want := range map[*hookguard.Verdict]string{&sayDeny: "deny", &sayAsk: "ask", &sayNone: ""} {
				r := judged(t, "copilot", camel, *v, f, "preToolUse")
				if want == "" && !r.silent() || want != "" && (r.at(t, "permissionDecision") != want || !strings.HasPrefix(r.at(t, "permissionDecisionReason"), "lane (lane/x): ")) {
					t.Errorf("%s: %+v", want, r)
				}
				f.LaneHome = t.TempDir()
			}
		}},
		{106, "postToolUse takes additionalContext, the ends nothing", func(t *testing.T) {
			for _, v := range []hookguard.Verdict{sayDeny, sayHint} {
				r := written("copilot", Call{Native: "postToolUse", Event: hookguard.Event{Kind: "PostToolUse"}}, v)
				if len(r.json(t)) != 1 || r.at(t, "additionalContext") == "" {
					t.Errorf("%+v", r)
				}
			}
			for _, event := range []string{"agentStop", "sessionEnd", "postToolUse"} {
				if r := copilot(t, `{"sessionId":"s","cwd":"/x","reason":"r"}`, "--event", event); !r.silent() {
					t.Errorf("%s: %+v", event, r)
				}
			}
		}},
		{107, "PascalCase gets the fields twice", func(t *testing.T) {
			r := copilot(t, pascal)
			if r.at(t, "permissionDecision") != "deny" || r.at(t, "hookSpecificOutput", "permissionDecision") != "deny" || r.at(t, "hookSpecificOutput", "hookEventName") != "PreToolUse" {
				t.Errorf("%+v", r)
			}
			if _, both := copilot(t, camel).json(t)["hookSpecificOutput"]; both {
				t.Error("camelCase has them twice as well")
			}
		}},
		{108, "ten seconds in the wiring, the answer well before", func(t *testing.T) {
			if text := wired(t, "copilot", "preToolUse"); !strings.Contains(text, `"timeoutSec":10`) || Deadline.Seconds() > 5 {
				t.Errorf("%s, %v", text, Deadline)
			}
		}},
		{109, "Copilot's bash is Bash", func(t *testing.T) {
			for copilots, want := range map[string]string{"bash": "Bash", "view": "Read", "create": "Write", "edit": "Edit", "grep": "Grep", "glob": "Glob"} {
				if got, _ := copilotTool(copilots, []byte("{}")); got != want {
					t.Errorf("%s is %s, want %s", copilots, got, want)
				}
			}
		}},
		{111, "headless an ask is a deny with the way on", func(t *testing.T) {
			f, _ := aloneFacts(t, true)
			r := judged(t, "copilot", camel, sayAsk, f, "preToolUse")
			if r.at(t, "permissionDecision") != "deny" || !strings.Contains(r.at(t, "permissionDecisionReason"), "is this meant? Nobody is there") {
				t.Errorf("%+v", r)
			}
		}},
		{113, "Copilot's payload in Claude Code's hook is answered as Copilot's", func(t *testing.T) {
			r := hook(t, adaFacts, pascal, "--harness", "claude-code")
			denies(t, r)
			// Claude Code's own, also with a timestamp, is not.
			own := claudeLike("PreToolUse", "Bash", fields{"command": write}, fields{"timestamp": "2026-01-02T03:04:05.006Z", "transcript_path": "/home/ada/.claude/projects/-home-ada/s1.jsonl"})
			if r := hook(t, adaFacts, own, "--harness", "claude-code"); r.code != 2 || r.stdout != "" {
				t.Errorf("%+v", r)
			}
		}},
		{114, "a second run of one event repeats the verdict in its own form", func(t *testing.T) {
			f, _ := aloneFacts(t, false)
			first := judged(t, "copilot", camel, sayDeny, f, "preToolUse")
			iso := claudeLike("PreToolUse", "Bash", fields{"command": write}, fields{"timestamp": "2026-01-02T03:04:05.006Z"})
			iso = strings.Replace(iso, "Z\"", "Z\"", 1)
			again := judged(t, "claude-code", iso, sayNone, f, "")
			if first.at(t, "permissionDecision") != "deny" || again.at(t, "hookSpecificOutput", "permissionDecision") != "deny" {
				t.Errorf("%+v, then %+v", first, again)
			}
		}},
		{115, "two timestamps are two events, none is never a repeat", func(t *testing.T) {
			f, _ := aloneFacts(t, false)
			judged(t, "copilot", camel, sayDeny, f, "preToolUse")
			later := strings.Replace(camel, "1767323045006", "1767323045007", 1)
			if r := judged(t, "copilot", later, sayNone, f, "preToolUse"); !r.silent() {
				t.Errorf("%+v", r)
			}
			timeless := `{"sessionId":"s1","cwd":"/x","toolName":"bash","toolArgs":{"command":"a"}}`
			judged(t, "copilot", timeless, sayDeny, f, "preToolUse")
			if r := judged(t, "copilot", timeless, sayNone, f, "preToolUse"); !r.silent() {
				t.Errorf("%+v", r)
			}
		}},
		{116, "nothing is rewritten and no stop is blocked", func(t *testing.T) {
			if r := copilot(t, camel); strings.Contains(r.stdout, "modified") {
				t.Errorf("%+v", r)
			}
		}},
		{117, "the recorded payloads", TestRecordedPayloads},
		{118, "names of servers' tools", func(t *testing.T) {
			for name, want := range map[string]string{"echo-echo_text": "mcp__echo__echo_text", "echo/echo_text": "mcp__echo__echo_text", "mcp__echo__echo_text": "mcp__echo__echo_text",
				"write_bash": "Bash", "str_replace_editor": "Edit", "read_bash": "TaskOutput"} {
				if got, _ := copilotTool(name, []byte("{}")); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			if got := serverName("mcp__second__brain-list_things", []string{"second", "second-brain"}); got != "mcp__second-brain__list_things" {
				t.Error(got)
			}
		}},
	})
}
