package confine

import "golang.org/x/sys/unix"

func is(arg int, value uint32) condition      { return condition{arg, equal, []uint32{value}} }
func not(arg int, values ...uint32) condition { return condition{arg, noneOf, values} }
func has(arg int, mask uint32) condition      { return condition{arg, anyBit, []uint32{mask}} }

// tmpfileBit is the bit of O_TMPFILE that O_DIRECTORY does not have.
const tmpfileBit = unix.O_TMPFILE &^ unix.O_DIRECTORY

// newNamespaces are the flags of clone and unshare that make a namespace.
// CLONE_NEWTIME is left out: clone reads those bits as the exit signal.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Calls newer than the tables of golang.org/x/sys, the same on every
// architecture.
const sysOpenTreeAttr = 467

const (
	setuidFile = "a setuid file outlives the lane and runs as whoever started it, for any user of the host"
	ioUring    = "acts on files and sockets past every filter of system calls; a long record of kernel escapes"
	keyrings   = "keyrings belong to the user, not to the namespace: keys of the session could be used"
	module     = "changes the running kernel"
	machine    = "changes the machine for everybody"
	mountAPI   = "mounts by another interface than the one that is watched; programs fall back to mount"
	newRights  = "a namespace gives capabilities over it, and with them most of the kernel's bugs; nothing here needs one"
	terminal   = "types into, or reads from, the terminal that others look at"
)

// filterRows are both tables. What is marked nested holds for every lane;
// the rest only where no agent's own sandbox has to start inside.
//
// A refusal looks like what a kernel without the feature says, so that
// programs take their other way: ENOSYS for a call, EAFNOSUPPORT for a
// socket family. EPERM is for what no program needs.
//
// Left in on purpose, though no namespace is to be had in the exec table:
// seccomp itself (programs confine themselves with it, it can only take away)
// and NETLINK_ROUTE (without it Node's os.networkInterfaces throws, which
// development servers do not catch; measured).
func filterRows() []filterRow {
	return []filterRow{
		{name: "io_uring_setup", nr: unix.SYS_IO_URING_SETUP, errno: unix.ENOSYS, nested: true, reason: ioUring},
		{name: "io_uring_enter", nr: unix.SYS_IO_URING_ENTER, errno: unix.ENOSYS, nested: true, reason: ioUring},
		{name: "io_uring_register", nr: unix.SYS_IO_URING_REGISTER, errno: unix.ENOSYS, nested: true, reason: ioUring},

		{name: "keyctl", nr: unix.SYS_KEYCTL, errno: unix.EPERM, nested: true, reason: keyrings},
		{name: "add_key", nr: unix.SYS_ADD_KEY, errno: unix.EPERM, nested: true, reason: keyrings},
		{name: "request_key", nr: unix.SYS_REQUEST_KEY, errno: unix.EPERM, nested: true, reason: keyrings},

		{name: "bpf", nr: unix.SYS_BPF, errno: unix.EPERM, nested: true, reason: "loads programs into the kernel"},
		{name: "perf_event_open", nr: unix.SYS_PERF_EVENT_OPEN, errno: unix.EPERM, nested: true, reason: "observes the machine; a long record of kernel bugs"},
		{name: "userfaultfd", nr: unix.SYS_USERFAULTFD, errno: unix.EPERM, nested: true, reason: "holds the kernel at a chosen point, which turns races into exploits"},
		{name: "open_by_handle_at", nr: unix.SYS_OPEN_BY_HANDLE_AT, errno: unix.EPERM, nested: true, reason: "opens a file by number, past every mount"},
		{name: "syslog", nr: unix.SYS_SYSLOG, errno: unix.EPERM, nested: true, reason: "the kernel's log shows addresses and other users' doings"},
		{name: "lookup_dcookie", nr: unix.SYS_LOOKUP_DCOOKIE, errno: unix.ENOSYS, nested: true, reason: "obsolete profiling interface that names files by number"},

		{name: "init_module", nr: unix.SYS_INIT_MODULE, errno: unix.EPERM, nested: true, reason: module},
		{name: "finit_module", nr: unix.SYS_FINIT_MODULE, errno: unix.EPERM, nested: true, reason: module},
		{name: "delete_module", nr: unix.SYS_DELETE_MODULE, errno: unix.EPERM, nested: true, reason: module},
		{name: "kexec_load", nr: unix.SYS_KEXEC_LOAD, errno: unix.EPERM, nested: true, reason: module},
		{name: "kexec_file_load", nr: unix.SYS_KEXEC_FILE_LOAD, errno: unix.EPERM, nested: true, reason: module},
		{name: "reboot", nr: unix.SYS_REBOOT, errno: unix.EPERM, nested: true, reason: machine},
		{name: "swapon", nr: unix.SYS_SWAPON, errno: unix.EPERM, nested: true, reason: machine},
		{name: "swapoff", nr: unix.SYS_SWAPOFF, errno: unix.EPERM, nested: true, reason: machine},
		{name: "acct", nr: unix.SYS_ACCT, errno: unix.EPERM, nested: true, reason: machine},
		{name: "settimeofday", nr: unix.SYS_SETTIMEOFDAY, errno: unix.EPERM, nested: true, reason: machine},
		{name: "clock_settime", nr: unix.SYS_CLOCK_SETTIME, errno: unix.EPERM, nested: true, reason: machine},
		{name: "quotactl", nr: unix.SYS_QUOTACTL, errno: unix.EPERM, nested: true, reason: machine},
		{name: "quotactl_fd", nr: unix.SYS_QUOTACTL_FD, errno: unix.EPERM, nested: true, reason: machine},
		{name: "vhangup", nr: unix.SYS_VHANGUP, errno: unix.EPERM, nested: true, reason: terminal},

		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, unix.TIOCSTI)}, errno: unix.EPERM, nested: true, reason: terminal},
		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, unix.TIOCLINUX)}, errno: unix.EPERM, nested: true, reason: terminal},
		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, unix.TIOCSETD)}, errno: unix.EPERM, nested: true, reason: "line disciplines: a long record of kernel bugs, of no use on a pty"},

		{name: "socket", nr: unix.SYS_SOCKET, when: []condition{not(0, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)},
			errno: unix.EAFNOSUPPORT, nested: true, reason: "AF_VSOCK reaches the hypervisor, AF_ALG, AF_PACKET and the rest mostly bugs"},
		{name: "socket", nr: unix.SYS_SOCKET, when: []condition{is(0, unix.AF_NETLINK), not(2, unix.NETLINK_ROUTE)},
			errno: unix.EPROTONOSUPPORT, nested: true, reason: "packet filters and the like; with a nested user namespace the kernel's widest way in"},
		{name: "socketpair", nr: unix.SYS_SOCKETPAIR, when: []condition{not(0, unix.AF_UNIX)}, errno: unix.EAFNOSUPPORT, nested: true, reason: "only AF_UNIX has pairs that programs use"},

		{name: "openat", nr: unix.SYS_OPENAT, when: []condition{has(2, unix.O_CREAT), has(3, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "openat", nr: unix.SYS_OPENAT, when: []condition{has(2, tmpfileBit), has(3, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		// Its mode lies in memory, where a filter cannot look. Programs fall
		// back to openat, as on kernels before 5.6.
		{name: "openat2", nr: unix.SYS_OPENAT2, errno: unix.ENOSYS, nested: true, reason: setuidFile},
		{name: "fchmod", nr: unix.SYS_FCHMOD, when: []condition{has(1, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "fchmodat", nr: unix.SYS_FCHMODAT, when: []condition{has(2, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "fchmodat2", nr: unix.SYS_FCHMODAT2, when: []condition{has(2, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "mknodat", nr: unix.SYS_MKNODAT, when: []condition{has(2, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},

		{name: "open_tree", nr: unix.SYS_OPEN_TREE, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "open_tree_attr", nr: sysOpenTreeAttr, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "move_mount", nr: unix.SYS_MOVE_MOUNT, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "fsopen", nr: unix.SYS_FSOPEN, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "fsconfig", nr: unix.SYS_FSCONFIG, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "fsmount", nr: unix.SYS_FSMOUNT, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "fspick", nr: unix.SYS_FSPICK, errno: unix.ENOSYS, nested: true, reason: mountAPI},
		{name: "mount_setattr", nr: unix.SYS_MOUNT_SETATTR, errno: unix.ENOSYS, nested: true, reason: mountAPI},

		// What follows an agent's own sandbox needs.
		{name: "unshare", nr: unix.SYS_UNSHARE, when: []condition{has(0, newNamespaces|unix.CLONE_NEWTIME)}, errno: unix.EPERM, reason: newRights},
		{name: "clone", nr: unix.SYS_CLONE, when: []condition{has(0, newNamespaces)}, errno: unix.EPERM, reason: newRights},
		// Its flags lie in memory, where a filter cannot look. libc falls
		// back to clone, as on kernels before 5.3.
		{name: "clone3", nr: unix.SYS_CLONE3, errno: unix.ENOSYS, reason: newRights},
		{name: "setns", nr: unix.SYS_SETNS, errno: unix.EPERM, reason: newRights},
		{name: "mount", nr: unix.SYS_MOUNT, errno: unix.EPERM, reason: newRights},
		{name: "umount2", nr: unix.SYS_UMOUNT2, errno: unix.EPERM, reason: newRights},
		{name: "pivot_root", nr: unix.SYS_PIVOT_ROOT, errno: unix.EPERM, reason: newRights},
		{name: "chroot", nr: unix.SYS_CHROOT, errno: unix.EPERM, reason: newRights},
	}
}
