package owngit

import (
	"encoding/binary"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// scanPack finds every object of a pack from its bytes and calls found with
// each one's name. Objects that are no delta come first, in the pack's order;
// then the deltas, each as soon as its base has a name.
//
// before is how many objects other packs held already, for the limit.
func scanPack(p *pack, m *meter, found func(plumbing.Hash, packedAt), before int) error {
	var head [12]byte
	if p.size < int64(len(head))+hashSize {
		return p.broken(0, "is too short")
	}
	if _, err := p.r.ReadAt(head[:], 0); err != nil {
		return err
	}
	version, count := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "PACK" || version != 2 && version != 3 {
		return p.broken(0, "does not start like a pack")
	}
	if int64(count)+int64(before) > int64(m.limits.Objects) {
		return refuse(TooLarge, p.name, "holds %d objects, more than the %d allowed", count, m.limits.Objects)
	}
	s := &deltaScan{p, m, found, map[int64]bool{}, map[int64]plumbing.Hash{}, map[plumbing.Hash][]packEntry{}}
	deltas, end, err := s.entries(count)
	if err != nil {
		return err
	}
	if end != p.size-hashSize {
		return p.broken(end, "has bytes that belong to no object")
	}
	return s.resolve(deltas)
}

// entries goes through the pack once: where an entry ends is known only when
// it has been unpacked.
func (s *deltaScan) entries(count uint32) (deltas []packEntry, end int64, err error) {
	p, m, off := s.p, s.m, int64(12)
	for range count {
		e, err := p.entry(off)
		if err != nil {
			return nil, 0, err
		}
		if err := m.admit("an object of "+p.name, e.size); err != nil {
			return nil, 0, err
		}
		var used int64
		if e.isDelta() {
			deltas = append(deltas, e)
			used, err = p.inflate(e, io.Discard, m)
		} else {
			h := plumbing.NewHasher(e.kind, e.size)
			used, err = p.inflate(e, h, m)
			if err == nil {
				s.found(h.Sum(), packedAt{p, off, e.kind, e.size})
				s.named[off] = true
			}
		}
		if err != nil {
			return nil, 0, err
		}
		off = e.data + used
	}
	return deltas, off, nil
}

// deltaScan names the deltas of one pack.
type deltaScan struct {
	p     *pack
	m     *meter
	found func(plumbing.Hash, packedAt)
	// named are the entries that have a name; waits, those that wait for an
	// object of that name; waiting, the same the other way round.
	named   map[int64]bool
	waits   map[int64]plumbing.Hash
	waiting map[plumbing.Hash][]packEntry
}

// resolve names every delta. Most have their base before them; one whose base
// is given by name may have to wait for it, and others for that one.
func (s *deltaScan) resolve(deltas []packEntry) error {
	for len(deltas) > 0 {
		e := deltas[0]
		deltas = deltas[1:]
		if h, wait, err := s.mustWait(e); err != nil {
			return err
		} else if wait {
			s.waits[e.offset] = h
			s.waiting[h] = append(s.waiting[h], e)
			continue
		}
		kind, data, err := s.p.object(e.offset, s.m)
		if err != nil {
			return err
		}
		size := int64(len(data))
		if err := s.m.admit("an object of "+s.p.name, size); err != nil {
			return err
		}
		h := hashOf(kind, data)
		s.found(h, packedAt{s.p, e.offset, kind, size})
		s.named[e.offset] = true
		deltas = append(deltas, s.waiting[h]...)
		delete(s.waiting, h)
	}
	for h, list := range s.waiting {
		return s.p.broken(list[0].offset, "its base %s is not in the pack", h)
	}
	return nil
}

// mustWait says for which name a delta has to wait.
func (s *deltaScan) mustWait(e packEntry) (h plumbing.Hash, wait bool, err error) {
	if e.kind == plumbing.REFDeltaObject {
		_, ok := s.p.byName(e.baseHash)
		return e.baseHash, !ok, nil
	}
	if s.named[e.base] {
		return h, false, nil
	}
	if h, wait = s.waits[e.base]; !wait {
		err = s.p.broken(e.offset, "its base is no object")
	}
	return h, wait, err
}
