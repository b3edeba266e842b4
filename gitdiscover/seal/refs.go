package seal

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Bounds on what is looked at of other people's refs. Beyond them the report
// is incomplete and says so; this worktree's own branch is always read.
const (
	maxRefDirs  = 4000    // directories below refs/
	maxRefNames = 300_000 // loose refs
	maxValues   = 1000    // loose refs that are read: each costs three system calls
	maxTouched  = 5000    // refs of one directory that are looked at again
	maxPacked   = 64 << 20
	maxRefFile  = 4096
	maxRefDepth = 64
)

// refState is what was seen of a refs/ directory and of packed-refs.
//
// Up to maxValues loose refs are read, and compared exactly. Where there are
// more, only the directories are looked at: git moves a ref by renaming a lock
// file, which moves the directory's times, and only then are its files looked
// at for those that are younger than the first seal.
type refState struct {
	base  string // where refs/ is
	taken time.Time
	dirs  map[string]refDir // by path below base
	count int
	// values of the loose refs; nil when there are too many to read.
	values map[string]string
	// fresh are values that were written since the seal before, where values
	// is nil.
	fresh  map[string]string
	packed packedRefs
	tables *refTables // of a repository with reftables
	cut    string
}

type refDir struct {
	mark  mark
	names []string // of loose refs, as listed
	subs  []string
}

// settled says that a mark cannot hide a change made right after it was
// taken, within one tick of the file system's clock.
func settled(m mark, taken time.Time) bool {
	return m.form != absent && taken.UnixNano()-max(m.ctime, m.mtime) > int64(time.Second)
}

// sinceOf is the change time from which on a file was written after a moment:
// files get the time of the last tick of the kernel's clock, not of now.
func sinceOf(taken time.Time) int64 { return taken.Add(-20 * time.Millisecond).UnixNano() }

// takeRefs looks at refs/ below d. With prev, the seal before, what has not
// changed since is not listed again.
func takeRefs(d *folder, prev *refState) refState {
	r := refState{base: d.path, taken: time.Now(), dirs: map[string]refDir{}}
	r.walk(d, "refs", prev, 0)
	switch {
	case prev != nil && (prev.values == nil || r.count > maxValues):
		r.readFresh(d, prev)
	case r.count <= maxValues:
		r.values = map[string]string{}
		r.each(func(name string) {
			if v := readRef(d, name); v != "" { // else it was packed or deleted since it was listed
				r.values[name] = v
			}
		})
	}
	var before *packedRefs
	if prev != nil {
		before = &prev.packed
	}
	r.packed = takePacked(d, before) // after the loose ones: git packs first, then removes
	if r.packed.mark.form != absent && r.packed.data == nil {
		r.cut = "packed-refs: " + r.packed.mark.String()
	}
	return r
}

func (r *refState) each(fn func(name string)) {
	for _, p := range slices.Sorted(maps.Keys(r.dirs)) {
		for _, n := range r.dirs[p].names {
			fn(p + "/" + n)
		}
	}
}

func (r *refState) walk(d *folder, name string, prev *refState, depth int) {
	m := d.look(name)
	if m.form != dir {
		return // the layout is sealed elsewhere
	}
	if len(r.dirs) == maxRefDirs || depth == maxRefDepth || r.count > maxRefNames {
		r.cut = fmt.Sprintf("refs: more than %d directories, %d levels or %d loose refs; those beyond were not compared", maxRefDirs, maxRefDepth, maxRefNames)
		return
	}
	rd := refDir{mark: m}
	if old, ok := r.listedBefore(prev, name, m); ok {
		rd.names, rd.subs = old.names, old.subs
	} else if f, err := d.list(name, false); err == nil {
		entries, _ := f.ReadDir(maxRefNames)
		f.Close()
		rd.names, rd.subs = splitRefs(entries)
	}
	r.dirs[name] = rd
	r.count += len(rd.names)
	for _, sub := range rd.subs {
		r.walk(d, name+"/"+sub, prev, depth+1)
	}
}

func (r *refState) listedBefore(prev *refState, name string, m mark) (refDir, bool) {
	if prev == nil {
		return refDir{}, false
	}
	old, ok := prev.dirs[name]
	return old, ok && old.mark.sameStat(m) && settled(old.mark, prev.taken)
}

func splitRefs(entries []fs.DirEntry) (names, subs []string) {
	for _, e := range entries {
		switch {
		case e.IsDir():
			subs = append(subs, e.Name())
		case !strings.HasSuffix(e.Name(), ".lock"): // of a ref being written; no ref ends in it
			names = append(names, e.Name())
		}
	}
	return names, subs
}

// readFresh reads the refs that were written since prev was taken, in those
// directories whose times moved.
func (r *refState) readFresh(d *folder, prev *refState) {
	r.fresh = map[string]string{}
	since := sinceOf(prev.taken)
	for p, rd := range r.dirs {
		if old, ok := prev.dirs[p]; ok && old.mark.sameStat(rd.mark) && settled(old.mark, prev.taken) {
			continue
		}
		for i, n := range rd.names {
			if i == maxTouched || len(r.fresh) == maxValues {
				r.cut = fmt.Sprintf("refs: more than %d in %s or %d new ones; those beyond were not compared", maxTouched, shown(p), maxValues)
				break
			}
			if d.look(p+"/"+n).ctime >= since {
				r.fresh[p+"/"+n] = readRef(d, p+"/"+n)
			}
		}
	}
}

// readRef returns the value of a loose ref: an id, or "ref: " and a name.
// "" is no ref. What git would not read as a ref is described.
func readRef(d *folder, name string) string {
	m, data := d.read(name, maxRefFile)
	switch {
	case m.form == absent, m.form == dir:
		return ""
	case m.form == link:
		return "link: " + m.link
	case !m.hashed:
		return m.String()
	}
	return strings.TrimRight(string(data), "\r\n \t")
}

// packedRefs is the packed-refs file as it was seen.
type packedRefs struct {
	mark  mark
	taken time.Time
	data  []byte // nil when it is too large or cannot be read
}

func takePacked(d *folder, prev *packedRefs) packedRefs {
	p := packedRefs{taken: time.Now()}
	if prev != nil && prev.data != nil {
		if m := d.look("packed-refs"); m.form == file && m.sameStat(prev.mark) && settled(prev.mark, prev.taken) {
			return *prev
		}
	}
	p.mark, p.data = d.read("packed-refs", maxPacked)
	if p.mark.hashed && p.data == nil {
		p.data = []byte{}
	}
	return p
}

// lookup returns the id of one ref, "" if it is not packed.
func (p packedRefs) lookup(name string) string {
	i := bytes.Index(p.data, []byte(" "+name+"\n"))
	if i < 0 {
		return ""
	}
	return string(p.data[bytes.LastIndexByte(p.data[:i], '\n')+1 : i])
}

// all returns every packed ref with its id.
func (p packedRefs) all() map[string]string {
	m := make(map[string]string, bytes.Count(p.data, []byte{'\n'}))
	for line := range bytes.Lines(p.data) {
		if line[0] == '#' || line[0] == '^' {
			continue
		}
		if id, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " "); ok {
			m[name] = id
		}
	}
	return m
}

// branchValue is the value of one shared ref, exactly, or why it is not known.
// It is read as git reads it: loose first, and packed-refs anew after that,
// since the ref may have been packed between this moment and the one when
// packed-refs was read before.
func (r refState) branchValue(d *folder, name string) (value, fault string) {
	if r.tables != nil {
		return r.tables.values[name], ""
	}
	if v := readRef(d, name); v != "" {
		return v, ""
	}
	p := takePacked(d, &r.packed)
	if p.mark.form != absent && p.data == nil {
		return "", p.mark.String()
	}
	return p.lookup(name), ""
}

// RefMove is a ref with its value before and after, "" where there was none.
type RefMove struct {
	Name   Name   `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	// Unread says that Before is not known: it was not read, since there are
	// more than a thousand loose refs.
	Unread bool `json:"unread,omitempty"`
}

// diffRefs lists the refs that moved, by name. A ref that was packed or
// unpacked and has the same value did not move.
func diffRefs(before, after refState) []RefMove {
	var l []RefMove
	switch {
	case before.tables != nil || after.tables != nil:
		l = diffValues(before.tables.all(), after.tables.all())
	case before.values != nil && after.values != nil:
		l = diffExact(before, after)
	default:
		l = diffListed(before, after)
	}
	slices.SortFunc(l, func(a, b RefMove) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return l
}

func diffValues(before, after map[string]string) []RefMove {
	var l []RefMove
	for name, was := range before {
		if now := after[name]; now != was {
			l = append(l, RefMove{Name: Name(name), Before: was, After: now})
		}
	}
	for name, now := range after {
		if _, ok := before[name]; !ok {
			l = append(l, RefMove{Name: Name(name), After: now})
		}
	}
	return l
}

func diffExact(before, after refState) []RefMove {
	samePacked := before.packed.mark.sameThing(after.packed.mark)
	if samePacked && maps.Equal(before.values, after.values) {
		return nil
	}
	was, now := before.packed.all(), after.packed.all()
	maps.Copy(was, before.values)
	maps.Copy(now, after.values)
	return diffValues(was, now)
}

// diffListed compares where not every value is known.
func diffListed(before, after refState) []RefMove {
	if len(after.fresh) == 0 && before.sameDirs(after) && before.packed.mark.sameThing(after.packed.mark) {
		return nil
	}
	was, now := before.packed.all(), after.packed.all()
	old, left := before.names(), after.names()
	names := maps.Clone(old)
	maps.Copy(names, left)
	for _, m := range []map[string]string{was, now} {
		for n := range m {
			names[n] = true
		}
	}
	var l []RefMove
	for name := range names {
		value, fresh := after.fresh[name]
		if !fresh {
			if left[name] {
				continue // not written since
			}
			value = now[name]
		}
		v, read := before.values[name]
		switch {
		case read:
		case !old[name]:
			v = was[name]
		case !fresh && value != "":
			continue // packed since; it may well be the same
		default:
			l = append(l, RefMove{Name: Name(name), After: value, Unread: true})
			continue
		}
		if v != value {
			l = append(l, RefMove{Name: Name(name), Before: v, After: value})
		}
	}
	return l
}

func (r refState) sameDirs(o refState) bool {
	return maps.EqualFunc(r.dirs, o.dirs, func(a, b refDir) bool { return a.mark.sameStat(b.mark) })
}

func (r refState) names() map[string]bool {
	m := make(map[string]bool, r.count)
	r.each(func(name string) { m[name] = true })
	return m
}

// refPath is where a ref would be as a file.
func (r refState) refPath(name string) string { return path.Join(r.base, name) }
