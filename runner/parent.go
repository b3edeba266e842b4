package runner

import (
	"os"
	"slices"
	"strings"
)

// parentAgent is an agent that may have started lane from its shell tool, and
// what it has to ask for when its own sandbox is in the way.
type parentAgent struct {
	name string
	vars []string // any of them is set in its commands
	ask  string
}

func parentAgents() []parentAgent {
	return []parentAgent{
		{"Codex", []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"},
			`run this same command again with sandbox_permissions "require_escalated" and the justification that lane confines the agent itself; if approvals are off, ask the user to start Codex with --sandbox danger-full-access`},
		{"Claude Code", []string{"CLAUDECODE"},
			`run this same command again with dangerouslyDisableSandbox: true, which the user has to allow; or ask the user to add lane to sandbox.excludedCommands: lane confines the agent itself`},
	}
}

// layerReasons are refusals that a sandbox round lane brings about.
var layerReasons = []string{"unsafe-bwrap", "layer-failed", "lane-home", "warden", "run-directory", "start", "own-git", "write-got-through"}

// ForParent makes a refusal that the sandbox of a parent agent brought about
// say so, with the sentence that the parent can act on. Any other error is
// returned as it is.
func ForParent(err error) error {
	r := asRefusal(err)
	if r == nil {
		return err
	}
	alone := firstOf("/proc/self/status", "NoNewPrivs:")
	parent := parentSandbox(os.Environ(), alone)
	if ids, _ := readProc("/proc/self/uid_map", 4<<10); parent == nil && r.Reason == "unsafe-bwrap" && inLane(string(ids), alone) {
		inside := *r // bubblewrap may be another's all the same: the reason stays
		inside.Hint = "inside a lane, or another sandbox, root's files look like another user's: start lane outside; there, " + r.Hint
		return &inside
	}
	if parent == nil || r.Layer == "" && !slices.Contains(layerReasons, r.Reason) {
		return err
	}
	return &Refusal{Reason: "inside-sandbox", Path: r.Path, Exit: r.Exit, Layer: r.Layer, Hint: parent.ask,
		Detail: "lane was started inside " + parent.name + "'s own sandbox, in which it cannot make one (" + r.Reason + ": " + r.Detail + ")"}
}

// ForParent is the same for a result.
func (r Result) ForParent() Result {
	if r.Status != Refused {
		return r
	}
	said := asRefusal(ForParent(&Refusal{Reason: r.Reason, Path: r.Path, Detail: r.Detail, Hint: r.Hint, Exit: r.Exit}))
	r.Reason, r.Detail, r.Hint = said.Reason, said.Detail, said.Hint
	return r
}

// parentSandbox is the agent in whose sandbox this process runs, nil for none.
// Its variables alone say only who started lane; every such sandbox sets
// no_new_privs as well.
func parentSandbox(environ []string, noNewPrivs string) *parentAgent {
	if noNewPrivs != "1" {
		return nil
	}
	for _, p := range parentAgents() {
		for _, kv := range environ {
			if name, _, _ := strings.Cut(kv, "="); slices.Contains(p.vars, name) {
				return &p
			}
		}
	}
	return nil
}

// inLane says whether files of root's may look like another's because this
// process has a user namespace, with a part of the users, and cannot get out.
func inLane(uidMap, noNewPrivs string) bool {
	whole := []string{"0", "0", "4294967295"}
	return noNewPrivs == "1" && uidMap != "" && !slices.Equal(strings.Fields(uidMap), whole)
}

// firstOf is the value of a line of a file in /proc.
func firstOf(path, key string) string {
	b, err := readProc(path, 64<<10)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
