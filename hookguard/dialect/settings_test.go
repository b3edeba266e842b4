package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "settings.json")
	if text != "" {
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func install(t *testing.T, name string) SettingsChange {
	t.Helper()
	c, err := Install("claude-code", name, "/opt/bin/lane", "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestInstallKeepsTheRest: what was in the file stays, to the byte; twice is
// once; and uninstalling leaves what was there before.
func TestInstallKeepsTheRest(t *testing.T) {
	for _, text := range []string{
		"", "{}", "{\n}\n", `{"model":"opus"}`, "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\"deny\": [\"Bash(rm:*)\"]}\n}\n",
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"model":"x"}`,
		`{ "hooks" : {"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./mine","timeout":3}]}]} , "z":1.50e1 }`,
	} {
		name := settingsFile(t, text)
		c := install(t, name)
		if !c.Changed() || c.Diff() == "" {
			t.Fatalf("%q: nothing to do", text)
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		if again := install(t, name); again.Changed() {
			t.Errorf("%q: a second install changes\n%s", text, again.Diff())
		}
		written, _ := os.ReadFile(name)
		for _, part := range []string{`"opus"`, `"Bash(rm:*)"`, `"say done"`, `"./mine"`, "1.50e1"} {
			if strings.Contains(text, part) && !bytes.Contains(written, []byte(part)) {
				t.Errorf("%q lost %s:\n%s", text, part, written)
			}
		}
		checkWired(t, written)
		out, err := Uninstall("claude-code", name)
		if err != nil {
			t.Fatal(err)
		}
		if !sameMeaning(out.After, []byte(text)) {
			t.Errorf("%q becomes %q", text, out.After)
		}
	}
}

// checkWired looks at the wiring as Claude Code reads it.
func checkWired(t *testing.T, settings []byte) {
	t.Helper()
	var s struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct {
				Type, Command, OnFailure string
				Args                     []string
				Timeout                  int
			}
		}
	}
	if err := json.Unmarshal(settings, &s); err != nil {
		t.Fatalf("%v: %s", err, settings)
	}
	for _, event := range registry["claude-code"].Wiring.Events {
		groups := s.Hooks[event]
		last := groups[len(groups)-1]
		h := last.Hooks[0]
		if last.Matcher != nil || h.Command != "/opt/bin/lane" || h.OnFailure != "block" || h.Timeout != wiredTimeout || h.Type != "command" || h.Args[0] != "hook" {
			t.Errorf("%s: %+v", event, groups)
		}
	}
}

func sameMeaning(a, b []byte) bool {
	decode := func(x []byte) any {
		var v any
		if len(bytes.TrimSpace(x)) == 0 {
			x = []byte("{}")
		}
		if json.Unmarshal(x, &v) != nil {
			return string(x)
		}
		return v
	}
	x, _ := json.Marshal(decode(a))
	y, _ := json.Marshal(decode(b))
	return bytes.Equal(x, y)
}

// TestInstallReplacesAnOlderWiring: another path or another facts file takes
// the place of the one before, and neighbours in its group stay.
func TestInstallReplacesAnOlderWiring(t *testing.T) {
	name := settingsFile(t, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/old/lane","args":["hook","--harness","claude-code","--session"]},{"type":"command","command":"keep"}]}]}}`)
	c, err := Install("claude-code", name, "/opt/bin/lane", "/etc/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	after := string(c.After)
	if strings.Contains(after, "/old/lane") || !strings.Contains(after, `"keep"`) || !strings.Contains(after, "/etc/facts.json") {
		t.Errorf("%s", after)
	}
}

// TestInstallRefuses what it cannot parse, and writes nothing.
func TestInstallRefuses(t *testing.T) {
	for _, text := range []string{"{", "[]", `"x"`, "{} {}", `{"a":1,"a":2}`, "// c\n{}", `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"PreToolUse":["x"]}}`, "{,}", `{"a":1,}`} {
		name := settingsFile(t, text)
		if _, err := Install("claude-code", name, "/opt/bin/lane", ""); err == nil {
			t.Errorf("%q was accepted", text)
		}
		if now, _ := os.ReadFile(name); string(now) != text {
			t.Errorf("%q became %q", text, now)
		}
	}
	if _, err := Install("claude-code", t.TempDir(), "/opt/bin/lane", ""); err == nil {
		t.Error("a directory was accepted")
	}
	if _, err := Install("nobody", settingsFile(t, "{}"), "/opt/bin/lane", ""); err == nil {
		t.Error("an unknown harness was accepted")
	}
}

// TestApply keeps the file's mode and a link's target, and notices a change
// by somebody else.
func TestApply(t *testing.T) {
	name := settingsFile(t, "{}")
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	c := install(t, link)
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := c.Apply(); err == nil {
		t.Error("a file that changed meanwhile was overwritten")
	}
	fresh := filepath.Join(t.TempDir(), "a", "b", "settings.json")
	if err := install(t, fresh).Apply(); err != nil {
		t.Error(err)
	}
}

// TestSettingsPath of each harness and scope.
func TestSettingsPath(t *testing.T) {
	for _, c := range []struct{ harness, scope, want string }{
		{"claude-code", "user", "/home/dev/.claude/settings.json"}, {"claude-code", "project", "/p/.claude/settings.json"},
		{"claude-code", "local", "/p/.claude/settings.local.json"}, {"claude-code", "x", ""}, {"nobody", "user", ""},
		{"codex", "user", "/home/dev/.codex/hooks.json"}, {"codex", "project", "/p/.codex/hooks.json"}, {"codex", "local", ""},
		{"gemini-cli", "user", "/home/dev/.gemini/settings.json"}, {"gemini-cli", "project", "/p/.gemini/settings.json"},
		{"copilot", "user", "/home/dev/.copilot/hooks/lane.json"}, {"copilot", "project", "/p/.github/hooks/lane.json"},
		{"antigravity", "user", "/home/dev/.gemini/config/hooks.json"}, {"antigravity", "project", "/p/.agents/hooks.json"},
	} {
		got, err := SettingsPath(c.harness, c.scope, "/home/dev", "/p")
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %s: %q, %v", c.harness, c.scope, got, err)
		}
	}
}

// TestSessionFacts finds the repository round a session: a linked worktree,
// a plain one, none.
func TestSessionFacts(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.git/HEAD", "ref: refs/heads/main\n")
	write("repo/.git/worktrees/lane/commondir", "../..\n")
	write("lane/.git", "gitdir: "+root+"/repo/.git/worktrees/lane\n")
	write("lane/sub/a", "")
	write("repo/sub/a", "")
	write("plain/a", "")
	for _, c := range []struct{ cwd, worktree, common string }{
		{"lane/sub", "lane", "repo/.git"}, {"repo/sub", "repo", "repo/.git"},
	} {
		f, err := SessionFacts(filepath.Join(root, c.cwd))
		if err != nil || f.Worktree != filepath.Join(root, c.worktree) || f.CommonDir != filepath.Join(root, c.common) {
			t.Errorf("%s: %+v, %v", c.cwd, f, err)
		}
	}
	if f, err := SessionFacts(filepath.Join(root, "plain")); err != nil || f.Worktree != filepath.Join(root, "plain") && f.CommonDir == "" {
		t.Errorf("plain: %+v, %v", f, err)
	}
	if _, err := SessionFacts("relative"); err == nil {
		t.Error("a relative directory was accepted")
	}
	for tmp, want := range map[string]string{"/home/ada/tmp": "/home/ada/tmp", "/tmp/": "", "/var/tmp": "", "/dev/shm": "", "/run/shm": "", "tmp": "", "/tmp/ada": "/tmp/ada"} {
		t.Setenv("TMPDIR", tmp)
		if f, err := SessionFacts(root); err != nil || f.Tmp != want {
			t.Errorf("TMPDIR %q is %q, want %q", tmp, f.Tmp, want)
		}
	}
	var out, errs bytes.Buffer
	payload := `{"hook_event_name":"PreToolUse","cwd":"` + root + `/lane/sub","tool_name":"Write","tool_input":{"file_path":"` + root + `/repo/.git/config"}}`
	if code := Main([]string{"--harness", "claude-code", "--session"}, strings.NewReader(payload), &out, &errs); code != 2 || !strings.Contains(errs.String(), "lane/shared-git") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}
