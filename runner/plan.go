package runner

import (
	"time"

	"lane/gitdiscover/owngit"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// PlanSchema names the form of a printed plan.
const PlanSchema = "lane.plan/1"

// Plan is the one value that says all that will happen. It is printed by
// `lane plan`, sent to the confined child, sealed beside the run for the
// hook, and compared with golden files by the tests. It holds no secret.
type Plan struct {
	Schema    string   `json:"schema"`
	Run       string   `json:"run"`
	RunDir    string   `json:"run_dir"`
	Writer    Writer   `json:"writer"`
	Model     string   `json:"model"`
	Worktree  string   `json:"worktree"`
	GitDir    string   `json:"gitdir"`
	CommonDir string   `json:"commondir"`
	Linked    bool     `json:"linked"`
	Branch    string   `json:"branch"`
	Vouched   []string `json:"vouched,omitempty"`
	Git       string   `json:"git"`
	// OwnGit is the lane's own git directory, null with --git read-only.
	OwnGit    *owngit.Setup `json:"own_git"`
	Home      HomeMode      `json:"home"`
	Prompt    Prompt        `json:"prompt"`
	Login     string        `json:"login"`
	Layer     string        `json:"layer"`
	LayerPath string        `json:"layer_path"`
	Tmp       string        `json:"-"` // TMPDIR inside; printed among the facts
	Gaps      []sandbox.Gap `json:"gaps"`
	// Start is the argv that lane itself executes; Agent is what the
	// confined child becomes.
	Start  []string       `json:"start"`
	Agent  []string       `json:"agent"`
	Env    EnvPlan        `json:"env"`
	Policy sandbox.Policy `json:"policy"`
	// LimitsBy is "cgroup" or "rlimit", "" without limits.
	LimitsBy string            `json:"limits_by,omitempty"`
	Cgroup   *GroupPlan        `json:"cgroup,omitempty"`
	Checks   confine.ChildPlan `json:"checks"`
	Dirs     []string          `json:"dirs"`
	Files    []agent.File      `json:"files"`
	Links    []Link            `json:"links,omitempty"`
	Facts    Facts             `json:"facts"`
	Ignored  []string          `json:"ignored"` // files of the repository that have no effect
	Litter   []string          `json:"litter"`  // names the agent leaves, removed afterwards
	// Placeholders are empty files that the agent's sandbox may leave.
	Placeholders []string `json:"placeholders"`
	// HookLog is where the guard's hook notes its answers, "" for an agent
	// whose own output tells.
	HookLog string   `json:"hook_log,omitempty"`
	Timeout Duration `json:"timeout"`
	// RequireChanges makes a run that changed nothing a failure.
	RequireChanges bool     `json:"require_changes"`
	Warnings       []string `json:"warnings"`
}

// Writer says which program writes.
type Writer struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"` // resolved
	Tested []string `json:"tested"`
}

// Prompt says what is delivered, not its text.
type Prompt struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Facts are what the guard's hook reads from the sealed plan; the keys are
// hookguard.Facts'.
type Facts struct {
	Worktree  string `json:"worktree"`
	GitDir    string `json:"gitdir"`
	CommonDir string `json:"commondir"`
	Tmp       string `json:"tmp"`
	Home      string `json:"home"`
	User      string `json:"user"`
	LaneHome  string `json:"lanehome"`
	State     string `json:"state"`
	OwnGit    string `json:"owngit"`
	CallerTmp string `json:"callertmp"`
	Headless  bool   `json:"headless"`
}

// Duration prints as "1h30m" and not as a number.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Where things of one run lie.
const (
	recordDir = "record" // lane's only: not mounted in the lane
	planDir   = "plan"   // read-only inside
	stateDir  = "state"  // agent-writable, never trusted
	// tmpInside is the lane's TMPDIR: short, because sockets in it have at
	// most 108 bytes of path, and disk-backed by the run's state.
	tmpInside = "/tmp/lane"
)

// unaccepted returns the gaps that refuse the lane.
func (p Plan) unaccepted() []sandbox.Gap {
	var gaps []sandbox.Gap
	for _, g := range p.Gaps {
		if !g.Accepted {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// String is "none" without a limit.
func (d Duration) String() string {
	if d == 0 {
		return "none"
	}
	return time.Duration(d).String()
}
