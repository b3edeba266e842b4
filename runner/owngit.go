package runner

import (
	"errors"
	"path/filepath"

	"lane/gitdiscover"
	"lane/gitdiscover/owngit"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// How a lane has git.
const (
	// gitOwn gives the lane a git directory of its own, so that commits work
	// and the shared one stays as it is.
	gitOwn = "own"
	// gitReadOnly shows the lane the real git directories, read-only.
	gitReadOnly = "read-only"
)

// gitMode is what was asked for, or the default.
func gitMode(req Request, repo gitdiscover.Repo, h Host) string {
	if req.Git != "" {
		return req.Git
	}
	// Nor can a layer without mounts put another pointer in its place.
	if repo.Linked && !h.inPlace() {
		return gitOwn
	}
	// A main worktree's .git is a directory, which cannot be replaced for the
	// lane alone.
	return gitReadOnly
}

// planGit plans the lane's own git directory, where it gets one.
func planGit(p *Plan, req Request, repo gitdiscover.Repo, a *agent.Agent, h Host) error {
	if p.Git != gitOwn {
		return nil
	}
	// In the middle of a rebase or merge of the user's (lane may be called by
	// one) the lane reads git unless own was asked for: its commits would not
	// fit what git is doing.
	if r := h.OwnGit.Refused; r != nil && r.Reason == owngit.Unfinished && req.Git == "" {
		p.Git = gitReadOnly
		p.Warnings = append(p.Warnings, "git: read-only, since "+r.Detail+"; the lane cannot commit")
		return nil
	}
	in := owngit.Inputs{Facts: h.OwnGit, RealHooks: req.GitHooks, Placeholders: append(append([]string{}, a.Placeholders...), a.Litter...)}
	if h.UID == 0 {
		// The lane of a root caller sees root's files as its own uid's.
		in.SeenAs = &owngit.Owner{HostUID: 0, HostGID: uint32(h.GID), UID: confine.InnerID, GID: confine.InnerID}
	}
	setup, err := owngit.Plan(repo, in)
	if err != nil {
		return ownGitRefusal(err)
	}
	p.OwnGit = &setup
	p.Files = append(p.Files, agent.File{Path: filepath.Join(p.RunDir, planDir, "dotgit"), Mode: 0o444, Content: setup.Pointer(p.ownGitDir())})
	for _, n := range setup.Notes {
		p.Warnings = append(p.Warnings, "git: "+n.Word+": "+n.Detail)
	}
	for _, w := range h.OwnGit.Warnings {
		p.Warnings = append(p.Warnings, "git: "+w)
	}
	return nil
}

// ownGitRefusal offers the other way of having git.
func ownGitRefusal(err error) error {
	var r *owngit.RefusedError
	if errors.As(err, &r) {
		return &Refusal{Reason: string(r.Reason), Path: r.Path, Detail: r.Detail, Hint: r.Hint}
	}
	return &Refusal{Reason: "own-git", Detail: err.Error(), Hint: "use --git read-only"}
}

// ownGitDir is where the lane's own git directory lies, "" without one.
func (p Plan) ownGitDir() string {
	if p.Git != gitOwn {
		return ""
	}
	return filepath.Join(p.RunDir, stateDir, "git")
}

// pointerRow protects the worktree's git pointer, with the private one over
// it where the lane has a git directory of its own.
func pointerRow(repo gitdiscover.Repo, p Plan) sandbox.Row {
	row := sandbox.Row{Path: repo.Pointer, Access: sandbox.Protect, File: repo.PointerIsFile,
		Reason: "the worktree's git pointer: rewritten, the user's next git command would run the agent's program"}
	if p.OwnGit != nil {
		row.Source, row.Reopen = filepath.Join(p.RunDir, planDir, "dotgit"), true
		row.Reason = "the git pointer inside names the lane's own git directory; the worktree's is not touched"
	}
	return row
}

// makeOwnGit makes the lane's own git directory.
func makeOwnGit(p Plan) error {
	if p.OwnGit == nil {
		return nil
	}
	if err := p.OwnGit.Make(p.ownGitDir()); err != nil {
		return ownGitRefusal(err)
	}
	return nil
}

// identifyPointer adds the lane's own git pointer, which lies over the
// worktree's, to what the confined child compares.
func identifyPointer(p *Plan) error {
	if p.OwnGit == nil {
		return nil
	}
	ids, err := confine.Identify(filepath.Join(p.RunDir, planDir, "dotgit"))
	if err != nil {
		return err
	}
	ids[0].Path = filepath.Join(p.Worktree, ".git")
	p.Checks.IDs = append(p.Checks.IDs, ids...)
	return nil
}
