package runner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"lane/gitdiscover"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// surveyOverlap collects the places that must not meet, each with the
// identities of the directories above it: a bind mount or a file system that
// ignores case gives one directory two names.
func surveyOverlap(h *Host, req Request, repo gitdiscover.Repo) {
	o := &h.Overlap
	o.Worktree = place("the worktree", repo.Worktree)
	o.CommonDir = place("the shared git directory", repo.CommonDir)
	o.GitDir = place("the worktree's git directory", repo.GitDir)
	if h.Home != "" {
		o.Home = place("the home directory", h.Home)
	}
	for _, other := range repo.Others {
		if other != repo.Worktree {
			o.Others = append(o.Others, place("another worktree", other))
		}
	}
	o.Own = []sandbox.Place{place("lane's own directory", h.LaneHome)}
	if h.UID == 0 {
		for _, r := range sandbox.RootSecrets() {
			if real, ok := h.Exists[r.Path]; ok && !(h.Home != "" && sandbox.Contains(real, h.Home)) {
				o.Hidden = append(o.Hidden, place("a hidden path", real))
			}
		}
	}
	if req.Home == HomeReadable {
		for _, r := range h.Secrets {
			o.Hidden = append(o.Hidden, place("a hidden path", r.Path))
		}
	}
	programs := []sandbox.Place{{Name: "lane's executable", Path: h.Lane}, {Name: "lane's inside program", Path: h.Inside}, {Name: "bwrap", Path: h.Layer.Path}}
	if len(req.Command) == 0 {
		programs = append(programs, sandbox.Place{Name: "the agent's executable", Path: h.Program.Real},
			sandbox.Place{Name: "the agent's interpreter", Path: h.Program.Interpreter})
	}
	for _, p := range programs {
		if p.Path != "" {
			o.Programs = append(o.Programs, place(p.Name, p.Path))
		}
	}
	for i, dir := range h.Extra {
		if i < len(req.Reads) {
			o.Read = append(o.Read, place("--read", dir))
		} else {
			o.Write = append(o.Write, place("--write", dir))
		}
	}
}

func place(name, path string) sandbox.Place {
	p := sandbox.Place{Name: name, Path: path}
	for at := path; ; at = filepath.Dir(at) {
		var id sandbox.FileID
		if info, err := os.Lstat(at); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				id = sandbox.FileID{Dev: uint64(st.Dev), Ino: st.Ino}
			}
		}
		p.Chain = append(p.Chain, id)
		if at == "/" {
			return p
		}
	}
}

func checkOverlap(_ Request, _ gitdiscover.Repo, _ *agent.Agent, h Host) error {
	if h.WiringLink != "" {
		return &Refusal{Reason: "wiring-symlink", Path: h.WiringLink, Detail: "a file that configures an agent or editor, or a directory above it, is a symbolic link: what it names could not be protected",
			Hint: "replace the link by what it names"}
	}
	err := sandbox.CheckOverlap(h.Overlap)
	var oe *sandbox.OverlapError
	if errors.As(err, &oe) {
		return &Refusal{Reason: "overlap", Path: oe.Path, Detail: oe.Reason + ": " + oe.Detail, Hint: overlapHint(oe.Reason)}
	}
	return err
}

func overlapHint(reason string) string {
	switch {
	case strings.HasPrefix(reason, "write-"), strings.HasPrefix(reason, "read-"):
		return "name a narrower directory, or leave the flag out"
	case reason == "worktree-contains-home":
		return "use a worktree below the home directory: git worktree add ../NAME"
	case reason == "worktree-contains-program":
		return "install the program outside the worktree"
	}
	return "use a worktree in another place: git worktree add ../NAME"
}

// surveyIDs notes the identities of what is protected inside the worktree. By
// the time that it is mounted, whoever else may write the worktree may have put
// a link there: its target would be shown, a key for instance.
func surveyIDs(h *Host) {
	for _, r := range slices.Concat(h.Wiring, h.Tree.Repositories) {
		ids, err := confine.Identify(r.Path)
		if err != nil {
			continue // gone: CheckPaths refuses
		}
		h.IDs = append(h.IDs, ids...)
	}
}

// surveyWiring notes what exists of the files that configure agents, editors
// and shells. It goes down component by component and follows nothing.
func surveyWiring(h *Host, worktree string) {
	for _, w := range sandbox.Wiring() {
		at := worktree
		parts := strings.Split(w.Path, "/")
		for i, part := range parts {
			at = filepath.Join(at, part)
			info, err := os.Lstat(at)
			if err != nil {
				break
			}
			if info.Mode()&os.ModeSymlink != 0 {
				if h.WiringLink == "" {
					h.WiringLink = at
				}
				break
			}
			if i < len(parts)-1 {
				if !info.IsDir() {
					break
				}
				continue
			}
			h.Wiring = append(h.Wiring, sandbox.Row{Path: at, Access: sandbox.Protect, File: !info.IsDir(),
				Reason: w.Harness + ": " + w.Reason})
		}
	}
}
