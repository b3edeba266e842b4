package owngit

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// private is the object store of the lane's git directory, read as data from
// an enemy. Loose objects are looked for by name; packs are indexed here, from
// their bytes.
type private struct {
	dir    *hostileDir
	m      *meter
	packs  []*pack
	files  []*os.File
	packed map[plumbing.Hash]packedAt
}

// packedAt is where an object lies and what it unpacks to.
type packedAt struct {
	pack *pack
	off  int64
	kind plumbing.ObjectType
	size int64
}

const (
	maxPacks       = 1000
	maxPrivatePack = 4 << 30
)

func openPrivate(dir *hostileDir, m *meter) (*private, error) {
	p := &private{dir: dir, m: m, packed: map[plumbing.Hash]packedAt{}}
	names, err := dir.list("objects/pack", 10*maxPacks)
	if err != nil {
		return nil, err
	}
	for _, e := range names {
		// Other names (.idx, .rev, .mtimes, multi-pack-index, tmp_pack_*) are
		// never opened. A git that dies leaves tmp_pack_* behind.
		if !strings.HasPrefix(e.name, "pack-") || !strings.HasSuffix(e.name, ".pack") {
			continue
		}
		if len(p.packs) == maxPacks {
			p.close()
			return nil, refuse(TooLarge, dir.path+"/objects/pack", "holds more than %d packs", maxPacks)
		}
		if err := p.addPack("objects/pack/" + e.name); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *private) close() {
	for _, f := range p.files {
		f.Close()
	}
}

func (p *private) addPack(rel string) error {
	f, size, err := p.dir.open(rel)
	if err != nil {
		return err
	}
	p.files = append(p.files, f)
	if size > maxPrivatePack {
		return refuse(TooLarge, f.Name(), "is %d bytes", size)
	}
	own := map[plumbing.Hash]int64{}
	k := &pack{r: f, size: size, name: f.Name(), cache: newBaseCache()}
	k.byName = func(h plumbing.Hash) (int64, bool) {
		off, ok := own[h]
		return off, ok
	}
	p.packs = append(p.packs, k)
	err = scanPack(k, p.m, func(h plumbing.Hash, at packedAt) {
		own[h] = at.off
		if _, ok := p.packed[h]; !ok {
			p.packed[h] = at
		}
	}, len(p.packed))
	return badObject(f.Name(), err)
}

// badObject turns what is wrong with the agent's bytes into a refusal.
func badObject(path string, err error) error {
	var r *RefusedError
	if err == nil || errors.As(err, &r) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return refuse(BadObject, path, "%v", err)
}

// opened is an object ready to be read. It is closed by the caller.
type opened struct {
	kind  plumbing.ObjectType
	size  int64
	write func(w io.Writer) error // the content, once
	close func()
}

// open looks an object up. It is fs.ErrNotExist when the store has none of
// that name. What it is called by is not what it is: whoever reads it compares.
func (p *private) open(h plumbing.Hash) (*opened, error) {
	if at, ok := p.packed[h]; ok {
		return &opened{kind: at.kind, size: at.size, close: func() {}, write: func(w io.Writer) error {
			e, err := at.pack.entry(at.off)
			if err == nil && !e.isDelta() {
				_, err = at.pack.inflate(e, w, p.m)
				return badObject(at.pack.name, err)
			}
			_, data, err := at.pack.object(at.off, p.m)
			if err == nil {
				_, err = w.Write(data)
			}
			return badObject(at.pack.name, err)
		}}, nil
	}
	f, size, err := p.dir.open("objects/" + looseName(h))
	if err != nil {
		return nil, err
	}
	if size > p.m.limits.Object {
		f.Close()
		return nil, refuse(TooLarge, f.Name(), "is %d bytes", size)
	}
	o, err := openLoose(f)
	if err != nil {
		return nil, badObject(f.Name(), err)
	}
	return &opened{kind: o.kind, size: o.size, close: o.close, write: func(w io.Writer) error {
		return badObject(f.Name(), copyExactly(w, o.body, o.size, p.m))
	}}, nil
}

// read returns an object that fits in memory, its name checked.
func (p *private) read(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	o, err := p.open(h)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	defer o.close()
	if o.size > maxInMemory {
		return o.kind, nil, refuse(TooLarge, h.String(), "a %s of %d bytes", o.kind, o.size)
	}
	buf := newGrowing(o.size)
	if err := o.write(buf); err != nil {
		return o.kind, nil, err
	}
	if hashOf(o.kind, buf.b) != h {
		return o.kind, nil, refuse(BadObject, h.String(), "its content has another name")
	}
	return o.kind, buf.b, nil
}
