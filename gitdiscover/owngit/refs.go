package owngit

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"
)

// ref is one ref by value: a hash, or for a symbolic ref another name.
type ref struct {
	name   string
	hash   plumbing.Hash
	target string // "" unless symbolic
	peeled string // hex of what a tag names, "" when not known
}

// parseRefFile reads what one loose ref, or HEAD, says.
func parseRefFile(data []byte) (hash plumbing.Hash, target string, ok bool) {
	text := strings.TrimRight(string(data), " \t\r\n")
	if rest, isSym := strings.CutPrefix(text, "ref:"); isSym {
		target = strings.TrimLeft(rest, " \t")
		return plumbing.ZeroHash, target, validRef(target)
	}
	hash, ok = parseHash(text)
	return hash, "", ok
}

func parseHash(s string) (h plumbing.Hash, ok bool) {
	if len(s) != 2*hashSize {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(s))
	return h, err == nil && !h.IsZero()
}

// looseRefs reads every loose ref below commonDir. A file that git would not
// take for a ref (an empty one after a crash, a lock, a link) is passed over,
// as git itself goes on without it.
func looseRefs(commonDir string) ([]ref, error) {
	var list []ref
	var walk func(name string) error
	walk = func(name string) error {
		entries, err := os.ReadDir(filepath.Join(commonDir, name))
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			child := name + "/" + e.Name()
			if e.IsDir() {
				if err := walk(child); err != nil {
					return err
				}
				continue
			}
			if !e.Type().IsRegular() || !validRef(child) {
				continue
			}
			data, err := readRegular(filepath.Join(commonDir, child), maxRefFile)
			if err != nil {
				continue // gone, as refs are deleted and packed while we look
			}
			if hash, target, ok := parseRefFile(data); ok {
				if list = append(list, ref{name: child, hash: hash, target: target}); len(list) > maxLooseRefs {
					return refuse(TooLarge, filepath.Join(commonDir, "refs"), "more than %d loose refs", maxLooseRefs)
				}
			}
		}
		return nil
	}
	return list, walk("refs")
}

// parsePackedRefs calls fn for each line of a packed-refs file.
func parsePackedRefs(data []byte, fn func(ref)) error {
	var current ref
	flush := func() {
		if current.name != "" {
			fn(current)
		}
		current = ref{}
	}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		switch {
		case len(line) == 0 || line[0] == '#':
		case line[0] == '^':
			if _, ok := parseHash(string(line[1:])); !ok || current.name == "" {
				return errors.New("a line starts with ^ and names no object")
			}
			current.peeled = string(line[1:])
		default:
			flush()
			if len(line) < 2*hashSize+2 || line[2*hashSize] != ' ' {
				return errors.New("a line is no ref")
			}
			h, ok := parseHash(string(line[:2*hashSize]))
			name := string(line[2*hashSize+1:])
			if !ok || !validRef(name) {
				return errors.New("a line is no ref")
			}
			current = ref{name: name, hash: h}
		}
	}
	flush()
	return nil
}

// snapshot is the refs that the lane gets.
type snapshot struct {
	packed   []byte // as a packed-refs file
	symbolic []ref  // which such a file cannot hold
}

// readRefs takes a snapshot. Loose refs are read before the packed ones: git
// pack-refs moves them in that direction, so none is missed.
//
// The lines of packed-refs are copied as they stand, since there may be many:
// what is wrong with one is as wrong in the lane.
func readRefs(commonDir string) (*snapshot, error) {
	loose, err := looseRefs(commonDir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(commonDir, "packed-refs")
	data, _, err := readIfThere(path, maxPackedRefs)
	if err != nil {
		return nil, unreadable(path, err)
	}
	s := &snapshot{}
	var direct []ref
	override := make(map[string]bool, len(loose))
	for _, r := range loose {
		override[r.name] = true
		switch {
		case !copied(r.name):
		case r.target != "":
			s.symbolic = append(s.symbolic, r)
		default:
			direct = append(direct, r)
		}
	}
	slices.SortFunc(direct, func(a, b ref) int { return strings.Compare(a.name, b.name) })
	m := &refMerge{loose: direct}
	// Only "sorted" is claimed. With "fully-peeled" git would take every tag
	// that comes from a loose ref for one that names a commit itself.
	m.out.Grow(len(data) + len(direct)*80 + 100)
	m.out.WriteString("# pack-refs with: sorted \n")
	if !inOrder(data) {
		data = sortPacked(data)
	}
	skip := false
	for line := range bytes.Lines(data) {
		name := packedName(line)
		switch {
		case line[0] == '^' && !skip:
			m.out.Write(line)
		case name == nil:
		default:
			if skip = override[string(name)] || !copied(string(name)); !skip {
				m.upTo(string(name))
				m.out.Write(line)
			}
		}
	}
	m.upTo("")
	s.packed = m.out.Bytes()
	return s, nil
}

// refMerge writes loose refs between packed ones.
type refMerge struct {
	loose []ref
	out   bytes.Buffer
}

// upTo writes the loose refs that sort before name, all of them for "".
func (m *refMerge) upTo(name string) {
	for len(m.loose) > 0 && (name == "" || m.loose[0].name < name) {
		fmt.Fprintf(&m.out, "%s %s\n", m.loose[0].hash, m.loose[0].name)
		m.loose = m.loose[1:]
	}
}

// packedName returns the name in a line of packed-refs, nil for other lines.
func packedName(line []byte) []byte {
	if len(line) < 2*hashSize+3 || line[2*hashSize] != ' ' || line[0] == '#' || line[0] == '^' {
		return nil
	}
	return bytes.TrimSuffix(line[2*hashSize+1:], []byte("\n"))
}

// inOrder checks what a header may claim: git before 2.15 did not sort.
func inOrder(data []byte) bool {
	var prev []byte
	for line := range bytes.Lines(data) {
		if name := packedName(line); name != nil {
			if bytes.Compare(prev, name) >= 0 {
				return false
			}
			prev = name
		}
	}
	return true
}

// sortPacked sorts the lines by name; what a tag is peeled to goes with it.
func sortPacked(data []byte) []byte {
	type entry struct{ name, lines []byte }
	var list []entry
	for line := range bytes.Lines(data) {
		if name := packedName(line); name != nil {
			list = append(list, entry{name, slices.Clone(line)})
		} else if n := len(list); n > 0 && line[0] == '^' {
			list[n-1].lines = append(list[n-1].lines, line...)
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.name, b.name) })
	var out []byte
	for _, e := range list {
		out = append(out, e.lines...)
	}
	return out
}

// each calls fn for every ref by value. The name is only good during the call.
func (s *snapshot) each(fn func(name []byte, hash plumbing.Hash)) {
	for line := range bytes.Lines(s.packed) {
		var h plumbing.Hash
		if name := packedName(line); name != nil {
			if _, err := hex.Decode(h[:], line[:2*hashSize]); err == nil {
				fn(name, h)
			}
		}
	}
}

// conflict returns a ref that cannot be there together with name, as one would
// be a file where the other is a directory.
func (s *snapshot) conflict(name string) (other string) {
	s.each(func(have []byte, _ plumbing.Hash) {
		if bytes.HasPrefix(have, []byte(name+"/")) || strings.HasPrefix(name, string(have)+"/") {
			other = string(have)
		}
	})
	return other
}

// value returns a ref's hash in the snapshot, "" when it is not there.
func (s *snapshot) value(name string) string {
	r, found := findPacked(s.packed, name)
	if !found {
		return ""
	}
	return r.hash.String()
}

// resolveRef returns the value of one ref of the repository; found is false
// for one that does not exist. It is read loose first, then packed, and once
// more if it moved from the one to the other meanwhile.
func resolveRef(commonDir, name string) (r ref, found bool, err error) {
	path := filepath.Join(commonDir, name)
	for range 3 {
		data, there, err := readIfThere(path, maxRefFile)
		// An empty directory of that name is what a deleted ref left.
		if err != nil && !errors.Is(err, unix.EISDIR) && !errors.Is(err, errNotRegular) {
			return r, false, unreadable(path, err)
		}
		if there {
			h, target, ok := parseRefFile(data)
			if !ok {
				return r, false, refuse(Unreadable, path, "is not a ref as git writes one")
			}
			return ref{name: name, hash: h, target: target}, true, nil
		}
		packed := filepath.Join(commonDir, "packed-refs")
		data, _, err = readIfThere(packed, maxPackedRefs)
		if err != nil {
			return r, false, unreadable(packed, err)
		}
		if r, found = findPacked(data, name); found {
			return r, true, nil
		}
		if !exists(path) {
			return r, false, nil
		}
	}
	return r, false, nil
}

// findPacked looks a name up without taking the file apart.
func findPacked(data []byte, name string) (ref, bool) {
	want := []byte(" " + name + "\n")
	if !bytes.HasSuffix(data, []byte("\n")) {
		data = append(slices.Clip(data), '\n')
	}
	for from := 0; ; {
		i := bytes.Index(data[from:], want)
		if i < 0 {
			return ref{}, false
		}
		i += from
		if start := i - 2*hashSize; start >= 0 && (start == 0 || data[start-1] == '\n') {
			if h, ok := parseHash(string(data[start:i])); ok {
				return ref{name: name, hash: h}, true
			}
		}
		from = i + 1
	}
}
