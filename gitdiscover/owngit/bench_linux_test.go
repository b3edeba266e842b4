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
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms-of-100/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTakeIn brings in one commit of one file, with an index of 20,000
// files and 50,000 refs beside it.
func BenchmarkTakeIn(b *testing.B) {
	s := newStage(b)
	head := s.git(s.main, "rev-parse", "HEAD")
	var refs strings.Builder
	refs.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 50_000 {
		fmt.Fprintf(&refs, "%s refs/heads/many/%05d/branch\n", head, i)
	}
	s.write(s.main+"/.git/packed-refs", refs.String())
	s.must(shell(s, s.wt, `for d in $(seq 200); do mkdir d$d; for f in $(seq 100); do echo $f >d$d/file$f; done; done; git add -A; git commit -qm many; git repack -adq`))
	s.plan()
	s.lane(`echo x >d7/new; git add d7/new; git commit -qm work`)
	gitDir := s.main + "/.git/worktrees/wt"
	index, err := os.ReadFile(gitDir + "/index")
	s.must(err)
	last := "none"
	syscall.Sync() // or the first fsync pays for all files made above
	b.ResetTimer()
	var spent time.Duration
	for i := range b.N {
		b.StopTimer()
		s.must(shell(s, s.main+"/.git/objects/pack", "rm -f "+last+".*")) // what the last round took in
		s.write(s.main+"/.git/refs/heads/topic", s.setup.Base+"\n")
		s.write(gitDir+"/index", string(index))
		in := s.inputs()
		in.Run = fmt.Sprintf("r%d", i)
		b.StartTimer()
		began := cpuTime(b)
		taken, err := TakeIn(b.Context(), in)
		spent += cpuTime(b) - began
		last = taken.Pack
		if err != nil || taken.Objects != 4 {
			b.Fatalf("%+v %v", taken, err)
		}
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}
