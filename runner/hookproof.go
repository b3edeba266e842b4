package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"lane/runner/agent"
)

// maxHookLog bounds what is read of the hook's notes.
const maxHookLog = 16 << 20

// hookNote is a line of them (dialect.LogLine).
type hookNote struct {
	Event  string `json:"event"`
	Tool   string `json:"tool"`
	Target string `json:"target"`
	Denied bool   `json:"denied"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// proveHook adds to an agent's account of its run what only the guard's hook
// knows: that it was asked, and which calls it refused. Calls of tools without
// any note mean that the agent ran without its guard: what the operating
// system holds was held, but the run is no success.
//
// The notes are the agent's to forge. They catch an agent program that does
// not run hooks, which is what a new version of one may come to.
func proveHook(res *Result, j Job, out agent.Outcome) agent.Outcome {
	out.Version = cmp.Or(out.Version, j.Host.Program.Version)
	out.Model = cmp.Or(out.Model, j.Plan.Model)
	if j.Plan.HookLog == "" {
		return out
	}
	asked := 0
	state := filepath.Join(j.Plan.RunDir, stateDir)
	rel, err := filepath.Rel(state, j.Plan.HookLog)
	var notes []byte
	if err == nil {
		notes, err = readBeneath(state, rel, maxHookLog)
	}
	if err == nil {
		for line := range bytes.Lines(notes) {
			var n hookNote
			if json.Unmarshal(line, &n) != nil {
				continue
			}
			if n.Tool != "" {
				asked++
			}
			if n.Denied {
				out.HookSeen = true
				if len(out.Denied) < agent.MaxDenied {
					out.Denied = append(out.Denied, agent.Call{Tool: n.Tool, Target: n.Target, Reason: strings.TrimSpace(n.Rule + ": " + n.Reason), By: "hook"})
				}
				if n.Tool != "" { // not a prompt; and in no account of the agent's
					out.ToolCalls++
					out.ToolFails++
				}
			}
		}
	}
	if out.ToolCalls > 0 && asked == 0 {
		out.Failed, out.Reason = true, "guard-not-asked"
		out.Detail = j.Agent.Name + " called tools and never asked lane's guard: this version of it does not run the hook as lane registers it"
		res.Warnings = append(res.Warnings, "the lane held, but nothing was refused early; use a version that lane's tests have run ("+strings.Join(j.Agent.Tested, ", ")+")")
	}
	return out
}
