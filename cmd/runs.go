package cmd

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lane/runner"
)

func runsCommand() *cobra.Command {
	c := &cobra.Command{Use: "runs", Short: "Read back the records of runs", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(runsList(), runsShow(), runsTakeIn())
	return c
}

func runsList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "list", Short: "List the runs, newest first", Args: none,
		RunE: func(*cobra.Command, []string) error {
			finishKilled()
			list, err := runner.Runs()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(map[string]any{"runs": list})
			}
			w := tabwriter.NewWriter(stdout, 0, 4, 2, ' ', 0)
			for _, r := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d changed\t%s\n", r.Run, r.Writer, r.Status, r.Changed, q(r.Worktree))
			}
			return told(w.Flush())
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runsShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "show ID|last", Short: "Show the record of one run", Args: one("the id of a run, or last"),
		RunE: func(_ *cobra.Command, args []string) error {
			finishKilled()
			res, err := runner.ShowRun(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(res)
			}
			showRun(res)
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the record as JSON")
	return c
}

func showRun(r runner.Result) {
	line := func(key string, value any) { fmt.Fprintf(stdout, "%-10s %v\n", key, value) }
	line("run", r.Run)
	line("status", r.Status)
	if r.Reason != "" {
		line("reason", r.Reason+": "+runner.Printable(r.Detail))
	}
	line("exit", r.Exit)
	if r.AgentExit != nil {
		line("agent exit", *r.AgentExit)
	}
	line("writer", r.Writer.Name+" "+r.Writer.Version+"  "+q(r.Writer.Path))
	line("model", orDefault(r.Model))
	line("worktree", q(r.Worktree))
	line("commondir", q(r.CommonDir))
	line("branch", orDefault(r.Branch))
	for _, l := range r.Layers {
		good := 0
		for _, c := range l.Checks {
			if c.OK {
				good++
			}
		}
		line("layer", fmt.Sprintf("%s %s: %d of %d checks held inside the lane", l.Name, l.Version, good, len(l.Checks)))
	}
	for _, g := range r.Gaps {
		line("gap", g.Name+": "+g.Detail)
	}
	if r.Seal != nil {
		for _, c := range r.Seal.Tripped {
			line("TRIPPED", fmt.Sprintf("%s %s: was %s, is %s", c.Kind, q(string(c.Path)), c.Before, c.After))
			line("", "look: "+c.Inspect)
		}
		for _, c := range r.Seal.Reported {
			line("elsewhere", fmt.Sprintf("%s %s: was %s, is %s", c.Kind, q(string(c.Path)), c.Before, c.After))
		}
	}
	showLedger(r, line)
	for _, f := range r.Changed {
		line("changed", q(f))
	}
	if r.ChangedMore > 0 {
		line("changed", fmt.Sprintf("and %d more", r.ChangedMore))
	}
	for _, d := range r.Denied {
		line("denied", runner.Printable(d.Tool+" "+d.Target+" ("+d.By+": "+d.Reason+")"))
	}
	line("turns", fmt.Sprintf("%d, %d tool calls, cost %.4f USD", r.Turns, r.ToolCalls, r.CostUSD))
	line("took", fmt.Sprintf("%d ms, of which the agent %d ms", r.Durations.Total, r.Durations.Agent))
	for _, w := range r.Warnings {
		line("warning", runner.Printable(w))
	}
	line("directory", q(r.RunDir))
}

// showLedger is what moved in git, and what to look at first.
func showLedger(r runner.Result, line func(string, any)) {
	for _, h := range r.Held {
		line("held back", q(h.Path)+": "+runner.Printable(h.Reason))
	}
	if r.Sweep != nil {
		for _, f := range r.Sweep.Findings {
			line("look at", fmt.Sprintf("%s %s (%s) %s", f.Kind, f.Path, f.Was, runner.Printable(f.Detail)))
		}
		for _, why := range r.Sweep.Incomplete {
			line("look at", "there may be more: "+runner.Printable(why))
		}
	}
	if r.Ledger == nil {
		return
	}
	if t := r.TakeIn; t != nil {
		line("take-in", fmt.Sprintf("%s %s %d commits %.12s", t.Status, t.Reason, t.Commits, t.Tip))
	}
	for _, m := range r.Ledger.Refs {
		line("ref", fmt.Sprintf("%s %s -> %s", m.Name, orNone(m.Before), orNone(m.After)))
	}
	for _, c := range r.Ledger.Commits {
		line("commit", fmt.Sprintf("%.12s %s", c.ID, runner.Printable(c.Subject)))
	}
	for _, u := range r.Ledger.Missing {
		line("unknown", u.What+": "+runner.Printable(u.Why))
	}
}

func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return fmt.Sprintf("%.12s", id)
}
