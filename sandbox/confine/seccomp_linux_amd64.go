package confine

import "golang.org/x/sys/unix"

func init() {
	nativeArch = unix.AUDIT_ARCH_X86_64
	x32Bit = 1 << 30
	const hardware = "talks to the hardware past the kernel"
	archRows = []filterRow{
		{name: "open", nr: unix.SYS_OPEN, when: []condition{has(1, unix.O_CREAT), has(2, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "open", nr: unix.SYS_OPEN, when: []condition{has(1, tmpfileBit), has(2, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "creat", nr: unix.SYS_CREAT, when: []condition{has(1, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "chmod", nr: unix.SYS_CHMOD, when: []condition{has(1, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "mknod", nr: unix.SYS_MKNOD, when: []condition{has(1, unix.S_ISUID)}, errno: unix.EPERM, nested: true, reason: setuidFile},
		{name: "iopl", nr: unix.SYS_IOPL, errno: unix.EPERM, nested: true, reason: hardware},
		{name: "ioperm", nr: unix.SYS_IOPERM, errno: unix.EPERM, nested: true, reason: hardware},
		{name: "modify_ldt", nr: unix.SYS_MODIFY_LDT, errno: unix.EPERM, nested: true, reason: "segments for 16-bit code: a long record of kernel bugs"},
		{name: "uselib", nr: unix.SYS_USELIB, errno: unix.ENOSYS, nested: true, reason: "obsolete loader inside the kernel"},
	}
}
