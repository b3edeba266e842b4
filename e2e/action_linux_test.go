package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The composite action's script, with a stub agent: what GitHub reads of it.
// Whatever an agent says, no line of the log is a workflow command that it
// wrote, and no output has a second line.
func TestActionRunsALane(t *testing.T) {
	need(t, "git", "bwrap", "socat", "jq")
	for _, c := range []struct {
		name, prompt, flags, gate string
		exit                      bool
		outputs, log, summary     []string
	}{
		{name: "work", prompt: "stub write new.txt x",
			outputs: []string{"status=done", "cost=0.0125", "branch=lane/77-2-"}, summary: []string{"### lane: done\n", "    1 files changed", "    new.txt"}},
		{name: "denied", prompt: "stub denied ; write a x",
			outputs: []string{"status=done"}, log: []string{"::warning title=lane denied "}},
		{name: "failed", prompt: "stub failed", exit: true,
			outputs: []string{"status=failed"}, log: []string{"::error title=lane failed::"}, summary: []string{"### lane: failed\n"}},
		{name: "commands in a file's name", prompt: "stub write ::set-output::y z",
			outputs: []string{"status=done"}, summary: []string{"    ::set-output"}},
		{name: "refused", prompt: "stub write a x", flags: "--layer none", exit: true,
			outputs: []string{"status=refused"}, log: []string{"::error title=lane refused::layer"}},
		{name: "nothing to do", exit: true, log: []string{"::error title=lane::give the action a prompt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := runAction(t, map[string]string{"INPUT_PROMPT": c.prompt, "INPUT_GATE": c.gate,
				"INPUT_FLAGS": "--writer-bin " + filepath.Join(stage, "bin", "stub") + " " + c.flags})
			if (got.err != nil) != c.exit {
				t.Errorf("ended with %v, want failure %v", got.err, c.exit)
			}
			for _, want := range []struct {
				in    string
				parts []string
			}{{got.outputs, c.outputs}, {got.log, c.log}, {got.summary, c.summary}} {
				for _, part := range want.parts {
					if !strings.Contains(want.in, part) {
						t.Errorf("no %q in %q", part, want.in)
					}
				}
			}
			if t.Failed() {
				t.Logf("log:\n%s", got.log)
			}
			for line := range strings.Lines(got.outputs) {
				name, _, ok := strings.Cut(line, "=")
				if !ok || !strings.Contains(" status result-file cost worktree branch ", " "+name+" ") {
					t.Errorf("output %q", line)
				}
			}
			for line := range strings.Lines(got.log) {
				if strings.HasPrefix(line, "::set-output") {
					t.Errorf("a command of the agent's: %q", line)
				}
			}
		})
	}
}

// A gate that fails ends the job before the agent starts.
func TestActionStopsWhereTheGateFails(t *testing.T) {
	need(t, "git", "jq")
	bin := t.TempDir()
	for _, c := range []struct {
		code string
		want bool
	}{{"1", false}, {"0", true}} {
		script := "#!/bin/sh\ncase $1 in gate) echo '::error::not mine'; exit " + c.code + ";; run) echo '{\"status\":\"done\",\"denied\":[],\"changed\":[],\"writer\":{}}';; esac\n"
		if err := os.WriteFile(filepath.Join(bin, "lane"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		got := runAction(t, map[string]string{"INPUT_PROMPT": "x", "INPUT_GATE": "true", "PATH": bin + ":" + os.Getenv("PATH")})
		if (got.err == nil) != c.want || strings.Contains(got.outputs, "status=done") != c.want {
			t.Errorf("gate %s: %v, outputs %q", c.code, got.err, got.outputs)
		}
		if stop, cmd := strings.Index(got.log, "::stop-commands::"), strings.Index(got.log, "::error::not mine"); stop < 0 || cmd < stop {
			t.Errorf("the gate's own text can hold commands: %q", got.log)
		}
	}
}

type actionRun struct {
	log, outputs, summary string
	err                   error
}

func runAction(t *testing.T, env map[string]string) actionRun {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Join(stage, "root"), "action-")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"home", "checkout", "temp", "state"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{
		"PATH": filepath.Join(stage, "bin") + ":" + os.Getenv("PATH"), "HOME": dir + "/home", "LANE_HOME": dir + "/state",
		"RUNNER_TEMP": dir + "/temp", "GITHUB_OUTPUT": dir + "/output", "GITHUB_STEP_SUMMARY": dir + "/summary",
		"GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "2", "ANTHROPIC_API_KEY": "dummy", "INPUT_DIRECTORY": dir + "/checkout",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
	}
	for name, value := range env {
		vars[name] = value
	}
	run := func(argv ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		for name, value := range vars {
			c.Env = append(c.Env, name+"="+value)
		}
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		err := c.Run()
		return out.Bytes(), err
	}
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := run(append([]string{"git", "-C", dir + "/checkout"}, args...)...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	script, err := filepath.Abs("../.github/action/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	log, err := run("bash", script)
	got := actionRun{log: string(log), err: err}
	for file, to := range map[string]*string{"output": &got.outputs, "summary": &got.summary} {
		b, _ := os.ReadFile(filepath.Join(dir, file)) // it may have nothing to say
		*to = string(b)
	}
	return got
}
