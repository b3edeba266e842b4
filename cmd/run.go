package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lane/runner"
	"lane/runner/agent"
	"lane/sandbox/confine"
)

func runCommand() *cobra.Command {
	f := &requestFlags{}
	var dryRun, quiet bool
	var sign signFlags
	c := &cobra.Command{
		Use:   "run --writer NAME [flags] -- PROMPT...",
		Short: "Run an agent in this worktree",
		Long: `Run an agent in this worktree. It can write the worktree and nothing else.

Everything after -- is the prompt's text, never a flag. The agent's final text
goes to standard output, or with --json one record; all else to standard error.`,
		Example: `  lane run --writer claude -- "make the tests pass"
  lane run --writer claude --model haiku --timeout 20m --json --prompt-file task.md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if dryRun {
				return printPlan(c, f, args)
			}
			req, err := f.finish(c, args, true)
			if err != nil {
				return err
			}
			if err := sign.check(); err != nil {
				return err
			}
			res := run(c.Context(), req, quiet)
			signing := sign.signRun(c.Context(), res)
			if signing != nil && res.Exit != runner.ExitDone {
				tellRefusal(os.Stderr, refusal(signing)) // the run's own end decides
				signing = nil
			}
			return errors.Join(report(f.json, res), signing)
		},
	}
	f.register(c)
	sign.register(c.Flags(), "default: with the run's record")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print the plan and start nothing")
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress on standard error")
	return c
}

// run is the main job: one straight line from the request to the record.
func run(ctx context.Context, req runner.Request, quiet bool) runner.Result {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	// A reader of standard output that goes away must not end lane before
	// its record is written.
	signal.Ignore(syscall.SIGPIPE)

	refused := func(err error) runner.Result {
		return runner.RefusedResult(laneVersion(), req.Writer, refusal(err))
	}
	if err := confine.CheckStdio(0, 1, 2); err != nil {
		return refused(&runner.Refusal{Reason: "unsafe-stdio", Detail: err.Error(), Hint: "give lane a file, pipe or terminal, or /dev/null"})
	}
	job, err := prepare(ctx, req)
	if err != nil {
		var usage *runner.UsageError
		if ok := asUsage(err, &usage); ok {
			r := runner.RefusedResult(laneVersion(), req.Writer, &runner.Refusal{Reason: usage.Reason, Detail: usage.Detail, Exit: runner.ExitUsage})
			return r
		}
		return refused(err)
	}
	job.Signals = signals
	if !quiet {
		job.Progress = func(line string) { tell(os.Stderr, "%s", line) }
	}
	return runner.Run(job).ForParent()
}

// prepare goes from the request to the plan. Nothing is made on the way.
func prepare(ctx context.Context, req runner.Request) (runner.Job, error) {
	a, err := agent.Lookup(req.Writer)
	if err != nil {
		return runner.Job{}, err
	}
	return prepareWith(ctx, req, a)
}

func prepareWith(ctx context.Context, req runner.Request, a *agent.Agent) (runner.Job, error) {
	finishKilled()
	if err := runner.FinishIntents(); err != nil {
		return runner.Job{}, runner.ForParent(err)
	}
	repo, err := runner.Discover(req)
	if err != nil {
		return runner.Job{}, err
	}
	req, notes, err := runner.Tighten(req, repo)
	if err != nil {
		return runner.Job{}, err
	}
	host, err := runner.Survey(ctx, req, repo, a)
	host.Notes = notes
	if err != nil {
		return runner.Job{}, runner.ForParent(err)
	}
	surveyed := time.Now()
	plan, err := runner.Build(req, repo, a, host)
	if err != nil {
		return runner.Job{}, runner.ForParent(err)
	}
	return runner.Job{Version: laneVersion(), Request: req, Repo: repo, Agent: a, Host: host, Plan: plan, Surveyed: surveyed}, nil
}

// report prints a record and returns its exit code.
func report(asJSON bool, res runner.Result) error {
	if res.Status == runner.Refused {
		tellRefusal(os.Stderr, &runner.Refusal{Reason: res.Reason, Path: res.Path, Detail: res.Detail, Hint: res.Hint})
	}
	if asJSON {
		b, err := res.MarshalIndent()
		if err != nil {
			return err
		}
		_, _ = stdout.Write(b) // stdout remembers
		if res.Status != runner.Refused {
			summary(res)
		}
		return exitWith(res.Exit)
	}
	text := res.Text
	if term.IsTerminal(int(os.Stdout.Fd())) {
		text = runner.Printable(text)
	}
	if text != "" {
		fmt.Fprintln(stdout, text)
	}
	if res.Status != runner.Refused {
		summary(res)
	}
	return exitWith(res.Exit)
}

func summary(res runner.Result) {
	line := string(res.Status)
	if res.Reason != "" {
		line += " (" + res.Reason + ")"
	}
	if res.Detail != "" {
		line += ": " + res.Detail
	}
	tell(os.Stderr, "%s", line)
	n := len(res.Changed) + res.ChangedMore
	tell(os.Stderr, "%d files changed, %d calls denied; record: lane runs show %s", n, len(res.Denied), res.Run)
	tellTakeIn(res)
	for _, w := range res.Warnings {
		tell(os.Stderr, "warning: %s", w)
	}
	if len(res.Ignored) > 0 {
		tell(os.Stderr, "had no effect, being the repository's: %v", res.Ignored)
	}
}

func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}
