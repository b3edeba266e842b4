package dialect

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// A run's log says that the guard was asked and what it refused, and a log
// that cannot be written changes no answer.
func TestAnswersAreLogged(t *testing.T) {
	dir := t.TempDir()
	facts := dir + "/facts.json"
	if err := os.WriteFile(facts, []byte(`{"worktree":"/wt/proj","gitdir":"/srv/repo/.git/worktrees/proj","commondir":"/srv/repo/.git","headless":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(log, command string) int {
		payload, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/wt/proj", "tool_name": "Bash", "tool_input": map[string]string{"command": command}})
		if err != nil {
			t.Fatal(err)
		}
		return Main([]string{"--harness", "claude-code", "--facts", facts, "--log", log}, strings.NewReader(string(payload)), io.Discard, io.Discard)
	}
	for _, log := range []string{dir + "/log", dir + "/none/log"} {
		if code := ask(log, "ls"); code != 0 {
			t.Errorf("ls: exit code %d", code)
		}
		if code := ask(log, "echo x >/srv/repo/.git/config"); code != exitRefused {
			t.Errorf("a write to the shared git directory: exit code %d", code)
		}
	}
	b, err := os.ReadFile(dir + "/log")
	if err != nil {
		t.Fatal(err)
	}
	var lines []LogLine
	for text := range strings.Lines(string(b)) {
		var l LogLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) != 2 || lines[0].Denied || lines[0].Tool != "Bash" || lines[0].Target != "ls" || !lines[1].Denied || lines[1].Rule == "" || lines[1].Reason == "" {
		t.Errorf("log: %s", b)
	}
}
