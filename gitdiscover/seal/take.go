package seal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
)

// Options say what, besides git's own files, is sealed.
type Options struct {
	// Wiring are names relative to the worktree that make an agent, an editor
	// or a shell run code: files, or directories with all in them. They are
	// sealed present or absent.
	Wiring []string
	// Home is what ~/ in the config stands for, "" for nothing.
	Home string
	// Journal, if set, tells lane's own writes from those of others.
	Journal *Journal
}

// Seal is what was seen at one moment. Make it with [Take].
type Seal struct {
	repo    gitdiscover.Repo
	taken   time.Time
	opened  bool              // the three directories could be; else marks says which not
	marks   map[string]placed // by absolute path
	config  configFile        // shared
	own     configFile        // config.worktree, also where it is not heard
	include []string          // files of the worktree that the config includes
	hooks   []string          // directories of the worktree that core.hooksPath names

	refs      refState // shared
	ownRefs   refState // of a linked worktree: refs/bisect, refs/worktree, refs/rewritten
	head      string   // the value of HEAD: "ref: " and a name, or an id
	branch    string   // the value of HeadRef, "" for an unborn branch
	worktrees map[string]entry
	modules   map[string]module

	incomplete []string
}

// String keeps what was read, a config with its passwords too, out of logs.
func (s Seal) String() string {
	return fmt.Sprintf("seal of %s at %s", Name(s.repo.Worktree), s.taken.UTC().Format(time.RFC3339))
}

// GoString is String.
func (s Seal) GoString() string { return s.String() }

// placed is a mark with what it is a mark of.
type placed struct {
	mark
	kind Kind
	how  how
}

// UnsealableError says that something that steers git cannot be looked at, so
// that a change of it could not be seen.
type UnsealableError struct {
	Path   string // raw; print it with %+q
	Detail string
}

func (e *UnsealableError) Error() string { return fmt.Sprintf("seal %+q: %s", e.Path, e.Detail) }

// Take seals a worktree before an agent starts in it. The error is an
// *[UnsealableError]: something that steers git cannot be looked at, or is
// larger than is looked at.
func Take(repo gitdiscover.Repo, opt Options) (Seal, error) {
	s := take(context.Background(), repo, opt, nil)
	for _, p := range slices.Sorted(maps.Keys(s.marks)) {
		if m := s.marks[p]; m.form == closed && tripping[m.kind] {
			return Seal{}, &UnsealableError{p, m.why}
		}
	}
	for _, c := range s.heard() {
		if c.fault != "" {
			return Seal{}, &UnsealableError{c.path, c.fault}
		}
	}
	for _, r := range []refState{s.refs, s.ownRefs} {
		if r.tables != nil && r.tables.fault != "" {
			return Seal{}, &UnsealableError{r.refPath("reftable"), r.tables.fault}
		}
	}
	return s, nil
}

// taker is one look.
type taker struct {
	seal                 *Seal
	prev                 *Seal
	gitDir, common, tree *folder
}

// take looks at everything. With prev, what is known not to have moved since
// is not read again, and the places in the worktree that prev's config named
// are looked at even if the config names others now. It never fails: what
// cannot be looked at is marked closed.
func take(ctx context.Context, repo gitdiscover.Repo, opt Options, prev *Seal) Seal {
	s := Seal{repo: repo, taken: time.Now(), marks: map[string]placed{}}
	t := &taker{seal: &s, prev: prev}
	for _, d := range []struct {
		to    **folder
		path  string
		links bool
		kind  Kind
	}{
		{&t.gitDir, repo.GitDir, true, GitDir},
		{&t.common, repo.CommonDir, true, Layout},
		{&t.tree, repo.Worktree, false, Layout},
	} {
		f, err := openFolder(d.path, d.links)
		if err != nil {
			s.marks[d.path] = placed{mark{form: closed, why: closedText(err)}, d.kind, standing}
			return s
		}
		defer f.close()
		*d.to = f
		s.marks[d.path] = placed{f.look("."), d.kind, standing}
	}
	s.opened = true
	for _, stage := range []func(){
		t.pointer,
		func() { t.spots(t.common, sharedSpots) },
		func() {
			if repo.GitDir != repo.CommonDir {
				t.spots(t.common, mainSpots)
			}
		},
		func() { t.spots(t.gitDir, ownSpots) }, // after the others: what is this worktree's own decides the kind
		func() { t.configs(opt.Home) },
		func() {
			for _, name := range opt.Wiring {
				t.inTree(name, WiringChanged)
			}
		},
		t.allRefs,
		t.entries,
		t.allModules,
	} {
		if ctx.Err() != nil {
			break // the caller looks at ctx before it believes the rest
		}
		stage()
	}
	return s
}

func closedText(err error) string {
	if isGone(err) || errors.Is(err, unix.ELOOP) {
		return "is gone, or no directory any more"
	}
	return closedMark(err).why
}

func (t *taker) put(p string, m mark, k Kind, h how) { t.seal.marks[p] = placed{m, k, h} }

// cut notes that something is not all there. Where that must not be, the name
// is closed, so that Take fails and Compare trips.
func (t *taker) cut(p string, k Kind, why string) {
	if why == "" {
		return
	}
	if tripping[k] && k != WiringChanged && k != HooksPath {
		t.put(p, mark{form: closed, why: why}, k, content)
		return
	}
	// In the worktree, where an agent may fill a directory as it likes, the
	// first entries stand for all: that it changed is seen in them.
	t.seal.incomplete = append(t.seal.incomplete, why+"; the rest was not compared")
}

// pointer seals <worktree>/.git: the file by content, the directory by what it
// is, since what is in it has places of its own.
func (t *taker) pointer() {
	m, data := t.tree.read(".git", maxHashed)
	m.text = textOf(data)
	t.put(t.seal.repo.Pointer, m, Pointer, standingUnlessFile(m))
}

func standingUnlessFile(m mark) how {
	if m.form == file {
		return text
	}
	return standing
}

func textOf(data []byte) string {
	if len(data) > maxShown {
		return ""
	}
	return string(data)
}

func (t *taker) spots(d *folder, l []spot) {
	for _, s := range l {
		p := path.Join(d.path, s.name)
		switch s.how {
		case tree:
			w := newTreeWalk(func(name string, m mark) { t.put(name, m, kindOfEntry(s, name), content) })
			w.walk(d, s.name)
			t.cut(p, s.kind, w.cut)
		case content, text:
			m, data := d.read(s.name, maxHashed)
			if s.how == text {
				m.text = textOf(data)
			}
			t.put(p, m, s.kind, s.how)
		default:
			m := d.look(s.name)
			if m.form == link {
				m, _ = d.read(s.name, 0) // for its text
			}
			t.put(p, m, s.kind, s.how)
		}
	}
}

// configs reads the shared config and config.worktree, and looks at what they
// make of the worktree part of git's steering.
func (t *taker) configs(home string) {
	s := t.seal
	s.config = readConfig(t.common, "config")
	t.put(s.config.path, s.config.mark, Layout, shape)
	s.own = readConfig(t.gitDir, "config.worktree")
	for _, c := range s.heard() {
		include, hooks := c.inWorktree(s.repo, home)
		s.include = append(s.include, include...)
		s.hooks = append(s.hooks, hooks...)
	}
	include, hooks := s.include, s.hooks
	if t.prev != nil {
		include, hooks = slices.Concat(include, t.prev.include), slices.Concat(hooks, t.prev.hooks)
	}
	for _, name := range include {
		t.inTree(name, IncludedConfig)
	}
	for _, name := range hooks {
		if name != "." {
			t.inTree(name, HooksPath)
			continue
		}
		for _, h := range hookNames {
			t.inTree(h, HooksPath)
		}
	}
}

// heard are the config files of the repository that git reads here.
func (s *Seal) heard() []configFile {
	if s.repo.WorktreeConfig {
		return []configFile{s.config, s.own}
	}
	return []configFile{s.config}
}

// inTree seals one name of the worktree, file or directory, without following
// a link on the way to it or in it.
func (t *taker) inTree(name string, k Kind) {
	p := path.Join(t.tree.path, name)
	h, base, odd := t.tree.holder(name)
	if h == nil {
		t.put(p, odd, k, content)
		return
	}
	defer h.close()
	w := newTreeWalk(func(name string, m mark) { t.put(name, m, k, content) })
	w.walk(h, base)
	t.cut(p, k, w.cut)
}

// allRefs reads the refs, HEAD's value and the own branch's.
func (t *taker) allRefs() {
	s := t.seal
	var refs, ownRefs *refState
	if t.prev != nil {
		refs, ownRefs = &t.prev.refs, &t.prev.ownRefs
	}
	s.head = strings.TrimRight(s.marks[path.Join(s.repo.GitDir, "HEAD")].text, "\r\n \t")
	if s.repo.RefStorage == "reftable" {
		s.refs = refState{base: t.common.path, taken: s.taken, tables: takeTables(t.common, tablesOf(refs))}
		if s.repo.GitDir != s.repo.CommonDir {
			s.ownRefs = refState{base: t.gitDir.path, taken: s.taken, tables: takeTables(t.gitDir, tablesOf(ownRefs))}
			s.head = s.ownRefs.tables.values["HEAD"]
		} else {
			s.head = s.refs.tables.values["HEAD"]
		}
	} else {
		s.refs = takeRefs(t.common, refs)
		if s.repo.GitDir != s.repo.CommonDir {
			s.ownRefs = takeRefs(t.gitDir, ownRefs)
		}
	}
	if s.repo.HeadRef != "" {
		var fault string
		if s.branch, fault = s.refs.branchValue(t.common, s.repo.HeadRef); fault != "" {
			t.put(s.refs.refPath("packed-refs"), mark{form: closed, why: fault}, OwnBranch, content)
		}
	}
	for _, r := range []refState{s.refs, s.ownRefs} {
		if r.cut != "" {
			s.incomplete = append(s.incomplete, r.cut)
		}
	}
}

func tablesOf(r *refState) *refTables {
	if r == nil {
		return nil
	}
	return r.tables
}
