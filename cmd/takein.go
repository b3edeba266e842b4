package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"lane/runner"
)

func runsTakeIn() *cobra.Command {
	var req runner.Request
	var maxSize string
	var asJSON bool
	c := &cobra.Command{
		Use:   "take-in ID|last",
		Short: "Bring the commits of an ended run into the repository, later or again",
		Args:  one("the id of a run, or last"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkAccept(req.Accept, []string{"gitlinks", "wiring"}); err != nil {
				return err
			}
			var err error
			if req.MaxTakeIn, err = parseSize("--max-take-in", maxSize); err != nil {
				return err
			}
			finishKilled()
			if err := runner.FinishIntents(); err != nil {
				return err
			}
			out, err := runner.TakeInRun(args[0], req)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(out); err != nil {
					return err
				}
			} else {
				takeInText(out)
			}
			if out.Status == "refused" {
				return exitError(runner.ExitNotTaken)
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&req.Accept, "accept", nil, "accept gitlinks or wiring in the commits (repeatable)")
	c.Flags().BoolVar(&req.KeepRefs, "keep-refs", false, "keep the lane's other branches and tags under refs/lane/RUN/")
	c.Flags().BoolVar(&req.Rebase, "rebase", false, "replay the commits, inside a lane, on a branch that has moved meanwhile")
	c.Flags().StringVar(&maxSize, "max-take-in", "", "size of all new objects together that are taken in (default 2G)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// tellTakeIn says what came of a lane's commits.
func tellTakeIn(res runner.Result) {
	if res.TakeIn == nil {
		return
	}
	switch t := *res.TakeIn; t.Status {
	case "taken", "refused":
		takeInText(t)
	case "nothing":
		othersText(t)
	case "kept":
		if res.Status != runner.Done && res.RunDir != "" {
			if _, err := os.Stat(res.RunDir); err == nil {
				tell(os.Stderr, "commits are kept and not taken in (%s); lane runs take-in %s", t.Reason, res.Run)
			}
		}
	}
}

func takeInText(t runner.TakeInResult) {
	switch t.Status {
	case "taken":
		tell(os.Stderr, "taken in: %d commits, %s is at %.12s", t.Commits, t.Ref, t.Tip)
		if t.RebasedFrom != "" {
			tell(os.Stderr, "they were replayed on the branch (in the lane the last one was %.12s); what was only staged there is in the worktree", t.RebasedFrom)
		}
		if len(t.Unstaged) > 0 {
			tell(os.Stderr, "%d paths were staged in the lane and are not any more; their files are in the worktree", len(t.Unstaged))
		}
		othersText(t)
	case "nothing":
		tell(os.Stderr, "no commit to take in")
		othersText(t)
	default:
		tell(os.Stderr, "not taken in: %s: %s", t.Reason, t.Detail)
		if t.Path != "" {
			tell(os.Stderr, "at %s", q(t.Path))
		}
		if t.Hint != "" {
			hint(os.Stderr, "%s", t.Hint)
		}
		othersText(t)
	}
}

// maxTold bounds how many refs are named one by one.
const maxTold = 20

// othersText names the lane's other branches and tags: kept, or left there.
func othersText(t runner.TakeInResult) {
	left, kept := false, 0
	for _, o := range t.Others {
		switch {
		case o.Kept != "":
			if kept++; kept <= maxTold {
				tell(os.Stderr, "kept: %s at %s", q(o.Name), q(o.Kept))
			}
		case o.Why != "":
			tell(os.Stderr, "not kept: %s: %s", q(o.Name), o.Why)
		case o.Hash != t.Tip:
			tell(os.Stderr, "left in the lane: %s at %.12s", q(o.Name), o.Hash)
			left = true
		}
	}
	if kept > maxTold {
		tell(os.Stderr, "kept: %d more", kept-maxTold)
	}
	if t.OthersMore > 0 {
		tell(os.Stderr, "left in the lane: %d more refs than lane lists or keeps; its git directory stays with the run", t.OthersMore)
	}
	if left {
		hint(os.Stderr, "to have them too, under refs/lane/RUN/: lane runs take-in RUN --keep-refs")
	}
}
