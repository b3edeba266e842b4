package owngit

import (
	"fmt"
	"path/filepath"
	"strings"

	"lane/gitdiscover"
)

// Inputs are what [Plan] is made of besides the repository.
type Inputs struct {
	Facts Facts
	// Placeholders are names in the worktree, relative to it, where the
	// agent's sandbox leaves empty files; git in the lane does not see them.
	Placeholders []string
	// RealHooks has the repository's own hooks run inside the lane, read-only.
	RealHooks bool
	// SeenAs is how the user's files appear in the lane; nil for unchanged.
	SeenAs *Owner
}

// Setup is the git directory that one lane gets. It is a value without
// secrets; [Setup.Make] makes the directory and adds nothing of its own but
// the refs, the index and a few small files of the repository.
type Setup struct {
	// Name is the worktree's name in the repository and in the lane.
	Name string `json:"name"`
	// HeadRef is the branch, "" for a detached HEAD; Base is its commit, "" on
	// an unborn branch. The take-in moves the one from the other.
	HeadRef string `json:"head_ref"`
	Base    string `json:"base"`
	// Index is a digest of what the index stages, so that the take-in knows
	// whether somebody else staged something meanwhile.
	Index string `json:"index"`
	// Config is the whole configuration but for two paths inside the directory.
	Config []Setting `json:"config"`
	// Alternates are the object stores, the repository's own first.
	Alternates []string `json:"alternates"`
	// Exclude are patterns added to info/exclude.
	Exclude []string `json:"exclude"`
	// HooksDir is where git in the lane looks for hooks, "" for an empty
	// directory of its own.
	HooksDir string `json:"hooks_dir,omitempty"`
	// Notes say what is different in the lane from the user's own git.
	Notes  []Note `json:"notes"`
	SeenAs *Owner `json:"seen_as,omitempty"`

	Worktree   string `json:"worktree"`
	GitDir     string `json:"gitdir"`
	CommonDir  string `json:"commondir"`
	Excludes   string `json:"excludes,omitempty"`
	Attributes string `json:"attributes,omitempty"`

	surveyed *surveyedIndex // spares decoding the same file again
}

// Note is one thing to know about the lane's git, with a stable word.
type Note struct {
	Word   string `json:"word"`
	Detail string `json:"detail"`
}

// Plan says what the lane's git directory will be. It reads nothing. The error
// is a *[RefusedError].
func Plan(repo gitdiscover.Repo, in Inputs) (Setup, error) {
	f := in.Facts
	if f.Refused != nil {
		return Setup{}, f.Refused
	}
	s := Setup{
		Name: filepath.Base(repo.GitDir), HeadRef: repo.HeadRef, Base: f.Base, Index: f.Index,
		Worktree: repo.Worktree, GitDir: repo.GitDir, CommonDir: repo.CommonDir,
		Excludes: f.Excludes, Attributes: f.Attributes, SeenAs: in.SeenAs, surveyed: f.surveyed,
		// Every store by its own absolute name. git would follow the first
		// one's own list, but only five steps deep, and this is one more step.
		Alternates: append([]string{filepath.Join(repo.CommonDir, "objects")}, repo.Alternates...),
	}
	for _, row := range forced {
		s.Config = append(s.Config, Setting{row.key, row.value})
	}
	s.Config = append(s.Config, f.Settings...)
	for _, name := range in.Placeholders {
		s.Exclude = append(s.Exclude, excludePattern(name))
	}
	if in.RealHooks {
		s.HooksDir = f.HooksDir
	}
	s.Notes = notes(f, in.RealHooks)
	return s, nil
}

func notes(f Facts, realHooks bool) []Note {
	list := []Note{}
	add := func(word, format string, args ...any) {
		list = append(list, Note{word, fmt.Sprintf(format, args...)})
	}
	if !f.Identity {
		add("no-identity", "user.name or user.email is not set; commits in the lane fail or are by a made-up name")
	}
	if f.Signs {
		add("unsigned", "commits here are signed (commit.gpgsign), the lane's are not: its keys are out of reach")
	}
	switch hooks := strings.Join(f.Hooks, ", "); {
	case hooks == "":
	case realHooks:
		add("hooks", "the repository's hooks run inside the lane: %s", hooks)
	default:
		add("hooks", "the repository's hooks do not run in the lane: %s", hooks)
	}
	if len(f.Filters) > 0 {
		add("filters", "files here go through filters which do not run in the lane, so that git add stores them as they are in the worktree: %s", strings.Join(f.Filters, ", "))
	}
	if n := len(f.Submodules); n > 0 {
		add("submodules", "%d submodules can be read; git commit in them fails, as their git directories are read-only", n)
	}
	return list
}

// excludePattern matches exactly one name, in any state: escaped, anchored.
func excludePattern(name string) string {
	var b strings.Builder
	b.WriteByte('/')
	for _, c := range []byte(strings.Trim(name, "/")) {
		if strings.IndexByte(`\*?[]! #`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// PrivateGitDir is the worktree's git directory inside dir.
func (s Setup) PrivateGitDir(dir string) string { return filepath.Join(dir, "worktrees", s.Name) }

// Pointer is the content of the .git file that lies over the worktree's own
// inside the lane.
func (s Setup) Pointer(dir string) string { return "gitdir: " + s.PrivateGitDir(dir) + "\n" }

// alternatesText is the alternates file. The take-in wants it back byte for
// byte: with another one the agent's git would have named objects from a place
// of the agent's choosing.
func (s Setup) alternatesText() string { return strings.Join(s.Alternates, "\n") + "\n" }
