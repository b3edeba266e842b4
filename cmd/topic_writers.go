package cmd

import (
	"fmt"
	"strings"

	"lane/runner/agent"
)

// writersText prints what each agent's file says of it.
func writersText() string {
	var b strings.Builder
	b.WriteString("The agents that lane run can start (--writer). Each runs in the same confinement,\nwith a state directory of its own for the run and with no more of your settings\nthan the login named here; no refresh token ever goes in.\n")
	for _, name := range agent.Names() {
		a, err := agent.Lookup(name)
		if err != nil {
			continue // it was listed a moment ago
		}
		fmt.Fprintf(&b, "\n%s (tested: %s)\n", a.Name, strings.Join(a.Tested, ", "))
		field := func(title, text string) {
			if text != "" {
				fmt.Fprintf(&b, "  %-10s %s\n", title, text)
			}
		}
		field("login", strings.Join(a.Login.Env, ", ")+loginFile(a.Login))
		field("without", a.Login.Hint)
		nests := "off: the layer alone confines it"
		if a.Nests {
			nests = "on, inside the lane"
		}
		field("its own", "sandbox is "+nests)
		field("ignored", strings.Join(a.Ignored, ", "))
		if len(a.Obeyed) > 0 {
			field("obeyed", strings.Join(a.Obeyed, ", ")+": where the repository has one, here or in a directory above, that is the gap repository-config, refused unless it is accepted by name")
		}
		for _, n := range writerNotes(a) {
			field("note", n)
		}
	}
	b.WriteString("\nAny other agent runs as a command, with your own streams and no network:\nlane exec -- COMMAND. A writer of its own takes two files, runner/agent/NAME.go and\nhookguard/dialect/NAME.go; e2e/sixth has both for a made-up one.\n")
	return b.String()
}

func loginFile(l agent.Login) string {
	if l.File == "" {
		return ""
	}
	return ", or ~/" + l.HomeDir + "/" + l.File
}

// writerNotes are those of a launch: rendering one starts nothing.
func writerNotes(a *agent.Agent) []string {
	l, err := a.Launch(agent.Spec{Exe: "/x", Lane: "/lane", Worktree: "/wt", StateDir: "/s", PlanDir: "/p", Bwrap: "/usr/bin/bwrap"})
	if err != nil {
		return nil
	}
	return l.Notes
}
