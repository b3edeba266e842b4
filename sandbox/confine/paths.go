package confine

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// PathError says why a row cannot be mounted on this host.
type PathError struct {
	Reason string // stable word: path-missing, path-symlink, path-kind
	Path   string
	Detail string
}

func (e *PathError) Error() string { return fmt.Sprintf("%s: %+q: %s", e.Reason, e.Path, e.Detail) }

// CheckPaths looks at every path of the policy on this host, right before
// the start: a mount point that does not exist would be created there, one
// behind a link would land elsewhere, and one of another kind would fail.
// Only directly over a Private or Hide row is a missing mount point fine: it
// is made in memory.
func CheckPaths(p sandbox.Policy) error {
	for _, row := range p.Sorted() {
		for _, path := range hostPaths(p, row) {
			if err := checkPath(path, row.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// hostPaths are what has to exist for a row: what it shows, and what it is
// mounted on. The latter is a file of the row that it lies in, and so, where
// that one shows another directory, not the file of the row's own name.
func hostPaths(p sandbox.Policy, row sandbox.Row) []string {
	var paths []string
	switch row.Access {
	case sandbox.Read, sandbox.Write, sandbox.Protect:
		paths = append(paths, shown(row, row.Path))
	case sandbox.Devices, sandbox.Processes:
		return nil
	}
	if row.Path == "/" {
		return paths
	}
	over, ok := p.RowFor(filepath.Dir(row.Path))
	if !ok {
		return paths
	}
	switch over.Access {
	case sandbox.Read, sandbox.Write, sandbox.Protect:
		paths = append(paths, shown(over, row.Path))
	}
	return paths
}

// shown is the host's path that a row shows at path.
func shown(row sandbox.Row, path string) string {
	if row.Source == "" {
		return path
	}
	rel, err := filepath.Rel(row.Path, path)
	if err != nil { // both absolute and one contains the other
		panic("confine: " + path + " outside its row")
	}
	return filepath.Join(row.Source, rel)
}

// checkPath walks down from / and follows nothing.
func checkPath(path string, file bool) error {
	for at, rest := "/", path; ; {
		var st unix.Stat_t
		if err := unix.Lstat(at, &st); err != nil {
			return &PathError{"path-missing", path, fmt.Sprintf("lstat %+q: %v", at, err)}
		}
		kind := st.Mode & unix.S_IFMT
		if kind == unix.S_IFLNK {
			return &PathError{"path-symlink", path, fmt.Sprintf("%+q is a symbolic link", at)}
		}
		if at == path {
			return checkKind(path, kind == unix.S_IFDIR, file)
		}
		at, rest = nextComponent(at, rest)
	}
}

// nextComponent moves one component of the rest below at.
func nextComponent(at, rest string) (string, string) {
	rest = rest[1:] // the slash
	for i := range len(rest) {
		if rest[i] == '/' {
			return filepath.Join(at, rest[:i]), rest[i:]
		}
	}
	return filepath.Join(at, rest), ""
}

func checkKind(path string, dir, file bool) error {
	switch {
	case file && dir:
		return &PathError{"path-kind", path, "a directory, where the policy has a file"}
	case !file && !dir:
		return &PathError{"path-kind", path, "not a directory, where the policy has one"}
	}
	return nil
}

// Identify returns the identity of each path for ChildPlan.IDs.
func Identify(paths ...string) ([]PathID, error) {
	var ids []PathID
	for _, path := range paths {
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return nil, fmt.Errorf("lstat %+q: %w", path, err)
		}
		ids = append(ids, PathID{Path: path, Dev: uint64(st.Dev), Ino: st.Ino})
	}
	return ids, nil
}
