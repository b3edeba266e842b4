package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reports is lane's end of descriptor 4: a socket pair instead of a pipe,
// because the kernel then says, in lane's own pid namespace, which process
// wrote (SO_PASSCRED). That process becomes the agent; nothing the agent can
// write has a part in it.
type reports struct {
	f     *os.File
	agent int // pidfd of the agent, -1 when unknown
	init  int // pidfd of the namespace's pid 1, -1 when unknown
	pid   int
	first int // the number of the namespace's pid 1 out here, 0 when unknown
	// loose says that the lane has no pid namespace: first is the agent then.
	loose bool
}

func reportPair() (inside *os.File, mine *reports, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	if err := unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, fmt.Errorf("SO_PASSCRED: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("O_NONBLOCK: %w", err)
	}
	return os.NewFile(uintptr(fds[1]), "report"), &reports{f: os.NewFile(uintptr(fds[0]), "reports"), agent: -1, init: -1}, nil
}

func (r *reports) SetReadDeadline(t time.Time) { _ = r.f.SetReadDeadline(t) } // without a deadline the layer's end ends the read

func (r *reports) Close() {
	r.f.Close()
	for _, fd := range []int{r.agent, r.init} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// Read takes bytes and, with the first of them, the writer's pid.
func (r *reports) Read(b []byte) (int, error) {
	conn, err := r.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var n, oobn int
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	var recvErr error
	err = conn.Read(func(fd uintptr) bool {
		n, oobn, _, _, recvErr = unix.Recvmsg(int(fd), b, oob, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(recvErr, unix.EAGAIN)
	})
	if err = errors.Join(err, recvErr); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	if r.agent < 0 && oobn > 0 {
		r.learn(oob[:oobn])
	}
	return n, nil
}

// learn opens pidfds of the writer and of its namespace's pid 1, which is its
// parent: a pid alone may be somebody else's by the time it is used.
func (r *reports) learn(oob []byte) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for _, m := range msgs {
		cred, err := unix.ParseUnixCredentials(&m)
		if err != nil {
			continue
		}
		if fd, err := unix.PidfdOpen(int(cred.Pid), 0); err == nil {
			r.agent, r.pid = fd, int(cred.Pid)
			first := parentOf(int(cred.Pid))
			if r.loose { // its parent is lane itself
				first = int(cred.Pid)
			}
			if first > 1 {
				if fd, err := unix.PidfdOpen(first, 0); err == nil {
					r.init, r.first = fd, first
				}
			}
		}
	}
}

func parentOf(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything; the fields follow the last.
	i := bytes.LastIndexByte(b, ')')
	fields := bytes.Fields(b[i+1:])
	if i < 0 || len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(fields[1])) // 0 is "unknown"
	return ppid
}

// signal signals the agent itself, not the layer round it, so that it can end
// its own children and remove its placeholder files (facts/claude-code.md C1).
// False means that it cannot be reached.
func (r *reports) signal(sig syscall.Signal) bool {
	return r.agent >= 0 && unix.PidfdSendSignal(r.agent, sig, nil, 0) == nil
}

// end kills the namespace's pid 1, and with it every process there.
func (r *reports) end() {
	if r.init >= 0 {
		_ = unix.PidfdSendSignal(r.init, unix.SIGKILL, nil, 0) // gone already is fine
	}
}

// signalGroup signals the agent's whole process group, as a terminal does for
// its keys. Without a terminal of its own the namespace's pid 1 leads it, which
// the kernel shields from what could end it.
func (r *reports) signalGroup(sig syscall.Signal) bool {
	leader, pid := r.agent, r.pid
	if group, err := unix.Getpgid(r.pid); err == nil && group == r.first {
		leader, pid = r.init, r.first
	}
	if leader < 0 {
		return false
	}
	err := unix.PidfdSendSignal(leader, sig, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	if errors.Is(err, unix.EINVAL) && unix.PidfdSendSignal(leader, 0, nil, 0) == nil {
		// Before Linux 6.9. The leader lives, so the number is still its own.
		err = syscall.Kill(-pid, sig)
	}
	return err == nil
}

// stopped says whether the agent's process is stopped.
func (r *reports) stopped() bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(r.pid) + "/stat")
	i := bytes.LastIndexByte(b, ')')
	return err == nil && r.agent >= 0 && i >= 0 && len(b) > i+2 && b[i+2] == 'T'
}

// known says whether the namespace's pid 1 is.
func (r *reports) known() bool { return r.init >= 0 }

// waitEmpty waits until the namespace's pid 1 is gone: the kernel lets it end
// only after every other process in the namespace has.
func (r *reports) waitEmpty(limit time.Duration) bool {
	if r.loose {
		return endStrays(limit)
	}
	return r.init >= 0 && waitGone(r.init, limit)
}

// waitGone waits until a process is gone.
func waitGone(pidfd int, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; {
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && n > 0
	}
}

// dieWithLane has the kernel end the layer's process with lane. The layer asks
// for it itself, but only once it runs.
func dieWithLane(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
