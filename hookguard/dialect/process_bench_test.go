package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bareHook is the least a hook in Go can be: it reads the same JSON.
const bareHook = `package main

import (
	"encoding/json"
	"io"
	"os"
)

func main() {
	data, err := io.ReadAll(os.Stdin)
	var event map[string]any
	if err != nil || json.Unmarshal(data, &event) != nil {
		os.Exit(2)
	}
}
`

// BenchmarkHookProcess measures whole hook processes, from start to exit:
// lane-inside, lane itself in its place, the bare one, and node's. They take turns, so that a busy machine
// slows all of them, and what counts is their ratio.
//
//	go test ./hookguard/dialect -run '^$' -bench HookProcess
func BenchmarkHookProcess(b *testing.B) {
	dir := b.TempDir()
	build := func(name string, args ...string) string {
		out := filepath.Join(dir, name)
		c := exec.Command("go", append([]string{"build", "-trimpath", "-o", out}, args...)...)
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, text)
		}
		return out
	}
	source := filepath.Join(dir, "main.go")
	facts := filepath.Join(dir, "facts.json")
	if err := os.WriteFile(source, []byte(bareHook), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(facts, []byte(recordedFacts), 0o600); err != nil {
		b.Fatal(err)
	}
	programs := map[string][]string{
		"hook": {build("lane-inside", "lane/cmd/lane-inside"), "hook", "--harness", "claude-code", "--plan", facts},
		"lane": {build("lane", "lane/cmd/lane"), "hook", "--harness", "claude-code", "--plan", facts},
		"bare": {build("bare", source)},
	}
	if node, err := exec.LookPath("node"); err == nil {
		programs["node"] = []string{node, "-e", ""}
	}
	event, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/srv/lanes/lane-a", "tool_name": "Bash",
		"tool_input": map[string]string{"command": `cd src && for f in *.c; do gcc -O2 -c "$f" -o "../build/${f%.c}.o"; done && git status --short | head -5 > "$TMPDIR/status"`}})
	if err != nil {
		b.Fatal(err)
	}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, argv := range programs {
			c := exec.Command(argv[0], argv[1:]...)
			c.Stdin = bytes.NewReader(event)
			start := time.Now()
			if out, err := c.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
				b.Fatalf("%s: %v %s", name, err, out)
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	report(b, times)
}

func report(b *testing.B, times map[string][]time.Duration) {
	median := map[string]time.Duration{}
	for name, list := range times {
		slices.Sort(list)
		median[name] = list[len(list)/2]
		b.ReportMetric(float64(median[name].Microseconds())/1000, name+"-p50-ms")
		b.ReportMetric(float64(list[len(list)*95/100].Microseconds())/1000, name+"-p95-ms")
	}
	b.ReportMetric(float64(median["hook"])/float64(median["bare"]), "hook/bare")
	b.ReportMetric(float64(median["lane"])/float64(median["bare"]), "lane/bare")
	if median["node"] > 0 {
		b.ReportMetric(float64(median["node"])/float64(median["hook"]), "node/hook")
	}
}

// BenchmarkJudge is the judgement alone, over all given commands.
func BenchmarkJudge(b *testing.B) {
	data, err := os.ReadFile("../testdata/commands.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	rows, err := ReadRows(strings.NewReader(string(data)))
	if err != nil {
		b.Fatal(err)
	}
	facts := RowFacts()
	for b.Loop() {
		for _, row := range rows {
			row.Judge(facts)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(rows)), "µs/row")
}
