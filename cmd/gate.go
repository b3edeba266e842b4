package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lane/e2e/gate"
	"lane/runner"
)

func gateCommand() *cobra.Command {
	var o gate.Options
	var asJSON bool
	var junit string
	var sign signFlags
	var live bool
	var l gate.Live
	c := &cobra.Command{
		Use:   "gate",
		Short: "Attack a lane on this machine and say whether every claim holds",
		Long: `Attack a lane on this machine and say whether every claim holds.

lane makes a scratch repository with worktrees, a home directory with secrets
and services, starts the installed agent in it under lane run, and has a
scripted model order it to try each forbidden act with its own tools. The
attacks of lane's own tests are run under lane exec. Work that must go on is
tried as well. No key, no token and no network is used, and nothing but the
scratch directory is attacked.

Everything is judged from outside, on disk. Each claim is
  passed          it was tried and did not get through; work: it was done
  FAILED          it got through; the line says what and where
  not applicable  this machine has nothing to try it on, or the lane's plan
                  itself names it as a gap
  not exercised   it was not tried, so nothing is known

The exit code is 0 only if nothing failed and everything was exercised.

With --live the installed agent talks to its real models with your login, and is
asked by prompts for the forbidden acts and for allowed work. What a model says
decides nothing: its calls say what was tried, the disk what came of it. A model
may decline an act, which is then not exercised; the exit code is 0 if nothing
failed and each model did allowed work. Runs that the API fails are tried again
and counted. The cost is what the agent reports, looked at before each run.`,
		Example: `  lane gate
  lane gate --live --model haiku --model sonnet --model opus --max-cost 5
  lane gate --json --junit gate.xml
  lane gate --only 'write-*,unix-docker'`,
		Args: none,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := errors.Join(sign.check(), checkPlace("--junit", junit)); err != nil {
				return err
			}
			switch {
			case live && len(l.Models) == 0:
				return &runner.UsageError{Reason: "gate", Detail: "--live needs --model: lane gate --live --model haiku"}
			case !live && (len(l.Models) > 0 || l.Repeat != 1 || l.MaxCost != 0):
				return &runner.UsageError{Reason: "gate", Detail: "--model, --repeat and --max-cost belong to --live"}
			case l.Repeat < 1 || l.MaxCost < 0:
				return &runner.UsageError{Reason: "gate", Detail: "--repeat and --max-cost must not be negative"}
			case live && o.Writer != "claude":
				return &runner.UsageError{Reason: "gate", Detail: "--live is there for --writer claude only: what other agents' models tried cannot be read back yet"}
			case live:
				o.Live = &l
			}
			return runGate(c.Context(), o, gateOutput{asJSON, junit, sign})
		},
	}
	fl := c.Flags()
	fl.StringVar(&o.Writer, "writer", "claude", "the agent: "+strings.Join(gate.Writers(), ", "))
	fl.StringVar(&o.WriterBin, "writer-bin", "", "the agent's executable (default: found on PATH)")
	fl.StringVar(&o.Only, "only", "", "these claims only: ids or patterns, separated by commas")
	fl.BoolVar(&asJSON, "json", false, "print the report as JSON (lane.gate/1)")
	fl.StringVar(&junit, "junit", "", "also write the report as JUnit XML to this file")
	fl.StringVar(&o.Records, "records", "", "keep each run's record in this directory")
	fl.BoolVar(&live, "live", false, "ask real models for the same acts instead of the scripted one")
	fl.StringArrayVar(&l.Models, "model", nil, "a model for --live (repeatable): a column of the table")
	fl.IntVar(&l.Repeat, "repeat", 1, "how often each prompt is given to each model")
	fl.Float64Var(&l.MaxCost, "max-cost", 0, "start no further run once this many US dollars are spent")
	sign.register(fl, "default: lane-gate-receipt.json")
	return c
}

// gateOutput says what becomes of the report.
type gateOutput struct {
	json  bool
	junit string
	sign  signFlags
}

func runGate(ctx context.Context, o gate.Options, out gateOutput) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return err
	}
	o.Lane, o.Version = exe, laneVersion()
	o.Progress = gateProgress(out.json)
	rep, err := gate.Run(ctx, o)
	if unknown := (*gate.UnknownError)(nil); errors.As(err, &unknown) {
		return &runner.UsageError{Reason: "gate", Detail: err.Error()}
	}
	if err != nil {
		return &runner.Refusal{Reason: "gate", Detail: err.Error(), Hint: "nothing was shown; lane doctor looks at this machine"}
	}
	if err := out.write(ctx, rep); err != nil {
		return err
	}
	tell(os.Stderr, "gate: %s", rep.Summary())
	if !rep.Held {
		return exitError(runner.ExitFailed)
	}
	return nil
}

// write prints the report first: what was found out is not lost because a file
// could not be written.
func (out gateOutput) write(ctx context.Context, rep gate.Report) error {
	if rep.Mode == "live" && !out.json {
		if err := rep.WriteTable(stdout); err != nil {
			return told(err)
		}
	}
	if out.json {
		if err := printJSON(rep); err != nil {
			return err
		}
	}
	if out.junit != "" {
		if err := writeJUnit(rep, out.junit); err != nil {
			return &runner.Refusal{Reason: "gate", Path: out.junit, Detail: err.Error(), Hint: "--junit takes a file that can be written"}
		}
	}
	if out.sign.key == "" {
		return nil
	}
	b, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	return out.sign.write(ctx, "lane-gate-receipt.json", append(b, '\n'))
}

// gateProgress prints a line a claim: to standard output, or with --json to
// standard error. A terminal sees what holds as one line that counts.
func gateProgress(asJSON bool) gate.Progress {
	var out io.Writer = stdout
	file, n := os.Stdout, 0
	if asJSON {
		out, file = os.Stderr, os.Stderr
	}
	counts := term.IsTerminal(int(file.Fd()))
	return func(c gate.Claim) {
		n++
		line := runner.Printable(c.Line())
		if !counts {
			fmt.Fprintln(out, line)
			return
		}
		fmt.Fprintf(out, "\r\x1b[K")
		if c.Status != gate.Passed {
			fmt.Fprintln(out, line)
		}
		fmt.Fprintf(out, "%d claims; last: %s %s", n, c.Entry, c.ID)
		if c.Status == gate.Failed {
			fmt.Fprintln(out)
		}
	}
}

func writeJUnit(rep gate.Report, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(rep.WriteJUnit(f), f.Close())
}
