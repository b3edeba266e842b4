package seal

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
)

const (
	maxEntries    = 10_000 // registered worktrees
	maxModules    = 1000   // submodules' git directories
	maxModuleDirs = 10_000 // directories looked through for them
)

// entry is what was seen of another worktree's directory in worktrees/.
type entry struct {
	dir mark
	// fresh are the files of entryFiles that were written since the seal
	// before. git writes them by rename, which moves the directory's times:
	// one look at it says that there is nothing to look for.
	fresh map[string]mark
}

// entries looks at the other worktrees' entries, which are other people's and
// other lanes'.
func (t *taker) entries() {
	s := t.seal
	s.worktrees = map[string]entry{}
	f, err := t.common.list("worktrees", true)
	if err != nil {
		if !isGone(err) {
			s.incomplete = append(s.incomplete, "worktrees: "+closedMark(err).why+"; the entries of other worktrees were not compared")
			if t.prev != nil {
				s.worktrees = t.prev.worktrees
			}
		}
		return
	}
	defer f.Close()
	names, err := f.Readdirnames(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) || len(names) == maxEntries {
		s.incomplete = append(s.incomplete, fmt.Sprintf("worktrees: more than %d entries, or unreadable; not all were compared", maxEntries))
	}
	d := &folder{int(f.Fd()), path.Join(t.common.path, "worktrees"), false}
	for _, name := range names {
		if path.Join(d.path, name) == s.repo.GitDir {
			continue
		}
		e := entry{dir: d.look(name)}
		if t.prev != nil {
			old := t.prev.worktrees[name]
			if !old.dir.sameStat(e.dir) || !settled(old.dir, t.prev.taken) {
				e.fresh = freshFiles(d, name, sinceOf(t.prev.taken))
			}
		}
		s.worktrees[name] = e
	}
}

func freshFiles(d *folder, name string, since int64) map[string]mark {
	fresh := map[string]mark{}
	for _, f := range entryFiles {
		if d.look(name+"/"+f).ctime < since {
			continue
		}
		m, data := d.read(name+"/"+f, maxHashed)
		m.text = textOf(data)
		fresh[f] = m
	}
	return fresh
}

// module is what was seen of a submodule's git directory.
type module struct {
	config configFile
	hooks  map[string]mark // by path
}

// allModules looks at the git directories of submodules: git status in the
// worktree starts a git in each, which hears the config there.
func (t *taker) allModules() {
	t.seal.modules = map[string]module{}
	bases := []*folder{t.common}
	if t.seal.repo.GitDir != t.seal.repo.CommonDir {
		bases = append(bases, t.gitDir)
	}
	w := &moduleWalk{found: t.seal.modules}
	for _, d := range bases {
		w.list(d, "modules", 0)
	}
	if w.cut {
		t.seal.incomplete = append(t.seal.incomplete, fmt.Sprintf("modules: more than %d submodules or %d directories; those beyond were not compared", maxModules, maxModuleDirs))
	}
}

type moduleWalk struct {
	found map[string]module
	dirs  int
	cut   bool
}

// list looks through a directory whose subdirectories are git directories, or
// hold some: a submodule's name may have slashes.
func (w *moduleWalk) list(d *folder, name string, depth int) {
	f, err := d.list(name, false)
	if err != nil {
		return
	}
	defer f.Close()
	in := &folder{int(f.Fd()), path.Join(d.path, name), true}
	batch, _ := f.ReadDir(maxModuleDirs)
	for _, e := range batch {
		if !e.IsDir() {
			continue
		}
		if w.dirs++; w.dirs > maxModuleDirs || len(w.found) == maxModules || depth > 2*maxTreeDepth {
			w.cut = true
			return
		}
		if in.look(e.Name()+"/HEAD").form == absent {
			w.list(in, e.Name(), depth+1)
			continue
		}
		m := module{config: readConfig(in, e.Name()+"/config"), hooks: map[string]mark{}}
		newTreeWalk(func(p string, m2 mark) { m.hooks[p] = m2 }).walk(in, e.Name()+"/hooks")
		w.found[path.Join(in.path, e.Name())] = m
		w.list(in, e.Name()+"/modules", depth+1)
	}
}

// diffModules compares the submodules that were there before: a program in the
// config or a hook trips. What people do with submodules (init, update, deinit,
// a checkout that adds or removes one) is reported.
func diffModules(before, after map[string]module) []Change {
	var l []Change
	for p, was := range before {
		now, ok := after[p]
		if !ok {
			l = append(l, Change{Path: Name(p), Kind: Submodule, Before: "a git directory", After: Absent})
			continue
		}
		for _, c := range diffConfig(was.config, now.config) {
			if c.Kind == ConfigProgram || c.Kind == ConfigBroken {
				c.Kind = SubmoduleConfig
			} else {
				c.Kind = Submodule
			}
			l = append(l, c)
		}
		l = append(l, diffMarks(was.hooks, now.hooks, func(name string) Kind {
			if kindOfEntry(spot{kind: Hook}, name) == HookSample {
				return HookSample
			}
			return SubmoduleConfig
		})...)
	}
	for p := range after {
		if _, ok := before[p]; !ok {
			l = append(l, Change{Path: Name(p), Kind: Submodule, Before: Absent, After: "a git directory"})
		}
	}
	slices.SortFunc(l, byPath)
	return l
}
