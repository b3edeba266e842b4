package owngit

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// store is the repository's own objects, with those it borrows. It belongs to
// the user and was read-only in the lane, so its indexes are believed.
//
// go-git's object storage is not used here: it reads every .idx whole before
// it answers the first question, hundreds of megabytes in a large repository,
// for each of the lanes that take in at once.
type store struct {
	dirs   []string
	packs  []*sharedPack
	listed map[string]time.Time // when a pack directory was last listed
	m      *meter
}

func openStore(dirs []string, m *meter) (*store, error) {
	s := &store{dirs: dirs, listed: map[string]time.Time{}, m: m}
	_, err := s.relist()
	return s, err
}

func (s *store) close() {
	for _, p := range s.packs {
		p.close()
	}
}

// relist opens packs that appeared since it was called last, and says whether
// there are any. The user's git may repack at any time; a pack that is open
// stays readable when its file is gone.
func (s *store) relist() (more bool, err error) {
	for _, d := range s.dirs {
		dir := filepath.Join(d, "pack")
		st, err := os.Stat(dir)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return more, unreadable(dir, err)
		}
		if s.listed[dir].Equal(st.ModTime()) {
			continue
		}
		names, err := filepath.Glob(strings.ReplaceAll(dir, `\`, `\\`) + "/pack-*.idx")
		if err != nil {
			return more, err
		}
		for _, name := range names {
			if s.has(name) {
				continue
			}
			p, err := openShared(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // repacked meanwhile
			}
			if err != nil {
				return more, unreadable(name, err)
			}
			s.packs = append(s.packs, p)
			more = true
		}
		// A directory that changed within the clock's tick is listed again.
		if time.Since(st.ModTime()) > time.Second {
			s.listed[dir] = st.ModTime()
		}
	}
	return more, nil
}

func (s *store) has(idx string) bool {
	for _, p := range s.packs {
		if p.idx.Name() == idx {
			return true
		}
	}
	return false
}

// find looks an object up: in packs, then loose, then in packs that are new.
// The loose file is open and the caller's.
func (s *store) find(h plumbing.Hash) (p *sharedPack, off int64, loose *os.File, err error) {
	for {
		for i, p := range s.packs {
			off, ok, err := p.lookup(h)
			if err != nil {
				return nil, 0, nil, unreadable(p.idx.Name(), err)
			}
			if ok {
				s.packs[0], s.packs[i] = s.packs[i], s.packs[0] // the next is likely in the same
				return p, off, nil, nil
			}
		}
		for _, d := range s.dirs {
			f, err := os.Open(filepath.Join(d, looseName(h)))
			if err == nil {
				return nil, 0, f, nil
			}
			if !isMissing(err) {
				return nil, 0, nil, unreadable(d, err)
			}
		}
		if more, err := s.relist(); !more || err != nil {
			return nil, 0, nil, err
		}
	}
}

// kind returns an object's type; found is false when the store has none of
// that name.
func (s *store) kind(h plumbing.Hash) (kind plumbing.ObjectType, found bool, err error) {
	p, off, f, err := s.find(h)
	switch {
	case err != nil:
		return 0, false, err
	case f != nil:
		o, err := openLoose(f)
		if err != nil {
			return 0, false, unreadable(f.Name(), err)
		}
		o.close()
		return o.kind, true, nil
	case p == nil:
		return 0, false, nil
	}
	if kind, err = p.kindAt(off); err != nil {
		return 0, false, unreadable(p.idx.Name(), err)
	}
	return kind, true, nil
}

// read returns an object that fits in memory.
func (s *store) read(h plumbing.Hash) (kind plumbing.ObjectType, data []byte, found bool, err error) {
	p, off, f, err := s.find(h)
	switch {
	case err != nil:
		return 0, nil, false, err
	case f != nil:
		o, err := openLoose(f)
		if err != nil {
			return 0, nil, false, unreadable(f.Name(), err)
		}
		defer o.close()
		data, err := o.readAll(s.m)
		return o.kind, data, true, err
	case p == nil:
		return 0, nil, false, nil
	}
	kind, data, err = p.object(off, s.m)
	return kind, data, err == nil, err
}

// sharedPack is a pack with its index, which is searched where it lies.
type sharedPack struct {
	pack
	idx    *os.File
	file   *os.File
	fanout [256]uint32
	count  int64
	names  int64 // where in the index the names start
}

const idxHeader = 8 + 256*4

func openShared(idxName string) (*sharedPack, error) {
	p := &sharedPack{}
	var err error
	if p.idx, err = os.Open(idxName); err != nil {
		return nil, err
	}
	if p.file, err = os.Open(strings.TrimSuffix(idxName, ".idx") + ".pack"); err != nil {
		p.idx.Close()
		return nil, err
	}
	st, err := p.file.Stat()
	if err == nil {
		err = p.readFanout()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	p.pack = pack{r: p.file, size: st.Size(), name: p.file.Name(), cache: newBaseCache()}
	p.byName = func(h plumbing.Hash) (int64, bool) {
		off, ok, err := p.lookup(h)
		return off, ok && err == nil
	}
	return p, nil
}

func (p *sharedPack) readFanout() error {
	var head [idxHeader]byte
	if _, err := p.idx.ReadAt(head[:], 0); err != nil {
		return err
	}
	if string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return errors.New("is no pack index of version 2")
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fanout[i] < p.fanout[i-1] {
			return errors.New("is no proper pack index")
		}
	}
	p.count, p.names = int64(p.fanout[255]), idxHeader
	return nil
}

func (p *sharedPack) close() {
	p.idx.Close()
	p.file.Close()
}

// lookup finds an object's offset in the pack.
func (p *sharedPack) lookup(h plumbing.Hash) (off int64, found bool, err error) {
	lo, hi := int64(0), int64(p.fanout[h[0]])
	if h[0] > 0 {
		lo = int64(p.fanout[h[0]-1])
	}
	var name plumbing.Hash
	for lo < hi {
		mid := (lo + hi) / 2
		if _, err := p.idx.ReadAt(name[:], p.names+mid*hashSize); err != nil {
			return 0, false, err
		}
		switch c := strings.Compare(string(name[:]), string(h[:])); {
		case c < 0:
			lo = mid + 1
		case c > 0:
			hi = mid
		default:
			off, err = p.offset(mid)
			return off, err == nil, err
		}
	}
	return 0, false, nil
}

// offset reads the offset of the i-th object: 31 bits, or where to find 63.
func (p *sharedPack) offset(i int64) (int64, error) {
	var b [8]byte
	at := p.names + p.count*(hashSize+4)
	if _, err := p.idx.ReadAt(b[:4], at+i*4); err != nil {
		return 0, err
	}
	v := binary.BigEndian.Uint32(b[:])
	if v&(1<<31) == 0 {
		return int64(v), nil
	}
	_, err := p.idx.ReadAt(b[:], at+p.count*4+int64(v&^(1<<31))*8)
	return int64(binary.BigEndian.Uint64(b[:])), err
}
