package owngit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lane/gitdiscover"
)

// Facts are what [Survey] found. They hold no secret: of the configuration
// only what [Setup] may carry.
type Facts struct {
	// Base is the commit of HEAD, "" on an unborn branch.
	Base string `json:"base"`
	// Index is a digest of what the index stages.
	Index    string    `json:"index"`
	Settings []Setting `json:"settings"`
	// Identity says that git knows whom commits are by.
	Identity bool `json:"identity"`
	// Signs says that the user's commits are signed; the lane's will not be.
	Signs bool `json:"signs"`
	// Hooks are the names of hooks that commits here would run, HooksDir where
	// they are.
	Hooks    []string `json:"hooks"`
	HooksDir string   `json:"hooks_dir"`
	// Filters are the filters that files here go through (git-lfs is "lfs").
	Filters []string `json:"filters"`
	// Submodules are the paths of submodules in the index.
	Submodules []string `json:"submodules"`
	// Excludes and Attributes are the user's global files, where they exist.
	Excludes   string   `json:"excludes"`
	Attributes string   `json:"attributes"`
	Warnings   []string `json:"warnings"`
	// surveyed is what Index is the digest of, nil without an index file.
	surveyed *surveyedIndex
	// Refused says why the lane gets no git directory of its own.
	Refused *RefusedError `json:"refused"`
}

// Survey reads what [Plan] needs. It does not fail: why there can be no git
// directory of the lane's own is one of the facts.
//
// The order is the argument: first what lane cannot read at all, as every later
// answer would be about something else.
func Survey(repo gitdiscover.Repo, p Places) Facts {
	var f Facts
	for _, step := range []func(gitdiscover.Repo, Places) error{f.format, f.operation, f.head, f.config, f.index} {
		if err := step(repo, p); err != nil {
			if !errors.As(err, &f.Refused) {
				f.Refused = refuse(Unreadable, repo.CommonDir, "%v", err)
			}
			return f
		}
	}
	return f
}

func (f *Facts) format(repo gitdiscover.Repo, _ Places) error { return checkFormat(repo) }

// checkFormat refuses what this package cannot read or write.
func checkFormat(repo gitdiscover.Repo) error {
	switch {
	case !repo.Linked:
		return refuse(MainWorktree, repo.Worktree, "is not a linked worktree")
	case repo.RefStorage == "reftable":
		return refuse(Reftable, repo.CommonDir, "keeps its refs in reftables")
	case repo.ObjectFormat != "sha1":
		return refuse(SHA256, repo.CommonDir, "names its objects by %s", repo.ObjectFormat)
	}
	return nil
}

// operations are the files in a worktree's git directory by which git knows
// that something is not finished.
var operations = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"}, {"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase or git am"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"sequencer", "a cherry-pick or revert"}, {"BISECT_LOG", "a bisect"},
}

func (f *Facts) operation(repo gitdiscover.Repo, _ Places) error {
	for _, o := range operations {
		if path := filepath.Join(repo.GitDir, o.file); exists(path) {
			return refuse(Unfinished, path, "%s is not finished", o.what)
		}
	}
	return nil
}

// head finds the commit that the lane starts from, which is what the take-in
// compares with in the end.
func (f *Facts) head(repo gitdiscover.Repo, _ Places) error {
	path := filepath.Join(repo.GitDir, "HEAD")
	data, err := readRegular(path, maxRefFile)
	if err != nil {
		return unreadable(path, err)
	}
	hash, target, ok := parseRefFile(data)
	switch {
	case !ok || target != repo.HeadRef:
		return refuse(Changed, path, "is not what it was a moment ago")
	case target == "":
		f.Base = hash.String()
		return nil
	case !strings.HasPrefix(target, "refs/heads/"):
		return refuse(BranchSymbolic, path, "names %s", quoted(target))
	}
	r, found, err := resolveRef(repo.CommonDir, target)
	switch {
	case err != nil:
		return err
	case r.target != "":
		return refuse(BranchSymbolic, filepath.Join(repo.CommonDir, target), "is another name of %s", quoted(r.target))
	case found:
		f.Base = r.hash.String()
	}
	return nil
}

func (f *Facts) config(repo gitdiscover.Repo, p Places) error {
	entries, warnings, err := readConfig(repo, p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		promisor := strings.HasPrefix(e.Key, "remote.") && strings.HasSuffix(e.Key, ".promisor") && isTrue(e)
		if promisor || e.Key == "extensions.partialclone" {
			return refuse(PartialClone, repo.CommonDir, "%s is set", e.Key)
		}
	}
	f.Settings, f.Warnings = settings(entries), warnings
	f.Signs = isOn(entries, "commit.gpgsign")
	f.Identity = known(entries, "name") && known(entries, "email")
	f.Excludes = p.global(entries, "core.excludesfile", "ignore", repo)
	f.Attributes = p.global(entries, "core.attributesfile", "attributes", repo)
	f.hooks(entries, repo, p)
	return nil
}

// known says whether both the author's and the committer's field is set.
func known(entries []gitdiscover.ConfigEntry, field string) bool {
	for _, who := range []string{"author.", "committer."} {
		own, _ := last(entries, who+field)
		user, _ := last(entries, "user."+field)
		if own.Value == "" && user.Value == "" {
			return false
		}
	}
	return true
}

// global returns a file of the user's that counts for every repository, where
// it exists; name is its default place.
func (p Places) global(entries []gitdiscover.ConfigEntry, key, name string, repo gitdiscover.Repo) string {
	path := p.pathValue(entries, key, repo.Worktree)
	if _, set := last(entries, key); !set && p.configHome() != "" {
		path = filepath.Join(p.configHome(), name)
	}
	if st, err := os.Stat(path); path == "" || err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
}

// hooks lists the hooks that git would run for commits here: executables in
// the hooks directory, and from git 2.54 on those named in the configuration.
func (f *Facts) hooks(entries []gitdiscover.ConfigEntry, repo gitdiscover.Repo, p Places) {
	f.HooksDir = p.pathValue(entries, "core.hookspath", repo.Worktree)
	if f.HooksDir == "" {
		f.HooksDir = filepath.Join(repo.CommonDir, "hooks")
	}
	list, _ := os.ReadDir(f.HooksDir)
	for _, e := range list {
		st, err := os.Stat(filepath.Join(f.HooksDir, e.Name()))
		if err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 && !strings.HasSuffix(e.Name(), ".sample") {
			f.Hooks = append(f.Hooks, e.Name())
		}
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Key, "hook.")
		if name, cut := strings.CutSuffix(name, ".command"); ok && cut {
			f.Hooks = append(f.Hooks, "hook."+name)
		}
	}
}

// maxAttributes bounds how many .gitattributes files are looked at.
const maxAttributes = 1000

// surveyedIndex is an index file that was decoded already.
type surveyedIndex struct {
	sum   [sha256.Size]byte
	index *index
}

// index looks whether the index can be handed on, and reads from it what else
// is in the worktree.
func (f *Facts) index(repo gitdiscover.Repo, _ Places) error {
	path := filepath.Join(repo.GitDir, "index")
	data, found, err := readIfThere(path, maxIndexFile)
	if err != nil {
		return unreadable(path, err)
	}
	if !found {
		f.Index = (*index)(nil).digest()
		return nil
	}
	x, err := decodeIndex(data)
	if err == nil {
		err = x.representable()
	}
	if err != nil {
		return refuse(IndexUnsupported, path, "%v", err)
	}
	f.Index, f.surveyed = x.digest(), &surveyedIndex{sha256.Sum256(data), x}
	attributes := []string{filepath.Join(repo.CommonDir, "info/attributes"), f.Attributes}
	for i := range x.entries {
		e := &x.entries[i]
		if e.mode() == modeGitlink {
			f.Submodules = append(f.Submodules, e.name)
		}
		if name := e.name; (name == ".gitattributes" || strings.HasSuffix(name, "/.gitattributes")) && len(attributes) < maxAttributes {
			attributes = append(attributes, filepath.Join(repo.Worktree, name))
		}
	}
	for _, a := range attributes {
		if data, err := readRegular(a, maxSmallFile); err == nil {
			f.Filters = append(f.Filters, filtersIn(data)...)
		}
	}
	slices.Sort(f.Filters)
	f.Filters = slices.Compact(f.Filters)
	return nil
}

// filtersIn returns the filter names that an attributes file gives to files.
func filtersIn(data []byte) []string {
	var names []string
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, word := range bytes.Fields(line)[1:] {
			if name, ok := bytes.CutPrefix(word, []byte("filter=")); ok && len(name) > 0 && len(name) < 100 {
				names = append(names, string(name))
			}
		}
	}
	return names
}
