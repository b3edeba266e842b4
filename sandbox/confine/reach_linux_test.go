package confine

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// A socket of the host that the rows would show is found in /proc/net/unix,
// masked, and cannot be connected to; it still works outside.
func TestSocketsMasked(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		f.Policy.Network = sandbox.NetworkHost
		dir := filepath.Join(f.Dir, "svc dir")
		must(t, os.Mkdir(dir, 0o755))
		inWorktree := filepath.Join(f.Worktree, "dev.sock")
		listening := filepath.Join(dir, "s.sock")
		datagram := filepath.Join(dir, "log")
		for _, path := range []string{listening, inWorktree} {
			l, err := net.Listen("unix", path)
			must(t, err)
			defer l.Close()
			must(t, os.Chmod(path, 0o777))
		}
		d, err := net.ListenPacket("unixgram", datagram)
		must(t, err)
		defer d.Close()

		script := `python3 -c '
import socket,sys
for path in sys.argv[1:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        s=socket.socket(socket.AF_UNIX, kind)
        try: s.connect(path); print("reached", path)
        except OSError as e: pass
s=socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen()
c=socket.socket(socket.AF_UNIX); c.connect("own.sock"); print("own works")' "` + strings.Join([]string{listening, inWorktree, datagram}, `" "`) + `"`
		if o := f.sh(t, script); strings.Count(o.Out, "reached") != 3 {
			t.Errorf("without the rows not all three were reached:\n%s", o.Out)
		}
		must(t, os.Remove(f.Worktree+"/own.sock"))
		table, err := os.ReadFile("/proc/net/unix")
		must(t, err)
		paths, _ := sandbox.Sockets(table)
		var real []string
		for _, path := range paths {
			if resolved, err := filepath.EvalSymlinks(path); err == nil {
				real = append(real, resolved)
			}
		}
		rows := sandbox.SocketRows(real, f.Policy)
		if len(rows) < 3 {
			t.Fatalf("rows: %v", rows)
		}
		f.Policy.Rows = append(f.Policy.Rows, rows...)
		o := f.sh(t, script)
		if strings.Contains(o.Out, "reached") || !strings.Contains(o.Out, "own works") {
			t.Errorf("with the rows:\n%s", o.Out)
		}
		c, err := net.Dial("unix", listening)
		if err != nil {
			t.Errorf("outside: %v", err)
		} else {
			c.Close()
		}
	})
}

// With a terminal the lane has a session and a foreground group of its own,
// ^C ends what runs in it, and nothing can be typed into it from inside.
func TestTerminal(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		f.Policy.Terminal = true
		master, slave := openPty(t)
		defer master.Close()
		give := func(cmd *exec.Cmd) {
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			if cmd.SysProcAttr == nil {
				cmd.SysProcAttr = &syscall.SysProcAttr{}
			}
			cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
		}
		said := make(chan string)
		go func() {
			var text strings.Builder
			buf := make([]byte, 4096)
			for {
				n, err := master.Read(buf)
				text.Write(buf[:n])
				if strings.HasSuffix(text.String(), "ready\r\n") {
					master.Write([]byte{3}) // ^C
				}
				if err != nil || strings.Contains(text.String(), "THE END") {
					said <- text.String()
					return
				}
			}
		}()
		o := f.startWith(t, give, nil, "/bin/sh", "-c", `tty; tty < /dev/tty; [ "$(ps -o pgid= -p $$)" -eq $$ ] && [ "$(ps -o tpgid= -p $$)" -eq $$ ] && echo own group in front
			`+f.Lane+` act tiocsti
			trap 'echo interrupted' INT; echo ready; sleep 20; echo THE END`)
		slave.Close()
		select {
		case text := <-said:
			// bubblewrap shows the terminal as the console.
			for _, want := range []string{"/dev/console", "/dev/tty", "own group in front", "TIOCSTI EPERM", "TIOCLINUX EPERM", "upper half EPERM", "interrupted"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %q", want, text)
				}
			}
		case <-time.After(10 * time.Second):
			t.Error("the terminal is silent")
		}
		if !o.Report.OK || o.Code != 0 {
			t.Errorf("%s code %d", toJSON(o.Report), o.Code)
		}
	})
}

func openPty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
		t.Skipf("no pty: %v", err)
	}
	must(t, err)
	var unlock int32
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlock)))
	if errno != 0 {
		t.Fatal(errno)
	}
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, flags)
	if errno != 0 {
		t.Fatal(errno)
	}
	return os.NewFile(uintptr(fd), "master"), os.NewFile(peer, "slave")
}
