package owngit

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// pack reads objects out of one pack file. It is used for the repository's
// packs, with their index, and for the agent's, whose index is not believed.
//
// go-git's own parser is not used here: it reserves what an entry claims to
// unpack to, up to 1 GiB, and has no bound on what a delta makes of its base.
type pack struct {
	r    io.ReaderAt
	size int64
	name string
	// byName finds an object in the same pack by name, for the deltas that name
	// their base so; nil while that is not known.
	byName func(plumbing.Hash) (int64, bool)
	cache  *baseCache
}

// errPack is what is wrong with a pack's bytes.
type errPack struct {
	pack   string
	offset int64
	detail string
}

func (e *errPack) Error() string { return fmt.Sprintf("%s at %d: %s", e.pack, e.offset, e.detail) }

func (p *pack) broken(off int64, format string, args ...any) error {
	return &errPack{p.name, off, fmt.Sprintf(format, args...)}
}

// at says where an error was met; a refusal stays one.
func (p *pack) at(off int64, err error) error {
	var r *RefusedError
	if errors.As(err, &r) {
		return err
	}
	return p.broken(off, "%v", err)
}

// packEntry is the head of one entry.
type packEntry struct {
	offset   int64 // of the entry
	data     int64 // of its compressed data
	kind     plumbing.ObjectType
	size     int64 // unpacked; of a delta, the delta's own
	base     int64 // offset of a delta's base, if it is given by offset
	baseHash plumbing.Hash
}

func (e *packEntry) isDelta() bool { return e.kind.IsDelta() }

// maxEntryHead is type and size (10 bytes) and a base (20).
const maxEntryHead = 32

func (p *pack) entry(off int64) (e packEntry, err error) {
	var buf [maxEntryHead]byte
	if off < 12 || off >= p.size-hashSize {
		return e, p.broken(off, "is no place for an entry")
	}
	n, err := p.r.ReadAt(buf[:], off)
	if err != nil && !errors.Is(err, io.EOF) {
		return e, err
	}
	b := buf[:n]
	e.offset, e.kind = off, plumbing.ObjectType(b[0]>>4&7)
	size, shift, i := uint64(b[0]&15), 4, 1
	for more := b[0]&0x80 != 0; more; i++ {
		if i >= len(b) || shift > 57 {
			return e, p.broken(off, "its size is broken")
		}
		size |= uint64(b[i]&0x7f) << shift
		shift += 7
		more = b[i]&0x80 != 0
	}
	if size > 1<<62 {
		return e, p.broken(off, "its size is broken")
	}
	e.size = int64(size)
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		back, n := offsetVarint(b[i:])
		if n == 0 || back == 0 || back > uint64(off) {
			return e, p.broken(off, "its base is broken")
		}
		i += n
		e.base = off - int64(back)
	case plumbing.REFDeltaObject:
		if len(b)-i < hashSize {
			return e, p.broken(off, "its base is broken")
		}
		i += copy(e.baseHash[:], b[i:i+hashSize])
	default:
		return e, p.broken(off, "its type is %d", e.kind)
	}
	e.data = off + int64(i)
	return e, nil
}

// baseOf returns the entry that a delta is made from.
func (p *pack) baseOf(e packEntry) (packEntry, error) {
	off := e.base
	if e.kind == plumbing.REFDeltaObject {
		ok := false
		if p.byName != nil {
			off, ok = p.byName(e.baseHash)
		}
		if !ok {
			return packEntry{}, p.broken(e.offset, "its base %s is not in the pack", e.baseHash)
		}
	}
	return p.entry(off)
}

// kindAt returns the type of the object at off without unpacking it.
func (p *pack) kindAt(off int64) (plumbing.ObjectType, error) {
	e, err := p.entry(off)
	for n := 0; err == nil && e.isDelta(); n++ {
		if n > maxChain {
			return plumbing.InvalidObject, p.broken(off, "its delta chain is a circle")
		}
		e, err = p.baseOf(e)
	}
	return e.kind, err
}

// countingReader knows how much of a compressed stream was used; as it is a
// byte reader, the inflater takes no byte too many.
type countingReader struct {
	*bufio.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *countingReader) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

var inflaters sync.Pool

// inflate writes an entry's unpacked data to w, exactly as many bytes as it
// claims, and returns how many compressed ones that took.
func (p *pack) inflate(e packEntry, w io.Writer, m *meter) (int64, error) {
	src := &countingReader{Reader: bufio.NewReaderSize(io.NewSectionReader(p.r, e.data, p.size-hashSize-e.data), 8<<10)}
	z, err := newInflater(src)
	if err != nil {
		return 0, p.broken(e.offset, "%v", err)
	}
	defer inflaters.Put(z)
	if err := copyExactly(w, z, e.size, m); err != nil {
		return 0, p.at(e.offset, err)
	}
	return src.n, nil
}

func newInflater(r io.Reader) (io.ReadCloser, error) {
	if z, ok := inflaters.Get().(io.ReadCloser); ok {
		if err := z.(zlib.Resetter).Reset(r, nil); err != nil {
			return nil, err
		}
		return z, nil
	}
	return zlib.NewReader(r)
}

// copyExactly copies size bytes and wants the source to end there. Each piece
// is paid for before it is written, so that a claim of little and a stream of
// much costs no more than a piece.
func copyExactly(w io.Writer, r io.Reader, size int64, m *meter) error {
	buf := make([]byte, min(size+1, 64<<10))
	var done int64
	for {
		n, err := r.Read(buf)
		if err := m.spend(int64(n)); err != nil {
			return err
		}
		if done += int64(n); done > size {
			return errors.New("unpacks to more than it says")
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF) && done == size:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("unpacks to less than it says")
		case err != nil:
			return fmt.Errorf("does not unpack: %w", err)
		}
	}
}

// unpack returns an entry's own data: an object's, or a delta's.
func (p *pack) unpack(e packEntry, m *meter) ([]byte, error) {
	if e.size > maxInMemory {
		return nil, refuse(TooLarge, p.name, "an object of %d bytes would have to be unpacked in memory", e.size)
	}
	buf := newGrowing(e.size)
	if _, err := p.inflate(e, buf, m); err != nil {
		return nil, err
	}
	return buf.b, nil
}

// growing collects bytes without reserving more than has arrived, beyond a
// small first step.
type growing struct{ b []byte }

func newGrowing(hint int64) *growing { return &growing{make([]byte, 0, min(hint, 1<<20))} }

func (g *growing) Write(b []byte) (int, error) {
	g.b = append(g.b, b...)
	return len(b), nil
}

// object returns the object at off, with all its deltas applied. It goes down
// the chain to the nearest base that is still at hand.
func (p *pack) object(off int64, m *meter) (kind plumbing.ObjectType, data []byte, err error) {
	e, err := p.entry(off)
	if err != nil {
		return kind, nil, err
	}
	var deltas []packEntry
	for {
		if b, ok := p.cache.data[e.offset]; ok {
			kind, data = b.kind, b.data
			break
		}
		if !e.isDelta() {
			kind = e.kind
			if data, err = p.unpack(e, m); err != nil {
				return kind, nil, err
			}
			p.cache.put(e.offset, kind, data)
			break
		}
		if deltas = append(deltas, e); len(deltas) > maxChain {
			return kind, nil, p.broken(off, "its delta chain is longer than %d, or a circle", maxChain)
		}
		if e, err = p.baseOf(e); err != nil {
			return kind, nil, err
		}
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		delta, err := p.unpack(deltas[i], m)
		if err != nil {
			return kind, nil, err
		}
		if data, err = applyDelta(data, delta, m); err != nil {
			return kind, nil, p.at(deltas[i].offset, err)
		}
		p.cache.put(deltas[i].offset, kind, data)
	}
	return kind, data, nil
}
