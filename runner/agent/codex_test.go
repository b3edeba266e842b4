package agent

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Every byte of what Codex is told was measured with the real program.
func TestCodexLaunchGolden(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"user":       func(s *Spec) { s.Login = "env CODEX_API_KEY" },
		"owngit":     func(s *Spec) { s.OwnGit, s.Root = "/run-x/state/git", true },
		"openai-key": func(s *Spec) { s.Login, s.Model = "env OPENAI_API_KEY", "" },
		"gateway": func(s *Spec) {
			s.Login, s.Values = "file /home/dev/.codex/auth.json", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
		},
		"no-nesting": func(s *Spec) { s.NoNesting, s.Bwrap = true, "" },
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.Model = "gpt-5.5"
			change(&s)
			l, err := launchCodex(s)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "codex-"+name, l)
			for _, forbidden := range []string{"--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--trust"} {
				if slices.Contains(l.Argv, forbidden) {
					t.Errorf("argv holds %s", forbidden)
				}
			}
			if all := strings.Join(l.Argv, " "); strings.Contains(all, "projects") || strings.Contains(all, "trust_level") {
				t.Error("a project is trusted, whose files would then count")
			}
		})
	}
}

// The hash is the one under which the real Codex 0.171.0 runs a hook.
func TestCodexTrust(t *testing.T) {
	got, err := codexTrust("pre_tool_use", "/opt/x/hook.sh || { echo no >&2; exit 2; }")
	if err != nil || got != "sha256:f5962cb3faa38ee606b0c689549da47eb451c06ac9f4a3ae46d2d7a247748549" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestCodexRefuses(t *testing.T) {
	for reason, change := range map[string]func(*Spec){
		"mcp-config": func(s *Spec) { s.MCP = []byte("{}") },
		"tools":      func(s *Spec) { s.Tools = []string{"Bash"} },
		"base-url": func(s *Spec) {
			s.Values = map[string]string{"OPENAI_BASE_URL": "https://user:secret@example.invalid/v1"}
		},
	} {
		s := spec()
		change(&s)
		_, err := launchCodex(s)
		var se *SpecError
		if !errors.As(err, &se) || se.Reason != reason || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", reason, err)
		}
	}
}

// The key is handed over; a ChatGPT login, with its refresh token, is not.
func TestCodexTokenIsTheKeyOnly(t *testing.T) {
	if token, _, err := codexToken([]byte(`{"OPENAI_API_KEY":"sk-x","tokens":{"refresh_token":"rt","access_token":"at"}}`)); err != nil || token != "sk-x" {
		t.Errorf("got %q, %v", token, err)
	}
	for _, bad := range []string{`{"tokens":{"refresh_token":"rt","access_token":"at"}}`, `{`, ``} {
		if token, _, err := codexToken([]byte(bad)); err == nil || token != "" {
			t.Errorf("%s: got %q, %v", bad, token, err)
		}
	}
}

func TestCodexStream(t *testing.T) {
	b, err := os.ReadFile("testdata/codex-stream.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	s := &codexStream{}
	if err := s.Read(strings.NewReader(string(b)), func(line string) { told = append(told, line) }); err != nil {
		t.Fatal(err)
	}
	o := s.Outcome()
	if !o.Ended || o.Failed || o.Text != "fini" || o.ToolCalls != 3 || o.ToolFails != 1 || o.Usage["input_tokens"] != 50 || o.Turns != 1 {
		t.Errorf("got %+v", o)
	}
	if len(o.Denied) != 1 || o.Denied[0].By != "sandbox" || len(told) != 4 {
		t.Errorf("denied %+v, told %q", o.Denied, told)
	}

	for text, reason := range map[string]string{
		"":                          "no-result",
		`{"type":"thread.started"}`: "no-result",
		`{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no"}}`: "api-error",
		`{"type":"turn.failed","error":{"message":"something"}}`:                              "agent-error",
	} {
		s := &codexStream{}
		if err := s.Read(strings.NewReader(text+"\n"), nil); err != nil {
			t.Fatal(err)
		}
		if o := s.Outcome(); !o.Failed || o.Reason != reason {
			t.Errorf("%s: got %+v", text, o)
		}
	}
}

// Whatever becomes of the hook, the call is refused with text; its yes and its
// own no go through.
func TestHookCommandFailsClosed(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		script, out string
		code        int
	}{
		"no opinion":     {"exit 0", "", 0},
		"an answer":      {"echo '{\"x\":1}'", "{\"x\":1}\n", 0},
		"its own no":     {"echo why >&2; exit 2", "why\nlane: the guard refused, or could not run\n", 2},
		"a failure":      {"exit 1", "lane: the guard refused, or could not run\n", 2},
		"killed":         {"kill -9 $$", "lane: the guard refused, or could not run\n", 2},
		"not executable": {"", "the guard refused", 2},
	} {
		s := spec()
		s.Lane = dir + "/it's lane"
		mode := os.FileMode(0o755)
		if c.script == "" {
			mode = 0o644
		}
		os.Remove(s.Lane)
		if err := os.WriteFile(s.Lane, []byte("#!/bin/sh\n"+c.script+"\n"), mode); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("/bin/bash", "-c", hookCommand(s, "codex")).CombinedOutput()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != c.code || !strings.HasSuffix(string(out), c.out) && !strings.Contains(string(out), c.out) {
			t.Errorf("%s: exit code %d, %q", name, code, out)
		}
	}
}
