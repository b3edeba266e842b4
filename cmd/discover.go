package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lane/gitdiscover"
	"lane/runner"
)

func discoverCommand() *cobra.Command {
	var asJSON bool
	var vouch []string
	c := &cobra.Command{
		Use:   "discover [DIR]",
		Short: "Show which git directories a worktree consists of, or why it is refused",
		Args:  atMostOne("a directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			repo, err := runner.Discover(runner.Request{Dir: dir, Vouch: vouch})
			if !asJSON {
				if err != nil {
					return err
				}
				printRepo(repo)
				return nil
			}
			var out any = repo
			if err != nil {
				var refused *gitdiscover.RefusedError
				if !errors.As(err, &refused) {
					return err
				}
				out = map[string]any{"refused": refused}
			}
			if werr := printJSON(out); werr != nil {
				return werr
			}
			if err != nil {
				return exitError(runner.ExitRefused)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringArrayVar(&vouch, "vouch", nil, "vouch for this layout of the git directories (repeatable)")
	return c
}

func printRepo(r gitdiscover.Repo) {
	kind := "main worktree"
	if r.Linked {
		kind = "linked worktree"
	}
	branch := fmt.Sprintf("%+q", r.Branch)
	if r.Branch == "" {
		branch = "none (detached)"
	}
	fmt.Fprintf(stdout, "worktree   %+q (%s)\ngitdir     %+q\ncommondir  %+q\nbranch     %s\n", r.Worktree, kind, r.GitDir, r.CommonDir, branch)
}
