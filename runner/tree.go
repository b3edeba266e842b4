package runner

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"lane/gitdiscover/seal"
	"lane/sandbox"
)

// Tree is what a worktree holds: enough to say, later, which files changed,
// and what must be protected inside it. It is made by one walk that follows
// no link, opens no file and stops at its caps.
type Tree struct {
	// Files are all entries but directories, by path relative to the worktree.
	Files map[string]Stamp
	// Dirs are the directories, likewise.
	Dirs map[string]bool
	// Repositories are nested .git entries, as absolute paths.
	Repositories []sandbox.Row
	// OddGit is a nested .git that is neither a directory nor a regular file,
	// which no mount protects.
	OddGit string
	// Wiring are files and directories below the top that configure agents,
	// editors and shells there.
	Wiring []sandbox.Row
	// Linked counts files that have a further hard link outside the worktree.
	Linked int
	// FirstLinked is one of them.
	FirstLinked string
	// Cut says that a cap was hit, and which; then nothing above is complete.
	Cut string
}

// Stamp changes whenever a file's content or mode does.
type Stamp = seal.Stamp

// Caps of one walk.
const (
	maxWiringBelow = 200 // each is a mount; what is beyond is looked at afterwards
	maxTreeEntries = 2_000_000
	maxTreeTime    = 30 * time.Second
)

type treeWalk struct {
	root    string
	skip    map[string]bool
	tree    Tree
	entries int
	end     time.Time
	wiring  sandbox.WiringBelow
	open    *reopened // opens what is closed; nil to leave it so
	known   map[string]bool
	links   map[[2]uint64]*linkCount
}

type linkCount struct {
	found, total uint64
	first        string
}

// readTree walks the worktree. Other worktrees below it, and the git
// directories, are not entered.
func readTree(root string, skip []string) Tree {
	return newTreeWalk(root, skip, Tree{}, nil).run()
}

// readTreeOpening is readTree after a run: what the run has closed is opened,
// the git directories of repositories included that were not there before.
func readTreeOpening(root string, skip []string, before Tree, open *reopened) Tree {
	return newTreeWalk(root, skip, before, open).run()
}

func newTreeWalk(root string, skip []string, before Tree, open *reopened) *treeWalk {
	w := &treeWalk{root: root, open: open, known: map[string]bool{}, wiring: sandbox.NewWiringBelow(), skip: map[string]bool{}, end: time.Now().Add(maxTreeTime),
		links: map[[2]uint64]*linkCount{}, tree: Tree{Files: map[string]Stamp{}, Dirs: map[string]bool{}}}
	for _, s := range skip {
		w.skip[s] = true
	}
	for _, r := range before.Repositories {
		w.known[r.Path] = true
	}
	return w
}

func (w *treeWalk) run() Tree {
	w.dir(w.root, "")
	for _, l := range w.links {
		if l.found < l.total {
			w.tree.Linked++
			if w.tree.FirstLinked == "" || l.first < w.tree.FirstLinked {
				w.tree.FirstLinked = l.first
			}
		}
	}
	return w.tree
}

func (w *treeWalk) dir(path, rel string) {
	if w.tree.Cut != "" {
		return
	}
	err := w.reopen(rel)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		if !os.IsNotExist(err) {
			w.tree.Cut = "cannot read " + quote(path)
		}
		return
	}
	defer f.Close()
	for {
		batch, err := f.ReadDir(1024)
		for _, e := range batch {
			w.entry(int(f.Fd()), e, path, rel)
		}
		if w.entries > maxTreeEntries {
			w.tree.Cut = "more than 2,000,000 entries"
		} else if time.Now().After(w.end) {
			w.tree.Cut = "more than 30 s"
		}
		if err != nil || w.tree.Cut != "" {
			return
		}
	}
}

func (w *treeWalk) reopen(rel string) error {
	if w.open == nil || rel == "" {
		return nil
	}
	return w.open.open(rel)
}

func (w *treeWalk) openRepository(path, rel string, isDir bool) {
	if w.open == nil || !isDir || w.known[path] {
		return
	}
	left := maxOpened
	if err := w.open.openAll(rel, &left); err != nil {
		w.tree.Cut = "cannot open " + quote(path) + ": " + cause(err)
	}
}

func (w *treeWalk) entry(fd int, e fs.DirEntry, dir, rel string) {
	w.entries++
	path, name := dir+"/"+e.Name(), e.Name()
	if rel != "" {
		name = rel + "/" + name
	}
	if e.Name() == ".git" {
		if rel != "" {
			w.tree.Repositories = append(w.tree.Repositories, sandbox.Row{Path: path, Access: sandbox.Protect,
				File: !e.IsDir(), Reason: "a nested repository's git directory"})
			w.openRepository(path, name, e.IsDir())
			if w.tree.OddGit == "" && !e.IsDir() && !e.Type().IsRegular() {
				w.tree.OddGit = path
			}
		}
		return
	}
	if w.skip[path] {
		return
	}
	if row, ok := w.wiring.Find(name); ok && e.Type()&fs.ModeSymlink == 0 && len(w.tree.Wiring) < maxWiringBelow {
		w.tree.Wiring = append(w.tree.Wiring, sandbox.Row{Path: path, Access: sandbox.Protect, File: !e.IsDir(), Reason: row.Harness + ": " + row.Reason})
	}
	if e.IsDir() {
		w.tree.Dirs[name] = true
		w.dir(path, name)
		return
	}
	// By descriptor and name: the path would be looked up from the root again
	// for each of what may be a million files.
	var st unix.Stat_t
	if unix.Fstatat(fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return // gone since: the next walk sees that
	}
	w.tree.Files[name] = Stamp{Ino: st.Ino, Size: st.Size, CTime: st.Ctim.Nano(), Mode: uint32(st.Mode)}
	if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1 {
		key := [2]uint64{uint64(st.Dev), st.Ino}
		l := w.links[key]
		if l == nil {
			l = &linkCount{total: uint64(st.Nlink), first: name}
			w.links[key] = l
		}
		l.found++
	}
}

// without removes what was taken out of the worktree after the walk.
func (t Tree) without(names []string) {
	for _, n := range names {
		for f := range t.Files {
			if f == n || strings.HasPrefix(f, n+"/") {
				delete(t.Files, f)
			}
		}
	}
}

// sockets are those in the tree, as absolute paths: also one that was renamed
// or bound by a relative name, which the kernel's list does not tell.
func (t Tree) sockets(root string) []string {
	var paths []string
	for name, s := range t.Files {
		if s.Mode&unix.S_IFMT == unix.S_IFSOCK {
			paths = append(paths, filepath.Join(root, name))
		}
	}
	sort.Strings(paths)
	return paths
}

// sealed is the tree in seal's words.
func (t Tree) sealed(root string) *seal.Tree {
	repos := map[string]bool{}
	for _, r := range t.Repositories {
		if rel, err := filepath.Rel(root, r.Path); err == nil {
			repos[rel] = true
		}
	}
	return &seal.Tree{Files: t.Files, Dirs: t.Dirs, Repositories: repos}
}

// changed lists what differs between two walks, sorted.
func changed(before, after Tree) []string {
	var names []string
	for name, b := range before.Files {
		if a, ok := after.Files[name]; !ok || a != b {
			names = append(names, name)
		}
	}
	for name := range after.Files {
		if _, ok := before.Files[name]; !ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
