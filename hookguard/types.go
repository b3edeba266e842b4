package hookguard

import (
	"encoding/json"
	"strings"
)

// Event is one hook call, in the words of no particular harness.
type Event struct {
	Harness string          // claude-code, codex, gemini-cli, copilot, antigravity
	Kind    string          // PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, Stop, …
	Tool    string          // the tool's canonical name (Claude Code's: Bash, Write, Edit, …, mcp__server__tool)
	Input   json.RawMessage // the tool's input, or nil
	Prompt  string          // UserPromptSubmit
	Cwd     string          // absolute; where relative paths start
	// Unseen says that what is typed later into a program that this call
	// starts reaches no hook of the harness.
	Unseen bool
	// Dirs are the fields of a shell call's input that name the directory it
	// runs in. Nil is any usual name: a field that the harness does not read
	// must not move the command.
	Dirs []string
}

// Facts are what the launcher sealed: the guard trusts nothing else.
//
// Writable by these facts are the worktree (less its .git pointer, nested
// .git directories and wiring), Tmp, OwnGit and devices such as /dev/null.
// State as a whole is not: only the two directories named here are.
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

	Version string     `json:"harness_version,omitempty"` // the harness's, where an answer depends on it
	Servers StringList `json:"servers,omitempty"`         // the MCP servers' names, as the user gave them

	// The user's options. None of them opens a .git directory, wiring or
	// lane's own files.
	DenyGlobs    StringList `json:"deny_globs,omitempty"`    // writes refused as well, by pattern
	AllowOutside StringList `json:"allow_outside,omitempty"` // directories outside the worktree that may be written
	GuardReads   bool       `json:"guard_reads,omitempty"`   // judge reads by the outside and pattern rules too
	MacOS        bool       `json:"macos,omitempty"`         // the harness runs commands with zsh, /private twins exist
}

// StringList is a JSON list of strings, or one string with commas between
// them. Only the list form can hold an entry with a comma in it.
type StringList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *StringList) UnmarshalJSON(raw []byte) error {
	var many []string
	if err := json.Unmarshal(raw, &many); err == nil {
		*l = many
		return nil
	}
	var one string
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	for _, part := range strings.Split(one, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l = append(*l, part)
		}
	}
	return nil
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
