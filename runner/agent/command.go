package agent

import "lane/sandbox"

// Command is any command of the user's own, for `lane exec`: nothing of an
// agent is set up, no login is needed, there is no network but loopback, and
// user namespaces are off because no sandbox has to nest.
//
// It is not in the registry: it has no name for --writer.
func Command(argv []string) *Agent {
	return &Agent{
		Name:    "exec",
		Program: argv[0],
		Command: true,
		Network: sandbox.NetworkNone,
		Launch:  func(Spec) (Launch, error) { return Launch{Argv: argv}, nil },
	}
}
