package seal

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// large gives a scene 50,000 loose refs and 1,000 worktrees. They are made by
// hand: git would take minutes for them.
func (s *scene) large(refs, worktrees int) {
	id := s.git("main", "rev-parse", "HEAD") + "\n"
	for i := range refs {
		if i%1000 == 0 {
			s.must(os.MkdirAll(s.common(fmt.Sprintf("refs/remotes/origin/team%d", i/1000)), 0o755))
		}
		s.must(os.WriteFile(s.common(fmt.Sprintf("refs/remotes/origin/team%d/b%d", i/1000, i)), []byte(id), 0o644))
	}
	for i := range worktrees {
		dir := s.common(fmt.Sprintf("worktrees/w%d", i))
		s.must(os.MkdirAll(dir, 0o755))
		for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "commondir": "../..\n", "gitdir": s.path(fmt.Sprintf("w%d", i)) + "/.git\n"} {
			s.must(os.WriteFile(dir+"/"+name, []byte(content), 0o644))
		}
	}
}

// look is one Take and one Compare.
func (s *scene) look() (take, compare time.Duration) {
	start := time.Now()
	before := s.take()
	took := time.Since(start)
	start = time.Now()
	r := Compare(context.Background(), before, s.opt)
	if len(r.Tripped) > 0 || r.Incomplete != nil {
		s.t.Fatalf("%+v", r)
	}
	return took, time.Since(start)
}

// BenchmarkTake shows what a large repository costs more than an empty one:
// both are looked at in turn, so that a busy machine is as busy for both.
func BenchmarkTake(b *testing.B) {
	empty, large := newScene(b), newScene(b)
	large.large(50_000, 1000)
	time.Sleep(1100 * time.Millisecond) // a seal is not taken in the second the repository was made
	var sum [2][2]time.Duration
	var cpu [2]time.Duration // of this process: what it costs where nothing else runs
	n := 0
	for b.Loop() {
		for i, s := range []*scene{empty, large} {
			start := cpuTime()
			take, compare := s.look()
			sum[i][0] += take
			sum[i][1] += compare
			cpu[i] += cpuTime() - start
		}
		n++
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }
	b.ReportMetric(ms(sum[0][0]), "empty-take-ms")
	b.ReportMetric(ms(sum[0][1]), "empty-compare-ms")
	b.ReportMetric(ms(sum[1][0]), "large-take-ms")
	b.ReportMetric(ms(sum[1][1]), "large-compare-ms")
	b.ReportMetric(ms(sum[1][0]+sum[1][1]-sum[0][0]-sum[0][1]), "more-ms")
	b.ReportMetric(ms(cpu[1]-cpu[0]), "more-cpu-ms")
	b.ReportMetric(float64(sum[1][0]+sum[1][1])/float64(sum[0][0]+sum[0][1]), "ratio")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTakePacked is the same with 50,000 packed refs, as git gc leaves
// them, and 100 hooks from a template.
func BenchmarkTakePacked(b *testing.B) {
	s := newScene(b)
	id := s.git("main", "rev-parse", "HEAD")
	var l strings.Builder
	l.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 50_000 {
		fmt.Fprintf(&l, "%s refs/remotes/origin/b%05d\n", id, i)
	}
	s.write("main/.git/packed-refs", l.String())
	for i := range 100 {
		s.write(fmt.Sprintf("main/.git/hooks/h%d.sample", i), strings.Repeat("#\n", 1000))
	}
	for b.Loop() {
		s.look()
	}
}
