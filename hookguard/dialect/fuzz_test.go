package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lane/hookguard"
)

// FuzzPayload: whatever a harness sends, there is an answer and no panic; it
// never approves, Codex understands it, and Antigravity gets JSON.
func FuzzPayload(f *testing.F) {
	names := Names()
	for _, h := range harnesses {
		for i, name := range names {
			if name == h.harness {
				f.Add(uint8(i), h.event, h.shell("touch /tmp/x"))
				f.Add(uint8(i), h.event, h.mcp("/etc/x"))
				f.Add(uint8(i), h.promptEvent(), h.prompt("ghp_a8Kd0fLq3Zx7Vb2Nm5Tr9Yc1Hd6Jf4Sg0Ue2"))
			}
		}
	}
	for i := range names {
		for _, bad := range []string{"", "{", "[]", "null", "7", `{"hook_event_name":null}`, `{"toolCall":null,"toolArgs":null}`, `{"cwd":"/x","toolName":"a","toolArgs":"{}"}`} {
			f.Add(uint8(i), "PreToolUse", bad)
		}
	}
	facts := filepath.Join(f.TempDir(), "facts.json")
	if err := os.WriteFile(facts, []byte(adaFacts), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, n uint8, event, payload string) {
		name := names[int(n)%len(names)]
		d, _ := Lookup(name)
		a := answer(d, options{harness: name, event: event, facts: facts}, strings.NewReader(payload), hookguard.Judge)
		if a.Exit != 0 && (a.Exit != exitRefused || a.Stderr == "") {
			t.Fatalf("%s: %+v blocks nowhere", name, a)
		}
		if a.Stdout == "" {
			return
		}
		var out map[string]any
		if err := json.Unmarshal([]byte(a.Stdout), &out); err != nil {
			t.Fatalf("%s: %q: %v", name, a.Stdout, err)
		}
		specific, _ := out["hookSpecificOutput"].(map[string]any)
		if out["permissionDecision"] == "allow" || specific["permissionDecision"] == "allow" || out["decision"] == "approve" || out["decision"] == "allow" && name != "antigravity" {
			t.Fatalf("%s approves: %s", name, a.Stdout)
		}
		if event, ok := specific["hookEventName"].(string); ok && name == "codex" {
			if err := fitsCodex(t, event, reply{a.Exit, a.Stdout, a.Stderr}); err != nil {
				t.Fatalf("%v: %s", err, a.Stdout)
			}
		}
	})
}

// FuzzSettings: settings are refused, or wired so that the guard is there
// once for each event, a second time changes nothing, and without it the file
// means what it meant.
func FuzzSettings(f *testing.F) {
	names := Names()
	for i, name := range names {
		for _, text := range append([]string{"", "{}", "{ // x\n}", `{"hooks":{"BeforeTool":[/**/]}}`, `{"hooks":{"a":[1,{"hooks":[]}]},"lane":{}}`}, wiringCases[name]...) {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		name := names[int(n)%len(names)]
		d, _ := Lookup(name)
		once, err := d.Wiring.wire(name, []byte(text), "/opt/bin/lane", "")
		if err != nil {
			return
		}
		if got := bytes.Count(once, []byte("/opt/bin/lane")) - strings.Count(text, "/opt/bin/lane"); got > len(d.Wiring.Events) {
			t.Fatalf("%s, %q: wired %d times: %q", name, text, got, once)
		}
		if !json.Valid(plain(once, d.Wiring.Comments)) {
			t.Fatalf("%s, %q becomes %q", name, text, once)
		}
		again, err := d.Wiring.wire(name, once, "/opt/bin/lane", "")
		if err != nil || !bytes.Equal(once, again) {
			t.Fatalf("%s, %q: %q, then %q, %v", name, text, once, again, err)
		}
		out, err := d.Wiring.unwire(once)
		if err != nil || !json.Valid(plain(out, d.Wiring.Comments)) || bytes.Contains(out, []byte("/opt/bin/lane")) && !strings.Contains(text, "/opt/bin/lane") {
			t.Fatalf("%s, %q: without it %q, %v", name, text, out, err)
		}
	})
}
