package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"lane/runner"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether a lane can run on this machine, and what to change if not",
		Long: `Say whether a lane can run on this machine, and what to change if not.

User namespaces are really tried. No agent is started. The exit code is 0 only
if a lane can run.`,
		Args: none,
		RunE: func(c *cobra.Command, _ []string) error {
			e := runner.Examine(c.Context())
			if asJSON {
				if err := printJSON(e); err != nil {
					return err
				}
			} else {
				examinationText(e)
			}
			if !e.Ready {
				return exitError(runner.ExitRefused)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func examinationText(e runner.Examination) {
	line := func(key string, value any) { fmt.Fprintf(stdout, "%-10s %v\n", key, value) }
	line("kernel", e.Kernel)
	if e.LSM != "" {
		line("lsm", e.LSM)
	}
	line("landlock", fmt.Sprintf("ABI %d", e.Landlock))
	for _, p := range e.Layers {
		state := "works here (tried)"
		if p.Version == "unverified" {
			state = "is there; no Mac has run what lane makes of it"
		}
		if !p.OK {
			state = "does not work here: " + p.Reason
			if p.Blocker != "" {
				state += ", because of " + p.Blocker
			}
		}
		line("layer", fmt.Sprintf("%s %s %s", p.Layer, p.Version, state))
	}
	git := e.Git
	if git == "" {
		git = "missing (lane needs none; agents do)"
	}
	line("git", git)
	for _, a := range e.Agents {
		line("agent", runner.Printable(a.String()))
		if a.Login != "" {
			line("login", a.Name+": "+runner.Printable(a.Login))
		}
	}
	for _, p := range e.Problems {
		word := "note"
		if p.Blocks {
			word = "PROBLEM"
		}
		line(word, runner.Printable(p.Reason+": "+p.Detail))
		line("", "-> "+p.Remedy)
	}
	if e.Ready {
		line("result", "a lane can run here")
	} else {
		line("result", "no lane can run here")
	}
}
