package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"lane/runner/agent"
)

// How long an agent has to end by itself after the first signal (two seconds
// after a signal to lane nothing of the lane may be left, its own end and the
// look at the worktree included), and how long lane waits for output that is
// still in the pipe after the namespace is gone.
const (
	grace      = 1000 * time.Millisecond
	drainTime  = 5 * time.Second
	heartbeat  = 15 * time.Second
	maxEvents  = 256 << 20 // of the agent's output kept in the record
	signalBase = 128
)

// ending says how the agent's process ended.
type ending struct {
	Code     int            // its exit code; 128+n when a signal ended it
	Signal   syscall.Signal // what lane was told to end with, 0 for none
	TimedOut bool
	Killed   bool // it did not end within its grace
	Empty    bool // the namespace was seen to be empty
	Stderr   string
	Stream   error
	Reached  []string // limits that stopped something
}

// watch feeds the prompt, reads the agent's output and waits for its end,
// whatever comes first: its own exit, the timeout, or a signal to lane.
// When it returns no process of the lane is left.
func (c *child) watch(j Job, stream agent.Stream, record *os.Root) ending {
	defer c.reports.Close()
	go c.feed(j.Request.Prompt)
	read := make(chan error, 1)
	go func() { read <- c.read(stream, record, j.Progress) }()

	end := c.wait(j)
	// The layer's process may go before the last process inside does.
	end.Empty = c.reports.waitEmpty(grace)
	if !end.Empty {
		c.kill()
		end.Empty = c.reports.waitEmpty(grace)
	}
	select {
	case end.Stream = <-read:
	case <-time.After(drainTime):
		end.Stream = errors.New("the agent's output did not end")
	}
	c.stdout.Close()
	<-c.errDone
	end.Stderr = string(c.stderr.bytes())
	return end
}

// feed writes the prompt and closes standard input. An agent that does not
// read it all gets as much as it reads.
func (c *child) feed(prompt []byte) {
	_, _ = c.stdin.Write(prompt)
	c.stdin.Close()
}

// read keeps the agent's output in the record, up to a bound, while the
// stream reads all of it.
func (c *child) read(stream agent.Stream, record *os.Root, progress func(string)) error {
	f, err := record.OpenFile("events.jsonl", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return stream.Read(c.stdout, progress)
	}
	defer f.Close()
	return stream.Read(io.TeeReader(c.stdout, &bounded{w: f, left: maxEvents}), progress)
}

// bounded writes up to left bytes and swallows the rest: a full disk or an
// endless output must not stop the reading.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	keep := p
	if len(keep) > b.left {
		keep = keep[:b.left]
	}
	if len(keep) > 0 {
		b.left -= len(keep)
		if _, err := b.w.Write(keep); err != nil {
			b.left = 0
		}
	}
	return len(p), nil
}

// wait returns when the layer's process has been reaped.
func (c *child) wait(j Job) ending {
	var end ending
	var timeout, kill <-chan time.Time
	if t := time.Duration(j.Plan.Timeout); t > 0 {
		timer := time.NewTimer(t)
		defer timer.Stop()
		timeout = timer.C
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	began := time.Now()
	stop := func(why string) {
		j.Progress(why)
		ask := syscall.SIGTERM
		if j.Agent.Command && end.Signal != 0 {
			ask = end.Signal // a command gets what lane got
		}
		tell := c.reports.signal
		if j.Agent.Command && ask == syscall.SIGINT {
			tell = c.reports.signalGroup // it is the key ^C more often than not
		}
		if kill != nil || !tell(ask) {
			end.Killed = true
			go c.kill()
			return
		}
		kill = time.After(grace)
	}
	for {
		select {
		case <-c.waited:
			end.Code, end.Reached = exitCode(c.state), c.reached
			return end
		case s := <-j.Signals:
			if sig, ok := s.(syscall.Signal); ok {
				if j.Agent.Command && passedOn(sig) {
					c.reports.signal(sig)
					continue
				}
				if end.Signal == 0 && !end.TimedOut {
					end.Signal = sig
				}
				stop(fmt.Sprintf("ending the agent (%s)", unix.SignalName(sig)))
			}
		case <-timeout:
			end.TimedOut = end.Signal == 0
			stop("ending the agent: the time is up")
		case <-kill:
			end.Killed = true
			j.Progress("the agent did not end by itself: ending the lane")
			go c.kill()
			kill = nil
		case <-beat.C:
			j.Progress(fmt.Sprintf("still running (%s)", time.Since(began).Round(time.Second)))
		}
	}
}

// passedOn are signals that a command gets as they are: they need not end it.
func passedOn(sig syscall.Signal) bool {
	return sig == syscall.SIGUSR1 || sig == syscall.SIGUSR2 || sig == syscall.SIGQUIT
}

func exitCode(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return signalBase + int(ws.Signal())
	}
	return s.ExitCode()
}
