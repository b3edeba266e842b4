package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lane/runner/agent"
	"lane/sandbox/confine"
)

// Examination is what lane doctor finds.
type Examination struct {
	// Ready says that a lane can run here.
	Ready    bool            `json:"ready"`
	Kernel   string          `json:"kernel"`
	LSM      string          `json:"lsm"`      // security modules, "" when unknown
	Landlock int             `json:"landlock"` // ABI, 0 without it
	UID      int             `json:"uid"`
	Layers   []confine.Probe `json:"layers"`
	Git      string          `json:"git"` // version, "" when missing; lane itself needs none
	Agents   []AgentFound    `json:"agents"`
	LaneHome string          `json:"lane_home"`
	Problems []Problem       `json:"problems"`
}

// AgentFound is one agent on this machine.
type AgentFound struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Tested  bool   `json:"tested"`
	Login   string `json:"login,omitempty"` // where its credentials come from, never what they are
	Missing string `json:"missing,omitempty"`
}

// Problem is one thing to change, with the smallest remedy.
type Problem struct {
	Reason string `json:"reason"` // stable word
	Detail string `json:"detail"`
	Remedy string `json:"remedy"`
	// Blocks says that no lane can run because of it.
	Blocks bool `json:"blocks"`
}

// Examine looks at this machine. User namespaces are really tried. It needs
// no terminal, starts no agent and ends within seconds.
func Examine(ctx context.Context) Examination {
	e := Examination{UID: os.Geteuid(), Kernel: kernelRelease(), LSM: firstLine("/sys/kernel/security/lsm"),
		Landlock: confine.LandlockABI(), Layers: []confine.Probe{}, Agents: []AgentFound{}, Problems: []Problem{}}
	for _, l := range confine.Layers() {
		e.Layers = append(e.Layers, l.Probe(ctx))
	}
	// Another layer than the default one is never taken by itself, so it makes
	// no lane possible that was not asked for by name.
	ready, other := false, ""
	for _, p := range e.Layers {
		if p.OK && p.Layer != confine.Default {
			other = p.Layer
		}
	}
	for _, p := range e.Layers {
		isDefault := p.Layer == confine.Default
		ready = ready || isDefault && p.OK
		if p.OK {
			continue
		}
		hint := p.Hint
		if isDefault && other != "" {
			hint += "; or use the weaker --layer " + other + " (lane help layers)"
		}
		e.Problems = append(e.Problems, Problem{p.Reason, p.Detail, hint, isDefault})
	}
	if len(e.Layers) == 0 {
		e.Problems = append(e.Problems, Problem{"no-layer", "lane has no confinement on this system", "run lane on Linux", true})
	}
	home, err := LaneHome()
	if err != nil {
		r := refusalOf(err, "lane-home")
		e.Problems = append(e.Problems, Problem{r.Reason, r.Detail, r.Hint, true})
	}
	e.LaneHome = home
	examineAgents(&e)
	if git := findSystem("git"); git != "" {
		out := runShort(ctx, git, "--version")
		e.Git = strings.TrimPrefix(out, "git version ")
	}
	e.Ready = ready && !slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Blocks })
	return e
}

func examineAgents(e *Examination) {
	h := Host{values: map[string]string{}}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		h.values[name] = value
	}
	if err := surveyPlaces(&h); err != nil {
		return // told already: the same places were asked for
	}
	for _, dir := range filepath.SplitList(h.values["PATH"]) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) {
			h.Path = append(h.Path, PathEntry{Dir: dir, Real: real})
		}
	}
	found := false
	for _, name := range agent.Names() {
		a, err := agent.Lookup(name)
		if err != nil {
			continue
		}
		h.Program, h.Login = Program{}, LoginState{}
		surveyProgram(&h, Request{}, a)
		surveyLogin(&h, a)
		f := AgentFound{Name: name, Path: h.Program.Real, Missing: h.Program.Missing, Login: h.Login.Source}
		if f.Missing == "" {
			found = true
			f.Version = packageVersion(h.Program.Real)
			f.Tested = slices.Contains(a.Tested, f.Version)
			if f.Login == "" {
				e.Problems = append(e.Problems, Problem{h.Login.Reason, name + ": " + h.Login.Detail, a.Login.Hint, false})
			}
		}
		e.Agents = append(e.Agents, f)
		for _, helper := range a.Helpers {
			if f.Missing == "" && findSystem(helper.Program) == "" {
				e.Problems = append(e.Problems, Problem{"missing-" + helper.Program, helper.Program + " is not installed: " + helper.Reason,
					"apt-get install " + helper.Package, false})
			}
		}
	}
	if !found {
		e.Problems = append(e.Problems, Problem{"no-agent", "no agent was found on PATH", "install one, e.g. npm install -g @anthropic-ai/claude-code; lane exec works without", false})
	}
}

// runShort runs a program of the system's for at most three seconds, with an
// empty environment.
func runShort(ctx context.Context, argv ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func firstLine(path string) string {
	b, err := readProc(path, 4096)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// String is one line of the table of agents.
func (a AgentFound) String() string {
	switch {
	case a.Missing != "":
		return fmt.Sprintf("%s: %s", a.Name, a.Missing)
	case a.Tested:
		return fmt.Sprintf("%s %s (tested) at %s", a.Name, a.Version, a.Path)
	}
	version := a.Version
	if version == "" {
		version = "of unknown version"
	}
	return fmt.Sprintf("%s %s (not a version that lane's tests have run) at %s", a.Name, version, a.Path)
}
