package runner

import (
	"os"
	"path/filepath"

	"lane/runner/agent"
)

// surveyObeyed finds the files by which a repository configures the agent and
// that lane cannot keep from it: in the worktree, and in every directory above
// it, where the agent looks as well.
func surveyObeyed(h *Host, worktree string, a *agent.Agent) {
	for dir := worktree; ; dir = filepath.Dir(dir) {
		if dir == h.Home {
			return // from there on they are the user's, and not shown
		}
		for _, name := range a.Obeyed {
			path := filepath.Join(dir, name)
			if _, err := os.Lstat(path); err == nil {
				h.Obeyed = append(h.Obeyed, path)
			}
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}
