package e2e

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Nothing outlives the lane: lane is killed at random moments, and two seconds
// later there is no process of it, no mount, no file that nobody asked for.

// afterLane is how long anything of a lane may outlive it.
// The promise is two seconds; the rest is for a machine that does other work.
const afterLane = 2*time.Second + 3*time.Second

// payloads are what runs in the lane. Each makes a file of its own name in
// every temporary directory first.
var payloads = map[string]string{
	"sleep":       `exec sleep 60`,
	"daemon":      `(setsid sh -c '(sleep 60 &) ; exec sleep 60' & ) & (sleep 60 &) ; sleep 60`,
	"deaf":        `trap '' TERM INT HUP QUIT; while :; do sleep 0.2; done`,
	"holds-out":   `sleep 60 & sleep 60 >/dev/null & exec sleep 60`,
	"forks":       `i=0; while [ $i -lt 400 ]; do i=$((i+1)); (sleep 0.02) & [ $((i % 8)) = 0 ] && wait; done; sleep 60`,
	"ends-itself": `sleep 0.1`,
}

const payloadHead = `#!/bin/sh
for d in /tmp /var/tmp /dev/shm "$TMPDIR"; do : > "$d/$KILL_MARK"; done 2>/dev/null
echo ready
`

// writerScript is an agent that leaves what Claude Code leaves when it is
// killed (facts/claude-code.md C1), and some work.
const writerScript = `#!/bin/sh
[ "$1" = --version ] && echo '2.1.332 (Claude Code)' && exit
for d in /tmp /var/tmp /dev/shm "$TMPDIR"; do : > "$d/$KILL_MARK"; done 2>/dev/null
mkdir -p .claude/.cc-writes .vscode
: > .claude/agents; : > .claude/settings.json; : > .mcp.json; : > .bashrc; echo x > .claude/.cc-writes/x
echo work > work.txt
echo 'export EVIL=1' > .envrc
exec sleep 60
`

// trial is one lane that is killed.
type trial struct {
	site    *site
	mark    string
	home    string // its LANE_HOME
	signal  syscall.Signal
	payload string
	delay   time.Duration
	running bool // the delay begins when the payload runs, not when lane starts
	// target is what is killed: lane, the layer's process outside or inside,
	// the warden, or both lane and the warden.
	target string
	agent  bool // lane run, not lane exec
}

func (k *trial) String() string {
	verb := "exec " + k.payload
	if k.agent {
		verb = "run"
	}
	since := "its start"
	if k.running {
		since = "the payload's"
	}
	return fmt.Sprintf("%v to %s %v after %s, lane %s, uid %d", k.signal, k.target, k.delay.Round(time.Microsecond), since, verb, k.site.uid)
}

var trialCount atomic.Int64

// late is by how much the machine is behind: the longest that a sleep of a
// millisecond took. Two seconds are two seconds of a machine that runs.
var late atomic.Int64

func watchTime(done <-chan struct{}) {
	for {
		began := time.Now()
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
		late.Store(max(late.Load()*9/10, int64(time.Since(began))))
	}
}

// run does one trial and returns what is wrong, and how long it took until
// nothing was left.
func (k *trial) run() (time.Duration, error) {
	k.mark = fmt.Sprintf("lane-kill-%d-%d", os.Getpid(), trialCount.Add(1))
	k.home = filepath.Join(filepath.Dir(k.site.home), k.mark)
	argv := []string{"lane", "exec", "--env", "KILL_MARK", "--", filepath.Join(k.site.lane, "payload-"+k.payload)}
	if k.agent {
		argv = []string{"lane", "run", "--quiet", "--env", "KILL_MARK", "--writer-bin", filepath.Join(k.site.home, "bin", "writer"), "--writer", "claude", "--", "go"}
	}
	cmd := k.site.command(argv...)
	cmd.Env = append(cmd.Env, "LANE_HOME="+k.home, "KILL_MARK="+k.mark)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ready, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		if _, err := io.ReadFull(out, make([]byte, len("ready"))); err == nil {
			close(ready)
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	if k.running {
		if err := k.await(ready, closed); err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return 0, fmt.Errorf("%v: %w (lane said %q)", k, err, said.String())
		}
	}
	time.Sleep(k.delay)
	k.kill(cmd)
	began := time.Now()
	took, err := k.gone(began, closed)
	_ = cmd.Process.Kill() // it is gone already, or this trial has failed
	_ = cmd.Wait()
	if err == nil {
		err = k.clean()
	}
	if err != nil {
		return took, fmt.Errorf("%v: %w (lane said %q)", k, err, said.String())
	}
	_ = os.Remove(filepath.Join(k.site.lane, "work.txt"))
	return took, os.RemoveAll(k.home)
}

// await waits until the payload runs. An agent's output is not lane's.
func (k *trial) await(ready, closed <-chan struct{}) error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		started := ready
		if k.agent {
			started = nil
			if _, err := os.Stat(filepath.Join(k.site.lane, ".envrc")); err == nil {
				return nil
			}
		}
		select {
		case <-closed:
			return errors.New("it ended before its payload ran")
		case <-started:
			return nil
		default:
		}
	}
	return errors.New("the payload did not run")
}

// kill sends the signal to the target. A target that is not there yet is
// waited for: to kill nobody would prove nothing.
func (k *trial) kill(cmd *exec.Cmd) {
	lane := cmd.Process.Pid
	var pids []int
	for end := time.Now().Add(5 * time.Second); k.target != "lane" && len(pids) == 0 && time.Now().Before(end); {
		pids = k.targets(lane)
	}
	if k.target == "lane" || k.target == "lane and warden" {
		pids = append(pids, lane)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, k.signal) // it may have ended by itself
	}
	if k.target == "warden" {
		// Alone it is not missed, until lane dies too.
		time.Sleep(20 * time.Millisecond)
		_ = syscall.Kill(lane, syscall.SIGTERM)
	}
}

func (k *trial) targets(lane int) []int {
	var pids []int
	for _, p := range processes() {
		if len(p.argv) < 2 {
			continue
		}
		// Lane also starts one to ask for its version; ours is the lane's own.
		layer := filepath.Base(p.argv[0]) == "bwrap" && strings.Contains(strings.Join(p.argv, " "), k.home)
		switch {
		case strings.Contains(k.target, "warden") && p.ppid == lane && p.argv[1] == "warden",
			k.target == "layer" && layer && p.ppid == lane,
			k.target == "init" && layer && parentOfParent(p) == lane:
			pids = append(pids, p.pid)
		}
	}
	return pids
}

func parentOfParent(p process) int {
	for _, q := range processes() {
		if q.pid == p.ppid {
			return q.ppid
		}
	}
	return 0
}

// gone waits until nothing of the lane lives and nobody holds its output.
func (k *trial) gone(began time.Time, closed <-chan struct{}) (time.Duration, error) {
	asked := false
	for {
		left := k.left()
		if len(left) == 0 {
			break
		}
		if took := time.Since(began); k.target == "lane and warden" && took > afterLane/2 && !asked {
			// The layer's process may be at the one point where it does not
			// die with lane, and has nothing of the user's in it. Nobody is
			// left to end it: the next lane command does.
			if out, err := k.laneRuns(); err != nil {
				return took, fmt.Errorf("lane runs list: %w: %s", err, out)
			}
			asked = true
		}
		if took := time.Since(began); took > afterLane+20*time.Duration(late.Load()) {
			return took, fmt.Errorf("%v later there is still %v", took, left)
		}
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(began)
	select {
	case <-closed:
	case <-time.After(time.Second):
		return took, errors.New("somebody still holds standard output")
	}
	return took, nil
}

// left are processes of the lane: by their environment, by their command line,
// or because they hold a file of its lane home open.
func (k *trial) left() []string {
	var list []string
	for _, p := range processes() {
		if p.pid == os.Getpid() {
			continue
		}
		line := strings.Join(p.argv, " ")
		if strings.Contains(p.environ, "KILL_MARK="+k.mark) || strings.Contains(line, k.home) || k.holds(p) {
			list = append(list, fmt.Sprintf("%d %s (%s)", p.pid, line[:min(len(line), 60)], p.state))
		}
	}
	return list
}

func (k *trial) holds(p process) bool {
	if len(p.argv) < 2 || p.argv[1] != "warden" {
		return false
	}
	for fd := range 10 {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", p.pid, fd))
		if err == nil && strings.Contains(to, k.home) {
			return true
		}
	}
	return false
}

// clean looks at what is on the disk.
func (k *trial) clean() error {
	if k.target == "lane and warden" {
		// Nobody was left to do it: the next lane command does.
		out, err := k.laneRuns()
		if err != nil {
			return fmt.Errorf("lane runs list: %w: %s", err, out)
		}
	}
	var errs []error
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if _, err := os.Lstat(filepath.Join(dir, k.mark)); err == nil {
			errs = append(errs, fmt.Errorf("%s has a file of the lane's", dir))
		}
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), k.mark) || strings.Contains(string(mounts), k.site.home) {
		errs = append(errs, fmt.Errorf("a mount is left (%v)", err))
	}
	if names, _ := filepath.Glob(filepath.Join(k.home, "open", "*")); len(names) > 0 {
		errs = append(errs, fmt.Errorf("open runs: %v", names))
	}
	runs, _ := filepath.Glob(filepath.Join(k.home, "runs", "*"))
	for _, r := range runs {
		if _, err := os.Stat(filepath.Join(r, "record", "result.json")); err != nil {
			errs = append(errs, fmt.Errorf("a run without a record: %w", err))
		}
	}
	if !k.agent && len(runs) > 0 {
		errs = append(errs, fmt.Errorf("lane exec left %v", runs))
	}
	status := k.site.must("git", "-C", k.site.lane, "status", "--porcelain", "--ignored")
	for line := range strings.Lines(status) {
		if name := strings.TrimSpace(line[2:]); name != "work.txt" && name != "untied" && !strings.HasPrefix(name, "payload-") {
			errs = append(errs, fmt.Errorf("the worktree holds %q", name))
		}
	}
	return errors.Join(errs...)
}

func (k *trial) laneRuns() (string, error) {
	c := k.site.command("lane", "runs", "list")
	c.Env = append(c.Env, "LANE_HOME="+k.home)
	out, err := c.CombinedOutput()
	return string(out), err
}

func newKillSite(t *testing.T, uid int) *site {
	s := newSite(t, uid)
	for name, script := range payloads {
		s.write("payload-"+name, payloadHead+script+"\n", 0o755)
	}
	bin := filepath.Join(s.home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "writer"), []byte(writerScript), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// play runs the trials, a few at a time, each worker with a site of its own:
// two runs in one worktree would refuse each other.
func play(t *testing.T, uid int, trials []*trial) {
	t.Helper()
	const workers = 4
	done := make(chan struct{})
	defer close(done)
	go watchTime(done)
	queue := make(chan *trial)
	var slowest atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		s := newKillSite(t, uid)
		wait.Go(func() {
			for k := range queue {
				k.site = s
				took, err := k.run()
				if err != nil {
					t.Error(err)
				}
				slowest.Store(max(slowest.Load(), int64(took)))
			}
		})
	}
	for _, k := range trials {
		queue <- k
	}
	close(queue)
	wait.Wait()
	t.Logf("%d killed, the slowest was gone after %v", len(trials), time.Duration(slowest.Load()).Round(time.Millisecond))
}

// moment is when to kill: half of the time while the lane starts.
func (k *trial) moment(r *rand.Rand) *trial {
	k.running = r.IntN(2) == 0
	k.delay = time.Duration(r.Int64N(int64(150 * time.Millisecond)))
	return k
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestNothingOutlivesLaneExec(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		r, rounds := seeded(t), 4
		if testing.Short() {
			rounds = 1
		}
		var trials []*trial
		for range rounds {
			for payload := range payloads {
				for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
					trials = append(trials, (&trial{signal: sig, payload: payload, target: "lane"}).moment(r))
				}
			}
		}
		play(t, uid, trials)
	})
}

func TestNothingOutlivesLaneRun(t *testing.T) {
	need(t, "git", "bwrap", "socat")
	everyUser(t, func(t *testing.T, uid int) {
		r, rounds := seeded(t), 4
		if testing.Short() {
			rounds = 1
		}
		var trials []*trial
		for range rounds {
			for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
				trials = append(trials, (&trial{signal: sig, agent: true, target: "lane"}).moment(r))
			}
		}
		play(t, uid, trials)
	})
}

// What else may be killed: the layer's process outside, its first process
// inside, the warden, lane and the warden both.
func TestNothingOutlivesItsKeepers(t *testing.T) {
	need(t, "git", "bwrap", "socat")
	everyUser(t, func(t *testing.T, uid int) {
		r, rounds := seeded(t), 4
		if testing.Short() {
			rounds = 1
		}
		var trials []*trial
		for range rounds {
			for _, target := range []string{"layer", "init", "warden", "lane and warden"} {
				for _, agent := range []bool{false, true} {
					trials = append(trials, (&trial{signal: syscall.SIGKILL, payload: "daemon", agent: agent, target: target}).moment(r))
				}
			}
		}
		play(t, uid, trials)
	})
}
