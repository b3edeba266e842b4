package owngit

import (
	"path/filepath"
	"strings"

	"lane/gitdiscover"
)

// Places are where the user's own git configuration is.
type Places struct {
	// Home is the user's home directory, "" for none.
	Home string
	// ConfigHome is XDG_CONFIG_HOME, "" for Home/.config.
	ConfigHome string
	// System is the system-wide file, usually /etc/gitconfig; "" for none.
	System string
}

// configHome is the directory of git's own files below XDG_CONFIG_HOME.
func (p Places) configHome() string {
	switch {
	case filepath.IsAbs(p.ConfigHome):
		return filepath.Join(p.ConfigHome, "git")
	case p.Home != "":
		return filepath.Join(p.Home, ".config/git")
	}
	return ""
}

// maxIncludeDepth is git's own; beyond it git dies.
const maxIncludeDepth = 10

// maxIncludes bounds how many files one resolution reads: depth alone does not.
const maxIncludes = 1000

// configReader resolves configuration as git would for the real repository:
// system, global, repository and worktree files in that order, each include in
// the place where it stands, each condition asked of the real git directory.
type configReader struct {
	places   Places
	repo     gitdiscover.Repo
	entries  []gitdiscover.ConfigEntry
	warnings []string
	files    int
	// urls are what hasconfig:remote.*.url conditions are asked of; nil while
	// they are collected, when such a condition is false.
	urls []string
}

// readConfig returns every entry in git's order. A file that is missing counts
// for nothing; one that does not parse is a refusal, since git dies on it.
func readConfig(repo gitdiscover.Repo, p Places) ([]gitdiscover.ConfigEntry, []string, error) {
	r := &configReader{places: p, repo: repo}
	if err := r.all(); err != nil {
		return nil, nil, err
	}
	if !r.needsURLs() {
		return r.entries, r.warnings, nil
	}
	// The condition may depend on entries that come later, so git reads twice.
	urls := []string{}
	for _, e := range r.entries {
		if strings.HasPrefix(e.Key, "remote.") && strings.HasSuffix(e.Key, ".url") {
			urls = append(urls, e.Value)
		}
	}
	r = &configReader{places: p, repo: repo, urls: urls}
	err := r.all()
	return r.entries, r.warnings, err
}

func (r *configReader) needsURLs() bool {
	for _, e := range r.entries {
		if strings.HasPrefix(e.Key, "includeif.hasconfig:") {
			return true
		}
	}
	return false
}

func (r *configReader) all() error {
	var files []string
	add := func(dir, name string) {
		if dir != "" {
			files = append(files, filepath.Join(dir, name))
		}
	}
	add(r.places.System, "")
	add(r.places.configHome(), "config")
	add(r.places.Home, ".gitconfig")
	add(r.repo.CommonDir, "config")
	if r.repo.WorktreeConfig {
		add(r.repo.GitDir, "config.worktree")
	}
	for _, f := range files {
		if err := r.file(f, 0); err != nil {
			return err
		}
	}
	return nil
}

func (r *configReader) file(path string, depth int) error {
	if depth > maxIncludeDepth {
		return refuse(BadConfig, path, "is included more than %d levels deep; maybe it includes itself", maxIncludeDepth)
	}
	if r.files++; r.files > maxIncludes {
		return refuse(BadConfig, path, "more than %d files are included", maxIncludes)
	}
	data, found, err := readIfThere(path, maxConfigFile)
	if err != nil {
		return refuse(BadConfig, path, "cannot be read: %v", unreadable(path, err).Detail)
	}
	if !found {
		return nil
	}
	entries, err := gitdiscover.ParseConfig(data)
	if err != nil {
		return refuse(BadConfig, path, "%v", err)
	}
	for _, e := range entries {
		r.entries = append(r.entries, e)
		target, ok := r.included(e, path)
		if !ok {
			continue
		}
		if err := r.file(target, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// included returns the file that an entry of the file at path includes.
func (r *configReader) included(e gitdiscover.ConfigEntry, path string) (string, bool) {
	if e.Key != "include.path" {
		condition, ok := strings.CutPrefix(e.Key, "includeif.")
		if !ok {
			return "", false
		}
		condition, ok = strings.CutSuffix(condition, ".path")
		if !ok || !r.holds(condition, path) {
			return "", false
		}
	}
	if e.Value == "" {
		return "", false
	}
	target, ok := r.expand(e.Value)
	if !ok {
		r.warnings = append(r.warnings, "an include of "+quoted(path)+" names another user's directory and is not followed")
		return "", false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target, true
}

// expand replaces a leading ~/. ~name/ and %(prefix)/ are not known here.
func (r *configReader) expand(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && r.places.Home != "" {
		return filepath.Join(r.places.Home, rest), true
	}
	return path, !strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "%(prefix)/")
}
