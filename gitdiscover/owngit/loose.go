package owngit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// looseName is where an object lies below an objects directory.
func looseName(h plumbing.Hash) string {
	s := h.String()
	return s[:2] + "/" + s[2:]
}

// looseObject is one object in a file of its own, opened at its content.
type looseObject struct {
	kind plumbing.ObjectType
	size int64
	body io.Reader
	file *os.File
}

// openLoose reads a loose object's head. It takes the file over.
func openLoose(f *os.File) (*looseObject, error) {
	z, err := newInflater(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("does not unpack: %w", err)
	}
	o := &looseObject{body: z, file: f}
	// The head is read byte by byte: an inflater has no way back.
	var head [32]byte
	for i := range head {
		if _, err := io.ReadFull(z, head[i:i+1]); err != nil {
			f.Close()
			return nil, fmt.Errorf("does not unpack: %w", err)
		}
		if head[i] == 0 {
			if o.kind, o.size, err = looseHead(head[:i]); err != nil {
				f.Close()
			}
			return o, err
		}
	}
	f.Close()
	return nil, errors.New("does not start like an object")
}

func looseHead(head []byte) (plumbing.ObjectType, int64, error) {
	word, digits, _ := bytes.Cut(head, []byte(" "))
	kind, err := plumbing.ParseObjectType(string(word))
	if err != nil || kind.IsDelta() || kind == plumbing.AnyObject {
		return plumbing.InvalidObject, 0, errors.New("is of no known type")
	}
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != string(digits) {
		return plumbing.InvalidObject, 0, errors.New("has no proper size")
	}
	return kind, size, nil
}

func (o *looseObject) close() { o.file.Close() }

// readAll returns the content, which must be as long as the head says.
func (o *looseObject) readAll(m *meter) ([]byte, error) {
	if o.size > maxInMemory {
		return nil, refuse(TooLarge, o.file.Name(), "an object of %d bytes would have to be unpacked in memory", o.size)
	}
	buf := newGrowing(o.size)
	err := copyExactly(buf, o.body, o.size, m)
	return buf.b, err
}
