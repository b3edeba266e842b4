package runner

import (
	"fmt"
	"strings"

	"lane/gitdiscover"
)

// briefing is what the agent is told about its lane, followed by the
// repository's own instructions as plain text.
func briefing(repo gitdiscover.Repo, h Host, p Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# You work in a lane

You run confined in one git worktree. The operating system enforces what follows; a refused write is final, so do not look for a way round it.

- You may write below %s, and temporary files below $TMPDIR (%s). %s
- Nothing else can be written: not the shared git directory %s, not the main checkout, not another worktree, not the home directory.
- %s
- Files that configure agents, editors or hooks (such as .claude/settings.json, .mcp.json, .envrc, .vscode) are protected. If a task needs one changed, say so in your answer.
- Credentials, ssh and cloud logins, and the user's settings are not reachable.
%s`, repo.Worktree, p.Tmp, tmpBriefing(h), repo.CommonDir, gitBriefing(p), shownBriefing(p))
	if h.Text.Name != "" {
		fmt.Fprintf(&b, "\n# The repository's own instructions (%s)\n\n%s\n", h.Text.Name, h.Text.Content)
		if h.Text.Cut {
			fmt.Fprintf(&b, "\n(%s goes on; read the rest from the file when you need it.)\n", h.Text.Name)
		}
	}
	return b.String()
}

// shownBriefing keeps an agent from taking an empty directory for the truth.
func shownBriefing(p Plan) string {
	if p.Home == HomeReadable {
		return ""
	}
	return "- Of the rest of this machine you see its programs (such as /usr, /etc and /opt). Other directories look empty or are missing: that says nothing about what is in them.\n"
}

// tmpBriefing says what else there is for temporary files, and what is missing.
func tmpBriefing(h Host) string {
	if h.inPlace() {
		return "/tmp itself cannot be read or written. There are no Unix sockets and no pseudo-terminals, and a directory above something hidden, such as /, cannot be listed."
	}
	return "/tmp itself is private to you and is gone when you end."
}

// gitBriefing says what git can do in this lane.
func gitBriefing(p Plan) string {
	if p.OwnGit == nil {
		return "You cannot commit: the shared git directory is read-only here. Leave your changes in the working tree; whoever started you takes them from there. git status, git diff, git log and git show work."
	}
	return "You can commit, branch, rebase and stash as usual: this worktree has a git directory of its own. Commit on the branch you are on; it is brought into the shared repository when you have ended. Do not push or fetch."
}
