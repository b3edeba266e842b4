package owngit

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// What git fsck --strict asks of an object, and a little more: this is what
// comes into the repository from somebody who may write objects by hand.

// commit is what the take-in needs of one.
type commit struct {
	tree    plumbing.Hash
	parents []plumbing.Hash
	date    int64 // the committer's
}

// ident is a name, an address and a date as git writes them: exactly one pair
// of brackets, a blank before each part, a date without leading zeros.
var ident = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^<>\n]* <[^<>\n]*> (0|[1-9][0-9]{0,18}) [+-][0-9]{4}$`)
})

// headers reads an object's header lines one after the other.
type headers struct {
	rest []byte
}

// take returns the value of the next line if it is of that name.
func (h *headers) take(name string) (string, bool) {
	line, rest, ok := bytes.Cut(h.rest, []byte("\n"))
	if !ok {
		return "", false
	}
	value, ok := bytes.CutPrefix(line, []byte(name+" "))
	if ok {
		h.rest = rest
	}
	return string(value), ok
}

// hash is take for a line that holds an object's name.
func (h *headers) hash(name string) (plumbing.Hash, bool) {
	v, ok := h.take(name)
	if !ok {
		return plumbing.ZeroHash, false
	}
	hash, ok := parseHash(v)
	return hash, ok && hash.String() == v // git writes small letters only
}

func (h *headers) ident(name string) (date int64, ok bool) {
	v, ok := h.take(name)
	m := ident().FindStringSubmatch(v)
	if !ok || m == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	return int64(n), err == nil && n < math.MaxInt64
}

// parseCommit reads a commit and checks its form.
func parseCommit(data []byte) (c commit, err error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return c, fmt.Errorf("the commit holds a NUL byte")
	}
	h := &headers{data}
	var ok bool
	if c.tree, ok = h.hash("tree"); !ok {
		return c, fmt.Errorf("the commit does not start with its tree")
	}
	for bytes.HasPrefix(h.rest, []byte("parent ")) {
		p, ok := h.hash("parent")
		if !ok {
			return c, fmt.Errorf("the commit has a broken parent line")
		}
		c.parents = append(c.parents, p)
	}
	if _, ok = h.ident("author"); !ok {
		return c, fmt.Errorf("the commit's author line is not as git writes it")
	}
	if bytes.HasPrefix(h.rest, []byte("author ")) {
		return c, fmt.Errorf("the commit has two authors")
	}
	if c.date, ok = h.ident("committer"); !ok {
		return c, fmt.Errorf("the commit's committer line is not as git writes it")
	}
	return c, endOfHeaders(h.rest)
}

// endOfHeaders wants the header to end, with an empty line or with the object.
func endOfHeaders(rest []byte) error {
	if len(rest) > 0 && rest[0] != '\n' && !bytes.Contains(rest, []byte("\n\n")) && rest[len(rest)-1] != '\n' {
		return fmt.Errorf("its header has no end")
	}
	return nil
}

// parseTag reads an annotated tag: what it names, and of which type that is.
func parseTag(data []byte) (target plumbing.Hash, kind plumbing.ObjectType, err error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return target, kind, fmt.Errorf("the tag holds a NUL byte")
	}
	h := &headers{data}
	target, ok := h.hash("object")
	if !ok {
		return target, kind, fmt.Errorf("the tag does not start with its object")
	}
	word, _ := h.take("type")
	if kind, err = plumbing.ParseObjectType(word); err != nil || kind.IsDelta() || kind == plumbing.AnyObject {
		return target, kind, fmt.Errorf("the tag's type line is broken")
	}
	name, ok := h.take("tag")
	if !ok || !validRef("refs/tags/"+name) {
		return target, kind, fmt.Errorf("the tag's name is no ref")
	}
	if _, ok := h.ident("tagger"); !ok {
		return target, kind, fmt.Errorf("the tag's tagger line is not as git writes it")
	}
	return target, kind, endOfHeaders(h.rest)
}

// treeEntry is one entry of a tree.
type treeEntry struct {
	mode uint32
	name string
	hash plumbing.Hash
}

func (e *treeEntry) isTree() bool { return e.mode == modeTree }

// kind is the type of object that an entry of that mode names; none for a
// gitlink, whose commit is another repository's.
func (e *treeEntry) kind() plumbing.ObjectType {
	switch e.mode {
	case modeTree:
		return plumbing.TreeObject
	case modeGitlink:
		return plumbing.InvalidObject
	}
	return plumbing.BlobObject
}

// parseTree reads a tree. With strict, it must be one that git would write.
func parseTree(data []byte, strict bool) ([]treeEntry, error) {
	var list []treeEntry
	names := map[string]bool{}
	for len(data) > 0 {
		space, nul := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || nul < space || len(data)-nul-1 < hashSize {
			return nil, fmt.Errorf("the tree is broken")
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		e := treeEntry{mode: uint32(mode), name: string(data[space+1 : nul])}
		copy(e.hash[:], data[nul+1:])
		if err != nil || data[0] == '0' {
			return nil, fmt.Errorf("%+q has no proper mode", e.name)
		}
		data = data[nul+1+hashSize:]
		if strict {
			if err := checkEntry(&e, names, list); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
	}
	return list, nil
}

func checkEntry(e *treeEntry, names map[string]bool, before []treeEntry) error {
	switch e.mode {
	case modeTree, modeFile, modeExec, modeLink, modeGitlink:
	default:
		return fmt.Errorf("%+q has mode %o", e.name, e.mode)
	}
	if why := badName(e.name); why != "" {
		return fmt.Errorf("%+q %s", e.name, why)
	}
	if e.hash.IsZero() {
		return fmt.Errorf("%+q names no object", e.name)
	}
	if names[e.name] {
		return fmt.Errorf("%+q is there twice", e.name)
	}
	names[e.name] = true
	if n := len(before); n > 0 && sortName(&before[n-1]) >= sortName(e) {
		return fmt.Errorf("%+q is in the wrong place", e.name)
	}
	// .gitmodules as a link would be read through it, CVE-2018-17456 and after.
	if e.mode == modeLink && looksLikeModules(e.name) {
		return fmt.Errorf("%+q is a link", e.name)
	}
	return nil
}

// sortName is what a tree is sorted by: a directory's name ends in a slash.
func sortName(e *treeEntry) string {
	if e.isTree() {
		return e.name + "/"
	}
	return e.name
}
