package seal

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Bounds of one stack of tables. git keeps it at a handful by compaction.
const (
	maxTables     = 1000
	maxTableBytes = 64 << 20 // of all tables together
)

// refTables are the refs of a repository that keeps them in reftables, where
// no file is a ref: a ref that moves is a record in a new table.
type refTables struct {
	list   mark
	values map[string]string // id, or "ref: " and a name
	fault  string
}

func (t *refTables) all() map[string]string {
	if t == nil {
		return nil
	}
	return t.values
}

// takeTables reads the stack in reftable/ below d. The newest table that knows
// a ref decides, so they are read from the oldest on. A table that compaction
// took away while we read means the list is out of date: it is read again.
func takeTables(d *folder, prev *refTables) *refTables {
	var t *refTables
	for range 3 {
		m, list := d.read("reftable/tables.list", maxHashed)
		if prev != nil && prev.fault == "" && m.hashed && m.sum == prev.list.sum {
			return prev // a table is never written again: the same names are the same refs
		}
		var again bool
		t = &refTables{list: m, values: map[string]string{}}
		if t.fault, again = t.readAll(d, list); !again {
			break
		}
	}
	return t
}

// readAll reads the tables of a list. It says why that cannot be done, and
// whether it may be worth another try.
func (t *refTables) readAll(d *folder, list []byte) (fault string, again bool) {
	if !t.list.hashed {
		return "reftable/tables.list: " + t.list.String(), false
	}
	names := strings.Fields(string(list))
	if len(names) > maxTables {
		return fmt.Sprintf("more than %d reftables", maxTables), false
	}
	left := int64(maxTableBytes)
	for _, name := range names {
		if strings.Contains(name, "/") {
			return "a reftable outside of its directory", false
		}
		m, table := d.read("reftable/"+name, left)
		if !m.hashed {
			return shown(name) + ": " + m.String(), m.form == absent
		}
		left -= int64(len(table))
		if err := readTable(table, t.values); err != nil {
			return shown(name) + ": " + err.Error(), false
		}
	}
	return "", false
}

// readTable puts the refs of one table over those of the tables before it.
// The format is described in git's Documentation/technical/reftable: after
// the header come blocks of refs, each starting with 'r' and its length; then
// sections that are of no use here.
func readTable(table []byte, refs map[string]string) error {
	header, idLen := 24, 20
	if len(table) < header || string(table[:4]) != "REFT" {
		return fmt.Errorf("no reftable")
	}
	switch table[4] {
	case 1:
	case 2:
		if header = 28; len(table) < header {
			return fmt.Errorf("header cut short")
		}
		if string(table[24:28]) == "s256" {
			idLen = 32
		}
	default:
		return fmt.Errorf("version %d", table[4])
	}
	align := number24(table[5:])
	for start, skip := 0, header; start < len(table); skip = 0 {
		block := table[start:]
		if len(block) < skip+4 || block[skip] != 'r' {
			return nil
		}
		// Lengths count from the start of the block, which for the first is
		// the start of the file. Restart offsets, three bytes each, and their
		// number are at its end.
		length := number24(block[skip+1:])
		if length > len(block) || length < skip+6 {
			return fmt.Errorf("block of %d bytes in %d", length, len(block))
		}
		restarts := int(block[length-2])<<8 | int(block[length-1])
		end := length - 2 - 3*restarts
		if end < skip+4 {
			return fmt.Errorf("block with %d restarts in %d bytes", restarts, length)
		}
		if err := readRecords(block[skip+4:end], idLen, refs); err != nil {
			return err
		}
		start += max(length, align)
	}
	return nil
}

// readRecords reads the refs of one block. Each name says how much of the name
// before it it shares; the kind of value is in the low bits of the length.
func readRecords(data []byte, idLen int, refs map[string]string) error {
	c := cursor{rest: data}
	name := ""
	for len(c.rest) > 0 && !c.bad {
		shared, suffix := c.varint(), c.varint()
		tail := c.take(suffix >> 3)
		if c.bad || shared > uint64(len(name)) {
			return fmt.Errorf("broken name after %s", shown(name))
		}
		name = name[:shared] + string(tail)
		c.varint() // update index
		switch suffix & 7 {
		case 0:
			delete(refs, name)
		case 1:
			refs[name] = hex.EncodeToString(c.take(uint64(idLen)))
		case 2: // a tag, and what it names
			id := c.take(uint64(idLen))
			c.take(uint64(idLen))
			refs[name] = hex.EncodeToString(id)
		case 3:
			refs[name] = "ref: " + string(c.take(c.varint()))
		default:
			return fmt.Errorf("value of kind %d", suffix&7)
		}
	}
	if c.bad {
		return fmt.Errorf("record cut short after %s", shown(name))
	}
	return nil
}

// cursor takes bytes from the front of a block.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(len(c.rest)) {
		c.bad = true
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

// varint reads seven bits a byte, high ones first, adding one for each byte
// that follows, so that no value can be written in two ways.
func (c *cursor) varint() uint64 {
	var v uint64
	for range 9 {
		b := c.take(1)
		if c.bad {
			return 0
		}
		v = v<<7 | uint64(b[0]&0x7f)
		if b[0] < 0x80 {
			return v
		}
		v++
	}
	c.bad = true
	return 0
}

func number24(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }
