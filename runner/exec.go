package runner

import (
	"os"
)

// Exec carries out the plan of a user's own command: the same confinement as
// an agent's, with the caller's streams. It leaves no run directory behind
// unless something was held back.
func Exec(j Job) Result {
	res := emptyResult(j.Version)
	res.describe(j.Plan, j.Host)
	j.Progress = func(string) {} // the streams are the command's
	if ref := unacceptedRefusal(j.Plan); ref != nil {
		res.refuse(ref)
		return finishRecord(&res, nil)
	}
	warden, err := openWarden(&j, &res, nil)
	if err != nil {
		res.refuse(refusalOf(err, "warden"))
		return finishRecord(&res, nil)
	}
	defer warden.close()
	dir, err := makeRunDir(&j.Plan, &res)
	if err != nil {
		res.refuse(refusalOf(err, "run-directory"))
		return finishRecord(&res, nil)
	}
	defer dir.Close()
	if err := execute(j, warden, &res); err != nil {
		res.refuse(refusalOf(err, "start"))
	}
	if res.Status == Tripwire || res.TakeIn.leaves(j) {
		return finishRecord(&res, dir) // something of the command's lies there
	}
	if err := os.RemoveAll(j.Plan.RunDir); err != nil {
		res.Warnings = append(res.Warnings, "the run's directory could not be removed: "+cause(err))
	}
	return finishRecord(&res, nil)
}

func execute(j Job, w *warden, res *Result) error {
	var relay *terminal
	var err error
	streams := j.streams
	if streams == nil {
		if relay, streams, err = openStreams(j.Request.Terminal); err != nil {
			return err
		}
	}
	if relay != nil {
		defer relay.close()
	}
	child, err := start(j.Plan, j.Host, streams)
	streams.started()
	if err != nil {
		return err
	}
	early := child.hearEarly(j)
	sealed, err := ready(j, child, res)
	if sig := early.end(j); sig != 0 {
		child.kill()
		res.interrupted(sig)
		return nil
	}
	if err == nil {
		err = w.hold(child)
	}
	if err == nil {
		if relay != nil {
			w.follow(relay)
			relay.begin()
		}
		err = child.release()
	}
	if err != nil {
		child.kill()
		return relay.explain(offerOther(err, j))
	}
	for _, sig := range early.wait {
		child.reports.signal(sig)
	}
	end := child.attend(j, relay)
	streams.drain()
	code := end.Code
	res.Warnings = append(res.Warnings, end.Reached...)
	res.AgentExit, res.Exit, res.Status = &code, code, Done
	switch {
	case end.TimedOut:
		res.Status, res.Reason, res.Exit = TimedOut, "timeout", ExitTimeout
	case end.Killed:
		// It did not end by the signal that was passed on.
		res.Status, res.Reason, res.Exit = Interrupted, "signal", ExitSignal+int(end.Signal)
	case code != 0:
		res.Status, res.Reason = Failed, "command-exit"
	}
	after(res, j, sealed)
	return nil
}

// openStreams gives the command a private terminal, or the caller's streams.
func openStreams(private bool) (*terminal, *streams, error) {
	if !private {
		s, err := passStreams(os.Stdin, os.Stdout, os.Stderr)
		return nil, s, err
	}
	relay, err := openTerminal(os.Stdin, os.Stdout)
	if err != nil {
		return nil, nil, &Refusal{Reason: "terminal", Detail: err.Error(), Hint: "give lane a pipe instead of a terminal: lane exec ... </dev/null | cat"}
	}
	return relay, &streams{in: relay.slave, out: relay.slave, err: relay.slave}, nil
}

// attend waits for a command: signals are passed on to it, and those that end
// a process end the lane when it does not follow.
func (c *child) attend(j Job, relay *terminal) ending {
	defer c.reports.Close()
	go c.followJobs(relay)
	end := c.wait(j)
	end.Empty = c.reports.waitEmpty(grace)
	if !end.Empty {
		c.kill()
	}
	if relay != nil {
		limit := drainTime
		if end.Signal != 0 || end.TimedOut {
			limit = grace / 10 // a terminal that takes nothing must not hold the end up
		}
		relay.drain(limit)
	}
	return end
}
