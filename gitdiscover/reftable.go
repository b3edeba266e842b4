package gitdiscover

import (
	"encoding/binary"
	"strings"
)

const (
	maxTables     = 1000    // tables in one stack; git keeps it at a handful
	maxTableStart = 1 << 20 // of a table: HEAD sorts before every refs/ name
)

// reftableHead returns the ref HEAD names in a repository whose refs are kept
// in reftables, where the HEAD file is a fixed placeholder. Each worktree has
// its own stack of tables; the newest that knows HEAD decides. It returns ""
// for a detached HEAD and for a stack it cannot read: the three paths are right
// in any case, and git itself will complain about the refs.
//
// The format is described in git's Documentation/technical/reftable.
func (f *finder) reftableHead(g *gitDir) string {
	stack, err := f.child(g.dir, "reftable")
	if err != nil {
		return ""
	}
	list, err := f.readFile(stack, "tables.list", maxConfig, noLinks)
	if err != nil {
		return ""
	}
	names := strings.Fields(string(list))
	if len(names) > maxTables {
		return ""
	}
	for i := len(names) - 1; i >= 0; i-- {
		if strings.Contains(names[i], "/") {
			return ""
		}
		table, err := f.readStart(stack, names[i], maxTableStart, noLinks)
		if err != nil {
			return ""
		}
		target, found, ok := tableHead(table)
		if found || !ok {
			return validRef(target)
		}
	}
	return ""
}

// tableHead looks for HEAD in the ref blocks of one table. Found says that the
// table has a record for it, with no target if it is detached or deleted; not
// ok, that the table is broken.
func tableHead(table []byte) (target string, found, ok bool) {
	const v1Header, v2Header = 24, 28
	if len(table) < v1Header || string(table[:4]) != "REFT" {
		return "", false, false
	}
	header, hash := v1Header, 20
	if table[4] == 2 {
		header = v2Header
		if len(table) >= v2Header && string(table[24:28]) == "s256" {
			hash = 32
		}
	}
	align := int(be24(table[5:]))
	// Offsets count from the start of the block, which for the first is the
	// start of the file.
	for start, first := 0, header; ; first = 0 {
		block := table[start:]
		if len(block) < first+4 || block[first] != 'r' {
			return "", false, true // another section, or the end
		}
		length := int(be24(block[first+1:]))
		if length < first+4+2 || length > len(block) {
			return "", false, false
		}
		restarts := int(binary.BigEndian.Uint16(block[length-2:]))
		end := length - 2 - 3*restarts
		if end < first+4 {
			return "", false, false
		}
		r := &recordReader{data: block[first+4 : end]}
		for !r.done() {
			name, target := r.next(hash)
			switch {
			case r.bad:
				return "", false, false
			case name == "HEAD":
				return target, true, true
			case name > "HEAD":
				return "", false, true
			}
		}
		start += max(length, align)
		if start >= len(table) {
			return "", false, true
		}
	}
}

// recordReader reads the ref records of one block.
type recordReader struct {
	data []byte
	pos  int
	name string // of the record before, whose start the next may share
	bad  bool
}

func (r *recordReader) done() bool { return r.pos >= len(r.data) }

// next returns a record's name and, for a symbolic ref, its target.
func (r *recordReader) next(hash int) (name, target string) {
	shared := r.varint()
	suffix := r.varint()
	kind := suffix & 7
	rest := r.take(suffix >> 3)
	if shared > uint64(len(r.name)) {
		r.bad = true
		return "", ""
	}
	r.name = r.name[:shared] + rest
	r.varint() // update index
	switch kind {
	case 0: // deleted
	case 1:
		r.take(uint64(hash))
	case 2: // a tag and what it names
		r.take(2 * uint64(hash))
	case 3:
		target = r.take(r.varint())
	default:
		r.bad = true
	}
	return r.name, target
}

func (r *recordReader) take(n uint64) string {
	if r.bad || n > uint64(len(r.data)-r.pos) {
		r.bad = true
		return ""
	}
	s := string(r.data[r.pos : r.pos+int(n)])
	r.pos += int(n)
	return s
}

// varint reads seven bits a byte, high first; each further byte adds one, as
// in pack files, so that no value has two spellings.
func (r *recordReader) varint() uint64 {
	var v uint64
	for i := 0; i < 9 && !r.bad; i++ {
		b := r.take(1)
		if b == "" {
			break
		}
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(b[0]&0x7f)
		if b[0]&0x80 == 0 {
			return v
		}
	}
	r.bad = true
	return 0
}

func be24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
