package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lane/runner"
	"lane/runner/agent"
	"lane/sandbox"
)

func whyCommand() *cobra.Command {
	var asJSON bool
	var dir string
	c := &cobra.Command{
		Use:   "why",
		Short: "Say whether a lane here could read or write a path, and why",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	c.PersistentFlags().StringVar(&dir, "dir", ".", "a directory in the worktree")
	for _, access := range []sandbox.Access{sandbox.Read, sandbox.Write} {
		c.AddCommand(&cobra.Command{
			Use:   string(access) + " PATH",
			Short: "May a lane here " + string(access) + " PATH?",
			Args:  one("a path"),
			RunE: func(c *cobra.Command, args []string) error {
				plan, err := planOfCommand(c.Context(), dir)
				if err != nil {
					return err
				}
				answer, err := runner.Why(plan, args[0], access)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(answer)
				}
				answerText(answer)
				return nil
			},
		})
	}
	c.AddCommand(whyRunCommand(&dir, &asJSON))
	return c
}

// planOfCommand is the plan of `lane exec -- true` here: its rows are those
// of every lane in this worktree but for the agent's own.
func planOfCommand(ctx context.Context, dir string) (runner.Plan, error) {
	req := runner.Request{Writer: "exec", Command: []string{"true"}, Dir: dir}
	job, err := prepareWith(ctx, req, agent.Command(req.Command))
	return job.Plan, err
}

func answerText(a runner.Answer) {
	verdict := "no"
	if a.Allowed {
		verdict = "yes"
		if a.Own {
			verdict = "yes, but only the lane's own files are there: the host's are neither seen nor changed"
		}
	}
	fmt.Fprintf(stdout, "%s: %s\n", a.Access, verdict)
	if a.Resolved != a.Path {
		fmt.Fprintf(stdout, "path: %s\n", q(a.Resolved))
	}
	fmt.Fprintf(stdout, "rule: %s\nreason: %s\n", q(a.Rule), a.Reason)
	if a.Way != "" {
		fmt.Fprintf(stdout, "instead: %s\n", runner.Printable(a.Way))
	}
}
