package runner

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
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

// treeWalk is one walk. Directories are read side by side; what was found in
// one is put into the tree by one goroutine at a time.
type treeWalk struct {
	root   string
	skip   map[string]bool
	end    time.Time
	wiring sandbox.WiringBelow
	known  map[string]bool
	others chan struct{} // room for further goroutines
	wait   sync.WaitGroup

	mu      sync.Mutex
	tree    Tree
	entries int
	open    *reopened // opens what is closed; nil to leave it so
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
		links: map[[2]uint64]*linkCount{}, tree: Tree{Files: map[string]Stamp{}, Dirs: map[string]bool{}},
		others: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
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
	w.wait.Wait()
	for _, l := range w.links {
		if l.found < l.total {
			w.tree.Linked++
			if w.tree.FirstLinked == "" || l.first < w.tree.FirstLinked {
				w.tree.FirstLinked = l.first
			}
		}
	}
	byPath := func(a, b sandbox.Row) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(w.tree.Repositories, byPath)
	slices.SortFunc(w.tree.Wiring, byPath)
	w.tree.Wiring = w.tree.Wiring[:min(len(w.tree.Wiring), maxWiringBelow)]
	return w.tree
}

// below walks a directory, in a goroutine of its own if there is room for one.
func (w *treeWalk) below(path, rel string) {
	select {
	case w.others <- struct{}{}:
		w.wait.Go(func() {
			w.dir(path, rel)
			<-w.others
		})
	default:
		w.dir(path, rel)
	}
}

func (w *treeWalk) dir(path, rel string) {
	err := w.enter(path, rel)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		if !os.IsNotExist(err) {
			w.cut("cannot read " + quote(path))
		}
		return
	}
	defer f.Close()
	for {
		batch, err := f.ReadDir(1024)
		dirs := w.add(path, rel, looked(int(f.Fd()), batch))
		for _, name := range dirs {
			w.below(path+"/"+name, join(rel, name))
		}
		if err != nil || w.isCut() {
			return
		}
	}
}

// enter says whether a directory is to be read, and opens it after a run.
func (w *treeWalk) enter(path, rel string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.tree.Cut != "":
		return os.ErrNotExist // enough is known
	case w.open == nil || rel == "":
		return nil
	}
	return w.open.open(rel)
}

func (w *treeWalk) cut(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tree.Cut = cmp.Or(w.tree.Cut, why)
}

func (w *treeWalk) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Cut != ""
}

// found is an entry of a directory. What is beside it is of all but
// directories, and missing for one that is gone since: the next walk sees that.
type found struct {
	fs.DirEntry
	there bool
	Stamp
	dev, links uint64
}

// looked looks at entries by descriptor and name: the path would be looked up
// from the root again for each of what may be a million files.
func looked(fd int, batch []fs.DirEntry) []found {
	list := make([]found, len(batch))
	var st unix.Stat_t
	for i, e := range batch {
		f := &list[i]
		f.DirEntry = e
		if e.IsDir() || unix.Fstatat(fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		f.there, f.dev, f.links = true, uint64(st.Dev), uint64(st.Nlink)
		f.Stamp = Stamp{Ino: st.Ino, Size: st.Size, CTime: st.Ctim.Nano(), Mode: uint32(st.Mode)}
	}
	return list
}

// add puts entries into the tree and returns the directories to be walked.
func (w *treeWalk) add(path, rel string, batch []found) (dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range batch {
		w.entries++
		if w.entry(e, path+"/"+e.Name(), join(rel, e.Name())) {
			dirs = append(dirs, e.Name())
		}
	}
	if w.entries > maxTreeEntries {
		w.tree.Cut = "more than 2,000,000 entries"
	} else if time.Now().After(w.end) {
		w.tree.Cut = "more than 30 s"
	}
	return dirs
}

func join(rel, name string) string {
	if rel == "" {
		return name
	}
	return rel + "/" + name
}

// entry says whether it is a directory to be walked.
func (w *treeWalk) entry(e found, path, name string) bool {
	if e.Name() == ".git" {
		if name != ".git" {
			w.repository(e, path, name)
		}
		return false
	}
	if w.skip[path] {
		return false
	}
	if row, ok := w.wiring.Find(name); ok && e.Type()&fs.ModeSymlink == 0 {
		w.tree.Wiring = append(w.tree.Wiring, sandbox.Row{Path: path, Access: sandbox.Protect, File: !e.IsDir(), Reason: row.Harness + ": " + row.Reason})
	}
	if e.IsDir() {
		w.tree.Dirs[name] = true
		return true
	}
	if e.there {
		w.tree.Files[name] = e.Stamp
		w.link(e, name)
	}
	return false
}

// repository notes a nested one and, after a run that made it, opens it.
func (w *treeWalk) repository(e found, path, name string) {
	w.tree.Repositories = append(w.tree.Repositories, sandbox.Row{Path: path, Access: sandbox.Protect,
		File: !e.IsDir(), Reason: "a nested repository's git directory"})
	if !e.IsDir() && !e.Type().IsRegular() && (w.tree.OddGit == "" || path < w.tree.OddGit) {
		w.tree.OddGit = path
	}
	if w.open == nil || !e.IsDir() || w.known[path] {
		return
	}
	left := maxOpened
	if err := w.open.openAll(name, &left); err != nil {
		w.tree.Cut = "cannot open " + quote(path) + ": " + cause(err)
	}
}

func (w *treeWalk) link(e found, name string) {
	if e.Stamp.Mode&unix.S_IFMT != unix.S_IFREG || e.links < 2 {
		return
	}
	key := [2]uint64{e.dev, e.Ino}
	l := w.links[key]
	if l == nil {
		l = &linkCount{total: e.links, first: name}
		w.links[key] = l
	}
	l.found++
	l.first = min(l.first, name)
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
