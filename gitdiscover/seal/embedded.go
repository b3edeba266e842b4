package seal

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// gitFiles are the names in a git directory by which it is judged.
var gitFiles = []string{"HEAD", "config", "commondir", "objects", "refs"}

// bareLook notes which of gitFiles a directory has. Their case does not count:
// on a file system that folds it, head is HEAD.
type bareLook struct{ present []string }

func (b *bareLook) see(e fs.DirEntry) {
	for _, n := range gitFiles {
		if strings.EqualFold(e.Name(), n) {
			b.present = append(b.present, e.Name())
		}
	}
}

func (b *bareLook) has(name string) bool {
	return slices.ContainsFunc(b.present, func(n string) bool { return strings.EqualFold(n, name) })
}

// is says that git takes the directory for a repository: HEAD with objects and
// refs, its own or those that commondir leads to.
func (b *bareLook) is() bool {
	return b.has("HEAD") && (b.has("objects") && b.has("refs") || b.has("commondir"))
}

// repository lists a nested git directory if something of it is new, and says
// what in it runs.
func (s *sweep) repository(g *folder, rel, kind string, files []string) {
	was := ""
	for _, n := range files {
		var st unix.Stat_t
		if unix.Fstatat(g.fd, n, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		w := ""
		switch at := childPath(rel, n); {
		case formOf(uint32(st.Mode)) != dir:
			w = s.since(at, stampOf(&st))
		case !s.had(at):
			w = "appeared"
		}
		if was == "" || n == "HEAD" && w != "" { // HEAD says best whether it is a new one
			was = w
		}
	}
	hooks, fresh := s.hooksOf(g, rel)
	if was == "" {
		was = fresh
	}
	if was != "" {
		runs := append(configRuns(g), hooks...)
		if g.look("commondir").form != absent && !isWorktreeOf(g, rel) {
			runs = append(runs, "commondir")
		}
		s.add(Finding{Path: Name(rel), Kind: kind, Was: was, Runs: runs})
	}
}

// isWorktreeOf says that a git directory is that of a worktree in its usual
// place, so that its commondir leads to a repository which the sweep judges by
// itself. Any other commondir takes config, hooks and objects from a directory
// that need not look like a repository: a HEAD is what it lacks.
func isWorktreeOf(g *folder, rel string) bool {
	if _, data := g.read("commondir", maxShown); strings.TrimRight(string(data), "\r\n") != "../.." || path.Base(path.Dir(rel)) != "worktrees" {
		return false
	}
	for _, n := range []string{"HEAD", "objects", "refs"} {
		var st unix.Stat_t
		if unix.Fstatat(g.fd, "../../"+n, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			return false
		}
	}
	return true
}

const maxRuns = 20

// configRuns are the keys of a nested repository's config that run something
// or lead elsewhere; "config" if it cannot be read, which is no better.
func configRuns(g *folder) []string {
	var runs []string
	for _, name := range []string{"config", "config.worktree"} {
		c := readConfig(g, name)
		if c.fault != "" {
			runs = append(runs, name+" "+shown(c.fault))
		}
		for key, values := range c.values {
			if k, _ := judgeKey(key, nil, values); tripping[k] && !usualKey(key) {
				runs = append(runs, Name(key).String())
			}
		}
	}
	slices.Sort(runs)
	return runs[:min(len(runs), maxRuns)]
}

// usualKey says that git init itself writes a key. core.bare and the format
// decide nothing here that the directory's being there does not.
func usualKey(key string) bool {
	return key == "core.bare" || key == "core.repositoryformatversion" || strings.HasPrefix(key, "extensions.")
}

// hooksOf are the hooks of a nested repository, and whether one is new.
func (s *sweep) hooksOf(g *folder, rel string) (hooks []string, was string) {
	f, err := g.list("hooks", false)
	if err != nil {
		if g.look("hooks").form == link {
			return []string{"hooks is a link"}, ""
		}
		return nil, ""
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxTreeEntries)
	in := &folder{int(f.Fd()), path.Join(g.path, "hooks"), false}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), sampleSuffix) {
			continue
		}
		if len(hooks) < maxRuns {
			hooks = append(hooks, "hooks/"+Name(e.Name()).String())
		}
		var st unix.Stat_t
		if unix.Fstatat(in.fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) == nil && was == "" {
			was = s.since(rel+"/hooks/"+e.Name(), stampOf(&st))
		}
	}
	slices.Sort(hooks)
	return hooks, was
}

// looksLikeDotGit says that a name is .git on a file system of another kind,
// where the work may be checked out or copied to: one that folds case, NTFS
// with its short names, streams and dropped dots and blanks, or HFS+, which
// ignores some code points.
func looksLikeDotGit(name string) bool {
	if name == ".git" {
		return false // that is one
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	plain, _, _ = strings.Cut(plain, ":")
	plain = strings.TrimRight(plain, ". ")
	return strings.EqualFold(plain, ".git") || strings.EqualFold(plain, "git~1")
}

// builtinDrivers need no config; a driver that nobody configured does nothing,
// and these are names that people write for highlighting alone.
var builtinDrivers = map[string]bool{"ada": true, "bash": true, "bibtex": true, "cpp": true, "csharp": true, "css": true, "dts": true, "elixir": true,
	"fortran": true, "fountain": true, "golang": true, "html": true, "java": true, "kotlin": true, "markdown": true, "matlab": true, "objc": true, "pascal": true,
	"perl": true, "php": true, "python": true, "ruby": true, "rust": true, "scheme": true, "tex": true, "text": true, "binary": true, "union": true}

const maxAttributes = 1 << 20

// attributes says which filters and drivers a .gitattributes names; their
// programs are in somebody's config, and run for the paths that are named here.
func (s *sweep) attributes(in *folder, name, rel string, m mark) (kind, detail string) {
	if m.form != file {
		return "", "" // git does not follow a link here
	}
	if m.size > maxAttributes || !s.take(m.size) {
		s.miss("%s was not read: %d bytes", Name(shortened(rel)), m.size)
		return FoundAttributes, "not read"
	}
	m, data := in.read(name, maxAttributes)
	if !m.hashed {
		s.miss("%s was not read: %s", Name(shortened(rel)), m.String())
		return FoundAttributes, "not read"
	}
	var l []string
	for line := range strings.Lines(string(data)) {
		for _, field := range strings.Fields(line) {
			key, value, ok := strings.Cut(field, "=")
			if ok && (key == "filter" || key == "diff" || key == "merge") && !builtinDrivers[value] && !slices.Contains(l, field) && len(l) < maxRuns {
				l = append(l, field)
			}
		}
	}
	if len(l) == 0 {
		return "", ""
	}
	slices.Sort(l)
	return FoundAttributes, shown(strings.Join(l, " "))
}
