package attack

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

func init() { register(races()...) }

// races change the worktree between the launcher's look and its use, as
// another process with the same worktree could.
func races() []Attack {
	const claim = "what is confined is what was looked at"
	const refusal = "it was seen to change"
	return []Attack{
		{ID: "race-worktree", Claim: claim, What: "another worktree is put in the place of this one while the launcher starts",
			Launch: Launch{Times: 12}, Refusal: refusal,
			Beside: func(f *Fixture, stop <-chan struct{}) { f.flip(stop, f.Worktree, f.Other) },
			Try: func(l Layout) error {
				return os.WriteFile("main.go", []byte("package pwned\n"), 0o644)
			},
			Plain: Plain{Nobody, "without a launcher there is no look"}},
		{ID: "race-wiring", Claim: claim, What: "a file that the launcher protects turns into a link to a secret while it starts",
			Setup: func(f *Fixture) error {
				return f.sh(f.Worktree, "mkdir .claude; echo '{}' > .claude/settings.json; git add .claude; git commit -qm settings")
			},
			Launch: Launch{Times: 12}, Refusal: refusal,
			Beside: func(f *Fixture, stop <-chan struct{}) {
				f.flip(stop, f.Worktree+"/.claude/settings.json", f.Home+"/.ssh/id_ed25519")
			},
			Try:   func(l Layout) error { return carry(l, ".claude/settings.json") },
			Judge: func(f *Fixture) Finding { return f.looted("ssh") }},
	}
}

// flip exchanges a name with a link to another while the launcher starts, and
// leaves it as it was. Every second launch it does so once, when the launcher
// has its first child: by then it has looked and begins to use. In the others
// it goes to and fro at random.
func (f *Fixture) flip(stop <-chan struct{}, name, target string) {
	link := filepath.Join(f.Worktree, "..", ".flip")
	_ = os.Remove(link)
	if os.Symlink(target, link) != nil {
		return
	}
	swapped := false
	swap := func() {
		if exchange(name, link) == nil {
			swapped = !swapped
		}
	}
	if f.round%2 == 0 {
		if f.firstChild(stop) {
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			swap()
		}
		<-stop
	} else {
		atRandom(stop, swap)
	}
	if swapped {
		swap()
	}
	_ = os.Remove(link)
	f.mine(filepath.Dir(link))
}

// firstChild waits until the launcher has started a process.
func (f *Fixture) firstChild(stop <-chan struct{}) bool {
	tasks := fmt.Sprintf("/proc/%d/task/", f.launcher)
	for {
		select {
		case <-stop:
			return false
		case <-time.After(50 * time.Microsecond):
			threads, _ := filepath.Glob(tasks + "*/children") // the pattern is well formed
			for _, t := range threads {
				if b, err := os.ReadFile(t); err == nil && len(b) > 0 {
					return true
				}
			}
		}
	}
}

func atRandom(stop <-chan struct{}, do func()) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(200+rand.IntN(6000)) * time.Microsecond):
			do()
		}
	}
}
