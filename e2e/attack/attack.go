// Package attack holds what a lane must stop, as data: each [Attack] is one
// claim, how it is tried from inside, and how the host is looked at afterwards
// from outside. Beside the attacks are kill tests (nothing outlives a lane)
// and controls (work that must go on).
//
// A program that runs them is two programs. Outside it makes a [Fixture]: a
// home directory with secrets, a repository with worktrees, services and a
// process of another kind. It then starts each attack under a launcher and
// judges it on disk:
//
//	f, err := attack.NewFixture(attack.Place{Dir: dir, Self: []string{exe, "inside"}})
//	for _, a := range attack.All() {
//		fmt.Println(f.Run(ctx, a, attack.Launcher{Argv: []string{"lane", "exec", "--"}}))
//	}
//
// Inside it is started again by Self and calls [Inside].
//
// What it knows of the launcher is its argv: an attack must not know what it
// attacks. With no launcher at all the same run is the negative half, which
// shows that an attack would get through: what does not ([Plain]) proves
// nothing when a launcher stops it.
//
// Limits: without a launcher the attacks are real. They act on the fixture
// only; where the aim is the kernel, they write back the value that they read.
// Those that need root belong in a private mount namespace
// ([Launcher].PrivateMounts).
package attack

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Kind tells what the outcome of an attack means.
type Kind string

const (
	// Escape must not get through.
	Escape Kind = "attack"
	// Kill must leave no process: the launcher is sent a signal.
	Kill Kind = "kill"
	// Control must work.
	Control Kind = "control"
)

// Attack is one thing that is tried.
type Attack struct {
	ID   string
	Kind Kind
	// Claim is what holds of a lane that passes; What is what is tried.
	Claim, What string

	// Setup changes the fixture before the launch.
	Setup func(*Fixture) error
	// Launch says what is odd about the launch.
	Launch Launch
	// Beside runs outside, from the launch until stop is closed.
	Beside func(f *Fixture, stop <-chan struct{})

	// Try runs inside, with the worktree as its directory. It returns nil
	// when it believes that it got through.
	Try func(Layout) error
	// Judge looks from outside whether it did. It may be nil: that nothing
	// outside the worktree changed, and that git runs nothing of the agent's,
	// is looked at in any case.
	Judge func(*Fixture) Finding
	// Inside says why what the inside reports counts, too: "" if it does not.
	Inside string

	// Refusal says why a launcher may also answer by not starting at all.
	Refusal string
	// Commits says that it commits: a launcher may bring commits in, so that
	// the branch, its log and new objects are no change of the world.
	Commits bool
	// Plain is what happens without a launcher.
	Plain Plain
	// Missing names what this host or fixture lacks for it, "" for nothing.
	Missing func(*Fixture) string

	// Signal is what a Kill sends to the launcher.
	Signal syscall.Signal
	// Within bounds the time from start to end; 0 is 20 seconds.
	Within time.Duration
}

// Launch says what is odd about the start of the launcher.
type Launch struct {
	// Terminal gives it a terminal of its own on all three streams.
	Terminal bool
	// Stdin and Stdout open what it gets there.
	Stdin, Stdout func(*Fixture) (*os.File, error)
	// Extra is a descriptor that it inherits, as number 9.
	Extra func(*Fixture) (*os.File, error)
	// Dir is where it is started; the default is the worktree.
	Dir func(*Fixture) string
	// Wrap is a program, with arguments, that executes the launcher.
	Wrap func(*Fixture) []string
	// Times is how often it is launched; 0 is once.
	Times int
}

// Plain says what an attack does where there is no launcher.
type Plain struct {
	By  Power
	Why string // it does not get through for a user, or at all
}

// Power is who gets through without a launcher.
type Power int

const (
	// Anyone gets through; stopped means that the launcher stopped it.
	Anyone Power = iota
	// Root alone gets through: a user is stopped by the kernel's permissions.
	Root
	// Nobody gets through, on the hosts that this was measured on.
	Nobody
)

// Finding is what a judge saw.
type Finding struct {
	Through bool
	Detail  string
}

func through(detail string) Finding { return Finding{true, detail} }

func found(yes bool, detail string) Finding {
	if !yes {
		return Finding{}
	}
	return through(detail)
}

// Verdict is the outcome of one run.
type Verdict string

const (
	// Stopped: it failed, and the host is as it was.
	Stopped Verdict = "stopped"
	// Absorbed: it saw success, and the host is as it was.
	Absorbed Verdict = "absorbed"
	// Refused: nothing was started, which is a right answer to this one.
	Refused Verdict = "refused"
	// Escaped: it got through.
	Escaped Verdict = "ESCAPED"
	// Works and Broken are of controls.
	Works  Verdict = "works"
	Broken Verdict = "BROKEN"
	// Hung: it did not end in its time and was ended.
	Hung Verdict = "HUNG"
	// Crashed: the launcher, or the inside, ended with a stack trace; what it
	// left behind then is chance.
	Crashed Verdict = "CRASHED"
	// NoStart: the inside was never reached, so nothing was shown.
	NoStart Verdict = "NOSTART"
	// Skipped: not applicable here; Detail says why.
	Skipped Verdict = "skipped"
	// Fault: the harness itself failed.
	Fault Verdict = "FAULT"
)

// Good says whether the claim held.
func (v Verdict) Good() bool {
	return v == Stopped || v == Absorbed || v == Refused || v == Works
}

// Result is one attack's run.
type Result struct {
	ID      string        `json:"id"`
	Kind    Kind          `json:"kind"`
	Claim   string        `json:"claim"`
	Verdict Verdict       `json:"verdict"`
	Reached bool          `json:"reached"` // the inside ran
	Detail  string        `json:"detail,omitempty"`
	Exit    int           `json:"exit"`
	Took    time.Duration `json:"took"`
}

// groups are added by the files of the systems that attacks exist for, once
// somebody asks: what only imports this package pays nothing at its start.
var groups [][]Attack

var (
	adders []func()
	loaded sync.Once
)

func load() {
	loaded.Do(func() {
		for _, add := range adders {
			add()
		}
	})
}

// All returns every attack, kill test and control, in the order of the table.
// The slice is the caller's.
func All() []Attack {
	load()
	all := slices.Concat(groups...)
	for _, a := range all {
		if a.ID == "" || a.Try == nil {
			panic("attack: incomplete: " + a.ID) // a bug of ours
		}
	}
	slices.SortStableFunc(all, func(a, b Attack) int { return rank(a.Kind) - rank(b.Kind) })
	return all
}

func rank(k Kind) int { return slices.Index([]Kind{Escape, Kill, Control}, k) }

// Find returns an attack by its id.
func Find(id string) (Attack, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Attack) bool { return a.ID == id })
	if i < 0 {
		return Attack{}, false
	}
	return all[i], true
}
