package confine

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const sharedEnv = "LANE_TEST_SHARED_MOUNTS"

// With / shared, as systemd has it, what the host mounts while a lane runs
// does not appear inside; without Attr it would, and the child refuses.
func TestHostMounts(t *testing.T) {
	if os.Getenv(sharedEnv) == "" {
		if os.Geteuid() != 0 {
			t.Skip("needs root to make mounts")
		}
		requireBwrap(t)
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestHostMounts$", "-test.v")
		cmd.Env = append(os.Environ(), sharedEnv+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "--- SKIP") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if os.Geteuid() == 0 {
		must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""))
	}
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		leave := func(cmd *exec.Cmd) { cmd.SysProcAttr = nil }
		o := f.startWith(t, leave, nil, "/bin/true")
		if o.Report.OK || o.Report.Reason != "host-mounts" {
			t.Errorf("without Attr: %s", toJSON(o.Report))
		}
		o = f.startWith(t, leave, func(p *ChildPlan) { p.HostMounts = true }, "/bin/true")
		if !o.Report.OK {
			t.Errorf("accepted: %s", toJSON(o.Report))
		}
		f.Policy.Nesting = true
		o = f.start(t, func(p *ChildPlan) { p.Nested = nestedTwice(f.Probe.Path) }, "/bin/true")
		if !o.Report.OK || o.Code != 0 {
			t.Errorf("with Attr: %s", toJSON(o.Report))
		}
		if os.Geteuid() == 0 {
			plugIn(t, f)
		}
	})
}

// plugIn mounts something on the host while a lane runs.
func plugIn(t *testing.T, f *fixture) {
	usb := f.Other // below the private home: nowhere to appear
	stick := f.Dir + "/stick"
	for _, dir := range []string{usb, stick} {
		must(t, os.MkdirAll(dir, 0o777))
	}
	go func() {
		for range 100 {
			time.Sleep(50 * time.Millisecond)
			if _, err := os.Lstat(f.Worktree + "/started"); err == nil {
				break
			}
		}
		if err := unix.Mount("none", stick, "tmpfs", 0, "mode=777"); err != nil {
			t.Error(err)
		}
		os.WriteFile(stick+"/data", []byte("data"), 0o666)
		os.WriteFile(f.Worktree+"/mounted", nil, 0o666)
	}()
	defer unix.Unmount(stick, 0)
	o := f.sh(t, `touch started; n=0; while [ ! -e mounted ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n+1)); done
		[ -e mounted ] && echo was mounted; ls "`+stick+`"; touch "`+stick+`/new" && echo written`)
	if !strings.Contains(o.Out, "was mounted") || strings.Contains(o.Out, "data") || strings.Contains(o.Out, "written") {
		t.Error(o.Out)
	}
}

func TestPropagates(t *testing.T) {
	const private = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
	for text, want := range map[string]string{
		private: "",
		private + "22 21 0:5 / /a rw shared:3 - tmpfs t rw\n":               "/a",
		private + "22 21 0:5 / /a rw master:3 - tmpfs t rw\n":               "/a",
		private + "22 21 0:5 / /a rw unbindable - tmpfs t rw\n":             "",
		private + "22 21 0:5 / /a rw - tmpfs shared:3 rw\n":                 "",
		private + "22 21 0:5 / /b\\040c rw propagate_from:2 master:1 - t t": "/b\\040c",
		"": "",
	} {
		if got, found := propagates(text); got != want || found != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, got, found, want)
		}
	}
}
