package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// openDir, below LANE_HOME, has a file for each run that has not ended.
const openDir = "open"

func openPath(laneHome, run string) string { return filepath.Join(laneHome, openDir, run+".json") }

// addPart adds what has become known.
func addPart(f *os.File, part openRun) error {
	b, err := json.Marshal(part)
	if err == nil {
		_, err = f.Write(append(b, '\n'))
	}
	return err
}

// gone says whether the file was removed, which is the last thing that lane
// does.
func gone(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// Recovered is a run that was killed, and what was done for it.
type Recovered struct {
	Run      string
	Worktree string
	Removed  []string
	Held     []Held
	// Kept says that the run has a record.
	Kept bool
	// Failed says what could not be done; it is tried again the next time.
	Failed string
}

// wardenLimit is how long a warden outlives its lane at most. What is not done
// by then the next lane command does.
const wardenLimit = 1900 * time.Millisecond

// recoverTime bounds how long the processes of a dead lane are waited for.
const recoverTime = 5 * time.Second

// Recover finishes the runs whose lane and warden were both killed. It must
// come before a survey: what they left would be taken for the user's.
func Recover() []Recovered {
	home, err := LaneHome()
	if err != nil {
		return nil // said by what is done next
	}
	names, err := readNames(filepath.Join(home, openDir))
	if err != nil {
		return nil // there is none, or the next step says why it cannot be read
	}
	var list []Recovered
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			removeStale(filepath.Join(home, openDir, name))
			continue
		}
		run, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		if r, ok := recoverRun(home, run); ok {
			list = append(list, r)
		}
	}
	return list
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(10_000) // sorted below: older runs first
	slices.Sort(names)
	return names, err
}

// removeStale removes a file that was never given its name: lane was killed
// in between, before it had made anything.
func removeStale(path string) {
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		os.Remove(path)
	}
}

// recoverRun does it for one, if nobody else lives to do it.
func recoverRun(home, run string) (Recovered, bool) {
	path := openPath(home, run)
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Recovered{}, false
	}
	defer f.Close()
	if !lockDead(f) || gone(f) {
		return Recovered{}, false
	}
	o := readOpenRun(f)
	if o.Run != run {
		// Not even the first part was written down (the machine went off).
		o = openRun{Run: run, RunDir: filepath.Join(home, "runs", run)}
	}
	if o.Seal != nil {
		// A lane that runs there now has placeholders of its own.
		lock, err := lockWorktree(home, o.Seal.Worktree)
		if err != nil {
			return Recovered{}, false
		}
		defer lock.Close()
	}
	giveTerminalBack(o.Terminal, 0, 1, 2)
	r := o.finish(time.Now().Add(recoverTime), -1)
	if r.Failed == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			r.Failed = fmt.Sprintf("remove %s: %v", quote(path), cause(err))
		}
	}
	return r, true
}

// lockDead takes the lock of a run whose lane is dead. Where its warden still
// works, it waits for that: what the warden is about to remove would be taken
// for the user's.
func lockDead(f *os.File) bool {
	try := func() bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
	if try() {
		return true
	}
	if !readOpenRun(f).Lane.dead() {
		return false
	}
	for end := time.Now().Add(wardenLimit); time.Now().Before(end); time.Sleep(wardenLimit / 200) {
		if try() {
			return true
		}
	}
	return false
}

// finish does what lane did not live to do. All of it can be done again.
//
// The order is the argument: first nobody may be left who writes; then the
// worktree is put right; then the record says so.
func (o openRun) finish(until time.Time, first int) Recovered {
	r := Recovered{Run: o.Run}
	if !o.endProcesses(until, first) {
		r.Failed = "processes of the lane are still ending"
		return r
	}
	if _, err := os.Stat(filepath.Join(o.RunDir, recordDir, "result.json")); err == nil {
		return r // lane had come to its end
	}
	if _, err := os.Stat(o.RunDir); err != nil && o.Seal == nil {
		return r // nor had it begun
	}
	res := emptyResult("")
	if o.Record != nil {
		res = *o.Record
	}
	res.Status, res.Reason, res.Exit = Killed, "lane-killed", ExitSignal+int(syscall.SIGKILL)
	res.Signal, res.Run, res.RunDir = "SIGKILL", o.Run, o.RunDir
	res.Detail = "lane was killed before the run ended; what steers git was not compared with before"
	res.Hint = "look at the worktree before you run anything there: git diff, with a pager"
	clear := true
	if o.Seal != nil {
		clear = o.clear(&res)
		r.Worktree, r.Removed, r.Held = o.Seal.Worktree, res.Removed, res.Held
	}
	if o.Command && clear && o.holdsNoWork() {
		if err := os.RemoveAll(o.RunDir); err != nil {
			r.Failed = fmt.Sprintf("remove %s: %s", quote(o.RunDir), cause(err))
		}
		return r
	}
	r.Kept = true
	if err := o.writeRecord(&res); err != nil {
		r.Failed = fmt.Sprintf("write the record of %s: %s", o.Run, cause(err))
	}
	return r
}

// holdsNoWork: commits made in a lane lie in its own git directory.
func (o openRun) holdsNoWork() bool {
	return !Job{Plan: Plan{RunDir: o.RunDir, Git: gitOwn}}.hasCommits()
}

// clear puts the worktree right, as far as that needs nothing but names. It
// says whether there is nothing left for the user to hear of.
func (o openRun) clear(res *Result) (all bool) {
	all = true
	warn := func(text string) { res.Warnings, all = append(res.Warnings, text), false }
	root, err := os.OpenRoot(o.Seal.Worktree)
	if err != nil {
		warn("the worktree could not be looked at: " + cause(err))
		return all
	}
	defer root.Close()
	if !o.Seal.same(root) {
		warn("there is another directory where the worktree was; it was left alone")
		return all
	}
	res.Removed = o.Seal.sweep(root)
	if o.Seal.Unknown {
		warn("what configures agents and editors was not looked at: the worktree is too large")
		return all
	}
	j := Job{Request: Request{Accept: o.Seal.Accept}, Host: Host{Tree: o.Seal.tree(), Steered: o.Seal.Steered}, Plan: Plan{RunDir: o.RunDir, Worktree: o.Seal.Worktree}}
	if res.Held, err = holdBack(root, j); err != nil {
		warn(err.Error() + "; remove it yourself before you start an agent, an editor or a shell there")
	}
	if len(res.Held) > 0 {
		warn(fmt.Sprintf("%d files that configure agents, editors or shells appeared during the run and were held back", len(res.Held)))
	}
	return all
}

func (o openRun) writeRecord(res *Result) error {
	dir := filepath.Join(o.RunDir, recordDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	finishRecord(res, root)
	_, err = os.Stat(filepath.Join(dir, "result.json"))
	return err
}
