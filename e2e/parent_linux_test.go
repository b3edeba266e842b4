package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/e2e/model"
)

// parentScene is a user's place for a parent agent: a repository with a lane's
// worktree, and the scripted models of both agents.
type parentScene struct {
	dir, home, repo, lane string
	parent, child         *model.Running
}

func newParentScene(t *testing.T, child model.Script) *parentScene {
	t.Helper()
	dir, err := os.MkdirTemp(stage, "parent-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &parentScene{dir: dir, home: filepath.Join(dir, "home")}
	s.repo, s.lane = filepath.Join(s.home, "repo"), filepath.Join(s.home, "work")
	check(t, os.MkdirAll(s.repo, 0o755))
	for _, d := range []string{dir, s.home, s.repo} {
		check(t, os.Chmod(d, 0o755))
		if os.Getuid() == 0 {
			check(t, os.Chown(d, unprivileged, unprivileged))
		}
	}
	out, err := s.as(t.Context(), s.repo, nil, "sh", "-euc", `git init -q -b main .
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
git worktree add -q -b work ../work`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.child, err = model.Start(t.Context(), child, "", 0)
	check(t, err)
	t.Cleanup(func() { s.child.Close() })
	return s
}

// listen starts the parent's model. Its script names the child's.
func (s *parentScene) listen(t *testing.T, parent model.Script) {
	t.Helper()
	var err error
	s.parent, err = model.Start(t.Context(), parent, "", 0)
	check(t, err)
	t.Cleanup(func() { s.parent.Close() })
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// as is a command of the unprivileged user's, or of whoever runs the tests.
func (s *parentScene) as(ctx context.Context, dir string, env []string, argv ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append([]string{"HOME=" + s.home, "PATH=" + filepath.Join(stage, "bin") + ":/usr/local/bin:/usr/bin:/bin", "USER=dev", "LANG=C.UTF-8"}, env...)
	c.WaitDelay = 5 * time.Second
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	return c
}

// order is the command line that a parent's shell tool runs.
func (s *parentScene) order() string {
	bin := filepath.Join(stage, "bin") // a login shell sets PATH anew
	return "echo lane-from=$(date +%s); ANTHROPIC_API_KEY=scripted ANTHROPIC_BASE_URL=" + s.child.URL + " " + bin + "/lane run --json --writer-bin " + bin +
		"/claude --writer claude -- make the change 2>&1; echo lane-exit=$?; echo lane-to=$(date +%s)"
}

// codex runs the real Codex as the parent.
func (s *parentScene) codex(t *testing.T, flags ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	provider := fmt.Sprintf(`model_providers.mock={name="mock",base_url="%s/v1",wire_api="responses",env_key="MOCK_KEY"}`, s.parent.URL)
	argv := append([]string{filepath.Join(stage, "bin", "codex"), "exec", "--json", "--skip-git-repo-check", "-m", "gpt-5.5", "-c", "model_provider=mock", "-c", provider}, flags...)
	c := s.as(ctx, s.lane, []string{"MOCK_KEY=x"}, append(argv, "--", "have the change made in a lane")...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("codex: %v\n%s", err, out)
	}
}

// claude runs the real Claude Code as the parent.
func (s *parentScene) claude(t *testing.T, settings string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	c := s.as(ctx, s.lane, []string{"ANTHROPIC_API_KEY=parent", "ANTHROPIC_BASE_URL=" + s.parent.URL, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		filepath.Join(stage, "bin", "claude"), "-p", "--permission-mode", "bypassPermissions", "--settings", settings, "--", "have the change made in a lane")
	c.Stdin = nil
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("claude: %v\n%s", err, out)
	}
}

// A parent agent hands work to a lane: by its shell tool, without a terminal.
// Where its own sandbox leaves room, the record comes back and a line every 15
// seconds shows that lane lives; where it does not, lane refuses before
// anything is made, and says what to ask for.
func TestParentAgents(t *testing.T) {
	const made = "echo made >made.txt"
	for _, c := range []struct {
		name    string
		feature string
		run     func(*testing.T, *parentScene)
		asks    string // for what lane has the parent ask; "" where lanes work
	}{
		{"codex-full-access", "codex", func(t *testing.T, s *parentScene) { s.codex(t, "-s", "danger-full-access") }, ""},
		{"codex-workspace-write", "codex", func(t *testing.T, s *parentScene) { s.codex(t, "-s", "workspace-write") }, "require_escalated"},
		{"codex-workspace-write-network", "codex", func(t *testing.T, s *parentScene) {
			s.codex(t, "-s", "workspace-write", "-c", "sandbox_workspace_write.network_access=true")
		}, "require_escalated"},
		{"claude", "agents", func(t *testing.T, s *parentScene) { s.claude(t, `{}`) }, ""},
		{"claude-sandboxed", "agents", func(t *testing.T, s *parentScene) {
			s.claude(t, `{"sandbox":{"enabled":true,"failIfUnavailable":true,"autoAllowBashIfSandboxed":true,"allowUnsandboxedCommands":false}}`)
		}, "dangerouslyDisableSandbox"},
	} {
		t.Run(c.name, func(t *testing.T) {
			need(t, "bwrap", "agents", c.feature)
			t.Parallel()
			delay := 0
			if c.asks == "" {
				delay = 16_000 // longer than a heart's beat
			}
			s := newParentScene(t, model.Script{Steps: []model.Step{
				{Content: model.Use("w", "Bash", map[string]string{"command": made}).Content, DelayMS: delay}, model.Text("made")}})
			tool, input := "Bash", map[string]any{"command": s.order()}
			if c.feature == "codex" {
				tool, input = "exec_command", map[string]any{"cmd": s.order(), "yield_time_ms": 110_000, "max_output_tokens": 20_000}
			}
			s.listen(t, model.Script{Steps: []model.Step{model.Use("lane", tool, input), model.Text("done")}})
			c.run(t, s)
			r, ok := s.parent.Result("lane")
			if !ok {
				t.Fatal("the parent's tool did not answer")
			}
			s.judge(t, c.asks, r.Text)
		})
	}
}

func (s *parentScene) judge(t *testing.T, asks, text string) {
	t.Helper()
	_, err := os.Lstat(filepath.Join(s.lane, "made.txt"))
	if asks == "" {
		for _, want := range []string{`"schema": "lane.result/1"`, `"status": "done"`, "lane: still running (15s)", "lane-exit=0"} {
			if !strings.Contains(text, want) {
				t.Errorf("the parent does not see %q:\n%s", want, text)
			}
		}
		if err != nil {
			t.Errorf("the work was not done: %v", err)
		}
		return
	}
	for _, want := range []string{`"schema": "lane.result/1"`, `"status": "refused"`, `"reason": "inside-sandbox"`, asks, "lane-exit=125"} {
		if !strings.Contains(text, want) {
			t.Errorf("the parent does not see %q:\n%s", want, text)
		}
	}
	var from, to int
	if _, scanErr := fmt.Sscanf(text[strings.Index(text, "lane-from="):], "lane-from=%d", &from); scanErr != nil {
		t.Error(scanErr)
	}
	if _, scanErr := fmt.Sscanf(text[strings.Index(text, "lane-to="):], "lane-to=%d", &to); scanErr != nil {
		t.Error(scanErr)
	}
	if to-from > 10 || to < from {
		t.Errorf("it took from %d to %d to refuse", from, to)
	}
	if err == nil {
		t.Error("work was done without a lane")
	}
	if n := len(s.child.Requests()); n > 0 {
		t.Errorf("an agent was started: %d requests", n)
	}
	if _, err := os.Lstat(filepath.Join(s.home, ".local", "state", "lane", "runs")); err == nil {
		t.Error("something of the run was made")
	}
}
