package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Launcher is what the attacks are run under.
type Launcher struct {
	// Argv goes before the inside's argv; none means no launcher.
	Argv []string
	// Env is added to the user's environment.
	Env []string
	// PrivateMounts starts it in a mount namespace of its own, so that root's
	// attacks on mounts, with no launcher, do not reach the host.
	PrivateMounts bool
}

// ended is how a launch ended.
type ended struct {
	started, success bool // what the inside said
	hung, crashed    bool
	exit             int
	output           string
	typed            string // input for the user's terminal that nobody typed
	modesChanged     bool   // the terminal's
	took             time.Duration
}

const usualTime = 20 * time.Second

// Run tries one attack and judges it. The fixture is put back first, so that
// a failure can be looked at until the next Run.
func (f *Fixture) Run(ctx context.Context, a Attack, l Launcher) Result {
	r := Result{ID: a.ID, Kind: a.Kind, Claim: a.Claim}
	if err := f.prepare(a); err != nil {
		r.Verdict, r.Detail = Fault, err.Error()
		return r
	}
	if a.Missing != nil {
		if why := a.Missing(f); why != "" {
			r.Verdict, r.Detail = Skipped, why
			return r
		}
	}
	if a.Kind == Kill {
		return f.runKill(ctx, a, l, r)
	}
	var saw Finding
	for f.round = range max(a.Launch.Times, 1) {
		if err := f.launch(ctx, a, l); err != nil {
			r.Verdict, r.Detail = Fault, err.Error()
			return r
		}
		r.Took += f.last.took
		// One that gets through is enough; of work, one that does not.
		if saw = f.judge(a); saw.Through == (a.Kind == Escape) || f.last.hung || f.last.crashed {
			break
		}
	}
	r.Exit, r.Reached = f.last.exit, f.last.started
	r.Verdict = verdict(a, f.last, saw)
	r.Detail = detail(r.Verdict, f.last, saw)
	return r
}

func (f *Fixture) prepare(a Attack) error {
	if err := f.reset(); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if a.Setup != nil {
		if err := a.Setup(f); err != nil {
			return fmt.Errorf("set up: %w", err)
		}
	}
	f.KeyHandle = system.handle(f.Home + "/.ssh/id_ed25519")
	var err error
	f.before, err = f.look()
	return err
}

// judge looks at the host. Beside what the attack aimed at, nothing outside
// the worktree may have changed, and the user's next git command must not run
// a program of the agent's.
func (f *Fixture) judge(a Attack) Finding {
	if a.Kind == Control {
		if a.Judge != nil {
			return a.Judge(f)
		}
		return found(f.last.success, "")
	}
	if a.Inside != "" && f.last.success {
		return through("it saw success: " + a.Inside)
	}
	// Before git runs outside, which itself writes the index.
	changed := f.worldChanged(a.Commits)
	for _, look := range []func() Finding{
		func() Finding { return found(exists(f.Canary), "its program ran outside") },
		func() Finding {
			if a.Judge == nil {
				return Finding{}
			}
			return a.Judge(f)
		},
		func() Finding { return changed },
		f.told,
		// Elsewhere git reads what has not changed.
		func() Finding { return f.userRuns(f.Worktree, "status") },
	} {
		if saw := look(); saw.Through {
			return saw
		}
	}
	if a.Launch.Times > 1 {
		f.relook() // git wrote the index
	}
	return Finding{}
}

func verdict(a Attack, e ended, saw Finding) Verdict {
	switch {
	case e.hung:
		return Hung
	case e.crashed:
		return Crashed
	case a.Kind == Control && saw.Through:
		return Works
	case a.Kind == Control:
		return Broken
	case saw.Through:
		return Escaped
	case !e.started && a.Refusal != "" && e.exit != 0:
		return Refused
	case !e.started:
		return NoStart
	case e.success:
		return Absorbed
	}
	return Stopped
}

func detail(v Verdict, e ended, saw Finding) string {
	switch v {
	case Works:
		return ""
	case Escaped:
		return fmt.Sprintf("%s (exit %d)", saw.Detail, e.exit)
	}
	text := e.output
	if _, why, ok := strings.Cut(text, sayFailed); ok {
		text = why
	}
	return fmt.Sprintf("exit %d; %s", e.exit, short(strings.TrimSpace(text)))
}

// launch starts the launcher once and waits for its end.
func (f *Fixture) launch(ctx context.Context, a Attack, l Launcher) error {
	within := a.Within
	if within == 0 {
		within = usualTime
	}
	c, stop, err := f.command(a, l)
	if err != nil {
		return err
	}
	defer stop()
	if err := c.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	f.launcher = c.Process.Pid
	defer f.beside(a)()
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		f.last.hung = true
	case <-ctx.Done():
		f.last.hung = true
	}
	if f.last.hung {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // a group of its own
		<-done
	}
	f.last.took, f.last.exit = time.Since(began), c.ProcessState.ExitCode()
	return nil
}

// beside starts what runs beside a launch and returns how to end it.
func (f *Fixture) beside(a Attack) func() {
	if a.Beside == nil {
		return func() {}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { a.Beside(f, stop) })
	return func() { close(stop); wg.Wait() }
}

// command makes the process and what belongs to it. stop reads its output and
// closes files.
func (f *Fixture) command(a Attack, l Launcher) (*exec.Cmd, func(), error) {
	f.last = ended{}
	layout, err := json.Marshal(f.Layout)
	if err != nil {
		return nil, nil, err
	}
	var argv []string
	if a.Launch.Wrap != nil {
		argv = a.Launch.Wrap(f)
	}
	argv = append(append(append(argv, l.Argv...), f.Self...), a.ID, string(layout))
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = f.Worktree
	if a.Launch.Dir != nil {
		c.Dir = a.Launch.Dir(f)
	}
	c.Env = append(append(f.environ(), "PWD="+c.Dir, "SHELL=/bin/sh", "TERM=xterm", "SSH_AUTH_SOCK="+f.Agent, "XDG_RUNTIME_DIR="+f.Runtime,
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+f.Bus, "AWS_SECRET_ACCESS_KEY="+f.secrets["env"], "GOTOOLCHAIN=local"), l.Env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = time.Second
	if l.PrivateMounts {
		system.privateMounts(c.SysProcAttr)
	}
	ends, err := f.streams(a, c)
	if err != nil {
		return nil, nil, err
	}
	return c, func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
		f.last.started = strings.Contains(f.last.output, sayStarted)
		f.last.success = strings.Contains(f.last.output, sayThrough)
		f.last.crashed = strings.Contains(f.last.output, "\ngoroutine 1 [")
	}, nil
}

// streams gives the command its descriptors. The output goes to a file, so
// that an orphan that holds it open holds up nobody.
func (f *Fixture) streams(a Attack, c *exec.Cmd) (ends []func(), err error) {
	open := func(make func(*Fixture) (*os.File, error)) *os.File {
		if make == nil || err != nil {
			return nil
		}
		var file *os.File
		if file, err = make(f); file != nil {
			ends = append(ends, func() { file.Close() })
		}
		return file
	}
	if a.Launch.Terminal {
		left, err := system.terminal(c)
		if err != nil {
			return nil, err
		}
		return append(ends, func() {
			t := left()
			f.last.output, f.last.typed, f.last.modesChanged = t.output, t.typed, t.changed
		}), nil
	}
	out, err := os.OpenFile(filepath.Join(f.out, "output"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	ends = append(ends, func() {
		out.Close()
		b, _ := os.ReadFile(out.Name()) // nothing read is nothing said
		f.last.output += string(b)
	})
	c.Stdout, c.Stderr = out, out
	if in := open(a.Launch.Stdin); in != nil {
		c.Stdin = in
	}
	if to := open(a.Launch.Stdout); to != nil {
		c.Stdout = to
		ends = append(ends, func() {
			b, _ := os.ReadFile(to.Name()) // as above
			f.last.output += string(b)
		})
	}
	if extra := open(a.Launch.Extra); extra != nil {
		c.ExtraFiles = make([]*os.File, extraFD-3+1)
		c.ExtraFiles[extraFD-3] = extra
	}
	return ends, err
}

// extraFD is the number by which the launcher inherits Launch.Extra.
const extraFD = 9
