package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"lane/gitdiscover"
	"lane/gitdiscover/seal"
)

// repoConfigName is lane's own file in a repository. It is read from the
// commit of HEAD, never from the worktree, and may only tighten.
const repoConfigName = ".config/lane.toml"

const maxRepoConfig = 64 << 10

// repoConfig is all that a repository may say.
type repoConfig struct {
	Mask           []string `toml:"mask"`            // as --mask, added to it
	Git            string   `toml:"git"`             // "read-only"
	Home           string   `toml:"home"`            // "private"
	Timeout        string   `toml:"timeout"`         // the shorter one counts
	RequireChanges bool     `toml:"require_changes"` // true
}

// Tighten applies the repository's own file to a request. Nothing in it can
// open what the request leaves closed. The notes are for the user.
func Tighten(req Request, repo gitdiscover.Repo) (Request, []string, error) {
	path := filepath.Join(repo.Worktree, repoConfigName)
	if _, err := os.Lstat(path); err != nil {
		return req, nil, nil
	}
	b, err := seal.FileAtHead(repo, repoConfigName, maxRepoConfig)
	if errors.Is(err, seal.ErrNotAtHead) {
		return req, []string{repoConfigName + " is not committed and has no effect"}, nil
	}
	if err != nil {
		return req, nil, &Refusal{Reason: "repo-config", Path: path, Detail: "cannot be read from the commit of HEAD: " + err.Error(),
			Hint: "lane does not know what the repository asks for; correct it and commit"}
	}
	var c repoConfig
	meta, err := toml.Decode(string(b), &c)
	if err == nil {
		err = c.check(meta)
	}
	if err != nil {
		return req, nil, &Refusal{Reason: "repo-config", Path: path, Detail: err.Error(), Hint: "the file may only tighten: mask, git, home, timeout, require_changes; correct it and commit"}
	}
	req.Masks, req.repoMasks = append(append([]string{}, req.Masks...), c.Mask...), len(c.Mask)
	if c.Git != "" {
		req.Git = c.Git
	}
	if c.Home != "" {
		req.Home = HomeMode(c.Home)
	}
	if d, _ := time.ParseDuration(c.Timeout); d > 0 && (req.Timeout == 0 || d < req.Timeout) { // checked
		req.Timeout = d
	}
	req.RequireChanges = req.RequireChanges || c.RequireChanges
	return req, nil, nil
}

// check refuses what is unknown and what would loosen.
func (c repoConfig) check(meta toml.MetaData) error {
	if keys := meta.Undecoded(); len(keys) > 0 {
		var names []string
		for _, k := range keys {
			names = append(names, quote(k.String()))
		}
		return errors.New("unknown keys: " + strings.Join(names, ", "))
	}
	switch {
	case c.Git != "" && c.Git != gitReadOnly:
		return errors.New(`git can only be "read-only" here`)
	case c.Home != "" && c.Home != string(HomePrivate):
		return errors.New(`home can only be "private" here`)
	case meta.IsDefined("require_changes") && !c.RequireChanges:
		return errors.New("require_changes can only be true here")
	}
	if d, err := time.ParseDuration(c.Timeout); c.Timeout != "" && (err != nil || d <= 0) {
		return errors.New("timeout is not a duration such as 30m")
	}
	return nil
}
