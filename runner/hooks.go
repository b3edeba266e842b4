package runner

import (
	"os"
	"path/filepath"
	"strings"

	"lane/gitdiscover"
	"lane/sandbox"
)

// maxGitConfig bounds one configuration file of git's.
const maxGitConfig = 1 << 20

// surveyHooks finds what of the worktree the user's own git would run as a
// hook: the directory that core.hooksPath names (a relative one starts at the
// top of the worktree), and what links in the shared hooks directory lead to.
// Left writable, the agent would choose what the user's next commit runs.
//
// Includes are not followed: what they name is seen by the seal afterwards.
func surveyHooks(h *Host, repo gitdiscover.Repo) {
	files := []string{"/etc/gitconfig"}
	if h.Home != "" {
		files = append(files, filepath.Join(h.Home, ".config", "git", "config"), filepath.Join(h.Home, ".gitconfig"))
	}
	if x := h.values["XDG_CONFIG_HOME"]; filepath.IsAbs(x) {
		files = append(files, filepath.Join(x, "git", "config"))
	}
	files = append(files, filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"))
	const reason = "core.hooksPath: the user's git runs what lies here"
	for _, file := range files {
		for _, path := range hooksPaths(file) {
			path = strings.Replace(path, "~/", h.Home+"/", 1)
			if !filepath.IsAbs(path) {
				path = filepath.Join(repo.Worktree, path)
			}
			protectInside(h, repo, path, reason)
		}
	}
	hooks := filepath.Join(repo.CommonDir, "hooks")
	entries, _ := os.ReadDir(hooks) // one that cannot be read has no hook that could run
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			protectInside(h, repo, filepath.Join(hooks, e.Name()), "a hook of the repository is a link to it")
		}
	}
}

func hooksPaths(file string) []string {
	b, err := readFile(file, maxGitConfig)
	if err != nil {
		return nil
	}
	entries, err := gitdiscover.ParseConfig(b)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range entries {
		if e.Key == "core.hookspath" && e.Value != "" {
			paths = append(paths, e.Value)
		}
	}
	return paths
}

// protectInside protects what path leads to, if that lies in the worktree.
func protectInside(h *Host, repo gitdiscover.Repo, path, reason string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == repo.Worktree || !sandbox.Contains(repo.Worktree, real) {
		return
	}
	h.Wiring = append(h.Wiring, sandbox.Row{Path: real, Access: sandbox.Protect, File: !isDir(real), Reason: reason})
}
