package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lane/e2e/feature"
	"lane/sandbox"
)

// Where lane's own cgroup is, by texts of several hosts.
func TestOwnCgroup(t *testing.T) {
	const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	const hybrid = "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n42 23 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	for _, c := range []struct{ name, own, mounts, want string }{
		{"a user's scope", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n", unified, "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope"},
		{"the root", "0::/\n", unified, "/sys/fs/cgroup"},
		{"both versions", "4:memory:/a\n0::/b\n", hybrid, "/sys/fs/cgroup/unified/b"},
		{"version 1 only", "4:memory:/a\n", hybrid, ""},
		{"above the namespace", "0::/../../x\n", unified, ""},
		{"a part of the tree", "0::/ct/a\n", strings.Replace(unified, " / /sys", " /ct /sys", 1), "/sys/fs/cgroup/a"},
		{"another part of the tree", "0::/other\n", strings.Replace(unified, " / /sys", " /ct /sys", 1), ""},
		{"a name that begins alike", "0::/ctx/a\n", strings.Replace(unified, " / /sys", " /ct /sys", 1), ""},
		{"no mount", "0::/a\n", "", ""},
	} {
		got, err := ownCgroup(c.own, c.mounts)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// A cgroup is used only when it can be written, has the controllers, and holds
// nobody but lane.
func TestDelegationIsJudged(t *testing.T) {
	make := func(files map[string]string) string {
		dir := t.TempDir()
		for name, content := range files {
			write(t, filepath.Join(dir, name), content)
		}
		return dir
	}
	alone := map[string]string{"cgroup.procs": "42\n", "cgroup.subtree_control": "", "cgroup.controllers": "cpu memory pids\n", "cgroup.type": "domain\n"}
	both := sandbox.Limits{Memory: 1, Procs: 1}
	d := delegationAt(make(alone), 42)
	if !d.Can(both) || d.Root {
		t.Errorf("%+v", d)
	}
	alone["cgroup.procs"] = fmt.Sprintf("42\n%d\n", os.Getpid())
	if d := delegationAt(make(alone), 42); d.Can(both) || !strings.Contains(d.Why, "other processes") {
		t.Errorf("not alone: %+v", d)
	}
	some := map[string]string{"cgroup.procs": "42\n", "cgroup.subtree_control": "", "cgroup.controllers": "pids\n", "cgroup.type": "domain\n"}
	if d := delegationAt(make(some), 42); d.Can(both) || !d.Can(sandbox.Limits{Procs: 1, FileSize: 1}) {
		t.Errorf("no memory: %+v", d)
	}
	delete(some, "cgroup.subtree_control")
	if d := delegationAt(make(some), 42); d.Can(sandbox.Limits{Procs: 1}) {
		t.Errorf("not delegated: %+v", d)
	}
	if (Delegation{}).Can(both) {
		t.Error("nothing was looked for")
	}
}

// requireCgroup skips where this process has no cgroup to make others in.
func requireCgroup(t *testing.T) Delegation {
	t.Helper()
	d := FindDelegation()
	if !d.Can(sandbox.Limits{Memory: 1, Procs: 1}) {
		feature.Missing(t, "cgroup", d.Why+" "+strings.Join(d.Controllers, ","))
	}
	return d
}

// A cgroup stops what takes too much, in whichever process of the lane, lets
// the same work below the limit go on, and leaves nothing behind.
func TestGroupLimits(t *testing.T) {
	d := requireCgroup(t)
	before := namesIn(t, d.Dir)
	f := newLandlock(t)
	for _, c := range []struct {
		name, want, not string
		limits          sandbox.Limits
		argv            []string
		reached         string
	}{
		{"memory below", "took 20 MiB", "", sandbox.Limits{Memory: 200 << 20}, []string{"hog", "20"}, ""},
		{"memory above", "", "took", sandbox.Limits{Memory: 200 << 20}, []string{"hog", "400"}, "the memory limit"},
		{"processes below", "started 3", "", sandbox.Limits{Procs: 100}, []string{"forks", "3"}, ""},
		{"processes above", "started", "started 60", sandbox.Limits{Procs: 30}, []string{"forks", "60"}, "the limit on processes"},
	} {
		g, err := MakeGroup(d, "test", c.limits)
		must(t, err)
		o := f.startWith(t, func(cmd *exec.Cmd) { g.Attr(cmd.SysProcAttr) }, nil, append([]string{f.Lane, "act"}, c.argv...)...)
		reached := strings.Join(g.Reached(), "; ")
		if !o.Report.OK || !strings.Contains(o.Out, c.want) || c.not != "" && strings.Contains(o.Out, c.not) {
			t.Errorf("%s: %s code %d\n%s", c.name, toJSON(o.Report), o.Code, o.Out)
		}
		if (reached != "") != (c.reached != "") || !strings.Contains(reached, c.reached) {
			t.Errorf("%s: reached %q, want %q", c.name, reached, c.reached)
		}
		must(t, g.Remove(5*time.Second))
	}
	if after := namesIn(t, d.Dir); !slices.Equal(before, after) {
		t.Errorf("left: %q, were %q", after, before)
	}
}

// What left the session is ended with the cgroup.
func TestGroupEndsEverything(t *testing.T) {
	d := requireCgroup(t)
	f := newLandlock(t)
	g, err := MakeGroup(d, "test", sandbox.Limits{Procs: 100})
	must(t, err)
	f.startWith(t, func(cmd *exec.Cmd) { g.Attr(cmd.SysProcAttr) }, nil, "/bin/sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & setsid sleep 600 >/dev/null 2>&1 & sleep 0.2")
	pids, err := processesIn(g.dir)
	must(t, err)
	if len(pids) != 2 {
		t.Errorf("%d processes are left, want 2", len(pids))
	}
	must(t, g.Remove(5*time.Second))
	for _, pid := range pids {
		if state := statusFieldOf(fmt.Sprintf("/proc/%d/status", pid), "State"); state != "" && state[0] != 'Z' {
			t.Errorf("%d lives: %s", pid, state)
		}
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
