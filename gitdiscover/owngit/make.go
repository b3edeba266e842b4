package owngit

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Make makes the directory, which must not exist. It refuses with [Changed]
// when HEAD is not at the planned commit any more.
//
// What of the repository goes in is read here and not in the plan: there may be
// 50,000 refs. The branch is compared after they were read, so that the copy
// and Base cannot differ.
func (s Setup) Make(dir string) error {
	refs, err := readRefs(s.CommonDir)
	if err != nil {
		return err
	}
	if err := s.checkHead(refs); err != nil {
		return err
	}
	index, err := s.indexCopy()
	if err != nil {
		return err
	}
	files, err := s.files(dir, refs)
	if err != nil {
		return err
	}
	if index != nil {
		files = append(files, file{s.PrivateGitDir(dir) + "/index", index})
	}
	for _, d := range []string{"", "objects/info", "objects/pack", "refs/heads", "refs/tags", "hooks", "info", "logs", "worktrees/" + s.Name + "/info", "worktrees/" + s.Name + "/logs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return err
		}
		if err := writeNew(f.path, f.data); err != nil {
			return err
		}
	}
	return nil
}

type file struct {
	path string
	data []byte
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// checkHead wants HEAD to be where it was planned to be.
func (s Setup) checkHead(refs *snapshot) error {
	path := filepath.Join(s.GitDir, "HEAD")
	data, err := readRegular(path, maxRefFile)
	if err != nil {
		return unreadable(path, err)
	}
	hash, target, ok := parseRefFile(data)
	if !ok || target != s.HeadRef {
		return refuse(Changed, path, "HEAD is not on %s any more", s.head())
	}
	now := hash.String()
	if target != "" {
		now = refs.value(target)
	}
	if now != s.Base {
		return refuse(Changed, path, "HEAD was at %s and is at %s", orUnborn(s.Base), orUnborn(now))
	}
	return nil
}

// head names HEAD's branch for people.
func (s Setup) head() string {
	if s.HeadRef == "" {
		return "a detached commit"
	}
	return quoted(strings.TrimPrefix(s.HeadRef, "refs/heads/"))
}

func orUnborn(hash string) string {
	if hash == "" {
		return "no commit"
	}
	return hash
}

// indexCopy returns the worktree's index as the lane will see it, nil when
// there is none.
func (s Setup) indexCopy() ([]byte, error) {
	path := filepath.Join(s.GitDir, "index")
	data, found, err := readIfThere(path, maxIndexFile)
	if err != nil {
		return nil, unreadable(path, err)
	}
	x, err := s.unchanged(data, found)
	if err != nil {
		return nil, refuse(Changed, path, "%v", err)
	}
	if !found || s.SeenAs == nil {
		return data, nil
	}
	return reown(data, x, *s.SeenAs), nil
}

// unchanged decodes the index file, nil without one, and wants it to stage
// what it did when the lane was planned.
func (s Setup) unchanged(data []byte, found bool) (*index, error) {
	if s.surveyed != nil && found && sha256.Sum256(data) == s.surveyed.sum {
		return s.surveyed.index, nil
	}
	var x *index
	if found {
		var err error
		if x, err = decodeIndex(data); err != nil {
			return nil, err
		}
	}
	if x.digest() != s.Index {
		return nil, errors.New("something was staged or unstaged there")
	}
	return x, nil
}

// files are all files but the index.
func (s Setup) files(dir string, refs *snapshot) ([]file, error) {
	private := s.PrivateGitDir(dir)
	head := "ref: " + s.HeadRef + "\n"
	if s.HeadRef == "" {
		head = s.Base + "\n"
	}
	list := []file{
		// The directory itself is bare: its HEAD checks nothing out, but
		// without one git does not take it for a git directory.
		{dir + "/HEAD", []byte("ref: " + cmp.Or(s.HeadRef, "refs/heads/main") + "\n")},
		{dir + "/packed-refs", refs.packed},
		{dir + "/objects/info/alternates", []byte(s.alternatesText())},
		{private + "/HEAD", []byte(head)},
		{private + "/commondir", []byte("../..\n")},
		{private + "/gitdir", []byte(filepath.Join(s.Worktree, ".git") + "\n")},
	}
	for _, r := range refs.symbolic {
		list = append(list, file{filepath.Join(dir, r.name), []byte("ref: " + r.target + "\n")})
	}
	config := s.Config
	hooks := s.HooksDir
	if hooks == "" {
		hooks = dir + "/hooks"
	}
	config = append(config[:len(config):len(config)], Setting{"core.hookspath", hooks})
	for _, c := range []struct{ from, to, key string }{
		{s.Excludes, dir + "/info/global-excludes", "core.excludesfile"},
		{s.Attributes, dir + "/info/global-attributes", "core.attributesfile"},
		{s.CommonDir + "/info/attributes", dir + "/info/attributes", ""},
		{s.CommonDir + "/shallow", dir + "/shallow", ""},
		{s.GitDir + "/info/sparse-checkout", private + "/info/sparse-checkout", ""},
		{s.GitDir + "/ORIG_HEAD", private + "/ORIG_HEAD", ""},
	} {
		if c.from == "" {
			continue
		}
		data, found, err := readIfThere(c.from, maxSmallFile)
		if err != nil {
			return nil, unreadable(c.from, err)
		}
		if found {
			list = append(list, file{c.to, data})
		}
		if c.key != "" && found {
			config = append(config, Setting{c.key, c.to})
		}
	}
	exclude, err := s.exclude()
	if err != nil {
		return nil, err
	}
	return append(list, file{dir + "/info/exclude", exclude}, file{dir + "/config", configText(config)}), nil
}

// exclude is the repository's own info/exclude with the placeholders behind
// it, where no earlier line can bring them back.
func (s Setup) exclude() ([]byte, error) {
	path := s.CommonDir + "/info/exclude"
	data, _, err := readIfThere(path, maxSmallFile)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if len(s.Exclude) > 0 {
		data = fmt.Appendf(data, "# What the agent's sandbox leaves in the worktree.\n%s\n", strings.Join(s.Exclude, "\n"))
	}
	return data, nil
}
