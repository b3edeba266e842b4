package confine

import (
	"errors"
	"fmt"
	"path/filepath"

	"lane/sandbox"
)

// grant is one rule of a domain: what is given at a path and below it.
type grant struct {
	path string
	kind grantKind
	// must says that the policy names the path: it has to be there. Others
	// were found by listing a directory and may be gone again.
	must bool
}

// maxGrants bounds the rules: each costs a lookup and kernel memory.
const maxGrants = 20_000

var errTooWide = errors.New("too many files beside what is hidden")

// landlockDevices are the nodes of /dev that are given. Not among them are
// those of sandbox.DeviceNodes that a fresh /dev has for itself: pts and ptmx
// would open the user's other terminals.
var landlockDevices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// grantsOf makes the rules that say what Policy.Decide says. Rules only add,
// and what is given on a directory is given on all below it, for good. So a
// directory that has something hidden below it cannot be given itself: what
// lies in it is given one by one, as list finds it at this moment. The price
// is that such a directory cannot be listed, and that what appears in it later
// cannot be read.
//
// The policy is one that Fit has made: nothing is taken inside what is
// writable.
func grantsOf(p sandbox.Policy, list func(dir string) []string) ([]grant, error) {
	g := granter{policy: p, list: list, rows: map[string]sandbox.Row{}}
	for _, row := range p.Rows {
		g.rows[row.Path] = row
	}
	for _, row := range p.Sorted() {
		switch row.Access {
		case sandbox.Write:
			g.add(row.Path, grantWrite, true)
		case sandbox.Read, sandbox.Protect:
			g.read(row.Path, true)
		case sandbox.Processes:
			g.add(row.Path, grantProc, true)
		case sandbox.Devices:
			for _, name := range landlockDevices {
				g.add(filepath.Join(row.Path, name), grantDevice, false)
			}
		case sandbox.Hide:
			// Not given is hidden.
		default:
			return nil, fmt.Errorf("landlock: %s row %+q: unknown access", row.Access, row.Path)
		}
		if len(g.grants) > maxGrants {
			return nil, fmt.Errorf("landlock: %w: more than %d, at %+q", errTooWide, maxGrants, row.Path)
		}
	}
	return g.grants, nil
}

type granter struct {
	policy sandbox.Policy
	rows   map[string]sandbox.Row
	list   func(string) []string
	grants []grant
}

func (g *granter) add(path string, kind grantKind, must bool) {
	g.grants = append(g.grants, grant{path, kind, must})
}

// read gives path to be read, and all below it that no other row is about.
func (g *granter) read(path string, must bool) {
	if !g.takenBelow(path) {
		g.add(path, grantRead, must)
		return
	}
	for _, name := range g.list(path) {
		if len(g.grants) > maxGrants {
			return // reported by the caller
		}
		at := filepath.Join(path, name)
		if _, ok := g.rows[at]; !ok {
			g.read(at, false)
		}
	}
}

// takenBelow says whether a row strictly below path gives less than reading.
func (g *granter) takenBelow(path string) bool {
	for _, row := range g.policy.Rows {
		takes := row.Access == sandbox.Hide || row.Access == sandbox.Devices || row.Access == sandbox.Processes
		if takes && row.Path != path && sandbox.Contains(path, row.Path) {
			return true
		}
	}
	return false
}
