package owngit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/gitdiscover"
)

const crashEnv = "LANE_OWNGIT_CRASH"

// crash is what the re-executed test binary is told: to take in, saying each
// step, and to kill itself at one of them.
type crash struct {
	Setup             Setup
	Dir, Run, Intents string
	At                string
	Say               bool
}

func crashMain() int {
	var c crash
	if err := json.Unmarshal([]byte(os.Getenv(crashEnv)), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	repo, err := gitdiscover.Discover(c.Setup.Worktree)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	in := TakeInInputs{Repo: repo, Setup: c.Setup, Dir: c.Dir, Run: c.Run, Intents: c.Intents}
	in.step = func(name string) {
		if c.Say {
			fmt.Println(name)
		}
		if name == c.At {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if _, err := TakeIn(context.Background(), in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (s *stage) crasher(in TakeInInputs, at string) *exec.Cmd {
	s.t.Helper()
	c := crash{in.Setup, in.Dir, in.Run, in.Intents, at, at == ""}
	data, err := json.Marshal(c)
	s.must(err)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{crashEnv + "=" + string(data)}
	cmd.Stderr = os.Stderr
	return cmd
}

// state is what a user sees: where the branch is and what status says.
func (s *stage) state() string {
	return s.git(s.wt, "rev-parse", "HEAD") + "\n" + s.git(s.wt, "symbolic-ref", "HEAD") + "\n" + s.git(s.wt, "status", "--porcelain")
}

// rightAfter is what must hold while the intent is still open: every object is
// whole and every ref valid.
func (s *stage) rightAfter() {
	s.t.Helper()
	if out, err := s.tryGit(s.main, "fsck", "--strict", "--no-progress", "--no-dangling"); err != nil || out != "" {
		s.t.Errorf("fsck right after the crash: %v\n%s", err, out)
	}
	s.git(s.main, "for-each-ref")
}

const crashScript = `echo x >new; echo y >>a.txt; git add .; git commit -qm work; echo z >>new; echo s >staged; git add staged; echo u >untracked; git rm -q --cached dir/b.txt`

// A process that dies at any step leaves a sound repository, and what is left
// is finished or undone: nothing in between.
func TestCrashAtEachStep(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(crashScript)
	var steps []string
	in := s.inputs()
	in.step = func(name string) { steps = append(steps, name) }
	_, err := TakeIn(context.Background(), in)
	s.must(err)
	after := s.state()
	if len(steps) < 10 {
		t.Fatalf("steps: %v", steps)
	}
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			s := newStage(t)
			s.plan()
			before := s.state()
			s.lane(crashScript)
			worked := s.state()
			cmd := s.crasher(s.inputs(), step)
			if err := cmd.Run(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("did not die at %s: %v", step, err)
			}
			s.rightAfter()
			done, err := FinishOpenIntents(s.root + "/intents")
			s.must(err)
			taken := i > indexOf(steps, "move")
			if len(done) > 1 || len(done) == 1 && done[0].Taken != taken {
				t.Errorf("finished: %+v", done)
			}
			now, _, _ := strings.Cut(s.state(), "\n")
			if base, _, _ := strings.Cut(before, "\n"); taken == (now == base) {
				t.Errorf("taken: %v, HEAD is at %s", taken, now)
			}
			if taken {
				equal(t, "status", withoutHash(s.state()), withoutHash(after))
				equal(t, "reflog", s.git(s.wt, "reflog", "--format=%gs", "-2", "topic"), "lane: take in r1\nbranch: Created from HEAD")
				equal(t, "HEAD's reflog", s.git(s.wt, "reflog", "--format=%gs", "-1"), "lane: take in r1")
			} else {
				equal(t, "state", s.state(), worked)
			}
			s.soundButTmp()
			if !taken {
				_, err := s.takeIn()
				s.must(err)
				equal(t, "status in the end", withoutHash(s.state()), withoutHash(after))
			}
		})
	}
}

func withoutHash(state string) string {
	_, rest, _ := strings.Cut(state, "\n")
	return rest
}

func indexOf(list []string, what string) int {
	for i, s := range list {
		if s == what {
			return i
		}
	}
	return -1
}

// soundButTmp is sound, but that a pack may be left half written under a name
// that git gc clears away.
func (s *stage) soundButTmp() {
	s.t.Helper()
	for name := range s.shared() {
		if strings.HasPrefix(name, "objects/pack/tmp_") {
			s.must(os.Remove(s.main + "/.git/" + name))
		}
	}
	s.sound()
}

// killSteps are the steps after which TestRandomKills kills; "" is the start.
var killSteps = []string{"", "pack", "intent", "prepare", "lock-index", "lock-head", "lock-ref", "moving", "move", "log", "index", "unlock", "close"}

// Kills at random moments, most of them while the refs and the index move.
func TestRandomKills(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 15
	}
	s := newStage(t)
	rounds, inTime, taken := 0, 0, 0
	fresh := true
	var before string
	for ; rounds < kills; rounds++ {
		if fresh {
			s.dir = fmt.Sprintf("%s/state/git%d", s.root, rounds)
			s.plan()
			s.lane(fmt.Sprintf(`git commit -qm staged || true; echo %d >>new; git add new; git commit -qm work; echo z >>new; echo s%d >staged; git add staged`, rounds, rounds))
			before = s.state()
		}
		in := s.inputs()
		in.Run = fmt.Sprintf("r%d", rounds)
		cmd := s.crasher(in, "")
		out, err := cmd.StdoutPipe()
		s.must(err)
		s.must(cmd.Start())
		lines := bufio.NewScanner(out)
		if step := rand.N(len(killSteps)); step > 0 {
			for lines.Scan() && lines.Text() != killSteps[step] {
			}
		}
		time.Sleep(rand.N(8 * time.Millisecond))
		cmd.Process.Kill()
		io.Copy(io.Discard, out)
		if cmd.Wait() != nil {
			inTime++
		}
		s.rightAfter()
		done, err := FinishOpenIntents(in.Intents)
		s.must(err)
		if len(done) > 1 {
			t.Errorf("round %d: %+v", rounds, done)
		}
		state := s.state()
		if fresh = state != before; fresh {
			taken++
			head, _, _ := strings.Cut(state, "\n")
			if base, _, _ := strings.Cut(before, "\n"); head == base {
				t.Fatalf("round %d: neither before nor after:\n%s\nbefore:\n%s", rounds, state, before)
			}
			if status := s.git(s.wt, "status", "--porcelain"); !strings.HasPrefix(status, " M new\n") || !strings.HasSuffix(status, "M  staged") && !strings.HasSuffix(status, "A  staged") {
				t.Errorf("round %d: status after: %q", rounds, status)
			}
		}
		s.soundButTmp()
	}
	t.Logf("%d kills, %d in time, %d take-ins completed", rounds, inTime, taken)
}
