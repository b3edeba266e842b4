package confine

import (
	"strings"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// landlockMinABI is the least version of Landlock that the layer uses. ABI 3
// (Linux 6.2) has the right to truncate; before it any file that can be named
// can be emptied (truncate(2)), which is a write.
//
// Newer versions take away more, where present: 4 TCP, 5 ioctl on devices,
// 6 abstract sockets and signals, 7 how denials are logged. Without 6,
// ScopeGaps has a gap. What versions after 7 can do is not used: no kernel of
// the tests has it.
const landlockMinABI = 3

// right is one right of Landlock by its name in the kernel's documentation.
type right struct {
	name string
	bit  uint64
	abi  int
	file bool // can be given on a file that is no directory
}

// fsRights are the rights on files that this build knows. All that the kernel
// knows as well are handled, and so refused but for the rules.
var fsRights = []right{
	{"execute", unix.LANDLOCK_ACCESS_FS_EXECUTE, 1, true},
	{"write_file", unix.LANDLOCK_ACCESS_FS_WRITE_FILE, 1, true},
	{"read_file", unix.LANDLOCK_ACCESS_FS_READ_FILE, 1, true},
	{"read_dir", unix.LANDLOCK_ACCESS_FS_READ_DIR, 1, false},
	{"remove_dir", unix.LANDLOCK_ACCESS_FS_REMOVE_DIR, 1, false},
	{"remove_file", unix.LANDLOCK_ACCESS_FS_REMOVE_FILE, 1, false},
	{"make_char", unix.LANDLOCK_ACCESS_FS_MAKE_CHAR, 1, false},
	{"make_dir", unix.LANDLOCK_ACCESS_FS_MAKE_DIR, 1, false},
	{"make_reg", unix.LANDLOCK_ACCESS_FS_MAKE_REG, 1, false},
	{"make_sock", unix.LANDLOCK_ACCESS_FS_MAKE_SOCK, 1, false},
	{"make_fifo", unix.LANDLOCK_ACCESS_FS_MAKE_FIFO, 1, false},
	{"make_block", unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK, 1, false},
	{"make_sym", unix.LANDLOCK_ACCESS_FS_MAKE_SYM, 1, false},
	{"refer", unix.LANDLOCK_ACCESS_FS_REFER, 2, false},
	{"truncate", unix.LANDLOCK_ACCESS_FS_TRUNCATE, 3, true},
	{"ioctl_dev", unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, 5, true},
}

// netABI is the first version that knows TCP.
const netABI = 4

// logABI is the first version that can be told what to log.
const logABI = 7

// grantKind says what a rule gives.
type grantKind string

const (
	// grantRead lets files be read and executed, not written.
	grantRead grantKind = "read"
	// grantWrite also lets files be written, made, removed and moved within.
	// It makes no device, and no socket: those are of no use without the
	// system calls that the layer's table refuses.
	grantWrite grantKind = "write"
	// grantDevice lets one character device be used.
	grantDevice grantKind = "device"
	// grantProc lets /proc be read: nothing in it is executed or written, not
	// even what the kernel would let a process write about itself.
	grantProc grantKind = "proc"
)

const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	changeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE

	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	procRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// rights of a kind; on what is no directory only those that can be given there.
func (k grantKind) rights(dir bool) uint64 {
	all := map[grantKind]uint64{grantRead: readRights, grantWrite: readRights | changeRights,
		grantDevice: deviceRights, grantProc: procRights}[k]
	if dir {
		return all
	}
	for _, r := range fsRights {
		if !r.file {
			all &^= r.bit
		}
	}
	return all
}

// handledFS is what a kernel of this version refuses but for the rules.
func handledFS(abi int) uint64 {
	var all uint64
	for _, r := range fsRights {
		if r.abi <= abi {
			all |= r.bit
		}
	}
	return all
}

// rulesetFor is what a domain handles on a kernel of this version.
func rulesetFor(abi int, network sandbox.NetworkMode) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledFS(abi)}
	if abi >= netABI && network == sandbox.NetworkNone {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= scopesABI {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// rightNames prints a set by name, for errors and tests.
func rightNames(set uint64) string {
	var names []string
	for _, r := range fsRights {
		if set&r.bit != 0 {
			names = append(names, r.name)
			set &^= r.bit
		}
	}
	switch {
	case set != 0:
		names = append(names, "unknown")
	case len(names) == 0:
		return "none"
	}
	return strings.Join(names, "|")
}
