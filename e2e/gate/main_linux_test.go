package gate_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/cmd"
	"lane/e2e/gate"
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

const (
	unprivileged = 1001 // in no /etc/passwd
	stageEnv     = "LANE_GATE_STAGE"
)

// stage is a directory that every user may enter, with the programs in it.
type stage struct{ dir, bin string }

// asUser runs the test as an ordinary user.
func asUser(t *testing.T, f func(*testing.T, stage)) {
	asBoth(t, func(t *testing.T, s stage) {
		if os.Geteuid() != 0 {
			f(t, s)
		}
	})
}

// asBoth runs the test as whoever runs it and, when that is root, also as an
// ordinary user in a process of its own.
func asBoth(t *testing.T, f func(*testing.T, stage)) {
	need(t, "bwrap", "agents")
	if dir := os.Getenv(stageEnv); dir != "" {
		f(t, stage{filepath.Join(dir, "user"), filepath.Join(dir, "bin")})
		return
	}
	s := newStage(t)
	t.Run("own", func(t *testing.T) { f(t, stage{filepath.Join(s.dir, "own"), s.bin}) })
	if os.Geteuid() != 0 {
		return
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	t.Run("user", func(t *testing.T) {
		c := exec.CommandContext(t.Context(), filepath.Join(s.bin, "suite"), "-test.run=^"+name+"$", "-test.v")
		c.Dir = filepath.Join(s.dir, "user")
		c.Env = append(os.Environ(), "HOME="+c.Dir, "TMPDIR=/tmp", stageEnv+"="+s.dir)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
		out, err := c.CombinedOutput()
		if t.Logf("as uid %d:\n%s", unprivileged, out); err != nil {
			t.Fatal(err)
		}
	})
}

func newStage(t *testing.T) stage {
	t.Helper()
	var dir string
	var err error
	for _, parent := range []string{"/srv", "/var/lib", "/var/tmp"} {
		if dir, err = os.MkdirTemp(parent, "lane-gate-test-"); err == nil {
			break
		}
	}
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	bin := filepath.Join(dir, "bin")
	for _, d := range []string{bin, filepath.Join(dir, "own"), filepath.Join(dir, "user")} {
		must(t, os.Mkdir(d, 0o755))
		must(t, os.Chmod(d, 0o755))
	}
	if os.Geteuid() == 0 {
		must(t, os.Chown(filepath.Join(dir, "user"), unprivileged, unprivileged))
	}
	self, err := os.Executable()
	must(t, err)
	install(t, self, filepath.Join(bin, "lane"))
	for _, name := range []string{"open", "suite"} {
		must(t, os.Link(filepath.Join(bin, "lane"), filepath.Join(bin, name)))
	}
	claude, err := filepath.EvalSymlinks("../agents/node_modules/.bin/claude")
	must(t, err)
	install(t, claude, filepath.Join(bin, "claude"))
	for _, name := range []string{"lane.gate.1.json", "lane.result.1.json"} {
		install(t, filepath.Join("..", "..", "schemas", name), filepath.Join(bin, name))
	}
	return stage{dir, bin}
}

func install(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, b, 0o755))
	must(t, os.Chmod(to, 0o755)) // the caller's umask may be 077
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// need skips a test that cannot run here, by name; where LANE_MUST lists the
// feature, as CI does, it fails instead.
func need(t *testing.T, features ...string) {
	t.Helper()
	claude := "../agents/node_modules/.bin/claude"
	if dir := os.Getenv(stageEnv); dir != "" {
		claude = filepath.Join(dir, "bin", "claude")
	}
	for _, name := range features {
		argv := map[string][]string{
			"agents": {claude, "--version"},
			"bwrap":  {"bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true"},
		}[name]
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		switch {
		case err == nil:
		case slices.Contains(strings.Split(os.Getenv("LANE_MUST"), ","), name):
			t.Fatalf("feature %q is missing and LANE_MUST asks for it: %v: %s", name, err, out)
		default:
			t.Skipf("feature %q is missing: %v: %s", name, err, out)
		}
	}
}

// options are those of a gate on this stage; program is lane or open.
func (s stage) options(t *testing.T, program, only string) gate.Options {
	t.Helper()
	return gate.Options{Lane: filepath.Join(s.bin, program), Version: "test", Writer: "claude", WriterBin: filepath.Join(s.bin, "claude"), Only: only, Dir: s.dir}
}

func (s stage) run(t *testing.T, o gate.Options) (gate.Report, map[string]gate.Claim) {
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
