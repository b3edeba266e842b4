package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"lane/gitdiscover"
	"lane/gitdiscover/seal"
	"lane/sandbox"
)

// maxGitConfig bounds one configuration file of git's.
const maxGitConfig = 1 << 20

// Steered is a name in the worktree by which git's config makes git run
// something, and which does not exist at launch.
type Steered struct {
	Path   string `json:"path"` // relative to the worktree
	Reason string `json:"reason"`
}

// surveyHooks finds what of the worktree the user's own git would run or obey:
// the directory that core.hooksPath names (a relative one starts at the top of
// the worktree), configs that are included, programs that other keys name, and
// what links in the shared hooks directory lead to. Left writable, the agent
// would choose what the user's next commit, or git status, runs. What is not
// there yet is noted: it is held back when it appears.
func surveyHooks(h *Host, repo gitdiscover.Repo) {
	files := []string{"/etc/gitconfig"}
	if h.Home != "" {
		files = append(files, filepath.Join(h.Home, ".config", "git", "config"), filepath.Join(h.Home, ".gitconfig"))
	}
	if x := h.values["XDG_CONFIG_HOME"]; filepath.IsAbs(x) {
		files = append(files, filepath.Join(x, "git", "config"))
	}
	files = append(files, filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"))
	for _, file := range files {
		for _, s := range steering(file, h.Home, repo.Worktree) {
			protectInside(h, repo, s.Path, s.Reason)
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

// steering lists what one config file makes git run or obey, as absolute
// paths. What it includes is not followed.
func steering(file, home, worktree string) []Steered {
	b, err := readFile(file, maxGitConfig)
	if err != nil {
		return nil
	}
	entries, err := gitdiscover.ParseConfig(b)
	if err != nil {
		return nil
	}
	var list []Steered
	add := func(base, value, reason string) {
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(base, value)
		}
		list = append(list, Steered{value, reason})
	}
	for _, e := range entries {
		switch {
		case e.Value == "":
		case e.Key == "core.hookspath":
			add(worktree, e.Value, "core.hooksPath: the user's git runs what lies here")
		case e.Key == "include.path", strings.HasPrefix(e.Key, "includeif.") && strings.HasSuffix(e.Key, ".path"):
			add(filepath.Dir(file), e.Value, "git's config includes it: the user's git obeys what stands here")
		case seal.RunsProgram(e.Key) && !strings.HasPrefix(e.Key, "alias."): // an alias runs when the user says its name
			for _, word := range programWords(e.Value) {
				if _, err := os.Lstat(filepath.Join(worktree, word)); err != nil && !strings.Contains(word, "/") {
					continue // a name on PATH
				}
				add(worktree, word, e.Key+": the user's git runs it")
			}
		}
	}
	return list
}

// programWords are the words of a command line that may be programs or scripts
// in the directory where it runs.
func programWords(line string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>'\"`!=", r) }) {
		if strings.ContainsAny(w, "/.") && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "$%*:\\") {
			words = append(words, w)
		}
	}
	return words
}

// protectInside protects what path leads to, if that lies in the worktree, or
// notes that it is not there.
func protectInside(h *Host, repo gitdiscover.Repo, path, reason string) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		noteAbsent(h, repo, path, reason)
		return
	}
	if err != nil || real == repo.Worktree || !sandbox.Contains(repo.Worktree, real) {
		return
	}
	h.Wiring = append(h.Wiring, sandbox.Row{Path: real, Access: sandbox.Protect, File: !isDir(real), Reason: reason})
}

// noteAbsent resolves what there is of a path: an agent makes the rest.
func noteAbsent(h *Host, repo gitdiscover.Repo, path, reason string) {
	for at, rest := filepath.Dir(path), filepath.Base(path); ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, os.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil || !sandbox.Contains(repo.Worktree, real) {
			return
		}
		name, err := filepath.Rel(repo.Worktree, filepath.Join(real, rest))
		if err == nil && filepath.IsLocal(name) && name != ".git" && !strings.HasPrefix(name, ".git/") {
			h.Steered = append(h.Steered, Steered{name, reason})
		}
		return
	}
}
