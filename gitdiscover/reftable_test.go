package gitdiscover

import (
	"bytes"
	"encoding/binary"
	"testing"
)

type refRecord struct {
	name, target string
	objects      int // 1: an object, 2: a tag and its object, 0 with no target: deleted
}

// reftable writes one table as git's documentation of the format has it, in
// as many blocks as the records need. The installed git writes none.
func reftable(version byte, blockSize int, records ...refRecord) []byte {
	hash := 20
	header := []byte("REFT\x00\x00\x00\x00" + string(make([]byte, 16)))
	header[4] = version
	putBE24(header[5:], blockSize)
	if version == 2 {
		header, hash = append(header, "s256"...), 32
	}
	var out []byte
	block, restarts, prior := bytes.Clone(header), []int(nil), ""
	flush := func() {
		for _, r := range restarts {
			block = append(block, 0, 0, 0)
			putBE24(block[len(block)-3:], r)
		}
		block = binary.BigEndian.AppendUint16(block, uint16(len(restarts)))
		at := 0
		if len(out) == 0 {
			at = len(header)
		}
		putBE24(block[at+1:], len(block))
		if blockSize > len(block) {
			block = append(block, make([]byte, blockSize-len(block))...)
		}
		out = append(out, block...)
		block, restarts, prior = nil, nil, ""
	}
	block = append(block, "r\x00\x00\x00"...)
	for _, r := range records {
		if blockSize > 0 && len(block)+len(r.name)+len(r.target)+2*hash+20 > blockSize {
			flush()
			block = []byte("r\x00\x00\x00")
		}
		shared := 0
		for shared < len(prior) && shared < len(r.name) && prior[shared] == r.name[shared] {
			shared++
		}
		if shared == 0 {
			restarts = append(restarts, len(block))
		}
		kind := r.objects
		if r.target != "" {
			kind = 3
		}
		block = appendVarint(block, uint64(shared))
		block = appendVarint(block, uint64(len(r.name)-shared)<<3|uint64(kind))
		block = append(block, r.name[shared:]...)
		block = appendVarint(block, 300)
		if kind == 3 {
			block = appendVarint(block, uint64(len(r.target)))
			block = append(block, r.target...)
		} else {
			block = append(block, bytes.Repeat([]byte{0xab}, kind*hash)...)
		}
		prior = r.name
	}
	flush()
	// A log section and a footer follow in a real table; they end the refs.
	return append(out, "g\x00\x00\x00"...)
}

func putBE24(b []byte, n int) { b[0], b[1], b[2] = byte(n>>16), byte(n>>8), byte(n) }

func appendVarint(b []byte, v uint64) []byte {
	digits := []byte{byte(v & 0x7f)}
	for v >>= 7; v > 0; v >>= 7 {
		v--
		digits = append([]byte{byte(v&0x7f) | 0x80}, digits...)
	}
	return append(b, digits...)
}

func TestVarint(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 129, 255, 16383, 16384, 16511, 16512, 1 << 20, 1 << 40} {
		r := &recordReader{data: appendVarint(nil, v)}
		if got := r.varint(); got != v || r.bad || !r.done() {
			t.Errorf("%d reads as %d", v, got)
		}
	}
}

func TestTableHead(t *testing.T) {
	branch := refRecord{name: "refs/heads/main", objects: 1}
	var many []refRecord
	for c := byte('A'); c < 'H'; c++ {
		for d := byte('A'); d <= 'Z'; d++ {
			many = append(many, refRecord{name: string([]byte{c, d}) + "_HEAD", objects: 2})
		}
	}
	many = append(many, refRecord{name: "HEAD", target: "refs/heads/far"}, branch)
	for rule, c := range map[string]struct {
		table     []byte
		target    string
		found, ok bool
	}{
		"a branch":              {reftable(1, 4096, refRecord{name: "HEAD", target: "refs/heads/main"}, branch), "refs/heads/main", true, true},
		"not aligned":           {reftable(1, 0, refRecord{name: "HEAD", target: "refs/heads/main"}, branch), "refs/heads/main", true, true},
		"sha256":                {reftable(2, 4096, refRecord{name: "AUTO_MERGE", objects: 1}, refRecord{name: "HEAD", target: "refs/heads/x"}), "refs/heads/x", true, true},
		"detached":              {reftable(1, 4096, refRecord{name: "HEAD", objects: 1}, branch), "", true, true},
		"deleted":               {reftable(1, 4096, refRecord{name: "HEAD"}, branch), "", true, true},
		"another table has it":  {reftable(1, 4096, branch), "", false, true},
		"in a later block":      {reftable(1, 256, many...), "refs/heads/far", true, true},
		"a name that starts so": {reftable(1, 4096, refRecord{name: "HEADS", target: "refs/heads/x"}), "", false, true},
		"empty":                 {nil, "", false, false},
		"another file":          {bytes.Repeat([]byte("x"), 100), "", false, false},
		"cut short":             {reftable(1, 0, branch)[:40], "", false, false},
	} {
		if target, found, ok := tableHead(c.table); target != c.target || found != c.found || ok != c.ok {
			t.Errorf("%s: %q, %v, %v", rule, target, found, ok)
		}
	}
}
