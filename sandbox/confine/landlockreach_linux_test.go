package confine

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// plantTarget makes what actReach tries, owned by whoever runs the test.
func plantTarget(t *testing.T, f *fixture) (to target, list, all string) {
	t.Helper()
	sleeper := exec.CommandContext(t.Context(), "/bin/sleep", "600")
	must(t, sleeper.Start())
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	to = target{PID: sleeper.Process.Pid, Queue: "lane-test-" + filepath.Base(f.Dir), Abstract: filepath.Base(f.Dir),
		Stream: f.Dir + "/stream", Datagram: f.Dir + "/datagram", Worktree: f.Worktree, File: f.Common + "/config", Hidden: f.Secret, Mem: 0x400000}
	to.Shm = sysv(t, unix.SYS_SHMGET, unix.SYS_SHMCTL, 4096)
	to.Sem = sysv(t, unix.SYS_SEMGET, unix.SYS_SEMCTL, 1)
	to.Msg = sysvMsg(t)
	name := append([]byte(to.Queue), 0)
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	if errno == 0 {
		unix.Close(int(fd))
		t.Cleanup(func() { sys(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(&name[0]))) })
	}
	for _, address := range []string{to.Stream, "@" + to.Abstract} {
		l, err := net.Listen("unix", address)
		must(t, err)
		t.Cleanup(func() { l.Close() })
	}
	d, err := net.ListenPacket("unixgram", to.Datagram)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { tcp.Close() })
	to.TCP = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { udp.Close() })
	to.UDP = udp.LocalAddr().(*net.UDPAddr).Port
	list, all = filepath.Join(f.Dir, "target.json"), filepath.Join(f.Dir, "target-root.json")
	for _, file := range []string{list, all} {
		to.Root = file == all
		b, err := json.Marshal(to)
		must(t, err)
		must(t, os.WriteFile(file, b, 0o644))
	}
	time.Sleep(20 * time.Millisecond) // the sleeper has to have become sleep
	return to, list, all
}

func sysv(t *testing.T, get, ctl uintptr, size uintptr) int {
	id, _, errno := unix.Syscall(get, unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	if errno != 0 {
		t.Logf("no System V object: %v", errno)
		return -1
	}
	t.Cleanup(func() {
		if ctl == unix.SYS_SEMCTL {
			sys(ctl, id, 0, unix.IPC_RMID)
		} else {
			sys(ctl, id, unix.IPC_RMID, 0)
		}
	})
	return int(id)
}

func sysvMsg(t *testing.T) int {
	id, _, errno := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
	if errno != 0 {
		t.Logf("no System V queue: %v", errno)
		return -1
	}
	t.Cleanup(func() { sys(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0) })
	return int(id)
}

func reach(t *testing.T, out []byte) map[string]string {
	t.Helper()
	var got map[string]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// openBy says which gap an attempt gets through by. All others are refused.
var openBy = map[string]string{
	"file-chmod": "metadata", "file-fchmod": "metadata", "file-utimes": "metadata",
	"hidden-stat": "metadata", "hidden-enter": "metadata", "hidden-watch": "metadata",
	"proc-cmdline": "host-processes-visible",
	"netlink":      "", // it reads what /sys shows as well, and changes nothing without capabilities
}

// What the layer says is open is open, and everything else is refused, and
// would not be by itself.
func TestLandlockReach(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newLandlock(t)
		_, list, all := plantTarget(t, f)
		for _, network := range []sandbox.NetworkMode{sandbox.NetworkNone, sandbox.NetworkHost} {
			f.Policy.Network = network
			gaps := gapNames(f)
			o := f.start(t, nil, f.Lane, "act", "reach", all)
			if !o.Report.OK {
				t.Fatal(toJSON(o.Report))
			}
			for name, got := range reach(t, []byte(o.Out)) {
				gap, open := openBy[name]
				if network == sandbox.NetworkHost && (name == "tcp" || name == "udp") {
					gap, open = "network: host", true
				}
				switch {
				case open && got != "ok":
					t.Errorf("%s: %s: %s is not open; drop the gap %q", network, name, got, gap)
				case open && gap != "" && !slices.Contains(gaps, gap):
					t.Errorf("%s: %s: no gap %q among %q", network, name, gap, gaps)
				case !open && got == "ok":
					t.Errorf("%s: %s got through", network, name)
				}
			}
		}
		f.Policy.Network = sandbox.NetworkNone
		o := f.start(t, nil, f.Lane, "act", "reach", list)
		cmd := exec.CommandContext(t.Context(), f.Lane, "act", "reach", list)
		cmd.Dir = f.Worktree
		out, err := cmd.Output()
		must(t, err)
		inside := reach(t, []byte(o.Out))
		for name, got := range reach(t, out) {
			// What this host has not, or gives no user, proves nothing either way.
			hostless := name == "setns" && os.Geteuid() != 0 || name == "vsock" && got == "EAFNOSUPPORT"
			if _, open := openBy[name]; !open && got == inside[name] && !hostless {
				t.Errorf("%s: %s outside as well: this proves nothing", name, got)
			}
		}
	})
}

func gapNames(f *fixture) []string {
	var names []string
	for _, gap := range f.Layer.Gaps(f.Policy, os.Geteuid() == 0) {
		names = append(names, gap.Name)
	}
	return names
}
