package sandbox

import (
	"path/filepath"
	"slices"
)

// Pins returns the directories that have to be mount points of their own so
// that the rows hold: every directory that lies strictly between a row and
// the writable row it lies in.
//
// The kernel refuses to rename or remove a mount point, but not a directory
// that merely contains one: with only <worktree>/.claude/settings.json
// mounted read-only, `mv .claude x; mkdir .claude` puts a settings file of
// the agent's own in its place, on the host. In a Private row the same trick
// would let the agent replace a program that lane runs by its path.
//
// A pin has the access, and so the decision, of the row that it lies in. The
// price is that rename(2) and link(2) do not cross a pin (EXDEV).
func (p Policy) Pins() []Row {
	seen := map[string]bool{}
	for _, row := range p.Rows {
		seen[row.Path] = true
	}
	var pins []Row
	for _, row := range p.Sorted() {
		if row.Path == "/" {
			continue
		}
		over, ok := p.RowFor(filepath.Dir(row.Path))
		if !ok || (over.Access != Write && over.Access != Private) {
			continue
		}
		for dir := filepath.Dir(row.Path); dir != over.Path; dir = filepath.Dir(dir) {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			pins = append(pins, pin(over, dir, row.Path))
		}
	}
	slices.SortFunc(pins, func(a, b Row) int { return comparePaths(a.Path, b.Path) })
	return pins
}

func pin(over Row, dir, below string) Row {
	row := Row{Path: dir, Access: over.Access, Size: over.Size, Mode: over.Mode,
		Reason: "cannot be renamed away from over " + below}
	if over.Source != "" {
		rel, err := filepath.Rel(over.Path, dir)
		if err != nil { // both absolute and one contains the other
			panic("sandbox: pin outside its row: " + dir)
		}
		row.Source = filepath.Join(over.Source, rel)
	}
	return row
}
