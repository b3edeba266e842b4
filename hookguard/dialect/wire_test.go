package dialect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wiringCases are settings that a user has already, by harness; %s in them is
// what must stay.
var wiringCases = map[string][]string{
	"claude-code": {`{"model":"opus","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./mine"}]}],"Stop":[]}}`},
	"codex":       {`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine --x","timeout":3}]}]}}`, "{\n  \"hooks\": {}\n}\n"},
	"gemini-cli": {
		"{\n  // which model\n  \"model\": {\"name\": \"x\"}, /* why */\n  \"hooks\": {\n    // before a tool\n    \"BeforeTool\": [\n      // mine\n      {\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]} // not yours\n    ]\n  }\n}\n",
		"{ // nothing yet\n}\n", "// a \"string\" with slashes in it\n{\"a\": \"http://x/*y*/\"}\n",
	},
	"copilot":     {`{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"mine"}],"agentStop":[{"type":"command","bash":"x"}]}}`},
	"antigravity": {`{"mine":{"PreToolUse":[{"matcher":"run_command","hooks":[{"command":"mine"}]}]}}`, `{"lane":{"enabled":true,"Stop":[{"type":"command","command":"mine"}]}}`},
}

// TestWireEveryHarness: the guard is added once, everything else stays, a
// second time changes nothing, another path takes the first one's place, and
// removal leaves the file as it was.
func TestWireEveryHarness(t *testing.T) {
	for _, harness := range Names() {
		for _, text := range append([]string{"", "{}"}, wiringCases[harness]...) {
			name := settingsFile(t, text)
			c, err := Install(harness, name, "/opt/it's here/lane", "")
			if err != nil || !c.Changed() {
				t.Fatalf("%s, %q: %v", harness, text, err)
			}
			if err := c.Apply(); err != nil {
				t.Fatal(err)
			}
			d, _ := Lookup(harness)
			now := string(c.After)
			if n := strings.Count(now, "--harness"); n != len(d.Wiring.Events) {
				t.Errorf("%s, %q: wired %d times:\n%s", harness, text, n, now)
			}
			for _, line := range keptParts(text) {
				if !strings.Contains(now, line) {
					t.Errorf("%s: %q lost %q:\n%s", harness, text, line, now)
				}
			}
			if again, err := Install(harness, name, "/opt/it's here/lane", ""); err != nil || again.Changed() {
				t.Errorf("%s, %q: a second time: %v\n%s", harness, text, err, again.Diff())
			}
			other, err := Install(harness, name, "/usr/bin/lane", "/etc/facts.json")
			if err != nil || strings.Contains(string(other.After), "it's here") || strings.Count(string(other.After), "--harness") != len(d.Wiring.Events) || !strings.Contains(string(other.After), "/etc/facts.json") {
				t.Errorf("%s, %q: another program: %v\n%s", harness, text, err, other.After)
			}
			out, err := Uninstall(harness, name)
			if err != nil || strings.Contains(string(out.After), "--harness") {
				t.Errorf("%s, %q: %v\n%s", harness, text, err, out.After)
			}
			for _, line := range keptParts(text) {
				if !strings.Contains(string(out.After), line) {
					t.Errorf("%s: removed %q from %q:\n%s", harness, line, text, out.After)
				}
			}
		}
	}
}

// keptParts are the lines of a settings file, or its words, that installing
// and removing must leave.
func keptParts(text string) []string {
	var parts []string
	for _, line := range strings.Split(text, "\n") {
		for _, mark := range []string{"// ", "/* "} {
			if i := strings.Index(line, mark); i >= 0 {
				parts = append(parts, line[i:])
			}
		}
	}
	for _, word := range []string{`"opus"`, "./mine", "mine --x", `"matcher"`, `"version"`, `"agentStop"`, `"enabled"`, "http://x/*y*/"} {
		if strings.Contains(text, word) {
			parts = append(parts, word)
		}
	}
	return parts
}

// TestWireRefuses what a harness would not read as we do.
func TestWireRefuses(t *testing.T) {
	for _, harness := range Names() {
		d, _ := Lookup(harness)
		bad := []string{"{", "[]", "x", `{"a":1}{}`, `{"a":1,"a":2}`, `{"` + d.Wiring.Root + `":[]}`, `{"` + d.Wiring.Root + `":{"` + d.Wiring.Events[0] + `":{}}}`, "{ /* open", `{"a":1,}`}
		if !d.Wiring.Comments {
			bad = append(bad, "{ // comment\n}")
		}
		for _, text := range bad {
			name := settingsFile(t, text)
			if c, err := Install(harness, name, "/opt/bin/lane", ""); err == nil {
				t.Errorf("%s accepts %q: %s", harness, text, c.After)
			}
			if now, err := os.ReadFile(name); err != nil || string(now) != text {
				t.Errorf("%s: %q became %q, %v", harness, text, now, err)
			}
		}
		if _, err := Install(harness, t.TempDir(), "/opt/bin/lane", ""); err == nil {
			t.Errorf("%s: a directory was accepted", harness)
		}
	}
}

// TestWireMakesTheFile where there is none.
func TestWireMakesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hooks", "lane.json")
	c, err := Install("copilot", name, "/opt/bin/lane", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), `"version": 1`) || !strings.Contains(string(text), "--event preToolUse --session") {
		t.Errorf("%v\n%s", err, text)
	}
}
