package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lane/sandbox"
)

// Delegation is a cgroup (version 2) below which lane may make one of its own:
// the cgroup that lane itself runs in. Another one, further up, would take the
// lane out of the limits that lane itself was given.
type Delegation struct {
	Dir         string   `json:"dir,omitempty"`
	Controllers []string `json:"controllers,omitempty"`
	// Root says that it is the root of all cgroups, the only one that may hold
	// processes and have children with limits.
	Root bool `json:"root,omitempty"`
	// Why says why there is none, "" when there is.
	Why string `json:"why,omitempty"`
}

// Can says whether a cgroup below can bind what these limits name. The size of
// files and processor time are no cgroup's matter: rlimits bind them.
func (d Delegation) Can(l sandbox.Limits) bool {
	return d.Why == "" && d.Dir != "" && !slices.ContainsFunc(controllersFor(l), func(c string) bool { return !slices.Contains(d.Controllers, c) })
}

func controllersFor(l sandbox.Limits) []string {
	var list []string
	if l.Memory > 0 {
		list = append(list, "memory")
	}
	if l.Procs > 0 {
		list = append(list, "pids")
	}
	return list
}

// FindDelegation looks for it and changes nothing.
func FindDelegation() Delegation {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return Delegation{Why: "no cgroups: " + err.Error()}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Delegation{Why: err.Error()}
	}
	dir, err := ownCgroup(string(own), string(mounts))
	if err != nil {
		return Delegation{Why: err.Error()}
	}
	return delegationAt(dir, os.Getpid())
}

// ownCgroup finds the directory of the cgroup that texts of the form of
// /proc/self/cgroup and /proc/self/mountinfo speak of.
func ownCgroup(own, mounts string) (string, error) {
	path := ""
	for line := range strings.Lines(own) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path = rest
		}
	}
	if path == "" || !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return "", fmt.Errorf("this process is in no cgroup of version 2 that can be named (%q)", path)
	}
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		if root := fields[3]; sandbox.Contains(root, path) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return "", err
			}
			return filepath.Join(fields[4], rel), nil
		}
	}
	return "", errors.New("no mount shows this process's cgroup")
}

// delegationAt judges the directory for the process pid.
func delegationAt(dir string, pid int) Delegation {
	d := Delegation{Dir: dir}
	for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
		if err := syscall.Access(filepath.Join(dir, name), writable); err != nil {
			d.Why = fmt.Sprintf("%s cannot be written: %v", filepath.Join(dir, name), err)
			return d
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		d.Why = err.Error()
		return d
	}
	d.Controllers = strings.Fields(string(b))
	_, err = os.Lstat(filepath.Join(dir, "cgroup.type"))
	d.Root = errors.Is(err, fs.ErrNotExist)
	if d.Root {
		return d
	}
	pids, err := processesIn(dir)
	if err != nil {
		d.Why = err.Error()
	} else if slices.ContainsFunc(pids, func(p int) bool { return p != pid && parentPID(p) != pid }) {
		d.Why = fmt.Sprintf("%s holds other processes than lane, and so cannot have limits below it: start lane in a cgroup of its own (systemd-run --user --scope -p Delegate=yes lane ...)", dir)
	}
	return d
}

// parentPID is the parent of a process. One that has gone counts as lane's own:
// it holds nothing up.
func parentPID(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.Getpid()
	}
	// The name in parentheses may hold anything; the fields follow the last.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

// writable is W_OK.
const writable = 2

func processesIn(dir string) ([]int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, field := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("cgroup.procs: %q", field)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// Group is the cgroup of one lane.
type Group struct {
	d       Delegation
	dir     string
	aside   string // where lane itself went, "" when it had to go nowhere
	enabled []string
	file    *os.File
}

// The names that lane makes in its own cgroup.
const (
	groupPrefix = "lane-run-"
	asidePrefix = "lane-self-"
)

// MakeGroup makes the cgroup of a run, with its limits. Of these it takes
// memory, without swap, and processes, which count threads as well. Cgroups
// that killed lanes left empty are removed on the way.
func MakeGroup(d Delegation, run string, l sandbox.Limits) (*Group, error) {
	sweepGroups(d.Dir)
	g := &Group{d: d, dir: filepath.Join(d.Dir, groupPrefix+run)}
	if err := g.make(run, l); err != nil {
		return nil, errors.Join(err, g.Remove(0))
	}
	return g, nil
}

func (g *Group) make(run string, l sandbox.Limits) error {
	if !g.d.Root {
		// A cgroup with processes of its own can give its children no limits.
		aside := filepath.Join(g.d.Dir, asidePrefix+run)
		if err := os.Mkdir(aside, 0o755); err != nil {
			return err
		}
		g.aside = aside
		if err := moveAll(g.d.Dir, aside); err != nil {
			return err
		}
	}
	have, err := os.ReadFile(filepath.Join(g.d.Dir, "cgroup.subtree_control"))
	if err != nil {
		return err
	}
	for _, c := range controllersFor(l) {
		if slices.Contains(strings.Fields(string(have)), c) {
			continue
		}
		if err := writeGroup(g.d.Dir, "cgroup.subtree_control", "+"+c); err != nil {
			return err
		}
		g.enabled = append(g.enabled, c)
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return err
	}
	if l.Memory > 0 {
		if err := writeGroup(g.dir, "memory.max", strconv.FormatInt(l.Memory, 10)); err != nil {
			return err
		}
		// Not there on a kernel without accounting of swap.
		if err := writeGroup(g.dir, "memory.swap.max", "0"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if l.Procs > 0 {
		if err := writeGroup(g.dir, "pids.max", strconv.FormatInt(l.Procs, 10)); err != nil {
			return err
		}
	}
	g.file, err = os.Open(g.dir)
	return err
}

// writeGroup writes an existing control file in one call, as the kernel wants.
func writeGroup(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: write %q: %w", filepath.Join(dir, name), value, err)
	}
	return nil
}

// moveTime is how long moving may take.
const moveTime = time.Second

// moveAll moves the processes of one cgroup into another: lane and what it has
// started for itself. What one of them forks before it is moved is still in the
// old one, so it is looked at until it is empty. One that has ended meanwhile
// is no error.
func moveAll(from, to string) error {
	for end := time.Now().Add(moveTime); ; time.Sleep(time.Millisecond) {
		pids, err := processesIn(from)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := writeGroup(to, "cgroup.procs", strconv.Itoa(pid)); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s does not get empty", from)
		}
	}
}

// intoGroup has a process started in the cgroup of an open directory, where a
// system can.
var intoGroup = func(*syscall.SysProcAttr, int) {}

// Attr has the process start in the cgroup, so that nothing of the lane is
// ever outside: moved there later, it could have forked before.
func (g *Group) Attr(attr *syscall.SysProcAttr) { intoGroup(attr, int(g.file.Fd())) }

// Kill ends every process in the cgroup at once, also those that forked while
// it was on its way.
func (g *Group) Kill() error { return writeGroup(g.dir, "cgroup.kill", "1") }

// Reached says which limits stopped something, for people.
func (g *Group) Reached() []string {
	var list []string
	for _, event := range []struct{ file, name, text string }{
		{"memory.events", "oom_kill", "the memory limit was reached: the kernel ended %d processes"},
		{"pids.events", "max", "the limit on processes was reached: the kernel refused %d"},
	} {
		b, err := os.ReadFile(filepath.Join(g.dir, event.file))
		if err != nil {
			continue // this limit was not asked for
		}
		for line := range strings.Lines(string(b)) {
			if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, event.name+" "))); err == nil && n > 0 {
				list = append(list, fmt.Sprintf(event.text, n))
			}
		}
	}
	return list
}

// Remove kills what is left, waits for it up to limit, and leaves lane's own
// cgroup as it was.
func (g *Group) Remove(limit time.Duration) error {
	if g.file != nil {
		g.file.Close()
	}
	var errs []error
	if _, err := os.Lstat(g.dir); err == nil {
		_ = g.Kill() // not there before Linux 5.14: the layer has ended all
		errs = append(errs, removeEmpty(g.dir, limit))
	}
	for _, c := range g.enabled {
		errs = append(errs, writeGroup(g.d.Dir, "cgroup.subtree_control", "-"+c))
	}
	if g.aside != "" {
		errs = append(errs, moveAll(g.aside, g.d.Dir), removeEmpty(g.aside, limit))
	}
	return errors.Join(errs...)
}

// removeEmpty waits until the kernel lets the directory go.
func removeEmpty(dir string, limit time.Duration) error {
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Rmdir(dir)
		if err == nil || errors.Is(err, syscall.ENOENT) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(end) {
			return fmt.Errorf("rmdir %s: %w", dir, err)
		}
	}
}

// sweepGroups removes what lanes that were killed left: the kernel refuses
// while a process is in it.
func sweepGroups(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		// A young one may be another lane's that has not started yet.
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if e.IsDir() && (strings.HasPrefix(e.Name(), groupPrefix) || strings.HasPrefix(e.Name(), asidePrefix)) {
			_ = syscall.Rmdir(filepath.Join(dir, e.Name())) // another lane's, in use
		}
	}
}
