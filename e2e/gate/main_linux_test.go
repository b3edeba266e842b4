package gate_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lane/cmd"
	"lane/e2e/feature"
	"lane/e2e/gate"
	"lane/e2e/stage"
)

// The lane under test is this test binary under another name; so are the
// suite of the unprivileged user, and a launcher that confines nothing.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "lane":
		os.Exit(cmd.Main(os.Args[1:]))
	case "open":
		os.Exit(openMain(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(m.Run())
}

const stageEnv = "LANE_GATE_STAGE"

// site is where one user's tests run, with the programs.
type site struct{ dir, bin string }

// asUser runs the test as an ordinary user.
func asUser(t *testing.T, f func(*testing.T, site)) {
	asBoth(t, func(t *testing.T, s site) {
		if os.Geteuid() != 0 {
			f(t, s)
		}
	})
}

// asBoth runs the test as whoever runs it and, when that is root, also as an
// ordinary user in a process of its own.
func asBoth(t *testing.T, f func(*testing.T, site)) {
	needAgent(t)
	if dir := os.Getenv(stageEnv); dir != "" {
		f(t, site{filepath.Join(dir, "user"), filepath.Join(dir, "bin")})
		return
	}
	both := newStage(t)
	t.Run("own", func(t *testing.T) { f(t, ownSite(t, both)) })
	if os.Geteuid() != 0 {
		return
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	t.Run("user", func(t *testing.T) {
		both.AsUser(t, both.Folder(t, "user", stage.Unprivileged), name, []string{stageEnv + "=" + both.Dir})
	})
}

func newStage(t *testing.T) stage.Stage {
	t.Helper()
	s := stage.New(t, "lane-gate-test-", "lane", "open")
	claude, err := filepath.EvalSymlinks("../agents/node_modules/.bin/claude")
	must(t, err)
	stage.Install(t, claude, filepath.Join(s.Bin, "claude"), 0o755)
	for _, name := range []string{"lane.gate.1.json", "lane.result.1.json"} {
		stage.Install(t, filepath.Join("..", "..", "schemas", name), filepath.Join(s.Bin, name), 0o755)
	}
	return s
}

// ownSite is that of whoever runs the tests.
func ownSite(t *testing.T, s stage.Stage) site {
	return site{s.Folder(t, "own", os.Geteuid()), s.Bin}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// needAgent skips a test where no lane, or no agent, can run.
func needAgent(t *testing.T) {
	t.Helper()
	claude := "../agents/node_modules/.bin/claude"
	if dir := os.Getenv(stageEnv); dir != "" {
		claude = filepath.Join(dir, "bin", "claude")
	}
	feature.Runs(t, "agents", claude, "--version")
	feature.Bwrap(t)
}

// options are those of a gate on this stage; program is lane or open.
func (s site) options(t *testing.T, program, only string) gate.Options {
	t.Helper()
	return gate.Options{Lane: filepath.Join(s.bin, program), Version: "test", Writer: "claude", WriterBin: filepath.Join(s.bin, "claude"), Only: only, Dir: s.dir}
}

func (s site) run(t *testing.T, o gate.Options) (gate.Report, map[string]gate.Claim) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	rep, err := gate.Run(ctx, o)
	must(t, err)
	by := map[string]gate.Claim{}
	for _, c := range rep.Claims {
		by[c.ID+c.Model] = c
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "lane-gate-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("the gate left %v", left)
	}
	return rep, by
}

// openMain is a launcher that keeps lane's words and confines nothing: what
// the gate must see through.
func openMain(args []string) int {
	if len(args) == 0 {
		return 2
	}
	var argv []string
	switch args[0] {
	case "attack":
		return gate.Main(args[1:])
	case "exec":
		argv = args[2:]
	case "run":
		var bin, config string
		for i, a := range args {
			switch a {
			case "--writer-bin":
				bin = args[i+1]
			case "--mcp":
				config = args[i+1]
			}
		}
		argv = []string{bin, "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"}
		if config != "" {
			argv = append(argv, "--mcp-config", config)
		}
		argv = append(argv, "--", args[len(args)-1])
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(os.Environ(), "IS_SANDBOX=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	if args[0] == "exec" {
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = c.Run() // its exit code follows
		return c.ProcessState.ExitCode()
	}
	out, err := c.CombinedOutput()
	detail := ""
	if err != nil {
		detail = fmt.Sprintf("%v: %s", err, out)
	}
	record := filepath.Join(os.Getenv("LANE_HOME"), "record")
	if err := os.MkdirAll(record, 0o700); err != nil {
		return 1
	}
	if err := os.WriteFile(filepath.Join(record, "events.jsonl"), out, 0o600); err != nil {
		return 1
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"schema": "lane.result/1", "status": "done", "detail": detail, "run_dir": os.Getenv("LANE_HOME")})
	return 0
}
