package attack

import (
	"os/signal"
	"syscall"
)

// Kill tests: the launcher gets a signal, and two seconds later nothing of
// the lane runs.

func init() { lazily(addKills) }

func addKills() {
	self := beat
	child := func(l Layout) error { // as an agent's tool would be
		c := l.again("+beat")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return c.Run()
	}
	stubborn := func(l Layout) error {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		return child(l)
	}
	plain := Plain{Anyone, ""}
	ends := Plain{Nobody, "the signal goes to the process itself"}
	var list []Attack
	for _, k := range []struct {
		id, what string
		sig      syscall.Signal
		try      func(Layout) error
		plain    Plain
	}{
		{"hang-kill9", "SIGKILL, while a command runs", syscall.SIGKILL, self, ends},
		{"hang-term", "SIGTERM, while a command runs", syscall.SIGTERM, self, ends},
		{"hang-child-kill9", "SIGKILL, while a child in a session of its own runs", syscall.SIGKILL, child, plain},
		{"hang-child-term", "SIGTERM, while a child in a session of its own runs", syscall.SIGTERM, child, plain},
		{"hang-child-hup", "SIGHUP, while a child in a session of its own runs", syscall.SIGHUP, child, plain},
		{"hang-child-int", "SIGINT, while a child in a session of its own runs", syscall.SIGINT, child, plain},
		{"hang-stubborn-term", "SIGTERM, to a command that ignores it", syscall.SIGTERM, stubborn, plain},
	} {
		list = append(list, Attack{ID: k.id, Kind: Kill, Claim: "nothing outlives the lane by two seconds", What: k.what,
			Signal: k.sig, Try: k.try, Plain: k.plain})
	}
	register(list...)
}
