package dialect

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lane/hookguard"
)

// hookProcess makes this test binary a hook process.
const hookProcess = "LANE_TEST_HOOK"

func TestMain(m *testing.M) {
	if os.Getenv(hookProcess) != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	if f := flag.Lookup("test.run"); code == 0 && f.Value.String() == "" && flag.Lookup("test.fuzz").Value.String() == "" {
		for n := 98; n <= 170; n++ {
			if !rowsRun[n] && rowsElsewhere[n] == "" {
				fmt.Fprintf(os.Stderr, "row %d of the list of wanted behaviour has no test and no reason\n", n)
				code = 1
			}
		}
	}
	os.Exit(code)
}

// rowsElsewhere are rows of the harnesses' sections that are no matter of a
// dialect, and of what.
var rowsElsewhere = map[int]string{
	110: "account policy", 152: "account policy",
	112: "signed bundles of a team's profile",
	119: "harness versions are told by whoever starts the harness (Facts.Version)", 137: "as 119", 170: "as 119",
	128: "lane renders no prompt rules into a repository, so no ask is covered: row 131 is the rule", 129: "as 128", 130: "as 128", 148: "as 128",
	163: "lane writes no permission rules into Antigravity's settings",
	169: "there is no proxy for servers",
}

// TestOneAnswerPerEvent: of two processes that are started at once for one
// event, one answers; for two events both do.
func TestOneAnswerPerEvent(t *testing.T) {
	for _, h := range []struct{ harness, event, one, other string }{
		{"codex", "", claudeLike("PreToolUse", "Bash", fields{"command": write}, fields{"tool_use_id": "call_1"}), claudeLike("PreToolUse", "Bash", fields{"command": write}, fields{"tool_use_id": "call_2"})},
		{"gemini-cli", "", claudeLike("BeforeTool", "run_shell_command", fields{"command": write}, stamp), claudeLike("BeforeTool", "run_shell_command", fields{"command": write}, fields{"timestamp": "2026-01-02T03:04:05.007Z"})},
		{"antigravity", "PreToolUse", antigravityCall("run_command", fields{"CommandLine": write}), strings.Replace(antigravityCall("run_command", fields{"CommandLine": write}), `"stepIdx":3`, `"stepIdx":4`, 1)},
	} {
		f, text := aloneFacts(t, true)
		file := filepath.Join(t.TempDir(), "facts.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		denials := func(payloads ...string) int {
			out := make([]string, len(payloads))
			var wait sync.WaitGroup
			for i, p := range payloads {
				wait.Go(func() {
					c := exec.Command(os.Args[0], "--harness", h.harness, "--facts", file)
					if h.event != "" {
						c.Args = append(c.Args, "--event", h.event)
					}
					c.Env = append(os.Environ(), hookProcess+"=1")
					c.Stdin = strings.NewReader(p)
					text, err := c.Output()
					if err != nil {
						t.Errorf("%s: %v", h.harness, err)
					}
					out[i] = string(text)
				})
			}
			wait.Wait()
			n := 0
			for _, s := range out {
				if strings.Contains(s, "lane/temp-block") {
					n++
				}
			}
			return n
		}
		if n := denials(h.one, h.one, h.one); n != 1 {
			t.Errorf("%s: %d answers to one event in %s", h.harness, n, f.LaneHome)
		}
		if n := denials(h.other); n != 1 {
			t.Errorf("%s: %d answers to another event", h.harness, n)
		}
	}
}

// TestClaims: a claim is held for ten seconds, by its whole key; in a run, and
// where none can be made, everybody answers.
func TestClaims(t *testing.T) {
	d, _ := Lookup("codex")
	f, _ := aloneFacts(t, false)
	s := sessionsOf(f)
	c := Call{Key: "k", Session: "s"}
	held, _, mine := s.claim(d, c)
	held.settle(sayDeny)
	if _, _, again := s.claim(d, c); !mine || again {
		t.Errorf("first %v, again %v", mine, again)
	}
	name := s.file("codexk", ".claim")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	// Another event whose name has the same hash.
	if err := os.WriteFile(name, []byte(`{"key":"other"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if held, _, mine := s.claim(d, c); !mine {
		t.Error("another event's claim counts")
	} else {
		held.settle(sayDeny)
	}
	old := time.Now().Add(-11 * time.Second)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if held, _, mine := s.claim(d, c); !mine {
		t.Error("an old claim counts")
	} else {
		held.settle(sayDeny)
	}
	for what, facts := range map[string]hookguard.Facts{
		"in a run": {LaneHome: f.LaneHome, State: "/state"}, "no home": {}, "a home that is a file": {LaneHome: name}, "a relative home": {LaneHome: "x"},
	} {
		for range 2 {
			if held, _, mine := sessionsOf(facts).claim(d, c); !mine {
				t.Errorf("%s: nobody answers", what)
			} else {
				held.settle(sayDeny)
			}
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", name); err != nil {
		t.Fatal(err)
	}
	if _, _, mine := s.claim(d, c); !mine {
		t.Error("a link counts as a claim")
	}
}

// TestPrune: claims go after a minute, the rest after a week.
func TestPrune(t *testing.T) {
	f, _ := aloneFacts(t, false)
	s := sessionsOf(f)
	s.keep("s", "text")
	dir := string(s)
	for name, age := range map[string]time.Duration{"a.claim": 2 * time.Minute, "b.claim": time.Second, "c.last-event.json": 8 * 24 * time.Hour, "d.last-event.json": time.Hour} {
		p := filepath.Join(dir, name)
		then := time.Now().Add(-age)
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, then, then); err != nil {
			t.Fatal(err)
		}
	}
	s.prune()
	for name, want := range map[string]bool{"a.claim": false, "b.claim": true, "c.last-event.json": false, "d.last-event.json": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.take("s"); got != "text" {
		t.Errorf("%q", got)
	}
}
