package runner

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"lane/gitdiscover"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// planVerify is the canary set of --verify.
func planVerify(p *Plan, repo gitdiscover.Repo, h Host, layer confine.Layer) error {
	if !confine.CanVerify {
		return &Refusal{Reason: "verify", Detail: "the canary set of --verify is there for Linux only", Hint: "leave out --verify"}
	}
	v := &confine.Verify{Name: ".lane-canary-" + p.Run, Own: p.Worktree, Refused: []string{repo.CommonDir}, Elsewhere: []string{"/tmp", "/var/tmp", "/dev/shm"}}
	if repo.GitDir != repo.CommonDir {
		v.Refused = append(v.Refused, repo.GitDir)
	}
	for _, dir := range append([]string{h.Home, h.LaneHome}, repo.Others...) {
		granted := p.Policy.Decide(dir, sandbox.Write)
		if dir != "" && dir != p.Worktree && !(granted.Allowed && !granted.Own) && !slices.Contains(v.Elsewhere, dir) {
			v.Elsewhere = append(v.Elsewhere, dir)
		}
	}
	if layer.Namespaces() && repo.PointerIsFile {
		v.Pointer = repo.Pointer
	}
	p.Checks.Verify = v
	return nil
}

// verifyOutside looks on the host for what the canaries would have left. What
// it finds it removes, and no agent is started.
func verifyOutside(res *Result, v *confine.Verify) error {
	if v == nil {
		return nil
	}
	c := confine.Check{Name: "verify-outside", Want: "none of the canaries is on the host", Got: "none", OK: true}
	for _, path := range v.Canaries() {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(path) // the refusal names it either way
			if c.OK {
				c.Path, c.Got, c.OK = path, "it is there", false
			}
		}
	}
	res.Layers[0].Checks = append(res.Layers[0].Checks, c)
	if c.OK {
		return nil
	}
	res.Layers[0].OK = false
	return &Refusal{Reason: "verify", Path: c.Path, Detail: "a canary of --verify got out of the lane", Hint: "please report this with the record and the plan (lane plan)"}
}
