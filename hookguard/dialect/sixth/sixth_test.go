// Package sixth_test shows that a harness is one file: this one registers a
// made-up harness, and everything lane does with a harness works for it.
package sixth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lane/hookguard"
	"lane/hookguard/dialect"
)

// The harness: it sends {"what":"call","tool","input","dir"} and obeys "NO: …".
func init() {
	dialect.Register(dialect.Dialect{
		Name: "sixth",
		Read: func(payload []byte, _ string) (dialect.Call, error) {
			var p struct {
				What, Tool, Dir string
				Input           json.RawMessage
			}
			if json.Unmarshal(payload, &p) != nil || p.What == "" {
				return dialect.Call{}, errors.New("no call")
			}
			tool, input := tool(p.Tool, p.Input)
			return dialect.Call{Native: p.What, Judged: p.What == "call",
				Event: hookguard.Event{Harness: "sixth", Kind: "PreToolUse", Tool: tool, Input: input, Cwd: p.Dir}}, nil
		},
		Write: func(_ dialect.Call, v hookguard.Verdict) dialect.Answer {
			if v.Decision == hookguard.Guidance {
				return dialect.Answer{}
			}
			return dialect.Answer{Stdout: "NO: " + v.Rule + "\n"}
		},
		CanAsk: func(dialect.Call, hookguard.Facts) bool { return false },
		Fail:   func(_, reason string) dialect.Answer { return dialect.Answer{Stdout: "NO: " + reason + "\n"} },
		Tool:   tool,
		Can:    dialect.Capabilities{Measured: "made up", Events: []string{"call"}},
		Wiring: dialect.Wiring{
			Paths: map[string]string{"user": "~/.sixth.json"}, Root: "on", Events: []string{"call"},
			Entry: func(_ string, argv []string) any { return map[string]any{"command": argv[0], "args": argv[1:]} },
		},
	})
}

func tool(name string, input []byte) (string, []byte) {
	if name == "do" {
		return "Bash", input
	}
	return name, input
}

func ask(t *testing.T, payload string) string {
	t.Helper()
	facts := filepath.Join(t.TempDir(), "facts.json")
	if err := os.WriteFile(facts, []byte(`{"worktree":"/wt","tmp":"/tmp/lane","state":"/s"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := dialect.Main([]string{"--harness", "sixth", "--facts", facts}, strings.NewReader(payload), &out, &errs); code != 0 || errs.Len() > 0 {
		t.Errorf("exit %d, %s", code, errs.String())
	}
	return out.String()
}

// TestSixth: its calls are judged, its failures refused, its rows run and its
// settings wired, without a word about it anywhere else.
func TestSixth(t *testing.T) {
	for payload, want := range map[string]string{
		`{"what":"call","tool":"do","dir":"/wt","input":{"command":"touch /tmp/x"}}`: "NO: lane/temp-block\n",
		`{"what":"call","tool":"do","dir":"/wt","input":{"command":"touch x"}}`:      "",
		`{"what":"nap"}`: "",
		`{`:              "NO: no call\n",
	} {
		if got := ask(t, payload); got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
	if !slices.Contains(dialect.Names(), "sixth") {
		t.Error("it is not among the harnesses")
	}
	got := dialect.Row{Harness: "sixth", Tool: "do", Input: []byte(`{"command":"touch /tmp/x"}`)}.Judge(dialect.RowFacts())
	if got.Rule != "lane/temp-block" {
		t.Errorf("%+v", got)
	}
	home := t.TempDir()
	name, err := dialect.SettingsPath("sixth", "user", home, home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dialect.Install("sixth", name, "/opt/bin/lane", "")
	if err != nil || !strings.Contains(string(c.After), "sixth") {
		t.Fatalf("%v %s", err, c.After)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if out, err := dialect.Uninstall("sixth", name); err != nil || strings.Contains(string(out.After), "sixth") {
		t.Errorf("%v %s", err, out.After)
	}
}
