package runner

import (
	"os"
	"slices"

	"lane/sandbox"
)

// dropGoneSockets takes the rows of sockets out of a plan that are gone by
// now: services come and go while lane looks at the host, and a mount over a
// name that does not exist would fail, or make it appear. A socket that came
// in between is not masked; those in /run, /tmp and home never are in reach.
func dropGoneSockets(p *Plan, h Host) error {
	gone := func(path string) bool {
		if !slices.Contains(h.Sockets, path) {
			return false
		}
		info, err := os.Lstat(path)
		return err != nil || info.Mode()&os.ModeSocket == 0
	}
	if !slices.ContainsFunc(p.Policy.Rows, func(r sandbox.Row) bool { return gone(r.Path) }) {
		return nil
	}
	p.Policy.Rows = slices.DeleteFunc(slices.Clone(p.Policy.Rows), func(r sandbox.Row) bool { return gone(r.Path) })
	p.Checks.MustNotOpen = slices.DeleteFunc(slices.Clone(p.Checks.MustNotOpen), gone)
	p.Checks.MustBeHidden = slices.DeleteFunc(slices.Clone(p.Checks.MustBeHidden), gone)
	var err error
	p.Start, err = startArgv(*p, h, p.Checks.Dir)
	return err
}
