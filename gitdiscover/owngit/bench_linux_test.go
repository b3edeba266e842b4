package owngit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSetup is what a lane's start pays: 50,000 refs and an index of
// 20,000 files. It must stay under 100 ms.
func BenchmarkSetup(b *testing.B) {
	s := newStage(b)
	head := s.git(s.main, "rev-parse", "HEAD")
	var refs strings.Builder
	refs.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 50_000 {
		fmt.Fprintf(&refs, "%s refs/heads/many/%05d/branch\n", head, i)
	}
	s.write(s.main+"/.git/packed-refs", refs.String())
	s.must(shell(s, s.wt, `for d in $(seq 200); do mkdir d$d; for f in $(seq 100); do echo $f >d$d/file$f; done; done; git add -A; git commit -qm many`))
	repo := s.discover()
	b.ResetTimer()
	var spent time.Duration
	for range b.N {
		began := cpuTime(b)
		setup, err := Plan(repo, Inputs{Facts: Survey(repo, s.places()), SeenAs: &Owner{HostUID: uint32(os.Geteuid()), UID: 1000, GID: 1000}})
		s.must(err)
		s.must(setup.Make(s.dir))
		b.StopTimer()
		spent += cpuTime(b) - began
		s.must(os.RemoveAll(s.dir))
		b.StartTimer()
	}
	// The clock on a wall says little on a machine with other work.
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
