package owngit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// digest names what an index stages, whatever git noted about files' times:
// a status refreshes those all the time.
func (x *index) digest() string {
	h := sha256.New()
	if x != nil {
		var line []byte
		for i := range x.entries {
			e := &x.entries[i]
			line = strconv.AppendUint(line[:0], uint64(e.mode()), 8)
			line = hex.AppendEncode(append(line, ' '), e.hash[:])
			line = strconv.AppendInt(append(line, ' '), int64(e.stage()), 10)
			line = append(append(append(line, ' '), e.name...), 0)
			h.Write(line)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// checkAgentIndex says why the lane's index cannot become the worktree's.
func checkAgentIndex(x *index) error {
	if err := x.representable(); err != nil {
		return err
	}
	for i := range x.entries {
		e := &x.entries[i]
		switch e.mode() {
		case modeFile, modeExec, modeLink, modeGitlink:
		default:
			return faultIn("%+q has mode %o", e.name, e.mode())
		}
		if why := badPath(e.name); why != "" {
			return faultIn("%+q %s", e.name, why)
		}
		if e.hash.IsZero() {
			return faultIn("%+q names no object", e.name)
		}
	}
	return checkNesting(x.entries)
}

// checkNesting refuses a file that is a directory too.
func checkNesting(entries []indexEntry) error {
	files := make(map[string]bool, len(entries))
	for i := range entries {
		files[entries[i].name] = true
	}
	for i := range entries {
		name := entries[i].name
		for j := strings.LastIndexByte(name, '/'); j >= 0; j = strings.LastIndexByte(name[:j], '/') {
			if files[name[:j]] {
				return faultIn("%+q is a file and a directory", name[:j])
			}
		}
	}
	return nil
}

// indexMerge makes the worktree's new index of the lane's.
//
// Of the lane's only paths, modes and hashes are taken. Times and the like come
// from the worktree's own index where the entry is the same there, and are left
// out otherwise, so that the user's git looks at the file: an agent could note
// the times of a changed file beside the hash of the old one, and git status
// would not show the change.
type indexMerge struct {
	o      *objects
	policy *policy
	tip    plumbing.Hash // the tip's tree
	mine   map[string]*indexEntry
	mtime  uint32 // of the worktree's index file, in seconds
	sparse bool
	root   string

	unstaged []string
}

// merge returns the new index file's content.
func (m *indexMerge) merge(agent, mine *index, version uint32) ([]byte, error) {
	have := make(map[string]bool, len(agent.entries))
	list := make([]indexEntry, 0, len(agent.entries))
	for i := range agent.entries {
		e := &agent.entries[i]
		have[e.name] = true
		staged, keep, err := m.staged(e)
		if err != nil {
			return nil, err
		}
		if keep {
			list = append(list, m.noted(staged))
		}
	}
	// Wiring that the lane unstaged stays as it is committed.
	if mine != nil {
		for i := range mine.entries {
			e := &mine.entries[i]
			if have[e.name] || !m.sensitive(e, nil) {
				continue
			}
			if c, found, err := m.committed(e.name); err != nil {
				return nil, err
			} else if found {
				m.unstaged = append(m.unstaged, e.name)
				list = append(list, m.noted(c))
			}
		}
	}
	slices.SortFunc(list, func(a, b indexEntry) int { return strings.Compare(a.name, b.name) })
	if err := checkNesting(list); err != nil {
		return nil, err
	}
	return encodeIndex(version, list), nil
}

// staged returns what the new index has for an entry of the lane's. Something
// that may not be committed without somebody's word is not handed over staged
// either: the file stays in the worktree, and the index has what the tip has.
func (m *indexMerge) staged(e *indexEntry) (indexEntry, bool, error) {
	mine := m.mine[e.name]
	if !m.sensitive(e, mine) {
		return *e, true, nil
	}
	c, found, err := m.committed(e.name)
	if err != nil {
		return *e, false, err
	}
	if found && c.hash == e.hash && c.mode() == e.mode() {
		return *e, true, nil
	}
	m.unstaged = append(m.unstaged, e.name)
	return c, found, nil
}

// sensitive says whether an entry differs from the worktree's own in a way
// that the policy objects to.
func (m *indexMerge) sensitive(e, mine *indexEntry) bool {
	var old treeEntry
	if mine != nil {
		if mine.hash == e.hash && mine.mode() == e.mode() {
			return false
		}
		old = treeEntry{mode: mine.mode(), hash: mine.hash}
	}
	why, _ := m.policy.objection(change{e.name, old, treeEntry{mode: e.mode(), hash: e.hash}})
	return why != ""
}

// committed is the tip's entry for a path.
func (m *indexMerge) committed(name string) (indexEntry, bool, error) {
	t, found, err := m.o.at(m.tip, strings.Split(name, "/"))
	if err != nil || !found || t.isTree() {
		return indexEntry{}, false, err
	}
	e := indexEntry{hash: t.hash, name: name}
	binary.BigEndian.PutUint32(e.stat[offMode:], t.mode)
	return e, true, nil
}

// noted gives an entry the times and flags that it may have.
func (m *indexMerge) noted(e indexEntry) indexEntry {
	out := indexEntry{hash: e.hash, name: e.name}
	mode := e.mode()
	mine := m.mine[e.name]
	if mine != nil && mine.hash == e.hash && mine.mode() == mode {
		out.stat, out.flags, out.ext = mine.stat, mine.flags&flagValid, mine.ext&extSkip
		// An entry as young as its index may be of a file that changed within
		// the same tick; written into a younger index, that would be forgotten.
		if m.racy(mine) {
			out.stat = [entryStat]byte{}
		}
	}
	if e.ext&extSkip != 0 && m.sparse {
		if _, err := os.Lstat(filepath.Join(m.root, e.name)); err != nil {
			out.ext |= extSkip
		}
	}
	binary.BigEndian.PutUint32(out.stat[offMode:], mode)
	return out
}

// racy goes by seconds, as git does where it is built without USE_NSEC.
func (m *indexMerge) racy(e *indexEntry) bool {
	return binary.BigEndian.Uint32(e.stat[8:]) >= m.mtime
}

// realIndex is the worktree's own index at one moment.
type realIndex struct {
	data  []byte
	index *index // nil when there is no file
	mtime uint32
	mine  map[string]*indexEntry
}

func readRealIndex(gitDir string) (*realIndex, error) {
	path := filepath.Join(gitDir, "index")
	r := &realIndex{mine: map[string]*indexEntry{}}
	st, err := os.Stat(path)
	if isMissing(err) {
		return r, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	// The time first: a file that is replaced in between only looks older,
	// and more of its entries racy.
	r.mtime = uint32(st.ModTime().Unix())
	if r.data, err = readRegular(path, maxIndexFile); err != nil {
		return nil, unreadable(path, err)
	}
	if r.index, err = decodeIndex(r.data); err == nil {
		err = r.index.representable()
	}
	if err != nil {
		return nil, refuse(IndexUnsupported, path, "%v", err)
	}
	for i := range r.index.entries {
		r.mine[r.index.entries[i].name] = &r.index.entries[i]
	}
	return r, nil
}

// same says whether the index file is still what was read.
func (r *realIndex) same(gitDir string) bool {
	data, found, err := readIfThere(filepath.Join(gitDir, "index"), maxIndexFile)
	return err == nil && found == (r.index != nil) && bytes.Equal(data, r.data)
}

// version is the new index's: what the worktree's has.
func (r *realIndex) version() uint32 {
	if r.index == nil {
		return 2
	}
	return r.index.version
}
