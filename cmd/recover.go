package cmd

import (
	"os"

	"lane/runner"
)

// finishKilled finishes what killed lanes left, and says so. It comes before
// anything looks at a worktree or at the list of runs.
func finishKilled() {
	for _, r := range runner.Recover() {
		if r.Failed != "" {
			tell(os.Stderr, "run %s was killed and is not cleaned up yet: %s", r.Run, r.Failed)
			continue
		}
		if n := len(r.Removed); n > 0 {
			tell(os.Stderr, "run %s was killed: %d empty files of the agent's sandbox removed from %s", r.Run, n, q(r.Worktree))
		}
		if n := len(r.Held); n > 0 {
			tell(os.Stderr, "run %s was killed: %d files that configure agents, editors or shells appeared in %s and were held back", r.Run, n, q(r.Worktree))
		}
		if r.Kept {
			hint(os.Stderr, "lane runs show %s", r.Run)
		}
	}
}
