package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lane/hookguard/dialect"
	"lane/runner"
)

// hookCommand holds the verbs of `lane hook` that people call. The harnesses'
// own calls never come here: Main answers them before cobra.
func hookCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "hook",
		Short: "Test the guard, or wire it into an agent's settings",
		Long: `The guard answers an agent's hook before each tool call. lane run wires it by
itself; these verbs are for use without a run.

  lane hook --harness NAME --plan FILE    what a run's settings call
  lane hook --harness NAME --facts FILE   facts from a file
  lane hook --harness NAME --session      facts from the session's directory

NAME is one of ` + strings.Join(dialect.Names(), ", ") + `. Where the
harness does not name the event in what it sends, --event NAME does. See lane
harnesses for what each of them lets a hook do.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(hookTestCommand(), hookWireCommand(true), hookWireCommand(false))
	return c
}

func hookTestCommand() *cobra.Command {
	var asJSON bool
	var facts string
	c := &cobra.Command{
		Use:   "test FILE",
		Short: "Answer the tool calls of a file and print the wrong answers",
		Long: `FILE holds one JSON object a line:
{"id","harness","tool","input","cwd","expected","symlinks"}, where expected is
deny, ask or allow (no opinion), and symlinks maps links that exist before the
call to what they point at. "-" reads standard input.

Without --facts the rows are taken to assume the worktree /wt/proj of the
repository /srv/repo, TMPDIR /wt/.lane/tmp and the home /home/dev.`,
		Args: one("a file of rows, or -"),
		RunE: func(_ *cobra.Command, args []string) error { return testRows(args[0], facts, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print every answer as JSON")
	c.Flags().StringVar(&facts, "facts", "", "the facts to judge by (a JSON file, or a run's plan)")
	return c
}

func testRows(name, factsFile string, asJSON bool) error {
	file := os.Stdin
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return &runner.UsageError{Reason: "rows", Detail: err.Error()}
		}
		defer opened.Close()
		file = opened
	}
	rows, err := dialect.ReadRows(file)
	if err != nil {
		return &runner.UsageError{Reason: "rows", Detail: err.Error()}
	}
	facts := dialect.RowFacts()
	if factsFile != "" {
		if facts, err = dialect.FactsFile(factsFile, ""); err != nil {
			return &runner.UsageError{Reason: "facts", Detail: err.Error()}
		}
	}
	report := dialect.JudgeRows(rows, facts)
	wrong := 0
	for i, row := range rows {
		if got := report.Rows[i]; !row.Right(got) {
			wrong++
			if !asJSON {
				fmt.Fprintf(stdout, "%s: want %s, got %s %s\n    %s %s\n    %s\n", q(row.ID), q(row.Expected), got.Decision, got.Rule, q(row.Tool), runner.Printable(string(row.Input)), runner.Printable(got.Reason))
			}
		}
	}
	if asJSON {
		if err := printJSON(report); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(stdout, "%d of %d right\n", len(rows)-wrong, len(rows))
	}
	if wrong > 0 {
		return exitError(runner.ExitFailed)
	}
	return nil
}

// whyRunCommand is `lane why run`: what a command line would do, by the facts
// of a lane in this worktree.
func whyRunCommand(dir *string, asJSON *bool) *cobra.Command {
	var factsFile string
	c := &cobra.Command{
		Use:   "run COMMAND",
		Short: "Say what a shell command would do, and what the guard thinks of each part",
		Args:  one("a shell command as one word"),
		RunE: func(c *cobra.Command, args []string) error {
			cwd, err := filepath.Abs(*dir)
			if err != nil {
				return err
			}
			facts, err := dialect.FactsFile(factsFile, cwd)
			if factsFile == "" {
				if plan, planErr := planOfCommand(c.Context(), *dir); planErr == nil {
					raw, marshalErr := json.Marshal(plan.Facts)
					if marshalErr != nil {
						return marshalErr
					}
					facts, err = dialect.ParseFacts(raw)
				}
			}
			if err != nil {
				return &runner.UsageError{Reason: "facts", Detail: err.Error()}
			}
			x := dialect.Explain(args[0], cwd, facts)
			if *asJSON {
				return printJSON(x)
			}
			for _, e := range x.Effects {
				what := e.By
				if e.Does != "" {
					what += " " + e.Does + " " + q(e.Path)
				}
				fmt.Fprintf(stdout, "%-8s %s\n", e.Decision, runner.Printable(what))
				if e.Rule != "" {
					fmt.Fprintf(stdout, "         %s: %s\n", e.Rule, runner.Printable(e.Reason))
				}
			}
			fmt.Fprintf(stdout, "answer: %s %s\n", x.Decision, x.Rule)
			return nil
		},
	}
	c.Flags().StringVar(&factsFile, "facts", "", "judge by the facts of this file instead of a lane's here")
	return c
}
