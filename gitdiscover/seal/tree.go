package seal

import (
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Bounds of one tree: a directory of hooks, of wiring, of a rebase.
const (
	maxTreeEntries = 10_000
	maxTreeDepth   = 16
	maxTreeBytes   = 32 << 20
)

// treeWalk collects the marks of all that is in a directory. It follows no
// link but, where asked, the one at its start.
type treeWalk struct {
	put     func(path string, m mark)
	entries int
	bytes   int64
	// cut says that a bound was hit; what was put is then not all.
	cut string
}

func newTreeWalk(put func(string, mark)) *treeWalk { return &treeWalk{put: put} }

// walk puts name itself and, if it is a directory, what is in it.
func (w *treeWalk) walk(d *folder, name string) { w.step(d, name, path.Join(d.path, name), 0) }

func (w *treeWalk) step(d *folder, name, key string, depth int) {
	if w.cut != "" {
		return
	}
	if w.entries++; w.entries > maxTreeEntries {
		w.cut = fmt.Sprintf("%s holds more than %d entries", shown(key), maxTreeEntries)
		return
	}
	limit := int64(maxHashed)
	if w.bytes+limit > maxTreeBytes {
		limit = 0 // from here on the stat decides
	}
	m, data := d.read(name, limit)
	w.bytes += int64(len(data))
	w.put(key, m)
	top := depth == 0 && d.links && m.form == link && !m.behind
	if m.form != dir && !top {
		return
	}
	if depth == maxTreeDepth {
		w.cut = fmt.Sprintf("%s is more than %d directories deep", shown(key), maxTreeDepth)
		return
	}
	f, err := d.list(name, top)
	if err != nil {
		if !top && !isGone(err) { // a dangling link, or one to no directory, is what it is
			w.put(key, closedMark(err))
		}
		return
	}
	defer f.Close()
	in := &folder{int(f.Fd()), key, d.links}
	for {
		batch, err := f.ReadDir(256)
		w.all(in, batch, key, depth+1)
		if err == io.EOF {
			return
		}
		if err != nil {
			w.put(key, closedMark(err))
			return
		}
	}
}

func (w *treeWalk) all(in *folder, batch []fs.DirEntry, key string, depth int) {
	for _, e := range batch {
		w.step(in, e.Name(), key+"/"+e.Name(), depth)
	}
}
