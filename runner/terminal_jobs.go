package runner

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// jobs makes lane and its command one job of the user's shell: what stops the
// one stops the other, and they go on together. In a pid namespace nobody else
// sees that the command was stopped.
type jobs struct {
	c       *child
	relay   *terminal // nil when the command has the caller's own streams
	stopped chan os.Signal
	goOn    chan os.Signal
	resized chan os.Signal
}

// lookEvery is how often the command's state and the terminal's foreground are
// looked at: neither is reported to lane.
const lookEvery = 100 * time.Millisecond

// followJobs does so until the command has ended.
func (c *child) followJobs(relay *terminal) {
	j := &jobs{c: c, relay: relay, stopped: make(chan os.Signal, 1), goOn: make(chan os.Signal, 1), resized: make(chan os.Signal, 1)}
	signal.Notify(j.stopped, syscall.SIGTSTP)
	signal.Notify(j.goOn, syscall.SIGCONT)
	if relay != nil {
		signal.Notify(j.resized, syscall.SIGWINCH)
	}
	defer func() {
		for _, ch := range []chan os.Signal{j.stopped, j.goOn, j.resized} {
			signal.Stop(ch)
		}
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-c.waited:
			return
		case <-j.stopped:
			j.stopCommand()
			j.suspend(os.Getpid())
		case <-j.goOn: // after a SIGSTOP, which lane cannot see coming
			j.resume()
		case <-j.resized:
			relay.resize()
		case <-look.C:
			if relay == nil {
				continue
			}
			if c.reports.stopped() {
				// ^Z in the private pty. Whatever was started together with
				// lane stops too, as it would have with the shell's own ^Z.
				j.suspend(0)
				continue
			}
			relay.look()
		}
	}
}

// stopCommand passes SIGTSTP on. A process group without a shell around it
// does not stop by it, SIGSTOP then does.
func (j *jobs) stopCommand() {
	j.c.reports.signalGroup(syscall.SIGTSTP)
	for end := time.Now().Add(lookEvery); time.Now().Before(end); time.Sleep(lookEvery / 10) {
		if j.c.reports.stopped() {
			return
		}
	}
	j.c.reports.signalGroup(syscall.SIGSTOP)
}

// suspend gives the terminal back, stops pid (0: lane's process group) as the
// shell expects, and goes on when the shell says so. The kernel does not stop
// a group whose parent nobody could stop and continue from; then it goes on at
// once.
func (j *jobs) suspend(pid int) {
	if j.relay != nil {
		j.relay.give()
	}
	stopAsDefault(pid, func() {
		select {
		case <-j.goOn:
		case <-time.After(lookEvery):
			// Another thread than this one may be the one that stops: the
			// timer then fires only after the stop as well.
		}
	})
	j.resume()
}

func (j *jobs) resume() {
	if j.relay != nil {
		j.relay.goOn()
	}
	j.c.reports.signalGroup(syscall.SIGCONT)
}
