// Package agent says, one file per coding agent, how that agent is started
// inside a lane: its argv, the files and variables it gets, how its own
// sandbox is told what to deny, and how its output is read.
//
// Everything here is data and pure functions: nothing is read from the disk or
// the environment and nothing is started. Package runner does both. A new
// agent is one new file that registers itself.
//
// What an agent is told here is never the boundary: the layer of package
// confine round the whole process is.
package agent

import (
	"fmt"
	"io"
	"sort"
	"time"

	"lane/sandbox"
)

// Agent describes one coding agent.
type Agent struct {
	// Name is the word for --writer.
	Name string
	// Program is the file name of its executable, looked for on the caller's
	// PATH.
	Program string
	// Tested lists the versions that lane's own tests have run.
	Tested []string
	// Pass names the caller's variables that reach the agent.
	Pass []Var
	// Secrets names those of Pass that its shell tool must not see.
	Secrets []string
	// Values names those of Pass that the launch is rendered from
	// ([Spec.Values]): they are printed in the plan, so none is a secret.
	Values []string
	// Login says where its credentials come from.
	Login Login
	// Helpers are programs that its own sandbox needs besides bwrap.
	Helpers []Helper
	// Command says that this is the user's own command: its program may lie
	// in the worktree, and its streams are the caller's.
	Command bool
	// Network is the network it gets.
	Network sandbox.NetworkMode
	// Nests says that its own sandbox starts inside the lane.
	Nests bool
	// Instructions are the names, in the worktree, of the texts that a person
	// wrote for this agent. The first that exists is handed over as text.
	Instructions []string
	// Ignored are files in the worktree by which a repository would configure
	// the agent; lane starts it so that they have no effect, and says so.
	Ignored []string
	// Obeyed are files by which a repository configures the agent whatever
	// lane does, in the worktree or in a directory above it. Where one exists,
	// that is a gap.
	Obeyed []string
	// Litter are names that the agent itself leaves in the worktree.
	Litter []string
	// Placeholders are empty files or directories that its sandbox makes in
	// the worktree while a command runs, and leaves when it is killed.
	Placeholders []string
	// Launch renders the start of the agent. It is pure.
	Launch func(Spec) (Launch, error)
	// NewStream returns a reader of the agent's output.
	NewStream func() Stream
}

// Var is a variable that passes, and why.
type Var struct{ Name, Reason string }

// Helper is a program that must be installed.
type Helper struct {
	Program string // file name
	Package string // Debian's package
	Reason  string
}

// Login says how an agent authenticates: by one of the variables, or by a
// token in a file of the user's, which is handed over in a variable.
type Login struct {
	Env  []string // any one of these, set and not empty, is enough
	File string   // relative to ConfigEnv's directory, or below the home directory
	// ConfigEnv, if the caller has it set, names the directory that holds
	// File instead of HomeDir.
	ConfigEnv string
	HomeDir   string // e.g. ".claude"
	// Token finds the access token in File's bytes. It never returns a
	// refresh token. expires is zero when the file does not say.
	Token func(file []byte) (token string, expires time.Time, err error)
	// TokenEnv is the variable in which the token travels.
	TokenEnv string
	// Hint is what a person without any of these should do.
	Hint string
}

// Spec is what a launch is rendered from.
type Spec struct {
	Exe       string // the agent's executable, absolute and resolved
	Lane      string // lane's own executable, or what stands in for it in hooks; absolute and resolved
	Worktree  string
	GitDir    string
	CommonDir string
	OwnGit    string // the lane's private git directory, "" with --git read-only
	PlanDir   string // read-only inside
	StateDir  string // agent-writable
	Tmp       string // TMPDIR inside the lane
	PlanFile  string // the sealed plan, for the hook
	Root      bool   // the caller is uid 0 and the agent runs in a user namespace
	Bwrap     string // absolute
	NoNesting bool   // the agent's own sandbox cannot start inside
	Model     string
	Tools     []string // "" means the agent's default set
	MCP       []byte   // an MCP configuration of the user's, nil for none
	Writes    []string // further directories that the user made writable
	Reads     []string
	System    string // text for the system prompt: briefing and instructions
	// Login is the variable that holds the credential, and Values what the
	// caller's variables of [Agent.Values] hold.
	Login  string
	Values map[string]string
}

// File is a file that lane writes before the start.
type File struct {
	Path    string `json:"path"`
	Mode    uint32 `json:"mode"`
	Content string `json:"content"`
}

// EnvVar is a variable that lane sets. Value is never a secret.
type EnvVar struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// Launch is a rendered start.
type Launch struct {
	Argv  []string // Argv[0] is the executable
	Files []File   // below PlanDir
	Dirs  []string // below StateDir, made before the start
	Env   []EnvVar
	Rows  []sandbox.Row // what the agent must reach beyond the lane's own rows
	// Gaps are what the agent's own means would close and cannot here.
	Gaps []sandbox.Gap
	// HookLog is the file in which the guard's hook notes each of its answers,
	// for an agent whose output does not tell; "" for one whose does. An agent
	// that called tools and left no note ran without its guard.
	HookLog string
	// Notes are what the user should know of this agent, for the plan.
	Notes []string
	// Nested are commands that must succeed inside the lane before the start:
	// a sandbox of the same kind as the agent's own.
	Nested [][]string
}

// Call is one tool call of the agent that was refused or failed.
type Call struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // path or command, shortened
	Reason string `json:"reason"`
	By     string `json:"by"` // hook, agent, sandbox, tool
}

// Outcome is what the agent itself said of its run.
type Outcome struct {
	Ended     bool   // it wrote its final record
	Failed    bool   // that record says failure
	Reason    string // stable word when Failed
	Detail    string // the agent's words
	Text      string // final text
	Version   string
	Model     string
	Turns     int
	ToolCalls int
	ToolFails int
	Denied    []Call
	CostUSD   float64
	Usage     map[string]int64
	HookSeen  bool // the guard's hook answered at least once
}

// Stream reads an agent's standard output.
type Stream interface {
	// Read consumes r to its end. Progress, if not nil, is called with one
	// line of text for people per event worth telling.
	Read(r io.Reader, progress func(string)) error
	// Outcome may be called after Read has returned.
	Outcome() Outcome
}

var registry = map[string]*Agent{}

// register adds an agent; each file of this package calls it once.
func register(a *Agent) {
	if _, dup := registry[a.Name]; dup {
		panic("agent registered twice: " + a.Name)
	}
	registry[a.Name] = a
}

// UnknownError says that there is no such agent.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown writer %q (known: %v)", e.Name, e.Known)
}

// Lookup returns the agent of that name, or an *UnknownError.
func Lookup(name string) (*Agent, error) {
	if a, ok := registry[name]; ok {
		return a, nil
	}
	return nil, &UnknownError{Name: name, Known: Names()}
}

// Names returns the names of all agents, sorted.
func Names() []string {
	names := make([]string, 0, len(registry))
	for n := range registry {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
