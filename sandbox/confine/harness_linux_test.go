package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/e2e/feature"
	"lane/sandbox"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain makes the test binary the lane binary of these tests: `confine`
// is the child stage, `act` does what a script cannot.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "confine":
			os.Exit(ChildMain())
		case "act":
			os.Exit(act(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// requireBwrap skips, naming what is missing, or fails when LANE_MUST says
// that this host has to have it.
func requireBwrap(t testing.TB) Probe {
	t.Helper()
	layer, err := Lookup("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	probe := layer.Probe(t.Context())
	if !probe.OK {
		feature.Missing(t, "bwrap", fmt.Sprintf("%s (%s): %s", probe.Reason, probe.Blocker, probe.Detail))
	}
	return probe
}

const userEnv = "LANE_TEST_AS_USER"

// asBoth runs the test as whoever runs it and, when that is root, a second
// time as an ordinary user in a process of its own.
func asBoth(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Geteuid() != 0 {
		f(t)
		return
	}
	name := t.Name()
	t.Run("root", f)
	t.Run("user", func(t *testing.T) { reexecAsUser(t, name) })
}

func reexecAsUser(t *testing.T, name string) {
	dir := worldReadable(t)
	bin := copySelf(t, dir)
	home := filepath.Join(dir, "home")
	must(t, os.Mkdir(home, 0o700))
	must(t, os.Chown(home, 1001, 1001))
	tmp := filepath.Join(dir, "tmp")
	must(t, os.Mkdir(tmp, 0o700))
	must(t, os.Chown(tmp, 1001, 1001))
	args := []string{"-test.run=^" + name + "$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short())}
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Dir, _ = os.Getwd()
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+tmp, userEnv+"=1", "GOCACHE="+home+"/.cache")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1001, Gid: 1001}}
	out, err := cmd.CombinedOutput()
	if err != nil || testing.Verbose() {
		t.Logf("as uid 1001:\n%s", out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("--- SKIP")) {
		t.Skip("skipped as uid 1001")
	}
}

// worldReadable is a directory that an ordinary user can reach, which
// t.TempDir of root is not.
func worldReadable(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lane-confine-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

func copySelf(t testing.TB, dir string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	to := filepath.Join(dir, "lane")
	// A hard link is not enough: the directory of the original is closed.
	in, err := os.Open(self)
	must(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, errors.Join(err, out.Close()))
	return to
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fixture is a small host: a worktree and what a lane must not touch.
type fixture struct {
	Dir, Lane, Worktree, Common, Other, Secret, Home, Empty string
	Layer                                                   Layer
	Policy                                                  sandbox.Policy
	Probe                                                   Probe
	// Unprepared starts lanes from a thread that Prepare has not readied.
	Unprepared bool
	Env        []string // of the child, besides the test's own
	// Word, if set, is sent instead of go, and then the end.
	Word *string
}

// newFixture builds the directories and the policy of an ordinary lane.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newHost(t, &fixture{Layer: bwrap{}, Probe: requireBwrap(t)})
}

func newHost(t testing.TB, f *fixture) *fixture {
	t.Helper()
	f.Dir = worldReadable(t)
	f.Lane = copySelf(t, f.Dir)
	f.Home = filepath.Join(f.Dir, "home")
	f.Worktree = filepath.Join(f.Home, "src", "wt")
	f.Common = filepath.Join(f.Home, "src", "repo", ".git")
	f.Other = filepath.Join(f.Home, "src", "other")
	f.Secret = filepath.Join(f.Dir, "secret")
	f.Empty = filepath.Join(f.Dir, "empty")
	write(t, f.Worktree+"/.git", "gitdir: "+f.Common+"/worktrees/wt\n")
	write(t, f.Worktree+"/main.go", "package main\n\nfunc main() {}\n")
	write(t, f.Worktree+"/.claude/settings.json", "{}\n")
	write(t, f.Worktree+"/.env", "TOKEN=secret\n")
	write(t, f.Common+"/config", "[core]\n")
	write(t, f.Common+"/hooks/sample", "#!/bin/sh\n")
	write(t, f.Other+"/file", "other\n")
	write(t, f.Secret+"/key", "secret\n")
	write(t, f.Home+"/.bashrc", "# rc\n")
	write(t, f.Empty, "")
	f.Policy = sandbox.Policy{Rows: existing(sandbox.BaseRows()), Network: sandbox.NetworkNone}
	f.row(f.Dir, sandbox.Read, false)
	f.row(f.Home, sandbox.Private, false)
	f.row(f.Home+"/src/repo", sandbox.Read, false)
	f.row(f.Common, sandbox.Protect, false)
	f.row(f.Worktree, sandbox.Write, false)
	f.row(f.Worktree+"/.git", sandbox.Protect, true)
	f.row(f.Worktree+"/.claude/settings.json", sandbox.Protect, true)
	f.row(f.Worktree+"/.env", sandbox.Hide, true)
	f.row(f.Secret, sandbox.Hide, false)
	return f
}

func (f *fixture) row(path string, access sandbox.Access, file bool) {
	f.Policy.Rows = append(f.Policy.Rows, sandbox.Row{Path: path, Access: access, File: file, Reason: "test"})
}

func existing(rows []sandbox.Row) []sandbox.Row {
	return slices.DeleteFunc(rows, func(r sandbox.Row) bool {
		_, err := os.Lstat(r.Path)
		return err != nil
	})
}

func write(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func (f *fixture) options() Options {
	return Options{BwrapPath: f.Probe.Path, Root: os.Geteuid() == 0, Cwd: f.Worktree, EmptyFile: f.Empty}
}

// outcome is what a confined run left.
type outcome struct {
	Report ChildReport  // of the checks
	Second *ChildReport // of the exec, if it failed
	Out    string       // standard output and error
	Code   int
}

// start runs argv confined, as package runner would: plan, report, go.
func (f *fixture) start(t testing.TB, change func(*ChildPlan), argv ...string) outcome {
	t.Helper()
	return f.startWith(t, nil, change, argv...)
}

// startWith also lets a test change how bwrap is started.
func (f *fixture) startWith(t testing.TB, prepare func(*exec.Cmd), change func(*ChildPlan), argv ...string) outcome {
	t.Helper()
	must(t, CheckPaths(f.Policy))
	policy := f.Layer.Fit(f.Policy)
	plan := f.Layer.Checks(policy)
	plan.Argv, plan.Path, plan.Dir = argv, argv[0], f.Worktree
	ids, err := Identify(f.Worktree, f.Worktree+"/.git", f.Common)
	must(t, err)
	plan.IDs = ids
	if change != nil {
		change(&plan)
	}
	args, err := f.Layer.Argv(policy, []string{f.Lane, "confine"}, f.options())
	must(t, err)
	return f.startChild(t, prepare, args, plan)
}

// startChild uses a thread of its own that ends with the run: Prepare cannot
// be undone, and --die-with-parent watches the thread (bubblewrap#529).
func (f *fixture) startChild(t testing.TB, prepare func(*exec.Cmd), args []string, plan ChildPlan) outcome {
	t.Helper()
	done := make(chan outcome, 1)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if !f.Unprepared {
			must(t, f.Layer.Prepare(f.Policy))
		}
		done <- f.runChild(t, prepare, args, plan)
	}()
	o, ok := <-done
	if !ok {
		t.FailNow() // must ended the goroutine
	}
	return o
}

func (f *fixture) runChild(t testing.TB, prepare func(*exec.Cmd), args []string, plan ChildPlan) outcome {
	planR, planW, err := os.Pipe()
	must(t, err)
	reportR, reportW, err := os.Pipe()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.ExtraFiles = []*os.File{planR, reportW}
	cmd.Env = append(os.Environ(), append(f.Env, "LC_ALL=C")...)
	// With the landlock layer, what is left over may hold the output open.
	cmd.WaitDelay = 2 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	f.Layer.Attr(cmd.SysProcAttr)
	if prepare != nil {
		prepare(cmd)
	}
	must(t, cmd.Start())
	planR.Close()
	reportW.Close()
	var o outcome
	must(t, WritePlan(planW, plan))
	o.Report, err = ReadReport(reportR)
	if err == nil && o.Report.OK {
		if f.Word == nil {
			must(t, Go(planW))
		} else {
			io.WriteString(planW, *f.Word)
			planW.Close()
		}
		var second ChildReport
		if second, err = ReadReport(reportR); err == nil {
			o.Second = &second
		} else if err != io.EOF {
			t.Errorf("second record: %v", err)
		}
	}
	planW.Close()
	err = cmd.Wait()
	o.Out, o.Code = out.String(), cmd.ProcessState.ExitCode()
	if ctx.Err() != nil {
		t.Errorf("run: %v", err)
	}
	return o
}

// sh runs a shell script confined; the lane must start.
func (f *fixture) sh(t testing.TB, script string) outcome {
	t.Helper()
	o := f.start(t, nil, "/bin/sh", "-c", script)
	if !o.Report.OK {
		t.Fatalf("refused: %s: %s\n%s", o.Report.Reason, o.Report.Detail, o.Out)
	}
	return o
}

func contains(text, part string) bool { return strings.Contains(text, part) }

func toJSON(v any) string {
	b, _ := json.MarshalIndent(v, "", "  ")
	return string(b)
}
