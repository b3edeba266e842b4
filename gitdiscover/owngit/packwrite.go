package owngit

import (
	"bufio"
	"compress/zlib"
	"crypto"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	githash "github.com/go-git/go-git/v5/plumbing/hash"
)

// packWriter writes one pack. Every object is hashed while it goes in: what
// stands in the pack is what was checked, whatever became of the file it was
// read from.
//
// Objects are stored whole. Deltas would be smaller, but the user's next gc
// makes them, and here they would be code between hostile bytes and the store.
type packWriter struct {
	out  *bufio.Writer
	sum  hash.Hash
	crc  hash.Hash32
	off  int64
	z    *zlib.Writer
	idx  idxfile.Writer
	left int
}

// Write passes compressed bytes on; it is what the deflater writes to.
func (w *packWriter) Write(b []byte) (int, error) {
	w.sum.Write(b)
	w.crc.Write(b)
	w.off += int64(len(b))
	return w.out.Write(b)
}

func newPackWriter(out io.Writer, count int) (*packWriter, error) {
	w := &packWriter{out: bufio.NewWriterSize(out, 64<<10), sum: githash.New(crypto.SHA1), crc: crc32.NewIEEE(), left: count}
	w.z = zlib.NewWriter(w)
	if err := w.idx.OnHeader(uint32(count)); err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(count))
	_, err := w.Write(head)
	return w, err
}

// add writes one object and checks that it is what it is called.
func (w *packWriter) add(n newObject, src *opened) error {
	w.crc.Reset()
	start := w.off
	var head []byte
	size := uint64(n.size)
	b := byte(n.kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		head = append(head, b|0x80)
		b = byte(size & 0x7f)
	}
	if _, err := w.Write(append(head, b)); err != nil {
		return err
	}
	w.z.Reset(w)
	h := plumbing.NewHasher(n.kind, n.size)
	if err := src.write(io.MultiWriter(w.z, h)); err != nil {
		return err
	}
	if h.Sum() != n.hash {
		return refuse(BadObject, n.hash.String(), "its content has another name")
	}
	if err := w.z.Close(); err != nil {
		return err
	}
	w.left--
	return w.idx.OnInflatedObjectContent(n.hash, start, w.crc.Sum32(), nil)
}

// finish writes the pack's end and returns its checksum.
func (w *packWriter) finish() (sum plumbing.Hash, err error) {
	if w.left != 0 {
		return sum, errors.New("bug: pack written with a wrong count")
	}
	copy(sum[:], w.sum.Sum(nil))
	if _, err := w.out.Write(sum[:]); err != nil {
		return sum, err
	}
	if err := w.idx.OnFooter(sum); err != nil {
		return sum, err
	}
	return sum, w.out.Flush()
}

// writePack writes the objects as one pack into an objects directory and makes
// it visible. Until then it is a tmp_ file, which git gc clears away when it is
// old: a crash leaves nothing else. The pack is renamed before its index, as
// git sees a pack by its index.
func writePack(objectsDir string, list []newObject, src *private) (name string, err error) {
	dir := filepath.Join(objectsDir, "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(dir, "tmp_pack_")
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	w, err := newPackWriter(tmp, len(list))
	if err != nil {
		return "", err
	}
	for _, n := range list {
		if err := addObject(w, n, src); err != nil {
			return "", err
		}
	}
	sum, err := w.finish()
	if err != nil {
		return "", err
	}
	idx, err := os.CreateTemp(dir, "tmp_idx_")
	if err != nil {
		return "", err
	}
	defer os.Remove(idx.Name())
	defer idx.Close()
	table, err := w.idx.Index()
	if err != nil {
		return "", err
	}
	buffered := bufio.NewWriter(idx)
	if _, err := idxfile.NewEncoder(buffered).Encode(table); err != nil {
		return "", err
	}
	if err := buffered.Flush(); err != nil {
		return "", err
	}
	mode := modeLike(objectsDir, 0o444)
	for _, f := range []struct {
		file *os.File
		name string
	}{{tmp, "pack-" + sum.String() + ".pack"}, {idx, "pack-" + sum.String() + ".idx"}} {
		if err := errors.Join(f.file.Chmod(mode), f.file.Sync()); err != nil {
			return "", err
		}
		if err := os.Rename(f.file.Name(), filepath.Join(dir, f.name)); err != nil {
			return "", err
		}
	}
	return "pack-" + sum.String(), syncDir(dir)
}

func addObject(w *packWriter, n newObject, src *private) error {
	o, err := src.open(n.hash)
	if err != nil {
		return err
	}
	defer o.close()
	if o.kind != n.kind || o.size != n.size {
		return refuse(Changed, n.hash.String(), "the object changed while it was read")
	}
	return w.add(n, o)
}

// syncDir makes a rename in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// modeLike is the mode of a new file in dir: readable, and writable where mask
// allows it, for those the directory is (core.sharedRepository).
func modeLike(dir string, mask os.FileMode) os.FileMode {
	mode := os.FileMode(0o600)
	if st, err := os.Stat(dir); err == nil {
		mode |= st.Mode().Perm() & 0o066
	}
	return mode & mask
}
