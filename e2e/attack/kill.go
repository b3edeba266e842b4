package attack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// afterSignal is how long a lane may take to be gone after the signal.
const afterSignal = 2 * time.Second

// runKill sends the launcher a signal while the inside works and looks whether
// anything of it still does two seconds later.
func (f *Fixture) runKill(ctx context.Context, a Attack, l Launcher, r Result) (result Result) {
	fault := func(err error) Result {
		r.Verdict, r.Detail = Fault, err.Error()
		return r
	}
	c, stop, err := f.command(a, l)
	if err != nil {
		return fault(err)
	}
	defer func() {
		stop()
		if f.last.crashed && result.Verdict == Stopped {
			result.Verdict, result.Detail = Crashed, short(f.last.output)
		}
	}()
	if err := c.Start(); err != nil {
		return fault(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	end := func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // a group of its own
		<-done
		r.Exit = c.ProcessState.ExitCode()
	}
	if !await(usualTime, func() bool { return f.beating() || ctx.Err() != nil }) || ctx.Err() != nil {
		end()
		r.Verdict = NoStart
		return r
	}
	r.Reached = true
	began := time.Now()
	if err := c.Process.Signal(a.Signal); err != nil {
		end()
		return fault(err)
	}
	select {
	case err := <-done:
		done <- err
	case <-time.After(afterSignal):
		r.Detail = fmt.Sprintf("the launcher did not end in %v; ", afterSignal)
	}
	r.Took = time.Since(began)
	// A heart that stood still does not begin again.
	dead := await(time.Until(began.Add(afterSignal)), func() bool { return !f.beating() })
	if r.Verdict = Stopped; !dead {
		r.Verdict, r.Detail = Escaped, r.Detail+"still running after the launcher was sent "+a.Signal.String()
	} else if r.Detail != "" {
		r.Verdict = Hung
	}
	end()
	return r
}

// beating says whether a heart beats in the worktree.
func (f *Fixture) beating() bool {
	size := func() int64 {
		info, err := os.Stat(filepath.Join(f.Worktree, heartFile))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	first := size()
	if first == 0 {
		return false
	}
	return await(200*time.Millisecond, func() bool { return size() != first })
}
