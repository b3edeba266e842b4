package runner

import (
	"os"
	"path/filepath"
	"testing"

	"lane/runner/agent"
)

// An agent that calls tools and never asks the guard is no success; what the
// guard refused is in the record though the agent's output does not tell.
func TestHookProof(t *testing.T) {
	for name, c := range map[string]struct {
		log    string // "" for none
		calls  int
		failed bool
		denied int
	}{
		"no call, no question":   {"", 0, false, 0},
		"calls, no question":     {"", 2, true, 0},
		"calls, only the prompt": {`{"event":"UserPromptSubmit"}` + "\n", 2, true, 0},
		"calls and questions":    {`{"event":"PreToolUse","tool":"Bash","target":"ls"}` + "\n", 2, false, 0},
		"a refusal":              {`{"event":"PreToolUse","tool":"Bash","target":"rm x","denied":true,"rule":"lane/outside","reason":"no"}` + "\nrubbish\n", 0, false, 1},
		"a refused prompt":       {`{"event":"UserPromptSubmit","denied":true,"rule":"lane/secret","reason":"no"}` + "\n", 0, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			run := t.TempDir()
			if err := os.MkdirAll(filepath.Join(run, stateDir), 0o700); err != nil {
				t.Fatal(err)
			}
			log := filepath.Join(run, stateDir, "guard.jsonl")
			if c.log != "" {
				if err := os.WriteFile(log, []byte(c.log), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			res := emptyResult("")
			j := Job{Agent: claude(t), Plan: Plan{RunDir: run, HookLog: log}, Host: Host{Program: Program{Version: "1.2.3"}}}
			out := proveHook(&res, j, agent.Outcome{Ended: true, ToolCalls: c.calls})
			if out.Failed != c.failed || len(out.Denied) != c.denied || out.Version != "1.2.3" {
				t.Errorf("got %+v", out)
			}
			if c.denied > 0 && c.log[10] == 'U' && (out.ToolCalls != 0 || out.Denied[0].Tool != "") {
				t.Errorf("a prompt counts as a call: %+v", out)
			}
			if c.failed && (out.Reason != "guard-not-asked" || len(res.Warnings) == 0) {
				t.Errorf("reason %q, warnings %q", out.Reason, res.Warnings)
			}
			if c.denied > 0 && c.log[10] == 'P' && (out.Denied[0].By != "hook" || out.Denied[0].Reason != "lane/outside: no" || out.ToolFails != 1) {
				t.Errorf("denied %+v", out.Denied)
			}
		})
	}

	// A link out of the run's state is not followed.
	run := t.TempDir()
	secret := filepath.Join(run, "secret")
	log := filepath.Join(run, stateDir, "guard.jsonl")
	for _, err := range []error{os.Mkdir(filepath.Dir(log), 0o700), os.WriteFile(secret, []byte(`{"tool":"Bash","denied":true,"reason":"secret"}`), 0o600), os.Symlink(secret, log)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	res := emptyResult("")
	if out := proveHook(&res, Job{Agent: claude(t), Plan: Plan{RunDir: run, HookLog: log}}, agent.Outcome{}); len(out.Denied) > 0 {
		t.Errorf("read through a link: %+v", out.Denied)
	}
}

func TestPackageVersion(t *testing.T) {
	root := t.TempDir()
	bin := filepath.Join(root, "node_modules", "@x", "agent", "vendor", "musl", "bin")
	for _, err := range []error{os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(root, "package.json"), []byte(`{"version":"9.9.9"}`), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if v := packageVersion(filepath.Join(bin, "agent")); v != "" {
		t.Errorf("found %q, which is of the package that holds node_modules", v)
	}
	if err := os.WriteFile(filepath.Join(root, "node_modules", "@x", "agent", "package.json"), []byte(`{"version":"1.2.3-linux-x64"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := packageVersion(filepath.Join(bin, "agent")); v != "1.2.3" {
		t.Errorf("found %q", v)
	}
}
