package agent

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lane/sandbox"
)

var update = flag.Bool("update", false, "write the golden files anew")

func spec() Spec {
	return Spec{Exe: "/opt/claude", Lane: "/usr/local/bin/lane", Worktree: "/src/lane-a", GitDir: "/src/repo/.git/worktrees/lane-a",
		CommonDir: "/src/repo/.git", PlanDir: "/run-x/plan", StateDir: "/run-x/state", Tmp: "/tmp/lane", PlanFile: "/run-x/plan/plan.json",
		Bwrap: "/usr/bin/bwrap", Model: "haiku", System: "briefing\n"}
}

// Every byte of the settings was measured: many spellings that look right do
// nothing, silently.
func TestClaudeSettingsGolden(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"user": func(*Spec) {},
		"root": func(s *Spec) { s.Root = true },
		// Its own sandbox is off: Bash runs by the allow rule, confined by the
		// layer alone.
		"no-nesting": func(s *Spec) { s.NoNesting, s.Bwrap, s.Root = true, "", true },
		"owngit":     func(s *Spec) { s.OwnGit = "/run-x/state/git" },
		"mcp-write": func(s *Spec) {
			s.MCP = []byte(`{"mcpServers":{"echo":{"command":"/bin/echo"}}}`)
			s.Writes = []string{"/data/out"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			change(&s)
			l, err := launchClaude(s)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "claude-"+name, l)
		})
	}
}

// golden compares a launch with the file of that name.
func golden(t *testing.T, name string, l Launch) {
	t.Helper()
	got, err := json.MarshalIndent(struct {
		Argv    []string
		Files   []File
		Env     []EnvVar
		Gaps    []sandbox.Gap `json:",omitempty"`
		HookLog string        `json:",omitempty"`
		Notes   []string      `json:",omitempty"`
		Nested  [][]string    `json:",omitempty"`
	}{l.Argv, l.Files, l.Env, l.Gaps, l.HookLog, l.Notes, nested(l)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = []byte(strings.ReplaceAll(string(got), `\n`, "\n") + "\n")
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-golden +got:\n%s", diff)
	}
}

// nested is in the goldens of those agents whose launch has a log.
func nested(l Launch) [][]string {
	if l.HookLog == "" {
		return nil
	}
	return l.Nested
}

func TestPromptIsNeverInArgv(t *testing.T) {
	l, err := launchClaude(spec())
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(l.Argv, "--settings"); i < 0 || slices.Index(l.Argv[i+1:], "--settings") >= 0 {
		t.Errorf("not exactly one --settings: %v", l.Argv)
	}
	for _, forbidden := range []string{"--dangerously-skip-permissions", "bypassPermissions", "--"} {
		if slices.Contains(l.Argv, forbidden) {
			t.Errorf("argv holds %s", forbidden)
		}
	}
}

func TestMCPConfigIsChecked(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", `{"mcpServers":{}}`, `{"mcpServers":{"a b":{}}}`, `{"mcpServers":{"x__*":{}}}`} {
		_, err := mcpServers([]byte(bad))
		var se *SpecError
		if !errors.As(err, &se) || se.Reason != "mcp-config" {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	got, err := mcpServers([]byte(`{"mcpServers":{"b":{},"a-1":{}}}`))
	if err != nil || !slices.Equal(got, []string{"a-1", "b"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The refresh token stays where it is.
func TestClaudeTokenIsTheAccessTokenOnly(t *testing.T) {
	token, expires, err := claudeToken([]byte(`{"claudeAiOauth":{"accessToken":"at","refreshToken":"rt","expiresAt":1800000000000}}`))
	if err != nil || token != "at" || !expires.Equal(time.UnixMilli(1800000000000)) {
		t.Errorf("got %q, %v, %v", token, expires, err)
	}
	for _, bad := range []string{"", "{}", `{"claudeAiOauth":{"refreshToken":"rt"}}`} {
		if token, _, err := claudeToken([]byte(bad)); err == nil || token != "" || strings.Contains(err.Error(), "rt") {
			t.Errorf("%q: got %q, %v", bad, token, err)
		}
	}
}

func read(t *testing.T, lines ...string) Outcome {
	t.Helper()
	s := &claudeStream{}
	if err := s.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"), nil); err != nil {
		t.Fatal(err)
	}
	return s.Outcome()
}

const (
	initLine   = `{"type":"system","subtype":"init","claude_code_version":"2.1.332","model":"claude-haiku-5-5"}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"done","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}`
)

func TestStreamSuccess(t *testing.T) {
	o := read(t, "chatter", initLine, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/a"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}}`, resultLine)
	want := Outcome{Ended: true, Text: "done", Version: "2.1.332", Model: "claude-haiku-5-5", Turns: 2, ToolCalls: 1, CostUSD: 0.5,
		Usage: map[string]int64{"input_tokens": 3, "output_tokens": 4}}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The agent's own record decides, not its exit code.
func TestStreamFailures(t *testing.T) {
	for reason, line := range map[string]string{
		"agent-error": `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}`,
		"api-error":   `{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"overloaded"}`,
		"max-turns":   `{"type":"result","subtype":"error_max_turns","is_error":true}`,
		"no-result":   `{"type":"assistant","message":{"content":[{"type":"text","text":"all done!"}]}}`,
	} {
		if o := read(t, initLine, line); !o.Failed || o.Reason != reason {
			t.Errorf("%s: got failed=%v reason=%q", reason, o.Failed, o.Reason)
		}
	}
}

func TestStreamListsWhatWasRefusedAndByWhom(t *testing.T) {
	use := func(id, name, in string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + in + `}]}}`
	}
	fail := func(id, text string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":true,"content":"` + text + `"}]}}`
	}
	o := read(t, initLine,
		use("1", "Write", `{"file_path":"/c/hooks/x"}`), fail("1", "PreToolUse:Write hook error: [/bin/lane hook --plan /p]: lane (lane/shared-git): no"),
		use("2", "Bash", `{"command":"touch /c/x"}`), fail("2", "touch: Read-only file system"),
		use("3", "Bash", `{"command":"false"}`), fail("3", "Exit code 1"),
		use("4", "Write", `{"file_path":"/o"}`), `{"type":"system","subtype":"permission_denied","tool_name":"Write","tool_use_id":"4","decision_reason":"outside"}`, fail("4", "outside"),
		resultLine)
	want := []Call{
		{"Write", "/c/hooks/x", "lane (lane/shared-git): no", "hook"},
		{"Bash", "touch /c/x", "touch: Read-only file system", "sandbox"},
		{"Write", "/o", "outside", "agent"},
	}
	if diff := cmp.Diff(want, o.Denied); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if o.ToolCalls != 4 || o.ToolFails != 4 || !o.HookSeen {
		t.Errorf("calls %d, fails %d, hook %v", o.ToolCalls, o.ToolFails, o.HookSeen)
	}
}

func TestStreamPassesOverEndlessLines(t *testing.T) {
	o := read(t, initLine, `{"type":"x","y":"`+strings.Repeat("z", maxLine+1)+`"}`, resultLine)
	if !o.Ended || o.Failed {
		t.Errorf("got %+v", o)
	}
}
