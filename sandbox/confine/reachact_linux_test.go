package confine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// target is what a host has that a lane might reach past its files.
type target struct {
	PID              int // of a process of the same user
	Shm, Sem, Msg    int // System V objects, by number
	Queue            string
	Stream, Datagram string // pathname sockets
	Abstract         string
	TCP, UDP         int // ports on loopback
	Worktree, File   string
	Hidden           string // a hidden directory with the file key in it
	Mem              uintptr
	Root             bool // also what only root might do
}

// actReach tries everything and prints, by name, "ok" or the error.
func actReach(file string) int {
	var to target
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &to)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	got := map[string]string{}
	for name, try := range attempts(to) {
		got[name] = "ok"
		if err := try(); err != nil {
			got[name] = errnoName(err)
		}
	}
	json.NewEncoder(os.Stdout).Encode(got)
	return 0
}

func sys(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// What system calls are given by address lives as long as the process: an
// address alone keeps nothing alive.
var (
	scratch   [512]byte
	queueName [256]byte
	message   = [4]uint64{1}
	queued    = [32]int32{2: -1} // a siginfo with SI_QUEUE, which users may send
)

func opens(path string, flags int) func() error {
	return func() error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

func attempts(to target) map[string]func() error {
	all := map[string]func() error{}
	groups := []map[string]func() error{processAttempts(to), ipcAttempts(to), socketAttempts(to), fileAttempts(to)}
	if to.Root {
		groups = append(groups, rootAttempts(to))
	}
	for _, group := range groups {
		for name, try := range group {
			all[name] = try
		}
	}
	return all
}

func processAttempts(to target) map[string]func() error {
	pid := uintptr(to.PID)
	proc := fmt.Sprintf("/proc/%d", to.PID)
	return map[string]func() error{
		"kill":     func() error { return unix.Kill(to.PID, 0) },
		"tkill":    func() error { return sys(unix.SYS_TKILL, pid, 0) },
		"sigqueue": func() error { return sys(unix.SYS_RT_SIGQUEUEINFO, pid, 0, uintptr(unsafe.Pointer(&queued))) },
		"pidfd-signal": func() error {
			return withPidfd(to.PID, func(fd int) error { return unix.PidfdSendSignal(fd, 0, nil, 0) })
		},
		"pidfd-getfd": func() error {
			return withPidfd(to.PID, func(fd int) error { _, err := unix.PidfdGetfd(fd, 0, 0); return err })
		},
		"ptrace": func() error { return unix.PtraceSeize(to.PID) },
		"read-memory": func() error {
			var buf [8]byte
			_, err := unix.ProcessVMReadv(to.PID, []unix.Iovec{{Base: &buf[0], Len: 8}}, []unix.RemoteIovec{{Base: to.Mem, Len: 8}}, 0)
			return err
		},
		"proc-mem":     opens(proc+"/mem", unix.O_RDWR),
		"proc-environ": opens(proc+"/environ", unix.O_RDONLY),
		"proc-maps":    opens(proc+"/maps", unix.O_RDONLY),
		"proc-root":    opens(proc+"/root", unix.O_RDONLY|unix.O_DIRECTORY),
		"proc-cwd":     opens(proc+"/cwd", unix.O_RDONLY|unix.O_DIRECTORY),
		"proc-fd":      opens(proc+"/fd/0", unix.O_RDONLY),
		"proc-cmdline": opens(proc+"/cmdline", unix.O_RDONLY),
		"proc-comm":    opens(proc+"/comm", unix.O_WRONLY),
		"proc-oom":     opens(proc+"/oom_score_adj", unix.O_WRONLY),
		"prlimit":      func() error { var r unix.Rlimit; return unix.Prlimit(to.PID, unix.RLIMIT_CORE, nil, &r) },
		"setpriority":  func() error { return unix.Setpriority(unix.PRIO_PROCESS, to.PID, 1) },
		// A user without processes: it is a matter of every process of a user.
		"renice-user": func() error { return unix.Setpriority(unix.PRIO_USER, 0x7ffffffe, 1) },
		"ioprio":      func() error { return sys(unix.SYS_IOPRIO_SET, 1, pid, 2<<13|4) },
		"affinity": func() error {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(0, &set); err != nil {
				return err
			}
			return unix.SchedSetaffinity(to.PID, &set)
		},
		"scheduler": func() error {
			return unix.SchedSetAttr(to.PID, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: 3, Nice: 19}, 0)
		},
		"setns": func() error {
			return withPidfd(to.PID, func(fd int) error { return unix.Setns(fd, unix.CLONE_NEWUTS) })
		},
	}
}

func withPidfd(pid int, f func(int) error) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return f(fd)
}

func ipcAttempts(to target) map[string]func() error {
	copy(queueName[:], to.Queue)
	return map[string]func() error{
		"shm-attach": func() error {
			at, _, errno := unix.Syscall(unix.SYS_SHMAT, uintptr(to.Shm), 0, 0)
			if errno != 0 {
				return errno
			}
			return sys(unix.SYS_SHMDT, at)
		},
		"shm-remove": func() error {
			return sys(unix.SYS_SHMCTL, uintptr(to.Shm), unix.IPC_STAT, uintptr(unsafe.Pointer(&scratch)))
		},
		"sem": func() error { return sys(unix.SYS_SEMCTL, uintptr(to.Sem), 0, 12) }, // GETVAL
		"msg": func() error {
			return sys(unix.SYS_MSGSND, uintptr(to.Msg), uintptr(unsafe.Pointer(&message)), 8, unix.IPC_NOWAIT)
		},
		"mqueue": func() error { return sys(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&queueName)), unix.O_RDONLY) },
	}
}

func socketAttempts(to target) map[string]func() error {
	connect := func(domain, kind int, addr unix.Sockaddr) func() error {
		return func() error {
			fd, err := unix.Socket(domain, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			return unix.Connect(fd, addr)
		}
	}
	loop := [4]byte{127, 0, 0, 1}
	return map[string]func() error{
		"unix-stream":   connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: to.Stream}),
		"unix-datagram": connect(unix.AF_UNIX, unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: to.Datagram}),
		"unix-abstract": connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: "@" + to.Abstract}),
		// A datagram socket of a pair that is taken elsewhere.
		"unix-pair": func() error {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fds[1])
			defer unix.Close(fds[0])
			return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: to.Datagram})
		},
		"tcp": func() error {
			err := connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: to.TCP, Addr: loop})()
			if err == unix.EINPROGRESS {
				return nil
			}
			return err
		},
		"udp":     connect(unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{Port: to.UDP, Addr: loop}),
		"vsock":   connect(unix.AF_VSOCK, unix.SOCK_STREAM, &unix.SockaddrVM{CID: 2, Port: 1}),
		"netlink": connect(unix.AF_NETLINK, unix.SOCK_RAW, &unix.SockaddrNetlink{}),
	}
}

// fileAttempts change what cannot be written, or look at what is hidden.
func fileAttempts(to target) map[string]func() error {
	withFile := func(f func(fd int) error) func() error {
		return func() error {
			fd, err := unix.Open(to.File, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			return f(fd)
		}
	}
	key := filepath.Join(to.Hidden, "key")
	return map[string]func() error{
		"file-open":     opens(to.File, unix.O_WRONLY),
		"file-truncate": func() error { return unix.Truncate(to.File, 6) },
		"file-rename": func() error {
			err := unix.Rename(to.File, to.File+".x")
			if err == nil {
				err = unix.Rename(to.File+".x", to.File)
			}
			return err
		},
		"file-unlink": func() error { return unix.Unlink(filepath.Join(filepath.Dir(to.File), "hooks", "sample")) },
		"file-link": func() error {
			err := unix.Link(to.File, to.Worktree+"/linked")
			if err == nil {
				err = unix.Unlink(to.Worktree + "/linked")
			}
			return err
		},
		"file-chmod":  func() error { return unix.Chmod(to.File, 0o600) },
		"file-fchmod": withFile(func(fd int) error { return unix.Fchmod(fd, 0o640) }),
		"file-utimes": func() error { return unix.Utimes(to.File, []unix.Timeval{{Sec: 1}, {Sec: 1}}) },
		"file-xattr":  func() error { return unix.Setxattr(to.File, "user.lane", []byte("x"), 0) },
		"file-flags":  withFile(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x40) }),
		"hidden-read": opens(key, unix.O_RDONLY),
		"hidden-list": opens(to.Hidden, unix.O_RDONLY|unix.O_DIRECTORY),
		"hidden-stat": func() error { return unix.Stat(key, &unix.Stat_t{}) },
		"hidden-enter": func() error {
			defer unix.Chdir(to.Worktree)
			return unix.Chdir(to.Hidden)
		},
		"hidden-watch": func() error {
			fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			_, err = unix.InotifyAddWatch(fd, to.Hidden, unix.IN_OPEN)
			return err
		},
	}
}

// rootAttempts are what root without capabilities must not be able to do.
// Each changes nothing should it get through: the kernel asks for the right
// before it looks at what is wrong with the arguments.
func rootAttempts(to target) map[string]func() error {
	return map[string]func() error{
		"mount":    func() error { return unix.Mount("none", "/mnt", "nosuchfs", 0, "") },
		"remount":  func() error { return unix.Mount("", "/mnt", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
		"umount":   func() error { return unix.Unmount("/mnt", unix.MNT_DETACH) },
		"mknod":    func() error { return unix.Mknod("node", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) },
		"block":    func() error { return unix.Mknod("block", unix.S_IFBLK|0o600, int(unix.Mkdev(7, 200))) },
		"mksock":   func() error { return unix.Mknod("sock", unix.S_IFSOCK|0o600, 0) },
		"chown":    func() error { return unix.Chown(to.File, 12345, -1) },
		"setuid":   func() error { return onThread(func() error { return sys(unix.SYS_SETUID, 12345) }) },
		"chroot":   func() error { return unix.Chroot("/") },
		"unshare":  func() error { return onThread(func() error { return unix.Unshare(unix.CLONE_NEWNS) }) },
		"userns":   func() error { return onThread(func() error { return unix.Unshare(unix.CLONE_NEWUSER) }) },
		"sysctl":   opens("/proc/sys/kernel/panic", unix.O_WRONLY),
		"sys-file": opens("/sys/kernel/mm/transparent_hugepage/enabled", unix.O_WRONLY),
		"cgroup":   opens("/sys/fs/cgroup/cgroup.procs", unix.O_WRONLY),
		"sysrq":    opens("/proc/sysrq-trigger", unix.O_WRONLY),
		"kmsg":     opens("/dev/kmsg", unix.O_WRONLY),
		"memory":   opens("/dev/mem", unix.O_RDONLY),
		"terminal": opens("/dev/pts/0", unix.O_RDWR),
		"ptmx":     opens("/dev/ptmx", unix.O_RDWR),
		"io-uring": func() error { return sys(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&scratch))) },
		"handle":   func() error { return sys(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(99), 0, 0) },
		"keyring":  func() error { return sys(unix.SYS_KEYCTL, 0, ^uintptr(3), 0) },
	}
}

// onThread runs f on a thread that ends with it.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}
