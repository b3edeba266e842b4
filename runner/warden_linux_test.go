package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lane/e2e/feature"
	"lane/runner/agent"
)

// The test binary is the warden when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && filepath.Base(os.Args[0]) == "lane" && os.Args[1] == "warden" {
		os.Exit(WardenMain())
	}
	os.Exit(m.Run())
}

// wardened is a run with a warden, and a process in the place of the lane's
// first one that nothing but the warden would end: a hostile agent can have
// taken from it that it dies with lane.
type wardened struct {
	*warden
	worktree string
	first    *exec.Cmd
}

func startWardened(t *testing.T) *wardened {
	t.Helper()
	home, worktree := t.TempDir(), t.TempDir()
	first := exec.Command("sleep", "600")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Process.Kill(); _ = first.Wait() })
	fd, err := unix.PidfdOpen(first.Process.Pid, 0)
	if err != nil {
		feature.Missing(t, "pidfd", err.Error())
	}
	t.Cleanup(func() { unix.Close(fd) })
	res := emptyResult("test")
	j := Job{Agent: &agent.Agent{}, Host: Host{LaneHome: home}, Plan: Plan{Run: "r1", RunDir: filepath.Join(home, "runs", "r1"),
		Worktree: worktree, Placeholders: testPlaceholders, LayerPath: "/nowhere/bwrap"}}
	if err := os.MkdirAll(filepath.Join(j.Plan.RunDir, recordDir), 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := openWarden(&j, &res, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.hold(&child{reports: &reports{init: fd, first: first.Process.Pid}}); err != nil {
		t.Fatal(err)
	}
	build(t, worktree, ".bashrc=", "work=mine")
	return &wardened{w, worktree, first}
}

// pid is the warden's: it is this process's child of that name.
func (w *wardened) pid(t *testing.T) int {
	t.Helper()
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that ended meanwhile
		}
		for _, pid := range strings.Fields(string(b)) {
			line, _ := os.ReadFile("/proc/" + pid + "/cmdline") // it may have ended
			if string(line) == "lane\x00warden\x00r1\x00" {
				n, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	t.Fatal("there is no warden")
	return 0
}

// ends waits for the warden's end.
func (w *wardened) ends(t *testing.T, within time.Duration) {
	t.Helper()
	select {
	case <-w.ended:
	case <-time.After(within):
		t.Fatalf("the warden is still there after %v", within)
	}
}

// firstLives says whether the process in the lane's place does. One that has
// ended is a zombie until the test is over.
func (w *wardened) firstLives() bool {
	fd, err := unix.PidfdOpen(w.first.Process.Pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return !waitGone(fd, time.Millisecond)
}

func TestWardenDoesWhatLaneWouldHaveDone(t *testing.T) {
	w := startWardened(t)
	w.conn.Close() // as when lane is killed
	w.file.Close()
	w.ends(t, 2*time.Second)
	if w.firstLives() {
		t.Error("the lane's first process lives")
	}
	if left := listed(t, w.worktree); !slices.Equal(left, []string{"work"}) {
		t.Errorf("left %q", left)
	}
	if r, err := readRecord(filepath.Join(w.home, "runs", "r1")); err != nil || r.Status != Killed {
		t.Errorf("record %+v, %v", r, err)
	}
	if left := listed(t, filepath.Join(w.home, openDir)); len(left) != 0 {
		t.Errorf("open runs left: %q", left)
	}
}

func TestWardenGoesWhenLaneEndsAsItShould(t *testing.T) {
	w := startWardened(t)
	w.close()
	w.ends(t, wardenLimit)
	if !w.firstLives() || !slices.Equal(listed(t, w.worktree), []string{".bashrc", "work"}) {
		t.Error("it did what only a dead lane needs")
	}
}

// What a user or a shell sends to everything in sight is not for the warden.
func TestWardenIgnoresWhatEndsLane(t *testing.T) {
	w := startWardened(t)
	pid := w.pid(t)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE}
	// Until it has started it may ignore what its starter did, and no more.
	ignoring := func() bool {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status") // gone is not ignoring
		_, rest, _ := strings.Cut(string(b), "SigIgn:\t")
		text, _, _ := strings.Cut(rest, "\n")
		mask, err := strconv.ParseUint(text, 16, 64)
		return err == nil && !slices.ContainsFunc(signals, func(s syscall.Signal) bool { return mask&(1<<(s-1)) == 0 })
	}
	for end := time.Now().Add(10 * time.Second); !ignoring(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not ignore them")
		}
	}
	for _, sig := range signals {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-w.ended:
		t.Fatal("it ended")
	case <-time.After(200 * time.Millisecond):
	}
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("session %d, %v", sid, err)
	}
	if cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd"); err != nil || cwd != "/" {
		t.Errorf("it holds %q, %v", cwd, err)
	}
	w.close()
	w.ends(t, time.Second)
}

// Descriptors that lane was started with, a pipe that somebody reads to its
// end above all, are not the warden's.
func TestWardenHoldsNothingElse(t *testing.T) {
	r, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := unix.FcntlInt(held.Fd(), unix.F_SETFD, 0); err != nil { // inherited by all
		t.Fatal(err)
	}
	w := startWardened(t)
	_ = w.first.Process.Kill() // it has inherited it as well
	_ = w.first.Wait()
	held.Close()
	if err := r.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the pipe is still open: %v", err)
	}
	w.close()
}

// The next lane command, right after lane was killed, waits for the warden: it
// must not take what the warden is about to remove for the user's.
func TestRecoverWaitsForAWarden(t *testing.T) {
	for _, c := range []struct {
		name string
		dead bool
	}{{"of a dead lane", true}, {"of a living lane", false}} {
		t.Run(c.name, func(t *testing.T) {
			lane := exec.Command("sleep", "600")
			if err := lane.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lane.Process.Kill(); _ = lane.Wait() }()
			home := t.TempDir()
			t.Setenv("LANE_HOME", home)
			f, err := createOpenRun(home, openRun{Run: "r1", Lane: idOf(lane.Process.Pid)})
			if err != nil {
				t.Fatal(err)
			}
			must(t, f.publish())
			if c.dead {
				_ = lane.Process.Kill() // and a zombie until the test is over
				must(t, unix.Waitid(unix.P_PID, lane.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
			}
			const work = 300 * time.Millisecond
			began := time.Now()
			time.AfterFunc(work, func() { _ = os.Remove(openPath(home, "r1")); f.Close() })
			got := Recover()
			if took := time.Since(began); len(got) != 0 || c.dead != (took >= work) {
				t.Errorf("after %v: %+v", took, got)
			}
			time.Sleep(time.Until(began.Add(2 * work)))
		})
	}
}

// A number that is another process's by now is nobody's to kill.
func TestProcessIsFoundAgainByMoreThanItsNumber(t *testing.T) {
	id := idOf(os.Getpid())
	if fd, ok := id.open(); !ok {
		t.Error("a process that is there was not found")
	} else {
		unix.Close(fd)
	}
	for name, change := range map[string]func(*processID){
		"start": func(id *processID) { id.Start++ },
		"boot":  func(id *processID) { id.Boot = "another" },
		"space": func(id *processID) { id.Space = "pid:[1]" },
	} {
		other := *id
		change(&other)
		if _, ok := other.open(); ok {
			t.Errorf("%s: another process was taken for it", name)
		}
	}
}
