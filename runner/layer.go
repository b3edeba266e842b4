package runner

import (
	"context"
	"path/filepath"
	"strings"

	"lane/gitdiscover"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// findLayers finds the programs of the layer that was asked for, and of the
// others, and starts none of their sandboxes: the lane's own start is the
// proof, and costs nothing twice. Another layer is never taken instead: what
// is found of it goes into the hint of a refusal.
func findLayers(ctx context.Context, uid int, name string) (asked confine.Probe, others []confine.Probe) {
	asked = confine.Probe{Layer: name, Reason: "no-layer", Detail: confine.ErrNoLayer.Error(), Hint: "lane doctor lists the layers of this system"}
	for _, layer := range confine.Layers() {
		probe := layer.Find(ctx, confine.Need{UID: uid})
		if layer.Name() == name {
			asked = probe
		} else {
			others = append(others, probe)
		}
	}
	return asked, others
}

// layerName is the layer that was asked for, or the default one.
func layerName(req Request) string {
	if req.Layer == "" {
		return confine.Default
	}
	return req.Layer
}

// LayerNames are the layers of this system, the default one first.
func LayerNames() []string {
	names := []string{confine.Default}
	for _, layer := range confine.Layers() {
		if layer.Name() != confine.Default {
			names = append(names, layer.Name())
		}
	}
	return names
}

// inPlace says that the layer has no namespaces: the lane sees the host's
// files at their own places or not at all.
func (h Host) inPlace() bool {
	layer, err := confine.Lookup(h.Layer.Layer)
	return err == nil && !layer.Namespaces()
}

// tmpDir is the lane's TMPDIR. A layer without mounts cannot give it a short
// name.
func tmpDir(h Host, run string) string {
	if h.inPlace() {
		return filepath.Join(run, stateDir, "tmp")
	}
	return tmpInside
}

// Link is a symbolic link that lane makes before the start.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// planHome says where HOME is inside, and makes what has to be there. Where
// nothing can be put in the place of the user's own, it is a directory of the
// run's, with links to the toolchains that may be read: tools look for those
// below HOME, and git gives up on a settings file that it may not open.
func planHome(p *Plan, h Host) string {
	if h.Home != "" && (!h.inPlace() || p.Home == HomeReadable) {
		return h.Home
	}
	home := filepath.Join(p.RunDir, stateDir, "home")
	p.Dirs = append(p.Dirs, home)
	for _, row := range h.Toolchains {
		if rel, err := filepath.Rel(h.Home, row.Path); err == nil && row.Access == sandbox.Read {
			link := Link{Path: filepath.Join(home, rel), Target: row.Path}
			p.Dirs = append(p.Dirs, filepath.Dir(link.Path))
			p.Links = append(p.Links, link)
		}
	}
	return home
}

// fitPolicy leaves of the policy what the layer can enforce, and refuses where
// that is too little: the shared git directory is denied in every lane.
func fitPolicy(p *Plan, layer confine.Layer) error {
	p.Policy = layer.Fit(p.Policy)
	if err := sandbox.Validate(p.Policy); err != nil {
		return &Refusal{Reason: "policy", Detail: err.Error(), Hint: "lane cannot say this in its layer's words; leave out --read or --write"}
	}
	for _, dir := range []string{p.CommonDir, p.GitDir} {
		if p.Policy.Allows(dir, sandbox.Write) {
			return &Refusal{Reason: "git-inside", Path: dir, Detail: "the " + p.Layer + " layer cannot protect a git directory that lies in the worktree",
				Hint: "use a linked worktree outside it: git worktree add ../NAME"}
		}
	}
	return nil
}

// checkGitMode refuses a git directory of the lane's own where nothing can be
// mounted over the worktree's pointer.
func checkGitMode(req Request, _ gitdiscover.Repo, _ *agent.Agent, h Host) error {
	if h.inPlace() && req.Git == gitOwn {
		return &Refusal{Reason: "git-own-layer", Detail: "a git directory of the lane's own needs a mount over the worktree's .git, and the " + h.Layer.Layer + " layer has none",
			Hint: "use --git read-only: git status, diff and log work, and the work stays in the working tree"}
	}
	return nil
}

// otherLayers says by which other layer of this machine the same request
// would be possible, and what would be open then. It is empty when none is.
func otherLayers(req Request, repo gitdiscover.Repo, a *agent.Agent, h Host) string {
	var ways []string
	for _, probe := range h.OtherLayers {
		if !probe.OK {
			continue
		}
		other := h
		other.Layer, other.OtherLayers = probe, nil
		plan, err := Build(req, repo, a, other)
		if err != nil {
			continue
		}
		way := "--layer " + probe.Layer
		for _, gap := range plan.unaccepted() {
			way += " --accept " + gap.Name
		}
		ways = append(ways, way)
	}
	return strings.Join(ways, ", or ")
}

// offerOther adds to a refusal of the default layer how another could be had
// instead. Whoever asked for one by name knows of the others.
func offerOther(err error, j Job) error {
	r := asRefusal(err)
	if r == nil || r.Layer != confine.Default {
		return err
	}
	if way := otherLayers(j.Request, j.Repo, j.Agent, j.Host); way != "" {
		r.Hint += "; or, with another layer: " + way
	}
	return r
}
