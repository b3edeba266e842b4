package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// suites are the directories of testdata and what a script in each needs.
// testdata/claude drives the real Claude Code with a scripted model (the other
// agents have directories of their own),
// testdata/stub an agent that does what its prompt says, testdata/exec runs
// commands without an agent, testdata/plain nothing at all; testdata/landlock
// is about the landlock layer, with and without an agent.
var suites = map[string][]string{
	"plain":    {"git"},
	"exec":     {"git", "bwrap"},
	"stub":     {"git", "bwrap"},
	"claude":   {"git", "bwrap", "agents"},
	"codex":    {"git", "bwrap", "codex"},
	"gemini":   {"git", "bwrap", "node20", "gemini"},
	"copilot":  {"git", "bwrap", "copilot"},
	"landlock": {"git", "landlock", "agents"},
}

// ran notes the scripts that were started in this process, "claude/edit".
var ran struct {
	sync.Mutex
	names map[string]bool
}

// TestScripts runs every script twice: as the user that runs the tests and,
// when that is root, as an unprivileged user, in a second process.
func TestScripts(t *testing.T) {
	if os.Getuid() != 0 {
		t.Run("user", func(t *testing.T) { runSuites(t, "user") })
		return
	}
	t.Run("root", func(t *testing.T) { runSuites(t, "root") })
	t.Run("user", runAsUser)
}

func runSuites(t *testing.T, who string) {
	for _, suite := range slices.Sorted(maps.Keys(suites)) {
		t.Run(suite, func(t *testing.T) {
			need(t, suites[suite]...)
			work := filepath.Join(stage, who, suite)
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			testscript.Run(t, testscript.Params{
				Dir:                 filepath.Join("testdata", suite),
				WorkdirRoot:         work,
				Setup:               func(e *testscript.Env) error { return setup(e, suite) },
				Condition:           condition,
				Cmds:                commands,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				UpdateScripts:       *update,
			})
		})
	}
	if filtered() || t.Failed() {
		return
	}
	ran.Lock()
	defer ran.Unlock()
	for _, s := range scripts(t) {
		if !ran.names[s] && runs(filepath.Dir(s)) {
			t.Errorf("script %s was not run", s)
		}
	}
}

// runs says whether a suite can run here: one that was skipped as a whole has
// said why.
func runs(suite string) bool {
	for _, f := range suites[suite] {
		if probes[f]() != nil {
			return false
		}
	}
	return true
}

// filtered says that -run asked for some scripts only.
func filtered() bool {
	if f := flagValue("test.run"); f != "" && f != "TestScripts" && f != "^TestScripts$" {
		return true
	}
	return flagValue("test.skip") != ""
}

// logins are what the agents of single suites need; none is a secret, and
// nobody listens at the addresses until a script starts a model.
var logins = map[string]map[string]string{
	"codex":   {"CODEX_API_KEY": "sk-scripted", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
	"copilot": {"COPILOT_PROVIDER_API_KEY": "sk-scripted", "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:9/v1"},
	"gemini":  {"GEMINI_API_KEY": "sk-scripted", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"},
}

// setup gives a script an empty environment with a home of its own.
func setup(e *testscript.Env, suite string) error {
	ran.Lock()
	if ran.names == nil {
		ran.names = map[string]bool{}
	}
	ran.names[suite+"/"+strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")] = true
	ran.Unlock()

	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	bin := filepath.Join(stage, "bin")
	for name, value := range map[string]string{
		"HOME":      home,
		"PATH":      bin + ":/usr/local/bin:/usr/bin:/bin",
		"LANG":      "C.UTF-8",
		"USER":      "tester",
		"LANE_HOME": filepath.Join(e.WorkDir, "lanehome"),
		"BIN":       bin,
		// A name that is nobody else's, for files in shared directories.
		"UNIQUE": fmt.Sprintf("lane-e2e-%d-%s", os.Getpid(), filepath.Base(e.WorkDir)),
		// Not a secret: the scripted server takes any key.
		"ANTHROPIC_API_KEY": "sk-scripted",
		// Nobody listens there: an agent that was not given a scripted server
		// must not go looking for the real one.
		"ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
		// A failing server is tried again for minutes otherwise.
		"CLAUDE_CODE_MAX_RETRIES": "1",
	} {
		e.Setenv(name, value)
	}
	for name, value := range logins[suite] {
		e.Setenv(name, value)
	}
	e.Values[stateKey] = &state{t: e.T().(testing.TB), snapshots: map[string]map[string]string{}}
	return nil
}

func condition(cond string) (bool, error) {
	if cond == "root" {
		return os.Getuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

var outcome = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): TestScripts/user/(\S+/\S+) `)

// runAsUser runs this test binary again as another user, on the stage's copy
// of the scripts, and counts what it reports: a second process that ran
// nothing would otherwise look like one in which all went well.
func runAsUser(t *testing.T) {
	args := []string{"-test.v", "-test.run=" + flagValue("test.run"), "-test.parallel=" + flagValue("test.parallel")}
	if flagValue("test.run") == "" {
		args[1] = "-test.run=^TestScripts$"
	}
	if deadline, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+untilBefore(deadline).String())
	}
	cmd := exec.Command(filepath.Join(stage, "bin", "suite"), args...)
	cmd.Dir = stage
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(stage, "user"), stageEnv + "=" + stage,
		"LANE_MUST=" + os.Getenv("LANE_MUST")}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged},
		Pdeathsig:  syscall.SIGKILL,
	}
	cmd.Stderr = os.Stderr
	// The death signal comes with the end of the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]string{}
	var all bytes.Buffer
	sc := bufio.NewScanner(stdout)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		line := sc.Text()
		if testing.Verbose() {
			fmt.Println("as user:", line)
		}
		all.WriteString(line + "\n")
		if m := outcome.FindStringSubmatch(line); m != nil {
			outcomes[m[2]] = m[1]
		}
	}
	if err := errors.Join(sc.Err(), cmd.Wait()); err != nil {
		t.Fatalf("as uid %d: %v\n%s", unprivileged, err, all.String())
	}
	count := map[string]int{}
	for _, o := range outcomes {
		count[o]++
	}
	t.Logf("as uid %d: %v", unprivileged, count)
	if filtered() {
		return
	}
	for _, s := range scripts(t) {
		if outcomes[s] == "" && runs(filepath.Dir(s)) {
			t.Errorf("script %s was not run as uid %d", s, unprivileged)
		}
	}
}

// scripts lists all scripts, as "suite/name".
func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(filepath.Dir(f))+"/"+strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}

// TestEveryScriptIsRunBySomebody: a directory of scripts that no test names,
// or a file that testscript would pass over, proves nothing.
func TestEveryScriptIsRunBySomebody(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range dirs {
		found = append(found, d.Name())
		files, err := os.ReadDir(filepath.Join("testdata", d.Name()))
		if err != nil {
			t.Errorf("testdata/%s: %v", d.Name(), err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".txtar") {
				t.Errorf("testdata/%s/%s is no script and nobody reads it", d.Name(), f.Name())
			}
		}
	}
	if want := slices.Sorted(maps.Keys(suites)); !slices.Equal(found, want) {
		t.Errorf("directories of testdata %v, suites %v", found, want)
	}
}
