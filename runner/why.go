package runner

import (
	"path/filepath"
	"strings"

	"lane/sandbox"
)

// Answer says whether a lane could read or write a path, and why.
type Answer struct {
	Path     string         `json:"path"`     // as asked
	Resolved string         `json:"resolved"` // as the kernel resolves it
	Access   sandbox.Access `json:"access"`
	Allowed  bool           `json:"allowed"`
	// Own says that only the lane's own files are there: the host's are
	// neither seen nor changed.
	Own    bool   `json:"own"`
	Rule   string `json:"rule"`   // the row that decides: its access and path
	Reason string `json:"reason"` // the row's
	Way    string `json:"way_on,omitempty"`
}

// Why asks the plan's policy about one path, the same value that the layer
// enforces.
func Why(p Plan, path string, access sandbox.Access) (Answer, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Answer{}, &Refusal{Reason: "path", Path: path, Detail: cause(err)}
	}
	resolved := resolveDeepest(abs)
	d := p.Policy.Decide(resolved, access)
	a := Answer{Path: path, Resolved: resolved, Access: access, Allowed: d.Allowed, Own: d.Own,
		Rule: string(d.Row.Access) + " " + d.Row.Path, Reason: d.Row.Reason}
	if !d.Allowed || d.Own {
		a.Way = wayOn(p, resolved, access)
	}
	return a, nil
}

// resolveDeepest follows links in the longest part that exists, as the kernel
// does before it makes the rest.
func resolveDeepest(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if path == "/" {
		return path
	}
	return filepath.Join(resolveDeepest(filepath.Dir(path)), filepath.Base(path))
}

// wayOn is what would be allowed instead.
func wayOn(p Plan, path string, access sandbox.Access) string {
	main := filepath.Dir(p.CommonDir)
	git := sandbox.Contains(p.CommonDir, path) || sandbox.Contains(p.GitDir, path) || path == filepath.Join(p.Worktree, ".git")
	switch {
	case access == sandbox.Read:
		return "show a directory with --read DIR"
	case git:
		return "git's files are lane's to change: leave the work in the worktree"
	case filepath.Base(p.CommonDir) == ".git" && main != p.Worktree && sandbox.Contains(main, path):
		return "write the same file in the lane: " + filepath.Join(p.Worktree, strings.TrimPrefix(path, main))
	case inTemp(path):
		return "use $TMPDIR (" + p.Tmp + " inside)"
	case sandbox.Contains(p.Worktree, path):
		return "change it yourself, outside the lane"
	}
	return "write below " + p.Worktree + ", or open a directory with --write DIR"
}

func inTemp(path string) bool {
	for _, tmp := range []string{"/tmp", "/var/tmp", "/dev/shm", "/run"} {
		if sandbox.Contains(tmp, path) {
			return true
		}
	}
	return false
}
