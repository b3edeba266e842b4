package owngit

import (
	"bytes"
	"context"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// What reads an agent's bytes neither panics nor takes more than it is given,
// whatever they are.

func FuzzIndex(f *testing.F) {
	f.Add(encodeIndex(2, []indexEntry{{name: "a"}, {name: "b/c", ext: extSkip}}))
	f.Add(encodeIndex(4, []indexEntry{{name: "a"}, {name: "ab"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		// The checksum is no defence; let the fuzzer in behind it.
		if len(data) > hashSize {
			copy(data[len(data)-hashSize:], make([]byte, hashSize))
		}
		x, err := decodeIndex(data)
		if err != nil || checkAgentIndex(x) != nil {
			return
		}
		again, err := decodeIndex(encodeIndex(x.version, x.entries))
		if err != nil || again.digest() != x.digest() {
			t.Errorf("written and read again: %v", err)
		}
	})
}

func FuzzPack(f *testing.F) {
	one := packed(3, "xxxxxxxx")
	head := "PACK\x00\x00\x00\x02\x00\x00\x00\x02"
	end := string(make([]byte, hashSize))
	f.Add([]byte(head + one + ofsDelta(one, "\x08\x08\x90\x08") + end))
	f.Add([]byte(head + one + packed(1, "tree") + end))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &meter{ctx: context.Background(), limits: Limits{Bytes: 1 << 20, Object: 1 << 20, Objects: 100}}
		found := map[plumbing.Hash]packedAt{}
		p := &pack{r: bytes.NewReader(data), size: int64(len(data)), name: "pack", cache: newBaseCache()}
		p.byName = func(h plumbing.Hash) (int64, bool) { at, ok := found[h]; return at.off, ok }
		if scanPack(p, m, func(h plumbing.Hash, at packedAt) { found[h] = at }, 0) != nil {
			return
		}
		for h, at := range found {
			kind, data, err := p.object(at.off, m)
			if err != nil || hashOf(kind, data) != h || int64(len(data)) != at.size {
				t.Errorf("%s: %v", h, err)
			}
		}
	})
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte(entryText("100644", "a", plumbing.Hash{1})))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor " + "A <a> 0 +0000\ncommitter A <a> 0 +0000\n\nm\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = parseTree(data, false)
		_, _, _ = parseTag(data)
		_, _ = parseCommit(data)
		_ = checkModules(data)
		_ = parsePackedRefs(data, func(r ref) {
			if !validRef(r.name) {
				t.Errorf("ref %q", r.name)
			}
		})
		list, err := parseTree(data, true)
		if err != nil {
			return
		}
		var again []byte
		for _, e := range list {
			again = append(again, entryText(octal(e.mode), e.name, e.hash)...)
		}
		if !bytes.Equal(again, data) {
			t.Errorf("a tree that is not written like that: %q", data)
		}
	})
}

func octal(mode uint32) string {
	var b []byte
	for ; mode > 0; mode >>= 3 {
		b = append([]byte{byte('0' + mode&7)}, b...)
	}
	return string(b)
}
