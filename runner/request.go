// Package runner turns a Request into a Plan and a Plan into a Result.
//
// Survey is the only reader of home, environment, kernel and PATH. Build is a
// pure function from (Request, Repo, Agent, Host) to the Plan, the one value
// that says all that will happen. Run carries a Plan out, in one straight
// line, and returns a Result that is true even when the agent's own exit
// code is not.
//
// The package never runs git, never follows a link that an agent or a
// repository may have made, and never starts an agent whose confinement was
// not tried first, in the very namespace that the agent gets.
package runner

import (
	"errors"
	"fmt"
	"time"

	"lane/sandbox"
)

// Request is what the caller asked for. It holds no secret.
type Request struct {
	Writer    string   // the agent's name
	WriterBin string   // its executable, "" to look it up
	Dir       string   // where to look for the worktree
	Model     string   // passed to the agent as it is, "" for its default
	Tools     []string // the agent's tools, nil for lane's default set
	Prompt    []byte   // bytes, delivered on the agent's standard input
	Command   []string // for lane exec: the command instead of an agent
	Terminal  bool     // the command gets a private terminal
	Limits    sandbox.Limits
	Timeout   time.Duration // 0 for none
	Env       []string      // further names of the caller's variables that pass
	Reads     []string      // further directories the lane may read
	Writes    []string      // further directories the lane may write
	MCP       string        // an MCP configuration of the user's, "" for none
	Accept    []string      // gaps accepted by name
	Vouch     []string      // layouts of git directories that the user vouches for
	Home      HomeMode      // "" for private
	Masks     []string      // files of the worktree that are there but empty inside
	repoMasks int           // how many of them, the last, the repository asked for
	Git       string        // "read-only", or "" for the default
	TakeIn    string        // never, success or always; "" for success
	GitHooks  bool          // the repository's own hooks run inside the lane, read-only
	KeepRefs  bool          // the agent's other refs go to refs/lane/<run>/
	MaxTakeIn int64         // bytes of new objects, unpacked; 0 for the default
	Rebase    bool          // a later take-in replays the commits on the branch as it is now
	Layer     string        // which layer confines, "" for the default
	// Verify tries a canary set in earnest before the agent starts.
	Verify bool
	// RequireChanges makes a run that changed no file a failure.
	RequireChanges bool
}

// HomeMode says what the lane sees of the user's home directory.
type HomeMode string

const (
	// HomePrivate is an empty home directory with read-only rows for
	// toolchains.
	HomePrivate HomeMode = "private"
	// HomeReadable shows the home directory read-only, without a table of
	// known secrets. It is the weaker choice: a secret that is not in the
	// table can be read.
	HomeReadable HomeMode = "readable"
)

// Refusal says why a lane was not started. Nothing has run.
type Refusal struct {
	Reason string // stable word
	Path   string // raw; print it with %+q; "" when no path is at fault
	Detail string // what is wrong
	Hint   string // what to do
	Exit   int    // ExitRefused unless set
	// Layer is the layer that refuses, "" when it is not a layer's doing.
	Layer string
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return fmt.Sprintf("%s: %s", r.Reason, r.Detail)
	}
	return fmt.Sprintf("%s: %+q: %s", r.Reason, r.Path, r.Detail)
}

// ExitCode is the exit code of the refusal.
func (r *Refusal) ExitCode() int {
	if r.Exit != 0 {
		return r.Exit
	}
	return ExitRefused
}

// UsageError says that the request contradicts itself or lane's rules.
type UsageError struct {
	Reason string // stable word
	Detail string
}

func (e *UsageError) Error() string { return e.Detail }

// asRefusal returns err as a *Refusal.
func asRefusal(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}
