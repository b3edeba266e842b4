package gitdiscover

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	maxWorktrees  = 10000 // registered worktrees in one repository
	maxAlternates = 1000  // object directories in all
	maxNesting    = 5     // git goes this deep into alternates of alternates
)

// others returns the top levels of every other worktree of the repository, as
// far as they exist and hold a .git. An entry that cannot be read is no
// worktree to git either and is left out; too many are a refusal, since a list
// that stops short would leave some unprotected.
func (f *finder) others(h *hit) ([]string, error) {
	g := h.git
	found := map[string]bool{}
	add := func(base *dir, raw string) {
		d, err := f.resolve(base, raw)
		var st unix.Stat_t
		if err != nil || d.id == h.top.id {
			return // not there, or this very worktree
		}
		if unix.Fstatat(d.fd, ".git", &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			found[d.path] = true
		}
	}
	f.mainWorktree(g.common, add)
	names, err := f.list(g.common, "worktrees", maxWorktrees)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f.scratch(func() {
			entry, err := f.child(g.common, join("worktrees", name))
			if err != nil {
				return
			}
			data, err := f.readFile(entry, "gitdir", maxPointer, noLinks)
			if err != nil {
				return
			}
			raw := strings.TrimRight(string(data), "\r\n")
			if holder, ok := strings.CutSuffix(raw, "/.git"); ok && !strings.ContainsRune(raw, 0) {
				add(entry, holder+"/")
			}
		})
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// mainWorktree adds the main worktree: the directory around .git, or what
// core.worktree names for a submodule. A bare repository has none, and one
// made with --separate-git-dir says nowhere where it is.
func (f *finder) mainWorktree(common *dir, add func(*dir, string)) {
	switch {
	case f.sharedBare:
	case f.sharedWorktree != nil && filepath.Base(common.path) != ".git":
		add(common, *f.sharedWorktree)
	case filepath.Base(common.path) == ".git":
		add(common, "..")
	}
}

// scratch closes what fn opens as soon as fn is done: a thousand worktrees
// must not hold a thousand descriptors.
func (f *finder) scratch(fn func()) {
	n := len(f.open)
	fn()
	for _, fd := range f.open[n:] {
		unix.Close(fd)
	}
	f.open = f.open[:n]
}

// list returns the names in the directory name of d, sorted; none when there
// is no such directory.
func (f *finder) list(d *dir, name string, limit int) ([]string, error) {
	path := join(d.path, name)
	fd, err := openAt(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR, unix.ELOOP:
		return nil, nil
	default:
		return nil, refuse(Permission, path, "cannot be listed: %v", err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	names, err := file.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, refuse(Permission, path, "cannot be listed: %v", err)
	}
	if len(names) > limit {
		return nil, refuse(TooLarge, path, "holds more than %d entries", limit)
	}
	slices.Sort(names)
	return names, nil
}

// alternates returns the object directories that the repository borrows from,
// transitively, without its own. One that does not exist is left out: git
// goes on without it.
func (f *finder) alternates(common *dir) ([]string, error) {
	own, err := f.resolve(common, "objects")
	if err != nil {
		return nil, nil // no directory; git accepts that until it reads an object
	}
	seen := map[string]bool{own.path: true}
	var l []string
	type job struct {
		objects *dir
		depth   int
	}
	for todo := []job{{own, 0}}; len(todo) > 0; todo = todo[1:] {
		objects, depth := todo[0].objects, todo[0].depth
		raws, err := f.alternateLines(objects)
		if err != nil {
			return nil, err
		}
		for _, raw := range raws {
			d, err := f.resolve(objects, raw)
			if err != nil || seen[d.path] {
				continue
			}
			if len(l) == maxAlternates {
				return nil, refuse(TooLarge, join(own.path, "info/alternates"), "leads to more than %d object directories", maxAlternates)
			}
			seen[d.path] = true
			l = append(l, d.path)
			if depth < maxNesting {
				todo = append(todo, job{d, depth + 1})
			}
		}
	}
	return l, nil
}

// alternateLines reads objects/info/alternates: one directory a line, # starts
// a comment line, a line in double quotes is unquoted, and ".." is taken out of
// a relative one by its text, as git does.
func (f *finder) alternateLines(objects *dir) ([]string, error) {
	path := join(objects.path, "info/alternates")
	data, err := f.readFile(objects, "info/alternates", maxConfig, followLinks)
	if errors.Is(err, errMissing) || errors.Is(err, errNotDir) {
		return nil, nil
	}
	if err != nil {
		return nil, readRefusal(err, path, BadConfig)
	}
	var raws []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			if u, ok := unquoteC(line); ok {
				line = u
			}
		}
		if strings.ContainsRune(line, 0) {
			continue
		}
		if !filepath.IsAbs(line) {
			line = join(objects.path, line)
		}
		raws = append(raws, filepath.Clean(line))
	}
	return raws, nil
}

// unquoteC undoes the quoting git uses for odd paths: double quotes round the
// whole, C escapes and octal bytes inside.
func unquoteC(s string) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			return b.String(), i == len(s)-1
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if j := strings.IndexByte(`abfnrtv\"`, s[i]); j >= 0 {
			b.WriteByte("\a\b\f\n\r\t\v\\\""[j])
			continue
		}
		if i+2 >= len(s) || s[i] < '0' || s[i] > '3' || s[i+1]&^7 != '0' || s[i+2]&^7 != '0' {
			return "", false
		}
		b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
		i += 2
	}
	return "", false
}
