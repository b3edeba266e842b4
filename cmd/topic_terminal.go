package cmd

import (
	"fmt"
	"strings"

	"lane/runner"
)

func killedText() string {
	return `lane ends a lane in order when it gets SIGINT, SIGTERM or SIGHUP: the agent is told
first, and what does not end by itself is killed. Two seconds later nothing of
the lane is left. SIGINT and SIGTERM twice mean now. lane exec passes SIGQUIT,
SIGUSR1 and SIGUSR2 on to its command and does not end by them; SIGTSTP stops
lane and its command, SIGCONT has both go on.

When lane itself is killed, the kernel ends everything in the lane, and one small
process beside it, "lane warden", does what lane would have done: it ends what
should be left, gives the terminal back, removes the empty files that an agent's
sandbox leaves in the worktree (only those that were not there before), and holds
back wiring that appeared. It outlives lane by two seconds at most. The run has a
record with the status killed; what the agent wrote stays, and commits made in
the lane can still be taken in (lane runs take-in).

When the warden is killed too, the next lane command does all this, from
LANE_HOME/open.

With the landlock layer there is no pid namespace: see the gap orphans.
`
}

func terminalText() string {
	var b strings.Builder
	b.WriteString(`lane exec on a terminal gives its command a terminal of its own and relays. What
would make your terminal do something, or answer with what the command has put
there, does not pass; what the command has set (mouse, pasting, the alternate
screen, colours, the keyboard) is set back when it ends.

Strings (OSC) that pass; no other does, and none that asks:

`)
	for _, passes := range []bool{true, false} {
		if !passes {
			b.WriteString("\nControl sequences (CSI) that do not pass:\n\n")
		}
		for _, r := range runner.TerminalRows() {
			if r.Passes == passes {
				fmt.Fprintf(&b, "  %-10s %s\n", r.Sequence, r.Meaning)
			}
		}
	}
	b.WriteString(`
Nor do window operations but sizes and the stack of titles, device control
strings but pictures (sixel), the strings APC, PM and SOS, and C1 controls.
`)
	return b.String()
}
