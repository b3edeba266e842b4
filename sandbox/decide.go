package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Decision is the answer to one question about one path, with the row that
// gave it.
type Decision struct {
	Allowed bool `json:"allowed"`
	// Own says that the path lies where only the lane's own files are: what
	// the host has under that name is neither seen nor changed.
	Own bool `json:"own,omitempty"`
	Row Row  `json:"row"`
}

// Contains reports whether path is dir or lies below it, by component:
// "/a/bc" does not lie below "/a/b". Both must be absolute and clean.
func Contains(dir, path string) bool {
	if dir == path || dir == "/" {
		return true
	}
	return strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

// RowFor returns the row that decides about path: the one with the longest
// path that contains it.
func (p Policy) RowFor(path string) (Row, bool) {
	var best Row
	found := false
	for _, row := range p.Rows {
		if !Contains(row.Path, path) {
			continue
		}
		longer := len(row.Path) > len(best.Path)
		// Validate refuses two rows for one path; should a caller ask an
		// unvalidated policy, the row that gives less wins.
		stricter := len(row.Path) == len(best.Path) && generosity(row.Access) < generosity(best.Access)
		if !found || longer || stricter {
			best, found = row, true
		}
	}
	return best, found
}

func generosity(a Access) int {
	return slices.Index([]Access{Hide, Protect, Read, Processes, Devices, Private, Write}, a)
}

// Decide answers whether the confined processes may read or write path.
// Access is Read or Write; any other value, a path that is not absolute and
// clean, and a path that no row contains are refused.
//
// It judges the name it is given: callers resolve symbolic links first, as
// the kernel will.
func (p Policy) Decide(path string, access Access) Decision {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return Decision{}
	}
	row, ok := p.RowFor(path)
	if !ok || (access != Read && access != Write) {
		return Decision{Row: row}
	}
	d := Decision{Row: row}
	switch row.Access {
	case Read, Protect:
		d.Allowed = access == Read
	case Write:
		d.Allowed = true
	case Private:
		d.Allowed, d.Own = true, true
	case Hide:
		d.Own = true
	case Devices:
		d.Own = true
		d.Allowed = access == Read || deviceWritable(row.Path, path)
	case Processes:
		d.Own = true
		d.Allowed = access == Read || procWritable(row.Path, path)
	}
	return d
}

// Allows is Decide without the row.
func (p Policy) Allows(path string, access Access) bool {
	return p.Decide(path, access).Allowed
}

// DeviceNodes are the names in a Devices row that can be opened for writing.
var DeviceNodes = []string{
	"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console",
	"pts", "fd", "stdin", "stdout", "stderr",
}

func deviceWritable(dev, path string) bool {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, dev), "/")
	first, rest, below := strings.Cut(rel, "/")
	if below && first != "pts" && first != "fd" {
		return false
	}
	// The directory pts is devpts itself: only its nodes are writable.
	if first == "pts" && rest == "" {
		return false
	}
	return slices.Contains(DeviceNodes, first)
}

// procWritable: the files of the lane's own processes, where the kernel
// applies its own permissions; never /proc/sys and the like.
func procWritable(proc, path string) bool {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, proc), "/")
	first, _, below := strings.Cut(rel, "/")
	if !below {
		return false
	}
	if first == "self" || first == "thread-self" {
		return true
	}
	return first != "" && strings.Trim(first, "0123456789") == ""
}

// Sorted returns the rows with parents before children. Mounting them in
// this order gives what Decide says: a later, longer path lies on top.
func (p Policy) Sorted() []Row {
	rows := slices.Clone(p.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return comparePaths(a.Path, b.Path) })
	return rows
}

// comparePaths orders by component, so that "/a/b" comes right before
// "/a/b/c" and "/a/b-x" does not come between them.
func comparePaths(a, b string) int {
	return slices.Compare(components(a), components(b))
}

func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
