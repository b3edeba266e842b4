package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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

  lane hook --harness claude-code --plan FILE    what a run's settings call
  lane hook --harness claude-code --facts FILE   facts from a file
  lane hook --harness claude-code --session      facts from the session's directory`,
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
		Args: cobra.ExactArgs(1),
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
				fmt.Printf("%s: want %s, got %s %s\n    %s %s\n    %s\n", q(row.ID), q(row.Expected), got.Decision, got.Rule, q(row.Tool), runner.Printable(string(row.Input)), runner.Printable(got.Reason))
			}
		}
	}
	if asJSON {
		if err := printJSON(report); err != nil {
			return err
		}
	} else {
		fmt.Printf("%d of %d right\n", len(rows)-wrong, len(rows))
	}
	if wrong > 0 {
		return exitError(runner.ExitFailed)
	}
	return nil
}

// hookWireCommand is install and uninstall: both show the change, and write
// it unless --dry-run is given.
func hookWireCommand(install bool) *cobra.Command {
	var harness, scope, settings, facts string
	var dry bool
	use, short := "install", "Wire the guard into an agent's settings, for use without lane run"
	if !install {
		use, short = "uninstall", "Remove the guard from an agent's settings"
	}
	c := &cobra.Command{
		Use:   use + " --harness claude-code",
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			change, err := plannedWiring(install, harness, scope, settings, facts)
			if err != nil {
				return &runner.UsageError{Reason: "settings", Detail: err.Error()}
			}
			if !change.Changed() {
				fmt.Printf("%s: nothing to change\n", q(change.Path))
				return nil
			}
			fmt.Print(runner.Printable(change.Diff()))
			if dry {
				fmt.Println("not written (--dry-run)")
				return nil
			}
			if err := change.Apply(); err != nil {
				return &runner.Refusal{Reason: "settings", Path: change.Path, Detail: err.Error()}
			}
			fmt.Printf("%s: written\n", q(change.Path))
			return nil
		},
	}
	c.Flags().StringVar(&harness, "harness", "", "whose settings: claude-code")
	c.Flags().StringVar(&scope, "scope", "user", "which settings file: user, project or local")
	c.Flags().StringVar(&settings, "settings", "", "the settings file itself, instead of --scope")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and write nothing")
	if install {
		c.Flags().StringVar(&facts, "facts", "", "judge by the facts of this file instead of the session's")
	}
	return c
}

func plannedWiring(install bool, harness, scope, settings, facts string) (dialect.SettingsChange, error) {
	if settings == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return dialect.SettingsChange{}, err
		}
		dir, err := os.Getwd()
		if err != nil {
			return dialect.SettingsChange{}, err
		}
		if settings, err = dialect.ClaudeSettingsPath(scope, home, dir); err != nil {
			return dialect.SettingsChange{}, err
		}
	}
	if !install {
		return dialect.Uninstall(harness, settings)
	}
	if facts != "" {
		abs, err := filepath.Abs(facts)
		if err != nil {
			return dialect.SettingsChange{}, err
		}
		if _, err := dialect.FactsFile(abs, ""); err != nil {
			return dialect.SettingsChange{}, err
		}
		facts = abs
	}
	lane, err := os.Executable()
	if err != nil {
		return dialect.SettingsChange{}, err
	}
	return dialect.Install(harness, settings, lane, facts)
}

// whyRunCommand is `lane why run`: what a command line would do, by the facts
// of a lane in this worktree.
func whyRunCommand(dir *string, asJSON *bool) *cobra.Command {
	var factsFile string
	c := &cobra.Command{
		Use:   "run COMMAND",
		Short: "Say what a shell command would do, and what the guard thinks of each part",
		Args:  cobra.ExactArgs(1),
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
				fmt.Printf("%-8s %s\n", e.Decision, runner.Printable(what))
				if e.Rule != "" {
					fmt.Printf("         %s: %s\n", e.Rule, runner.Printable(e.Reason))
				}
			}
			fmt.Printf("answer: %s %s\n", x.Decision, x.Rule)
			return nil
		},
	}
	c.Flags().StringVar(&factsFile, "facts", "", "judge by the facts of this file instead of a lane's here")
	return c
}
