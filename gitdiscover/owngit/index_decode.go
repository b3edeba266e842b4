package owngit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The index file. go-git has a decoder, but it drops the assume-valid flag,
// accepts entries in any order and reads a mandatory extension it does not
// know by its first letter only; here each of these decides something.

const (
	indexHeader    = 12
	entryFixed     = 62 // of an entry: ten numbers, a hash, the flags
	entryStat      = 40
	hashSize       = 20
	offMode        = 24 // in the stat part
	offUID         = 28
	offGID         = 32
	maxIndexCount  = 5_000_000
	flagValid      = 0x8000 // assume-unchanged
	flagExtended   = 0x4000
	flagStage      = 0x3000
	flagName       = 0x0fff
	extSkip        = 0x4000 // skip-worktree
	extIntent      = 0x2000 // intent-to-add
	modeFile       = 0o100644
	modeExec       = 0o100755
	modeLink       = 0o120000
	modeGitlink    = 0o160000
	modeTree       = 0o040000
	modeTreeInFile = modeTree // a sparse index holds whole directories
)

// index is a decoded index file.
type index struct {
	version    uint32
	entries    []indexEntry
	extensions []string
}

// indexEntry is one path. stat is kept as it stands in the file: it is copied
// or cleared, never judged.
type indexEntry struct {
	stat  [entryStat]byte
	hash  plumbing.Hash
	flags uint16
	ext   uint16
	name  string
	at    int // where it starts in the file
}

func (e *indexEntry) mode() uint32 { return binary.BigEndian.Uint32(e.stat[offMode:]) }
func (e *indexEntry) stage() int   { return int(e.flags&flagStage) >> 12 }

// indexFault says why an index cannot be used; it becomes a refusal where the
// path is known.
type indexFault struct{ detail string }

func (e *indexFault) Error() string { return e.detail }

func faultIn(format string, args ...any) error { return &indexFault{fmt.Sprintf(format, args...)} }

// decodeIndex reads an index file of version 2 to 4. It accepts only what git
// writes: the checksum must be right (or absent, as index.skipHash leaves it),
// paths in order and once per stage.
func decodeIndex(data []byte) (*index, error) {
	if len(data) < indexHeader+hashSize || string(data[:4]) != "DIRC" {
		return nil, faultIn("it does not start like an index")
	}
	x := &index{version: binary.BigEndian.Uint32(data[4:])}
	if x.version < 2 || x.version > 4 {
		return nil, faultIn("its version is %d", x.version)
	}
	count := binary.BigEndian.Uint32(data[8:])
	body := data[:len(data)-hashSize]
	if count > maxIndexCount || int(count) > len(body)/entryFixed {
		return nil, faultIn("it claims %d entries", count)
	}
	if !indexSum(body, data[len(body):]) {
		return nil, faultIn("its checksum is wrong")
	}
	x.entries = make([]indexEntry, 0, count)
	pos, text := indexHeader, string(body)
	for range count {
		var prev *indexEntry
		if n := len(x.entries); n > 0 {
			prev = &x.entries[n-1]
		}
		e, next, err := decodeEntry(body, text, pos, x.version, prev)
		if err != nil {
			return nil, err
		}
		if prev != nil && !follows(prev, &e) {
			return nil, faultIn("its entries are out of order at %+q", e.name)
		}
		x.entries = append(x.entries, e)
		pos = next
	}
	return x, x.decodeExtensions(body[pos:])
}

func indexSum(body, sum []byte) bool {
	return bytes.Equal(sum, make([]byte, hashSize)) || bytes.Equal(sumOf(body), sum)
}

func follows(a, b *indexEntry) bool {
	return a.name < b.name || a.name == b.name && a.stage() < b.stage()
}

// decodeEntry reads the entry at pos. text is body once more: the names are
// pieces of it, and not twenty thousand strings of their own.
func decodeEntry(body []byte, text string, pos int, version uint32, prev *indexEntry) (e indexEntry, next int, err error) {
	if len(body)-pos < entryFixed {
		return e, 0, faultIn("it ends within an entry")
	}
	e.at = pos
	copy(e.stat[:], body[pos:])
	copy(e.hash[:], body[pos+entryStat:])
	e.flags = binary.BigEndian.Uint16(body[pos+entryStat+hashSize:])
	at := pos + entryFixed
	if e.flags&flagExtended != 0 {
		if version < 3 || len(body)-at < 2 {
			return e, 0, faultIn("an entry has flags that its version does not know")
		}
		e.ext = binary.BigEndian.Uint16(body[at:])
		at += 2
		if e.ext&^(extSkip|extIntent) != 0 {
			return e, 0, faultIn("an entry has unknown flags")
		}
	}
	prefix := ""
	if version == 4 {
		strip, n := offsetVarint(body[at:])
		if n == 0 {
			return e, 0, faultIn("an entry's name is broken")
		}
		at += n
		if prev != nil {
			prefix = prev.name
		}
		if strip > uint64(len(prefix)) {
			return e, 0, faultIn("an entry's name is broken")
		}
		prefix = prefix[:len(prefix)-int(strip)]
	}
	end := bytes.IndexByte(body[at:], 0)
	if end < 0 {
		return e, 0, faultIn("an entry's name has no end")
	}
	e.name = prefix + text[at:at+end]
	if want := min(len(e.name), flagName); int(e.flags&flagName) != want {
		return e, 0, faultIn("an entry's name is not as long as it says")
	}
	next = at + end + 1
	if version < 4 { // padded with one to eight NULs to a multiple of eight
		next = pos + (at+end-pos+8)&^7
		if next > len(body) || strings.Trim(text[at+end:next], "\x00") != "" {
			return e, 0, faultIn("an entry is not padded as git pads it")
		}
	}
	return e, next, nil
}

// offsetVarint reads git's varint in which each further byte adds one; n is 0
// when it is broken.
func offsetVarint(b []byte) (v uint64, n int) {
	for i := 0; i < len(b) && i < 9; i++ {
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

func (x *index) decodeExtensions(b []byte) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return faultIn("it has bytes that belong to nothing")
		}
		size := binary.BigEndian.Uint32(b[4:])
		if uint64(size) > uint64(len(b)-8) {
			return faultIn("an extension is larger than the file")
		}
		x.extensions = append(x.extensions, string(b[:4]))
		b = b[8+size:]
	}
	return nil
}

// representable says why an index cannot be handed from one git directory to
// another as a list of paths and objects: part of it lies elsewhere, or it
// holds what only the operation that left it understands.
func (x *index) representable() error {
	switch {
	case slices.Contains(x.extensions, "link"):
		return faultIn("it is split: part of it is in another file")
	case slices.Contains(x.extensions, "sdir"):
		return faultIn("it is sparse: it holds directories instead of files")
	}
	for i := range x.entries {
		switch e := &x.entries[i]; {
		case e.stage() != 0:
			return faultIn("%+q has conflicts", e.name)
		case e.ext&extIntent != 0:
			return faultIn("%+q is marked with git add -N", e.name)
		case e.mode() == modeTreeInFile:
			return faultIn("it is sparse: it holds the directory %+q", e.name)
		}
	}
	for _, name := range x.extensions {
		if name[0] < 'A' || name[0] > 'Z' { // git itself dies on these when it does not know them
			return faultIn("it has the extension %+q", name)
		}
	}
	return nil
}
