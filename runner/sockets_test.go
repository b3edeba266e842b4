package runner

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lane/sandbox"
)

// A service that ends while lane starts is no reason to refuse, and one that
// goes on stays masked.
func TestSocketsThatAreGoneAreNotMasked(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"stays", "goes"} {
		path := filepath.Join(dir, name)
		l, err := net.Listen("unix", path)
		must(t, err)
		defer l.Close()
		paths = append(paths, path)
	}
	h := host(1001)
	delete(h.Exists, "/tmp")
	h.Sockets = paths
	plan, err := Build(request(), linkedRepo(), claude(t), h)
	must(t, err)
	hidden := func() (names []string) {
		for _, r := range plan.Policy.Rows {
			if r.Access == sandbox.Hide && filepath.Dir(r.Path) == dir {
				names = append(names, filepath.Base(r.Path))
			}
		}
		return names
	}
	if got := hidden(); !slices.Equal(got, []string{"goes", "stays"}) {
		t.Fatalf("masked %v", got)
	}
	must(t, os.Remove(paths[1]))
	must(t, dropGoneSockets(&plan, h))
	if got := hidden(); !slices.Equal(got, []string{"stays"}) {
		t.Errorf("masked %v after one went", got)
	}
	if slices.Contains(plan.Start, paths[1]) || !slices.Contains(plan.Start, paths[0]) {
		t.Error("the start does not follow the policy")
	}
}
