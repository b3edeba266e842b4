package dialect

import (
	"os"
	"strings"
	"testing"
)

// TestRows answers every row of the corpora: attacks are refused, and work
// that is nobody's business is left alone.
func TestRows(t *testing.T) {
	for _, name := range []string{"../testdata/commands.jsonl", "../testdata/own.jsonl", "../testdata/rounds.jsonl", "../testdata/eyes.jsonl"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			rows, err := ReadRows(file)
			if err != nil {
				t.Fatal(err)
			}
			total, right := map[string]int{}, map[string]int{}
			for _, row := range rows {
				got := row.Judge(RowFacts())
				total[row.Expected]++
				if row.Right(got) {
					right[row.Expected]++
					continue
				}
				t.Errorf("%s: want %s, got %s %s\n\t%s %s\n\t%s", row.ID, row.Expected, got.Decision, got.Rule, row.Tool, row.Input, got.Reason)
			}
			for _, want := range []string{"deny", "ask", "allow"} {
				t.Logf("%s: %d of %d", want, right[want], total[want])
			}
		})
	}
}

// TestReadRows: a row that cannot be read names its line; one of an unknown
// harness is refused.
func TestReadRows(t *testing.T) {
	rows, err := ReadRows(strings.NewReader(`{"id":"a","harness":"claude-code","tool":"Write","input":{"file_path":"../x"},"expected":"allow"}` + "\n\n"))
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	report := JudgeRows(rows, RowFacts())
	if len(report.Rows) != 1 || report.Rows[0].Decision != "deny" || rows[0].Right(report.Rows[0]) {
		t.Errorf("%+v", report)
	}
	for _, text := range []string{"{", `{"id":"a"}`, "[]"} {
		if _, err := ReadRows(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := (Row{ID: "x", Harness: "nobody", Tool: "Read"}).Judge(RowFacts()); got.Decision != "deny" {
		t.Errorf("an unknown harness: %+v", got)
	}
}

// TestSameCallInEveryHarness: one shell call, in each harness's words, gets
// one answer.
func TestSameCallInEveryHarness(t *testing.T) {
	calls := []Row{
		{Harness: "claude-code", Tool: "Bash", Input: []byte(`{"command":"touch /tmp/x"}`)},
		{Harness: "codex", Tool: "Bash", Input: []byte(`{"command":"touch /tmp/x"}`)},
		{Harness: "codex", Tool: "shell", Input: []byte(`{"command":["bash","-lc","touch /tmp/x"]}`)},
		{Harness: "gemini-cli", Tool: "run_shell_command", Input: []byte(`{"command":"touch /tmp/x"}`)},
		{Harness: "copilot", Tool: "bash", Input: []byte(`{"command":"touch /tmp/x"}`)},
		{Harness: "copilot", Tool: "bash", Input: []byte(`"{\"command\":\"touch /tmp/x\"}"`)},
		{Harness: "antigravity", Tool: "run_command", Input: []byte(`{"CommandLine":"touch /tmp/x","Cwd":"/wt/proj"}`)},
	}
	for _, row := range calls {
		got := row.Judge(RowFacts())
		if got.Decision != "deny" || got.Rule != "lane/temp-block" {
			t.Errorf("%s %s: %+v", row.Harness, row.Tool, got)
		}
	}
}
