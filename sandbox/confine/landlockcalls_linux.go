package confine

import "golang.org/x/sys/unix"

// fsIocFssetxattr is FS_IOC_FSSETXATTR, which golang.org/x/sys lacks.
const fsIocFssetxattr = 0x401c5820

// Calls newer than the tables of golang.org/x/sys, the same on every
// architecture.
const (
	sysSetxattrat    = 463
	sysRemovexattrat = 466
)

// datagramBit is the bit that SOCK_DGRAM and SOCK_RAW have and SOCK_STREAM
// and SOCK_SEQPACKET have not; nor have the flags that a type may carry.
const datagramBit = 2

const (
	hostSocket  = "no namespace keeps the host's sockets away: one of docker's is the whole machine"
	hostIPC     = "no namespace keeps the host's System V and POSIX objects away"
	hostProcess = "reaches processes of the same user outside the lane; 0 is the caller itself"
	attributes  = "changes a file's attributes through a descriptor that was opened for reading"
	fileACL     = "no rule is about a file's attributes: access lists of any file of the same user could be changed"
	ownNetwork  = "no namespace keeps the host's network away, loopback included"
)

// landlockRows refuse what namespaces would keep apart. They come on top of
// the table for lanes without nesting.
//
// A datagram socket of a pair is no pair: sendto and connect take it to any
// name. Stream pairs, which programs use to talk to their children, stay.
// What pid arguments name is compared with 0 only, since no filter knows which
// processes are the lane's own; setting the affinity of another thread of the
// same process is refused with it.
//
// Not refused are chmod and utimes, though no rule is about them: the linker
// makes its output executable with chmod, and tar, cp and make stop (measured
// with a table that refused them). They are the gap metadata.
func landlockRows() []filterRow {
	rows := []filterRow{
		{name: "socket", nr: unix.SYS_SOCKET, when: []condition{is(0, unix.AF_UNIX)}, errno: unix.EAFNOSUPPORT, reason: hostSocket},
		{name: "socketpair", nr: unix.SYS_SOCKETPAIR, when: []condition{has(1, datagramBit)}, errno: unix.EPROTONOSUPPORT, reason: hostSocket},

		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, unix.FS_IOC_SETFLAGS)}, errno: unix.ENOTTY, reason: attributes},
		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, fsIocFssetxattr)}, errno: unix.ENOTTY, reason: attributes},
		{name: "ioctl", nr: unix.SYS_IOCTL, when: []condition{is(1, unix.FS_IOC_ENABLE_VERITY)}, errno: unix.ENOTTY, reason: attributes},

		{name: "prlimit64", nr: unix.SYS_PRLIMIT64, when: []condition{not(0, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "setpriority", nr: unix.SYS_SETPRIORITY, when: []condition{not(1, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "setpriority", nr: unix.SYS_SETPRIORITY, when: []condition{is(0, unix.PRIO_USER)}, errno: unix.EPERM, reason: hostProcess},
		{name: "ioprio_set", nr: unix.SYS_IOPRIO_SET, when: []condition{not(1, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "ioprio_set", nr: unix.SYS_IOPRIO_SET, when: []condition{is(0, ioprioUser)}, errno: unix.EPERM, reason: hostProcess},
		{name: "sched_setaffinity", nr: unix.SYS_SCHED_SETAFFINITY, when: []condition{not(0, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "sched_setscheduler", nr: unix.SYS_SCHED_SETSCHEDULER, when: []condition{not(0, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "sched_setparam", nr: unix.SYS_SCHED_SETPARAM, when: []condition{not(0, 0)}, errno: unix.EPERM, reason: hostProcess},
		{name: "sched_setattr", nr: unix.SYS_SCHED_SETATTR, when: []condition{not(0, 0)}, errno: unix.EPERM, reason: hostProcess},
	}
	type call struct {
		name string
		nr   uint32
	}
	for _, c := range []call{
		{"setxattr", unix.SYS_SETXATTR}, {"lsetxattr", unix.SYS_LSETXATTR}, {"fsetxattr", unix.SYS_FSETXATTR}, {"setxattrat", sysSetxattrat},
		{"removexattr", unix.SYS_REMOVEXATTR}, {"lremovexattr", unix.SYS_LREMOVEXATTR}, {"fremovexattr", unix.SYS_FREMOVEXATTR}, {"removexattrat", sysRemovexattrat},
	} {
		rows = append(rows, filterRow{name: c.name, nr: c.nr, errno: unix.EOPNOTSUPP, reason: fileACL})
	}
	for _, c := range []call{
		{"shmget", unix.SYS_SHMGET}, {"shmat", unix.SYS_SHMAT}, {"shmctl", unix.SYS_SHMCTL},
		{"semget", unix.SYS_SEMGET}, {"semop", unix.SYS_SEMOP}, {"semtimedop", unix.SYS_SEMTIMEDOP}, {"semctl", unix.SYS_SEMCTL},
		{"msgget", unix.SYS_MSGGET}, {"msgsnd", unix.SYS_MSGSND}, {"msgrcv", unix.SYS_MSGRCV}, {"msgctl", unix.SYS_MSGCTL},
		{"mq_open", unix.SYS_MQ_OPEN}, {"mq_unlink", unix.SYS_MQ_UNLINK},
	} {
		rows = append(rows, filterRow{name: c.name, nr: c.nr, errno: unix.ENOSYS, reason: hostIPC})
	}
	return rows
}

// ioprioUser is IOPRIO_WHO_USER.
const ioprioUser = 3

// offlineRows refuse the network where there is no namespace without one. A
// domain's TCP rules know ports, not addresses, and nothing of UDP, so that
// loopback alone cannot be given.
func offlineRows() []filterRow {
	return []filterRow{
		{name: "socket", nr: unix.SYS_SOCKET, when: []condition{is(0, unix.AF_INET)}, errno: unix.EAFNOSUPPORT, reason: ownNetwork},
		{name: "socket", nr: unix.SYS_SOCKET, when: []condition{is(0, unix.AF_INET6)}, errno: unix.EAFNOSUPPORT, reason: ownNetwork},
	}
}
