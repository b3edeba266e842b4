package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openNameless makes a file without a name.
const openNameless = unix.O_TMPFILE

// word is one thing that lane says to its warden, one JSON line in one packet
// on descriptor 3. The end of the connection without "done" is lane's end.
type word struct {
	// Open, the first word, is the path of the run's file.
	Open string `json:"open,omitempty"`
	// First comes with a pidfd of the process that the lane ends with.
	First bool `json:"first,omitempty"`
	// Terminal is what to put back, Undo what to write to it.
	Terminal *terminalSettings `json:"terminal,omitempty"`
	Undo     *string           `json:"undo,omitempty"`
	Done     bool              `json:"done,omitempty"`
}

// warden is lane's end of it.
type warden struct {
	home   string
	run    string
	file   *os.File      // the run's, locked
	conn   *os.File      // kept by lane alone: its end is lane's
	failed error         // why there is no such process
	ended  chan struct{} // the warden is gone
	seal   *openSeal
	known  chan struct{} // the seal is complete
}

// openWarden opens a run: from now on nothing of it is forgotten, whoever is
// killed. The warden's process is there before anything else is made: a lane
// that was killed in between left its run to the next lane command.
//
// lock, if any, is the worktree's: it stays taken until the warden is done.
func openWarden(j *Job, res *Result, lock *os.File) (*warden, error) {
	record := *res
	seal, err := sealNames(j.Plan.Worktree, j.Plan.Placeholders, j.Plan.Litter)
	if err != nil {
		return nil, &Refusal{Reason: "changed-before-start", Path: j.Plan.Worktree, Detail: cause(err), Hint: "see what else works there, then start again"}
	}
	j.seal = seal
	w := &warden{home: j.Host.LaneHome, run: j.Plan.Run, ended: make(chan struct{}), seal: seal, known: make(chan struct{})}
	file, err := createOpenRun(w.home, openRun{Schema: wardenSchema, Run: w.run, RunDir: j.Plan.RunDir,
		Command: j.Agent.Command, Layer: j.Plan.LayerPath, Lane: idOf(os.Getpid()), Record: &record})
	if err != nil {
		return nil, err
	}
	ours, theirs, err := wordPair()
	if err != nil {
		file.discard()
		return nil, err
	}
	w.file, w.conn = file.File, ours
	go func() {
		defer close(w.known)
		files, dirs := wiringAtLaunch(j.Host.Tree)
		seal.Wiring, seal.Dirs = files, append(seal.Dirs, dirs...)
		seal.Unknown, seal.Accept, seal.Steered = j.Host.Tree.Cut != "", j.Request.Accept, j.Host.Steered
	}()
	w.say(word{Open: openPath(w.home, w.run)}, -1)
	w.failed = w.start(theirs, lock, j.Request.Terminal)
	if err := file.publish(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// wordPair keeps packets apart, and passes descriptors.
func wordPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "warden"), os.NewFile(uintptr(fds[1]), "lane"), nil
}

// Descriptors of the warden.
const (
	wordFD     = 3
	openFD     = 4
	lockFD     = 5 // the worktree's lock, held and not used
	terminalFD = 6 // in
	shownFD    = 7 // out
)

// start starts the warden: this very program, whatever lies at its path by
// now, in a session of its own, with nothing of lane's environment.
func (w *warden) start(theirs, lock *os.File, onTerminal bool) error {
	defer theirs.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"lane", "warden", w.run}, Dir: "/", Env: []string{"GOMAXPROCS=1"},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if lock == nil {
		lock = null
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, null, null
	cmd.ExtraFiles = []*os.File{theirs, w.file, lock, null, null}
	if onTerminal {
		cmd.ExtraFiles[terminalFD-3], cmd.ExtraFiles[shownFD-3] = os.Stdin, os.Stdout
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // how it ended changes nothing
		close(w.ended)
	}()
	return nil
}

// hold comes last before the agent may start: the run's file is complete, and
// the warden knows with which process the lane ends.
func (w *warden) hold(c *child) error {
	if w.failed != nil {
		return &Refusal{Reason: "warden", Detail: "cannot start the process that cleans up if lane is killed: " + cause(w.failed), Hint: "see how many processes this user may have (ulimit -u)"}
	}
	<-w.known
	part := openRun{Seal: w.seal, First: idOf(c.reports.first)}
	if err := addPart(w.file, part); err != nil {
		return &Refusal{Reason: "lane-home", Path: openPath(w.home, w.run), Detail: cause(err), Hint: "see whether the disk is full"}
	}
	w.say(word{First: true}, c.reports.init)
	return nil
}

// follow has the warden know what the terminal would need.
func (w *warden) follow(t *terminal) {
	var st unix.Stat_t
	if unix.Fstat(int(t.in.Fd()), &st) != nil {
		return
	}
	t.tell = func(settings *terminalSettings, undo string) {
		w.say(word{Terminal: settings, Undo: &undo}, -1)
		if settings != nil {
			_ = addPart(w.file, openRun{Terminal: &openTerminalState{uint64(st.Rdev), *settings}}) // the warden knows it
		}
	}
}

// say does not wait: a warden that is gone or stuck must not hold lane up.
func (w *warden) say(what word, fd int) {
	b, err := json.Marshal(what)
	if err != nil {
		return
	}
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	_ = unix.Sendmsg(int(w.conn.Fd()), append(b, '\n'), rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// wardenEnd is how long lane waits for its warden to go, so that it leaves no
// process behind and the worktree is free at once.
const wardenEnd = 2 * time.Second

// close ends the run. Its record is written by now, or its directory removed.
func (w *warden) close() {
	w.forget()
	w.say(word{Done: true}, -1)
	if w.failed == nil {
		select {
		case <-w.ended:
		case <-time.After(wardenEnd):
		}
	}
	w.conn.Close()
}

// forget removes the run's file.
func (w *warden) forget() {
	_ = os.Remove(openPath(w.home, w.run)) // the next lane command finds a run that has ended, and removes it
	w.file.Close()
}

// idOf names a process so that it can be found again.
func idOf(pid int) *processID {
	start, ok := startOf(pid)
	if pid <= 0 || !ok {
		return nil
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return &processID{PID: pid, Start: start, Boot: string(bytes.TrimSpace(boot)), Space: space}
}

func startOf(pid int) (uint64, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	i := bytes.LastIndexByte(b, ')')
	if err != nil || i < 0 {
		return 0, false
	}
	fields := bytes.Fields(b[i+1:])
	const startTime = 22 - 3 // of proc(5), counted from the state
	if len(fields) <= startTime {
		return 0, false
	}
	n, err := strconv.ParseUint(string(fields[startTime]), 10, 64)
	return n, err == nil
}

// open returns a pidfd of the process if it is still that one.
func (id *processID) open() (int, bool) {
	if id == nil {
		return -1, false
	}
	if now := idOf(id.PID); now == nil || *now != *id {
		return -1, false
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err != nil {
		return -1, false
	}
	if now := idOf(id.PID); now == nil || *now != *id {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// dead says that the process was here and is not any more.
func (id *processID) dead() bool {
	here := idOf(os.Getpid())
	if id == nil || here == nil || id.Boot != here.Boot || id.Space != here.Space {
		return false
	}
	fd, ok := id.open()
	if !ok {
		return true
	}
	defer unix.Close(fd)
	return waitGone(fd, time.Millisecond) // a zombie is gone
}

// endProcesses ends what is left of the lane and says whether nothing is. The
// kernel ends all processes of a pid namespace with its first one, and lets
// that one go last. first is a pidfd of it, or -1.
//
// Before the agent was let in, that process may not be known yet. Then there
// are only the layer's own, which name the run's directory in their command
// line; one whose parent was killed at the wrong moment waits for ever
// (bubblewrap's child, for its user namespace).
func (o openRun) endProcesses(until time.Time, first int) bool {
	if first < 0 {
		if fd, ok := o.First.open(); ok {
			defer unix.Close(fd)
			first = fd
		}
	}
	if first >= 0 && !endProcess(first, until) {
		return false
	}
	for {
		left := o.layerProcesses()
		if len(left) == 0 {
			return true
		}
		for _, fd := range left {
			ended := endProcess(fd, until)
			unix.Close(fd)
			if !ended {
				return false
			}
		}
	}
}

func endProcess(pidfd int, until time.Time) bool {
	_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0) // gone already is fine
	return waitGone(pidfd, time.Until(until))
}

// layerProcesses opens pidfds of the layer's processes of this run.
func (o openRun) layerProcesses() []int {
	var fds []int
	if o.Layer == "" || o.RunDir == "" {
		return nil
	}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || !o.isLayer(pid) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !o.isLayer(pid) { // another one by now
			unix.Close(fd)
			continue
		}
		fds = append(fds, fd)
	}
	return fds
}

func (o openRun) isLayer(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return false
	}
	argv := strings.Split(string(b), "\x00")
	return argv[0] == o.Layer && slices.ContainsFunc(argv, func(arg string) bool {
		return strings.HasPrefix(arg, o.RunDir+string(filepath.Separator))
	})
}

// giveTerminalBack puts a terminal back that is as lane left it. One that is
// not has been taken by somebody else, a shell above all, who knows better.
func giveTerminalBack(t *openTerminalState, fds ...int) bool {
	if t == nil {
		return false
	}
	for _, fd := range fds {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) != nil || uint64(st.Rdev) != t.Device {
			continue
		}
		now, err := getTermios(fd)
		if err != nil || *now != t.Settings.Raw {
			continue
		}
		found := t.Settings.Found
		if setTermios(fd, &found) == nil {
			_ = flushInput(fd) // what was typed, or answered, was for the command
			return true
		}
	}
	return false
}

var errLaneGone = errors.New("lane is gone")
