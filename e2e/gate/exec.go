package gate

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"lane/e2e/attack"
)

// The corpus under `lane exec`.

// workers bounds how many attacks run at once. Each has a fixture of its own.
func workers() int { return min(max(runtime.NumCPU(), 1), 4) }

// longest is how long one claim may take: the gate is to be run before work.
const longest = time.Minute

// corpus runs the attacks, kill tests and controls under `lane exec`.
func (b *bench) corpus(ctx context.Context, n int) {
	queue := make(chan attack.Attack)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { b.work(ctx, queue) })
	}
	for _, a := range attack.All() {
		if b.o.wanted(a.ID) && ctx.Err() == nil {
			queue <- a
		}
	}
	close(queue)
	wg.Wait()
}

func (b *bench) work(ctx context.Context, queue <-chan attack.Attack) {
	f, done, err := b.fixture()
	if err == nil {
		defer done()
	}
	for a := range queue {
		began := time.Now()
		c := Claim{ID: a.ID, Entry: EntryExec, Claim: claimText(a.Claim, a.What)}
		switch {
		case err != nil:
			c.Status, c.Detail = NotExercised, err.Error()
		case a.Within > longest && b.o.Only != a.ID:
			c.Status, c.Detail = NotApplicable, "it may take minutes: --only "+a.ID+" runs it"
		default:
			c.Status, c.Detail = b.corpusClaim(ctx, f, a)
		}
		if ctx.Err() == nil { // what was ended shows nothing
			b.tell(c, began)
		}
	}
}

// corpusClaim tries an attack, and once more when its lane did not start:
// then nothing got through, and nothing was shown either.
func (b *bench) corpusClaim(ctx context.Context, f *attack.Fixture, a attack.Attack) (Status, string) {
	l := attack.Launcher{Argv: []string{b.o.Lane, "exec", "--"}, Env: b.laneEnv(f)}
	r := f.Run(ctx, a, l)
	if r.Verdict == attack.NoStart {
		r = f.Run(ctx, a, l)
	}
	switch r.Verdict {
	case attack.Skipped:
		return NotApplicable, r.Detail
	case attack.NoStart, attack.Fault:
		return NotExercised, string(r.Verdict) + ": " + r.Detail
	}
	if r.Verdict.Good() {
		return Passed, string(r.Verdict)
	}
	return Failed, string(r.Verdict) + ": " + r.Detail
}

func claimText(claim, what string) string {
	if what == "" || strings.Contains(claim, what) {
		return claim
	}
	return claim + " (" + what + ")"
}
