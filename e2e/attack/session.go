package attack

// What a program needs that drives a launcher of its own over a fixture, in
// which many attacks are tried at once, and judges each of them itself.

// Begin puts the fixture back, lets setup change it and takes what is there
// then for the world as it was.
func (f *Fixture) Begin(setup func(*Fixture) error) error {
	return f.prepare(Attack{Setup: setup})
}

// Changed says what differs outside the worktree since Begin. With commits,
// what a commit in the worktree changes does not count.
func (f *Fixture) Changed(commits bool) Finding { return f.worldChanged(commits) }

// Ran says whether a program of the agent's ran outside: it would have made
// the canary.
func (f *Fixture) Ran() Finding { return found(exists(f.Canary), "its program ran outside") }

// UserRuns does what the user may do next, git in a directory, and says
// whether that ran a program of the agent's.
func (f *Fixture) UserRuns(dir string, args ...string) Finding { return f.userRuns(dir, args...) }

// Reached says whether somebody came to a service: docker, agent, bus,
// service, abstract, tcp or udp.
func (f *Fixture) Reached(name string) bool {
	f.services.mu.Lock()
	defer f.services.mu.Unlock()
	return f.services.hits[name] > 0
}

// Secret is one of the secrets in the fixture: ssh, env, victim, key or
// foreign. Whoever has it read it.
func (f *Fixture) Secret(name string) string { return f.secrets[name] }

// Environ is the user's environment, with a secret in it as users have them.
func (f *Fixture) Environ() []string {
	return append(f.environ(), "SHELL=/bin/sh", "SSH_AUTH_SOCK="+f.Agent, "XDG_RUNTIME_DIR="+f.Runtime,
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+f.Bus, "AWS_SECRET_ACCESS_KEY="+f.secrets["env"], "GOTOOLCHAIN=local")
}

// Shell runs a script outside, as the user.
func (f *Fixture) Shell(dir, script string) error { return f.sh(dir, script) }

// Started and Through are what an inside prints when it was reached, and when
// it believes that it got through.
const (
	Started = sayStarted
	Through = sayThrough
)
