package owngit

import (
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
)

var errDelta = errors.New("its delta is broken")

// applyDelta makes an object from its base. What it will be is known from the
// delta's head and bounded before a byte is copied.
func applyDelta(base, delta []byte, m *meter) ([]byte, error) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != uint64(len(base)) {
		return nil, errDelta
	}
	to, delta, ok := deltaSize(delta)
	if !ok {
		return nil, errDelta
	}
	if to > maxInMemory {
		return nil, refuse(TooLarge, "", "a delta makes an object of %d bytes", to)
	}
	if err := m.spend(int64(to)); err != nil {
		return nil, err
	}
	out := newGrowing(int64(to)).b
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var piece []byte
		switch {
		case op&0x80 != 0:
			var offset, size int
			for i := range 7 { // four bytes of offset, three of size, each if its bit is set
				if op&(1<<i) == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errDelta
				}
				if i < 4 {
					offset |= int(delta[0]) << (8 * i)
				} else {
					size |= int(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if size == 0 {
				size = 1 << 16
			}
			if offset > len(base) || size > len(base)-offset {
				return nil, errDelta
			}
			piece = base[offset : offset+size]
		case op != 0:
			if int(op) > len(delta) {
				return nil, errDelta
			}
			piece, delta = delta[:op], delta[op:]
		default: // reserved
			return nil, errDelta
		}
		if uint64(len(out)+len(piece)) > to {
			return nil, errDelta
		}
		out = append(out, piece...)
	}
	if uint64(len(out)) != to {
		return nil, errDelta
	}
	return out, nil
}

func deltaSize(b []byte) (v uint64, rest []byte, ok bool) {
	for i := 0; i < len(b) && i < 9; i++ {
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}

// baseCache keeps the bases that were unpacked last, so that a chain is not
// unpacked from its start for each of its members.
type baseCache struct {
	bytes int64
	data  map[int64]cached
	order []int64
}

type cached struct {
	kind plumbing.ObjectType
	data []byte
}

const (
	maxCached    = 96 << 20
	maxCachedOne = 16 << 20
)

func newBaseCache() *baseCache { return &baseCache{data: map[int64]cached{}} }

func (c *baseCache) put(off int64, kind plumbing.ObjectType, b []byte) {
	if _, ok := c.data[off]; ok || len(b) > maxCachedOne {
		return
	}
	c.data[off] = cached{kind, b}
	c.order = append(c.order, off)
	for c.bytes += int64(len(b)); c.bytes > maxCached; c.order = c.order[1:] {
		c.bytes -= int64(len(c.data[c.order[0]].data))
		delete(c.data, c.order[0])
	}
}

// hashOf names an object by its content. The hash notices the known ways to
// make two contents with one name, as git's own does.
func hashOf(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	h := plumbing.NewHasher(kind, int64(len(data)))
	h.Write(data)
	return h.Sum()
}
