package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"lane/e2e/model"
)

// commands are what scripts can say beyond testscript's own words.
//
//	repo [DIR [LANE]]     a repository with a linked worktree and a sibling below DIR
//	                      (default $HOME/src, LANE lane); sets REPO, LANE, SIBLING, COMMON, GITDIR
//	fill FILE…            replace @NAME@ in each by $NAME, as it is spelled inside JSON
//	model FILE            fill FILE and start a model that plays it
//	exits N COMMAND…      run a command whose exit code must be N
//	[!] json FILE PATH [WANT]   look into JSON: a.0.b, len for the length, * for any;
//	                      WANT is text, or ~REGEXP
//	let NAME FILE PATH    set $NAME to the one value that is there
//	[!] refused ID [REGEXP]     the tool call came back to the model as an error
//	[!] result ID REGEXP  what the tool call came back as
//	prompted FILE         the model was sent exactly these bytes as a text of the user's
//	[!] sent TEXT         some request to the model holds TEXT, anywhere
//	absent PATH…          nothing has that name, not even a dangling link
//	snapshot NAME DIR…    remember every file below the directories
//	[!] unchanged NAME    compare with the snapshot
//
// A script whose model was not asked for every one of its steps fails: what
// the agent did not try proves nothing.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"repo":      cmdRepo,
	"model":     cmdModel,
	"exits":     cmdExits,
	"json":      cmdJSON,
	"let":       cmdLet,
	"refused":   cmdRefused,
	"result":    cmdResult,
	"prompted":  cmdPrompted,
	"sent":      cmdSent,
	"fill":      cmdFill,
	"absent":    cmdAbsent,
	"snapshot":  cmdSnapshot,
	"unchanged": cmdUnchanged,
}

type stateID struct{}

var stateKey stateID

// state is what the commands of one script share.
type state struct {
	t         testing.TB
	model     *model.Running
	snapshots map[string]map[string]string
}

func stateOf(ts *testscript.TestScript) *state { return ts.Value(stateKey).(*state) }

func usage(ts *testscript.TestScript, ok bool, text string) {
	if !ok {
		ts.Fatalf("usage: %s", text)
	}
}

func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) <= 2, "repo [DIR [LANE]]")
	base := filepath.Join(ts.Getenv("HOME"), "src")
	if len(args) > 0 {
		base = ts.MkAbs(args[0])
	}
	name := "lane"
	if len(args) > 1 {
		name = args[1]
	}
	repo, lane, sibling := filepath.Join(base, "repo"), filepath.Join(base, name), filepath.Join(base, "sibling")
	ts.Check(os.MkdirAll(repo, 0o755))
	git := func(dir string, args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Tester", "-c", "user.email=tester@example.invalid",
			"-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		// The host's own configuration must not shape the repositories.
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + ts.Getenv("HOME"), "LANG=C.UTF-8",
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git(repo, "init", "-q")
	ts.Check(os.WriteFile(filepath.Join(repo, "greeting.txt"), []byte("hello\n"), 0o644))
	git(repo, "add", "greeting.txt")
	git(repo, "commit", "-q", "-m", "first")
	git(repo, "worktree", "add", "-q", "-b", "work", lane)
	git(repo, "worktree", "add", "-q", "-b", "other", sibling)
	for name, value := range map[string]string{
		"REPO": repo, "LANE": lane, "SIBLING": sibling,
		"COMMON": filepath.Join(repo, ".git"), "GITDIR": filepath.Join(repo, ".git/worktrees", filepath.Base(lane)),
	} {
		ts.Setenv(name, value)
	}
}

var placeholder = regexp.MustCompile(`@([A-Z_]+)@`)

func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "model FILE")
	st := stateOf(ts)
	if st.model != nil {
		ts.Fatalf("this script has a model already")
	}
	script, err := model.Parse(fill(ts, args[0]))
	ts.Check(err)
	record := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "asked"))
	ts.Check(os.Mkdir(record, 0o755))
	st.model, err = model.Start(context.Background(), script, record, 10*time.Minute)
	ts.Check(err)
	ts.Setenv("ANTHROPIC_BASE_URL", st.model.URL)
	ts.Setenv("OPENAI_BASE_URL", st.model.URL+"/v1")
	ts.Setenv("GOOGLE_GEMINI_BASE_URL", st.model.URL)
	ts.Setenv("COPILOT_PROVIDER_BASE_URL", st.model.URL+"/v1")
	ts.Defer(func() {
		if err := st.model.Close(); err != nil {
			st.t.Errorf("scripted model: %v", err)
		}
		if left := st.model.Unplayed(); len(left) > 0 && !st.t.Failed() && !st.t.Skipped() {
			st.t.Errorf("the agent never came for: %s", strings.Join(left, ", "))
		}
	})
}

// fill leaves $NAME alone: in a script for an agent it is the agent's shell's.
func fill(ts *testscript.TestScript, file string) []byte {
	return placeholder.ReplaceAllFunc([]byte(ts.ReadFile(file)), func(m []byte) []byte {
		value := ts.Getenv(strings.Trim(string(m), "@"))
		if value == "" {
			ts.Fatalf("%s: %s stands for nothing", file, m)
		}
		quoted, err := json.Marshal(value)
		ts.Check(err)
		return quoted[1 : len(quoted)-1]
	})
}

func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 0, "fill FILE…")
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), fill(ts, file), 0o644))
	}
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "exits N COMMAND [ARG…]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func cmdRefused(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 1 || len(args) == 2 && !neg, "[!] refused ID [REGEXP]")
	r := toolResult(ts, args[0])
	if r.Error == neg {
		ts.Fatalf("call %s (%s): error is %v: %s", r.ID, r.Name, r.Error, r.Text)
	}
	if len(args) == 2 {
		matchText(ts, false, args[1], r.Text)
	}
}

func cmdResult(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 2, "[!] result ID REGEXP")
	matchText(ts, neg, args[1], toolResult(ts, args[0]).Text)
}

func toolResult(ts *testscript.TestScript, id string) model.ToolResult {
	st := stateOf(ts)
	if st.model == nil {
		ts.Fatalf("no model was started")
	}
	r, ok := st.model.Result(id)
	if !ok {
		ts.Fatalf("call %s never came back to the model", id)
	}
	return r
}

func matchText(ts *testscript.TestScript, neg bool, pattern, text string) {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	if re.MatchString(text) == neg {
		ts.Fatalf("match of %s is not %v in: %s", pattern, !neg, text)
	}
}

func cmdPrompted(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "prompted FILE")
	st := stateOf(ts)
	if st.model == nil {
		ts.Fatalf("no model was started")
	}
	want := ts.ReadFile(args[0])
	texts := st.model.UserText()
	for _, text := range texts {
		if text == want {
			return
		}
	}
	var sizes []string
	for _, text := range texts {
		sizes = append(sizes, strconv.Itoa(len(text)))
	}
	ts.Fatalf("no text of %d bytes as in %s; texts of the user's have %s bytes", len(want), args[0], strings.Join(sizes, ", "))
}

func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 1, "[!] sent TEXT")
	st := stateOf(ts)
	if st.model == nil || len(st.model.Requests()) == 0 {
		ts.Fatalf("no model was asked")
	}
	for _, r := range st.model.Requests() {
		if bytes.Contains(r.Body, []byte(args[0])) {
			if neg {
				ts.Fatalf("request %d (%s) holds %q", r.Seq, r.Kind, args[0])
			}
			return
		}
	}
	if !neg {
		ts.Fatalf("none of %d requests holds %q", len(st.model.Requests()), args[0])
	}
}

func cmdAbsent(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 0, "absent PATH…")
	for _, path := range args {
		if _, err := os.Lstat(ts.MkAbs(path)); !errors.Is(err, os.ErrNotExist) {
			ts.Fatalf("%s is there (%v)", path, err)
		}
	}
}

func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// untilBefore leaves the first process time to report what the second did.
func untilBefore(deadline time.Time) time.Duration {
	return max(time.Until(deadline)-10*time.Second, time.Second)
}
