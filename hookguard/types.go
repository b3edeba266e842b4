package hookguard

import "encoding/json"

// Event is one hook call, in the words of no particular harness.
type Event struct {
	Harness string          // claude-code, codex, gemini-cli, copilot, antigravity
	Kind    string          // PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, Stop, …
	Tool    string          // the tool's canonical name (Claude Code's: Bash, Write, Edit, …, mcp__server__tool)
	Input   json.RawMessage // the tool's input, or nil
	Prompt  string          // UserPromptSubmit
	Cwd     string          // absolute; where relative paths start
}

// Facts are what the launcher sealed: the guard trusts nothing else.
type Facts struct {
	Worktree  string `json:"worktree"`
	GitDir    string `json:"gitdir"`
	CommonDir string `json:"commondir"`
	Tmp       string `json:"tmp"`       // the lane's own TMPDIR
	Home      string `json:"home"`      // the user's home directory
	User      string `json:"user"`      // the user's login name
	LaneHome  string `json:"lanehome"`  // lane's own directory (runs, plans)
	State     string `json:"state"`     // the run's agent-writable state directory, "" without a run
	OwnGit    string `json:"owngit"`    // the lane's private git directory, "" with --git read-only
	CallerTmp string `json:"callertmp"` // TMPDIR of whoever started lane, "" if it had none
	Headless  bool   `json:"headless"`  // nobody can answer an ask
}

// Decision is the guard's answer. There is no allow: the guard never lifts
// what the harness itself would ask or refuse.
type Decision string

const (
	None     Decision = "none"     // no opinion
	Guidance Decision = "guidance" // no opinion, with something to tell the agent
	Ask      Decision = "ask"      // a person should decide
	Deny     Decision = "deny"
)

// Verdict is an answer with its ground.
type Verdict struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule"`   // stable id of the rule that decided, "" for None
	Reason   string   `json:"reason"` // for the agent: what, why, and the way on
}
