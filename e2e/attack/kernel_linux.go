package attack

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The kernel's own interfaces. What is the whole machine's is written back as
// it was read, so that nothing breaks where it gets through.

func init() { lazily(addKernel) }

func addKernel() {
	const claim = "no setting of the machine can be changed"
	root := Plain{Root, "only root may write it"}
	register(
		Attack{ID: "core-pattern", Claim: claim, What: "write kernel.core_pattern, which runs a program on the host", Plain: root,
			Try: func(Layout) error { return writeBack("/proc/sys/kernel/core_pattern") }, Inside: sees},
		Attack{ID: "proc-sys", Claim: claim, What: "write other settings below /proc/sys", Plain: root, Try: func(Layout) error {
			return anyOf(writeBack("/proc/sys/kernel/modprobe"), writeBack("/proc/sys/vm/swappiness"), writeBack("/proc/sys/fs/protected_symlinks"),
				writeBack("/proc/sys/kernel/panic"), writeBack("/proc/sys/fs/file-max"))
		}, Inside: sees},
		Attack{ID: "sysrq", Claim: claim, What: "open /proc/sysrq-trigger for writing", Plain: root, Try: func(Layout) error {
			return openOnly("/proc/sysrq-trigger", os.O_WRONLY)
		}, Inside: "a key would reach the whole machine", Missing: missing("/proc/sysrq-trigger")},
		Attack{ID: "sys-write", Claim: claim, What: "write settings below /sys", Plain: root, Try: func(Layout) error {
			return anyOf(writeBack("/sys/kernel/uevent_helper"), writeBack("/sys/kernel/mm/transparent_hugepage/khugepaged/defrag"),
				writeBack("/sys/kernel/mm/ksm/pages_to_scan"), writeBack("/sys/kernel/profiling"))
		}, Inside: sees},
		Attack{ID: "release-agent", Claim: claim, What: "write release_agent of a control group, which runs a program on the host", Plain: root, Try: func(Layout) error {
			var tries []error
			for _, p := range releaseAgents() {
				tries = append(tries, writeBack(p))
			}
			return anyOf(tries...)
		}, Inside: sees, Missing: func(*Fixture) string {
			if len(releaseAgents()) == 0 {
				return "no control group of version 1 is mounted"
			}
			return ""
		}},
		Attack{ID: "cgroup-escape", Claim: claim, What: "make a control group at the top of the hierarchy", Plain: root, Try: func(l Layout) error {
			var tries []error
			for _, top := range cgroupTops() {
				tries = append(tries, os.Mkdir(filepath.Join(top, filepath.Base(l.Tmp)), 0o755))
			}
			return anyOf(tries...)
		}, Judge: func(f *Fixture) Finding {
			var saw Finding
			for _, top := range cgroupTops() {
				if dir := filepath.Join(top, filepath.Base(f.Tmp)); exists(dir) {
					saw = through("made " + dir)
					os.Remove(dir)
				}
			}
			return saw
		}, Missing: func(*Fixture) string {
			if len(cgroupTops()) == 0 {
				return "no control groups are mounted"
			}
			return ""
		}},
		Attack{ID: "binfmt", Claim: claim, What: "register a binary format, which runs a program of its own for everybody", Plain: root,
			Try: registerFormat, Inside: "it is taken back at once", Missing: func(*Fixture) string {
				if b, err := os.ReadFile("/proc/filesystems"); err != nil || !strings.Contains(string(b), "binfmt_misc") {
					return "this kernel has no binfmt_misc"
				}
				return ""
			}},
	)
	register(calls()...)
}

const sees = "that the kernel takes it is what is asked"

// calls reach devices, files and the kernel round the confinement.
func calls() []Attack {
	const claim = "system calls that reach round the confinement are refused"
	const devices = "no device but harmless ones can be opened"
	return []Attack{
		{ID: "dev-nodes", Claim: devices, What: "open disks, memory, kernel log and other devices", Plain: Plain{Root, "only root may open them"}, Try: openDevices, Inside: "nothing is written to a device"},
		{ID: "mknod-disk", Claim: devices, What: "make a node of the disk in the worktree and in /tmp", Plain: Plain{Root, "it takes CAP_MKNOD"},
			Try: func(Layout) error {
				var st syscall.Stat_t
				if err := syscall.Stat("/", &st); err != nil {
					return err
				}
				const block = syscall.S_IFBLK | 0o600
				return anyOf(syscall.Mknod("disk", block, int(st.Dev)), syscall.Mknod("/tmp/disk", block, int(st.Dev)))
			}, Judge: func(f *Fixture) Finding {
				info, err := os.Lstat(f.Worktree + "/disk")
				os.Remove("/tmp/disk")
				return found(err == nil && info.Mode()&os.ModeDevice != 0, "left a node of the disk")
			}, Inside: "a node in /tmp is not seen outside"},
		{ID: "file-handle", Claim: claim, What: "open the user's key by its file handle, past every mount", Plain: Plain{Root, "it takes CAP_DAC_READ_SEARCH"},
			Try: byHandle, Judge: func(f *Fixture) Finding { return f.looted("ssh") }, Missing: func(f *Fixture) string {
				if f.KeyHandle == "" {
					return "this file system has no handles"
				}
				return ""
			}},
		{ID: "io-uring", Claim: claim, What: "io_uring_setup", Try: func(Layout) error {
			var params [120]byte
			return opened(call(sysIoUringSetup, 4, pointer(&params)))
		}, Inside: sees, Missing: switchedOff("/proc/sys/kernel/io_uring_disabled", "0")},
		{ID: "bpf", Claim: claim, What: "bpf: make a map", Plain: Plain{Root, "kernel.unprivileged_bpf_disabled"}, Try: func(Layout) error {
			attr := [32]uint32{2, 4, 4, 1} // an array of one
			return opened(call(sysBPF, 0, pointer(&attr), uintptr(4*len(attr))))
		}, Inside: sees},
		{ID: "userfaultfd", Claim: claim, What: "userfaultfd", Try: func(Layout) error {
			const userModeOnly = 1
			return anyOf(opened(call(sysUserfaultfd, syscall.O_CLOEXEC)), opened(call(sysUserfaultfd, syscall.O_CLOEXEC|userModeOnly)))
		}, Inside: sees},
	}
}

// byHandle opens a file by its handle beneath any mount of its file system.
func byHandle(l Layout) error {
	h, err := hex.DecodeString(l.KeyHandle)
	if err != nil {
		return err
	}
	mount, err := os.Open(l.Worktree)
	if err != nil {
		return err
	}
	fd, err := call(sysOpenByHandleAt, mount.Fd(), pointer(&h[0]), syscall.O_RDONLY)
	if err != nil {
		return err
	}
	b := make([]byte, 256)
	n, err := syscall.Read(int(fd), b)
	return errors.Join(err, l.loot(b[:max(n, 0)]))
}

// missing says that a file of the kernel's is not there.
func missing(path string) func(*Fixture) string {
	return func(*Fixture) string {
		if !exists(path) {
			return "this kernel has no " + path
		}
		return ""
	}
}

// switchedOff says that the host itself has switched something off.
func switchedOff(path, on string) func(*Fixture) string {
	return func(*Fixture) string {
		b, err := os.ReadFile(path)
		if v := strings.TrimSpace(string(b)); err == nil && v != on {
			return fmt.Sprintf("%s is %s on this host", path, v)
		}
		return ""
	}
}

// writeBack writes what it read.
func writeBack(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		b = []byte("\n")
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

func openOnly(path string, flags int) error {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func opened(fd uintptr, err error) error {
	if err != nil {
		return err
	}
	return syscall.Close(int(fd))
}

func releaseAgents() []string {
	m, _ := filepath.Glob("/sys/fs/cgroup/*/release_agent") // the pattern is well formed
	return m
}

// cgroupTops are the roots of the hierarchies.
func cgroupTops() []string {
	m, _ := filepath.Glob("/sys/fs/cgroup/*/cgroup.procs") // the pattern is well formed
	if exists("/sys/fs/cgroup/cgroup.procs") {
		m = append(m, "/sys/fs/cgroup/cgroup.procs")
	}
	for i := range m {
		m[i] = filepath.Dir(m[i])
	}
	return m
}

// registerFormat takes a format that no file has, and takes it back.
func registerFormat(l Layout) error {
	const dir = "/proc/sys/fs/binfmt_misc"
	if !exists(dir + "/register") {
		if err := syscall.Mount("none", dir, "binfmt_misc", 0, ""); err != nil {
			return err
		}
	}
	name := filepath.Base(l.Tmp)
	if err := os.WriteFile(dir+"/register", []byte(":"+name+":M::"+name+"::"+l.Worktree+"/.mon:"), 0); err != nil {
		return err
	}
	return os.WriteFile(dir+"/"+name, []byte("-1"), 0)
}

func openDevices(Layout) error {
	names := []string{"mem", "kmsg", "port", "fuse", "loop-control", "kvm", "vhost-net", "vsock", "userfaultfd", "uinput", "net/tun", "tty0", "console", "hwrng", "zram0"}
	disks, _ := filepath.Glob("/sys/block/*") // the pattern is well formed
	for _, d := range disks {
		names = append(names, filepath.Base(d))
	}
	var tries []error
	for _, n := range names {
		tries = append(tries, openOnly("/dev/"+n, os.O_RDONLY))
	}
	return anyOf(tries...)
}
