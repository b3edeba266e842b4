package cmd

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lane/runner"
	"lane/runner/agent"
	"lane/sandbox/confine"
)

func execCommand() *cobra.Command {
	var req runner.Request
	var limits limitFlags
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG...]",
		Short: "Run any command in the confinement of an agent",
		Long: `Run any command in the confinement of an agent: it can write this worktree and
nothing else, and has no network but a loopback of its own.

Its exit code, its signals and its streams are passed through.`,
		Example: `  lane exec -- make test
  lane exec --dir ../feature -- bash`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return &runner.UsageError{Reason: "no-command", Detail: "no command: lane exec -- COMMAND"}
			}
			req.Writer, req.Command = "exec", args
			if err := checkLane(req); err != nil {
				return err
			}
			if err := limits.apply(&req); err != nil {
				return err
			}
			return execute(c, req)
		},
	}
	fl := c.Flags()
	fl.SetInterspersed(false)
	fl.StringVar(&req.Dir, "dir", ".", "a directory in the worktree; the command starts there")
	registerLane(fl, &req)
	fl.DurationVar(&req.Timeout, "timeout", 0, "end the command after this time")
	limits.register(fl)
	return c
}

func execute(c *cobra.Command, req runner.Request) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	if err := confine.CheckStdio(0, 1, 2); err != nil {
		return &runner.Refusal{Reason: "unsafe-stdio", Detail: err.Error(), Hint: "give lane a file, pipe or terminal, or /dev/null"}
	}
	// The command gets a private terminal when all three streams are one; a
	// mixture keeps the pipes as they are and no terminal goes in.
	req.Terminal = term.IsTerminal(0) && term.IsTerminal(1) && term.IsTerminal(2)
	job, err := prepareWith(c.Context(), req, agent.Command(req.Command))
	if err != nil {
		return err
	}
	job.Signals = signals
	res := runner.Exec(job)
	if res.Status == runner.Refused {
		tellRefusal(os.Stderr, &runner.Refusal{Reason: res.Reason, Path: res.Path, Detail: res.Detail, Hint: res.Hint})
	}
	if res.Status == runner.TimedOut {
		tell(os.Stderr, "timeout: the command was ended after %s (--timeout)", req.Timeout)
	}
	tellTakeIn(res)
	if res.Status == runner.Tripwire || len(res.Warnings) > 0 && res.Status != runner.Refused {
		tellAfter(res)
	}
	return exitWith(res.Exit)
}

func tellAfter(res runner.Result) {
	if res.Status == runner.Tripwire {
		tell(os.Stderr, "%s: %s", res.Reason, res.Detail)
		if res.Hint != "" {
			hint(os.Stderr, "%s", res.Hint)
		}
	}
	for _, w := range res.Warnings {
		tell(os.Stderr, "warning: %s", w)
	}
}
