package runner

import (
	"encoding/json"
	"time"

	"lane/gitdiscover/seal"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// ResultSchema names the form of a record.
const ResultSchema = "lane.result/1"

// Status is how a run ended, in one word.
type Status string

// The statuses. Only Done is success.
const (
	Done         Status = "done"
	NoChanges    Status = "no_changes"    // ended well, but refused calls and no file changed
	ToolFailures Status = "tool_failures" // every tool call failed and no file changed
	Failed       Status = "failed"
	Refused      Status = "refused"
	TimedOut     Status = "timeout"
	Interrupted  Status = "interrupted"
	Tripwire     Status = "tripwire"
	NotTaken     Status = "not_taken_in" // the agent succeeded, its commits are kept
	Killed       Status = "killed"       // lane itself was killed; others put things right
)

// maxChanged bounds the list of changed files in a record.
const maxChanged = 1000

// Result is the record of one run, true also when it failed or was refused.
type Result struct {
	Schema    string       `json:"schema"`
	Run       string       `json:"run,omitempty"`
	Status    Status       `json:"status"`
	Reason    string       `json:"reason,omitempty"` // stable word
	Path      string       `json:"path,omitempty"`
	Detail    string       `json:"detail,omitempty"`
	Hint      string       `json:"hint,omitempty"`
	Exit      int          `json:"exit"`
	AgentExit *int         `json:"agent_exit"` // null when no agent ran
	Signal    string       `json:"signal,omitempty"`
	Lane      LaneInfo     `json:"lane"`
	Host      HostInfo     `json:"host"`
	Writer    WriterResult `json:"writer"`
	Model     string       `json:"model,omitempty"`
	Worktree  string       `json:"worktree,omitempty"`
	GitDir    string       `json:"gitdir,omitempty"`
	CommonDir string       `json:"commondir,omitempty"`
	Branch    string       `json:"branch,omitempty"`
	Git       string       `json:"git,omitempty"`
	RunDir    string       `json:"run_dir,omitempty"`

	Layers []LayerResult `json:"layers"`
	Gaps   []sandbox.Gap `json:"gaps"`

	Changed           []string     `json:"changed"`
	ChangedMore       int          `json:"changed_more,omitempty"` // beyond the list
	ChangedIncomplete string       `json:"changed_incomplete,omitempty"`
	Denied            []agent.Call `json:"denied"`
	ToolCalls         int          `json:"tool_calls"`
	ToolFails         int          `json:"tool_failures"`
	Ignored           []string     `json:"ignored"`
	Removed           []string     `json:"litter_removed,omitempty"`
	Held              []Held       `json:"held_back,omitempty"`
	// Sweep lists what to look at before anything touches the worktree; null
	// when no file changed.
	Sweep *seal.SweepReport `json:"sweep"`
	// TakeIn says what came of the lane's commits; null without a git
	// directory of the lane's own.
	TakeIn *TakeInResult `json:"take_in"`
	// Ledger is what moved in git and what differs from HEAD's tree; null
	// when nothing changed.
	Ledger *seal.Ledger `json:"ledger"`
	// Seal is what changed of what steers git, null when no agent ran.
	Seal     *seal.Report `json:"seal"`
	Warnings []string     `json:"warnings,omitempty"`

	Env            EnvResult        `json:"env"`
	PromptSHA256   string           `json:"prompt_sha256,omitempty"`
	SettingsSHA256 string           `json:"settings_sha256,omitempty"`
	PlanSHA256     string           `json:"plan_sha256,omitempty"`
	Usage          map[string]int64 `json:"usage,omitempty"`
	CostUSD        float64          `json:"cost_usd"`
	Turns          int              `json:"turns"`
	Started        time.Time        `json:"started"`
	Ended          time.Time        `json:"ended"`
	Durations      Durations        `json:"durations_ms"`
	Text           string           `json:"text"`
	Stderr         string           `json:"stderr,omitempty"` // the agent's last words, when it failed
}

// WriterResult says which agent it was, by its own word.
type WriterResult struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the program at Path
	// Tested says that lane's own tests have run this version.
	Tested bool `json:"tested"`
}

// LayerResult is one layer with what was tried in the agent's own namespace.
type LayerResult struct {
	Name    string          `json:"name"`
	Version string          `json:"version,omitempty"`
	OK      bool            `json:"ok"`
	Checks  []confine.Check `json:"checks,omitempty"`
}

// EnvResult lists names, never values.
type EnvResult struct {
	Passed  []string `json:"passed"`
	Removed []string `json:"removed"`
	Set     []string `json:"set"`
}

// Durations are in milliseconds.
type Durations struct {
	Survey int64 `json:"survey"` // looking at the host
	Start  int64 `json:"start"`  // from the plan to the agent's exec
	Agent  int64 `json:"agent"`
	Finish int64 `json:"finish"` // checks after the end
	Total  int64 `json:"total"`
}

// RefusedResult is the record of a request for which no agent ran.
func RefusedResult(version, writer string, r *Refusal) Result {
	now := time.Now().UTC()
	res := emptyResult(version)
	res.Status, res.Reason, res.Path, res.Detail, res.Hint, res.Exit = Refused, r.Reason, r.Path, r.Detail, r.Hint, r.ExitCode()
	res.Writer.Name, res.Started, res.Ended = writer, now, now
	return res
}

func emptyResult(version string) Result {
	receipt := NewReceipt(version)
	return Result{Schema: ResultSchema, Lane: receipt.Lane, Host: receipt.Host, Layers: []LayerResult{}, Gaps: []sandbox.Gap{},
		Changed: []string{}, Denied: []agent.Call{}, Ignored: []string{},
		Env: EnvResult{Passed: []string{}, Removed: []string{}, Set: []string{}}}
}

// describe fills in what the plan alone says.
func (r *Result) describe(p Plan, h Host) {
	r.Run, r.RunDir = p.Run, p.RunDir
	r.Writer = WriterResult{Name: p.Writer.Name, Path: p.Writer.Path}
	r.Model, r.Worktree, r.GitDir, r.CommonDir, r.Branch, r.Git = p.Model, p.Worktree, p.GitDir, p.CommonDir, p.Branch, p.Git
	r.Layers = []LayerResult{{Name: p.Layer, Version: h.Layer.Version}}
	r.Gaps, r.Ignored, r.Warnings = p.Gaps, p.Ignored, p.Warnings
	r.PromptSHA256, r.Started = p.Prompt.SHA256, h.Started
	r.Env = EnvResult{Passed: p.Env.Pass, Removed: p.Env.Removed, Set: []string{}}
	for _, v := range p.Env.Set {
		r.Env.Set = append(r.Env.Set, v.Name)
	}
}

// refuse turns the result into that of a lane that did not start.
func (r *Result) refuse(ref *Refusal) {
	r.Status, r.Reason, r.Path, r.Detail, r.Hint, r.Exit = Refused, ref.Reason, ref.Path, ref.Detail, ref.Hint, ref.ExitCode()
}

// MarshalIndent is the record as lane prints and keeps it.
func (r Result) MarshalIndent() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	return append(b, '\n'), err
}
