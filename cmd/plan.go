package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lane/runner"
)

func planCommand() *cobra.Command {
	f := &requestFlags{}
	c := &cobra.Command{
		Use:   "plan --writer NAME [flags] [-- PROMPT...]",
		Short: "Print what lane run would do, and start nothing",
		Args:  cobra.ArbitraryArgs,
		RunE:  func(c *cobra.Command, args []string) error { return printPlan(c, f, args) },
	}
	f.register(c)
	return c
}

func printPlan(c *cobra.Command, f *requestFlags, args []string) error {
	req, err := f.finish(c, args, false)
	if err != nil {
		return err
	}
	job, err := prepare(c.Context(), req)
	if err != nil {
		if f.json && !asUsage(err, nil) {
			return report(true, runner.RefusedResult(laneVersion(), req.Writer, refusal(err)))
		}
		return err
	}
	if f.json {
		return printJSON(job.Plan)
	}
	planText(stdout, job.Plan)
	return nil
}

// planText is the plan for people: everything, one thing a line.
func planText(w io.Writer, p runner.Plan) {
	line := func(key string, value any) { fmt.Fprintf(w, "%-11s %v\n", key, value) }
	line("run", p.Run)
	line("writer", p.Writer.Name+"  "+q(p.Writer.Path))
	line("model", orDefault(p.Model))
	line("worktree", q(p.Worktree))
	line("gitdir", q(p.GitDir))
	line("commondir", q(p.CommonDir))
	line("branch", orDefault(p.Branch))
	line("git", p.Git)
	line("login", p.Login)
	line("prompt", fmt.Sprintf("%d bytes, sha256 %s", p.Prompt.Bytes, p.Prompt.SHA256))
	line("timeout", p.Timeout.String())
	line("layer", p.Layer+"  "+q(p.LayerPath))
	line("network", p.Policy.Network)
	if p.LimitsBy != "" {
		line("limits by", p.LimitsBy)
	}
	for _, g := range p.Gaps {
		state := "refuses the lane; --accept " + g.Name
		if g.Default {
			state = "open in this version"
		} else if g.Accepted {
			state = "accepted"
		}
		line("gap", fmt.Sprintf("%s (%s): %s", g.Name, state, g.Detail))
	}
	for _, r := range p.Policy.Sorted() {
		shown := q(r.Path)
		if r.Source != "" {
			shown += " from " + q(r.Source)
		}
		line(string(r.Access), fmt.Sprintf("%s  # %s", shown, r.Reason))
	}
	line("passes", strings.Join(quoteAll(p.Env.Pass), " "))
	line("removed", strings.Join(quoteAll(p.Env.Removed), " "))
	for _, v := range p.Env.Set {
		line("sets", fmt.Sprintf("%s=%s  # %s", v.Name, q(v.Value), v.Reason))
	}
	for _, file := range p.Files {
		line("file", fmt.Sprintf("%s (%d bytes)", q(file.Path), len(file.Content)))
	}
	line("agent", strings.Join(quoteAll(p.Agent), " "))
	line("start", strings.Join(quoteAll(p.Start), " "))
	for _, n := range p.Ignored {
		line("ignored", q(n)+"  # the repository's own configuration has no effect")
	}
	for _, warning := range p.Warnings {
		line("warning", runner.Printable(warning))
	}
}

func orDefault(s string) string {
	if s == "" {
		return "(default)"
	}
	return q(s)
}

// q leaves plain words as they are and quotes all else.
func q(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+=:,@%", r))
	})
	if plain {
		return s
	}
	return fmt.Sprintf("%+q", s)
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = q(s)
	}
	return out
}
