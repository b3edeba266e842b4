package owngit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// BenchmarkSetup is what a lane's start pays: 50,000 refs and an index of
// 20,000 files. It must stay under 100 ms.
func BenchmarkSetup(b *testing.B) {
	s := newStage(b)
	head := s.git(s.main, "rev-parse", "HEAD")
	var refs strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&refs, "create refs/heads/many/%d/branch-%d %s\n", i%100, i, head)
	}
	s.write(s.root+"/refs", refs.String())
	s.must(shell(s, s.main, "git update-ref --stdin <../refs && git pack-refs --all"))
	s.must(shell(s, s.wt, `for d in $(seq 200); do mkdir d$d; for f in $(seq 100); do echo $f >d$d/file$f; done; done; git add -A; git commit -qm many`))
	repo := s.discover()
	b.ResetTimer()
	for range b.N {
		setup, err := Plan(repo, Inputs{Facts: Survey(repo, s.places()), SeenAs: &Owner{HostUID: uint32(os.Geteuid()), UID: 1000, GID: 1000}})
		s.must(err)
		s.must(setup.Make(s.dir))
		b.StopTimer()
		s.must(os.RemoveAll(s.dir))
		b.StartTimer()
	}
}
