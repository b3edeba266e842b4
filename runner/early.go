package runner

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// early hears the signals to lane while the child proves the lane. Nothing
// that was asked for runs yet, so a signal that ends a process ends lane at
// once; those that a command may want to hear wait for it.
type early struct {
	stop chan struct{}
	done chan struct{}
	sig  syscall.Signal
	wait []syscall.Signal
}

func (c *child) hearEarly(j Job) *early {
	e := &early{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(e.done)
		for e.sig == 0 {
			select {
			case s := <-j.Signals:
				if sig, ok := s.(syscall.Signal); ok {
					e.hear(j, sig)
				}
			case <-e.stop:
				return
			}
		}
		c.kill()
	}()
	return e
}

func (e *early) hear(j Job, sig syscall.Signal) {
	if j.Agent.Command && passedOn(sig) {
		e.wait = append(e.wait, sig)
		return
	}
	e.sig = sig
}

// end says what lane was told to end with, 0 for nothing.
func (e *early) end(j Job) syscall.Signal {
	close(e.stop)
	<-e.done
	for e.sig == 0 {
		select {
		case s := <-j.Signals:
			if sig, ok := s.(syscall.Signal); ok {
				e.hear(j, sig)
			}
			continue
		default:
		}
		break
	}
	return e.sig
}

// interrupted is the result of a lane that was told to end before its agent
// was started.
func (r *Result) interrupted(sig syscall.Signal) {
	r.Status, r.Reason, r.Exit, r.Signal = Interrupted, "signal", ExitSignal+int(sig), unix.SignalName(sig)
}
