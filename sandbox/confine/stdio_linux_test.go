package confine

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A descriptor that reaches past every mount is refused, by kind.
func TestCheckStdio(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	must(t, unix.Mkfifo(fifo, 0o600))
	write(t, dir+"/file", "x")
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	defer w.Close()
	open := func(path string, flags int) int {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
		must(t, err)
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	tcp, err := l.(*net.TCPListener).File()
	must(t, err)
	for _, c := range []struct {
		name string
		fd   int
		ok   bool
	}{
		{"pipe", int(r.Fd()), true},
		{"fifo", open(fifo, unix.O_RDONLY|unix.O_NONBLOCK), true},
		{"socket", pair[0], true},
		{"tcp socket", int(tcp.Fd()), true},
		{"regular file", open(dir+"/file", unix.O_RDONLY), true},
		{"terminal", open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY), true},
		{"null", open("/dev/null", unix.O_RDWR), true},
		{"zero", open("/dev/zero", unix.O_RDONLY), true},
		{"directory", open(dir, unix.O_RDONLY), false},
		{"path of a file", open(dir+"/file", unix.O_PATH), false},
		{"path of a directory", open(dir, unix.O_PATH), false},
		{"pidfd", pidfd, false},
		{"not open", 1 << 14, false},
	} {
		err := CheckStdio(0, c.fd)
		var se *StdioError
		if c.ok && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.ok && (!errors.As(err, &se) || se.FD != c.fd || se.Reason() != "unsafe-stdio") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if os.Geteuid() == 0 {
		node := filepath.Join(dir, "block")
		if err := unix.Mknod(node, unix.S_IFBLK|0o600, int(unix.Mkdev(7, 0))); err == nil {
			if fd, err := unix.Open(node, unix.O_RDONLY|unix.O_NONBLOCK, 0); err == nil {
				if CheckStdio(fd) == nil {
					t.Error("block device passed")
				}
				unix.Close(fd)
			}
		}
		if fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK, 0); err == nil {
			if CheckStdio(fd) == nil {
				t.Error("kmsg passed")
			}
			unix.Close(fd)
		}
	}
}

// The child looks again: a directory on its standard input is no lane.
func TestChildStdio(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		dir, err := os.Open(f.Common)
		must(t, err)
		defer dir.Close()
		o := f.startWith(t, func(cmd *exec.Cmd) { cmd.Stdin = dir }, nil, "/bin/true")
		if o.Report.OK || o.Report.Reason != "unsafe-stdio" {
			t.Errorf("%s", toJSON(o.Report))
		}
	})
}

// A file given for reading would open again for writing at /proc/self/fd, on
// the host's own mount: no lane. One that the user could not write anyway is
// fine, and so is a file that was given for writing.
func TestChildStdinFile(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		mine := filepath.Join(f.Other, "file")
		in, err := os.Open(mine)
		must(t, err)
		defer in.Close()
		o := f.startWith(t, func(cmd *exec.Cmd) { cmd.Stdin = in }, nil, "/bin/true")
		if o.Report.OK || o.Report.Reason != "unsafe-stdio" {
			t.Errorf("a file for reading: %s", toJSON(o.Report))
		}
		out, err := os.Create(filepath.Join(f.Dir, "out"))
		must(t, err)
		defer out.Close()
		o = f.startWith(t, func(cmd *exec.Cmd) { cmd.Stdout = out }, nil, "/bin/true")
		if !o.Report.OK {
			t.Errorf("a file for writing: %s", toJSON(o.Report))
		}
		if os.Geteuid() == 0 {
			return
		}
		theirs, err := os.Open("/etc/passwd")
		must(t, err)
		defer theirs.Close()
		o = f.startWith(t, func(cmd *exec.Cmd) { cmd.Stdin = theirs }, nil, "/bin/true")
		if !o.Report.OK {
			t.Errorf("a file of root's: %s", toJSON(o.Report))
		}
	})
}

// A directory that lane inherited on some other number is closed, for the
// program and for what it starts.
func TestInheritedDescriptors(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		dir, err := os.Open(f.Common)
		must(t, err)
		defer dir.Close()
		leak := func(cmd *exec.Cmd) { cmd.ExtraFiles = append(cmd.ExtraFiles, dir, dir, dir) }
		o := f.startWith(t, leak, nil, "/bin/sh", "-c", "for n in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$n/ ] && echo open $n; done; ls /proc/self/fd/5/ && echo reached; true")
		if !o.Report.OK || o.Code != 0 {
			t.Fatalf("%s\n%s", toJSON(o.Report), o.Out)
		}
		for _, bad := range []string{"open", "reached", "hooks"} {
			if contains(o.Out, bad) {
				t.Errorf("%s", o.Out)
			}
		}
	})
}

// The way for kernels without close_range does the same.
func TestCloseOnExecEach(t *testing.T) {
	fd, err := unix.Open(t.TempDir(), unix.O_RDONLY, 0)
	must(t, err)
	defer unix.Close(fd)
	must(t, closeOnExecEach())
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v", flags, err)
	}
}
