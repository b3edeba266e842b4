package confine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

func init() {
	stages = childStages{
		checks: []childCheck{
			// First, where it is the layer: what follows is tried inside.
			{"landlock-refused", enterDomain},
			{"unsafe-stdio", tryStdio},
			{"path-changed", tryIDs},
			{"capabilities-left", tryCapabilities},
			{"new-privileges", tryNoNewPrivs},
			{"host-mounts", tryOwnMounts},
			{"directory", tryDir},
			{"not-writable", tryMustWrite},
			{"not-writable", tryMustOpen},
			{"write-got-through", tryMustNotWrite},
			{"write-got-through", tryMustNotOpen},
			{"not-hidden", tryHidden},
			{"connect-got-through", tryConnect},
			// Last, since what follows runs under it.
			{"seccomp-refused", tryFilter},
			{"socket-got-through", trySockets},
			{"nested-sandbox-refused", tryNested},
			{"verify", tryVerify},
		},
		before: []childStep{
			{"terminal-refused", takeTerminal},
			{"limits-refused", setLimits},
			{"descriptors", closeOnExec},
		},
	}
}

func tryStdio(plan ChildPlan) []Check { return append(tryKinds(plan), tryReopen()...) }

// tryReopen: a file that was opened for reading outside keeps the mount it
// was opened on, and /proc/self/fd opens it again for writing whatever is
// mounted over it (measured: `cmd < file` inside changed the file). Whoever
// starts the lane has to copy such a file through a pipe.
func tryReopen() []Check {
	var checks []Check
	for fd := range 3 {
		var st unix.Stat_t
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		c := Check{Name: "stdio-reopen", Path: fmt.Sprintf("/proc/self/fd/%d", fd), Want: "refused"}
		again, err := unix.Open(c.Path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			unix.Close(again)
			c.Got = "opened for writing"
		} else {
			c.Got = errnoName(err)
			c.OK = refusedWords[c.Got]
		}
		checks = append(checks, c)
	}
	return checks
}

// tryCapabilities: a single capability left over the lane's own mount
// namespace is enough to remount its read-only parts (measured as root). The
// bounding set does not matter: with no_new_privs nothing is gained from it.
func tryCapabilities(ChildPlan) []Check {
	var checks []Check
	status, _ := os.ReadFile(ownStatus) // without it every set is wrong
	for _, set := range []string{"CapEff", "CapPrm", "CapInh", "CapAmb"} {
		c := Check{Name: "capabilities", Path: set, Want: strings.Repeat("0", 16), Got: fieldIn(status, set)}
		c.OK = c.Got == c.Want
		checks = append(checks, c)
	}
	return checks
}

// tryNoNewPrivs sets the bit and reads it back: setuid programs and file
// capabilities of the host give nothing inside.
func tryNoNewPrivs(ChildPlan) []Check {
	c := Check{Name: "no-new-privs", Want: "1"}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		c.Got = errnoName(err)
		return []Check{c}
	}
	c.Got = statusField("NoNewPrivs")
	c.OK = c.Got == c.Want
	return []Check{c}
}

func tryMustWrite(plan ChildPlan) []Check {
	return tryEach("write", "created", plan.MustWrite, func(dir string) (string, bool) {
		got := createIn(dir)
		return got, got == "created"
	})
}

func tryMustNotWrite(plan ChildPlan) []Check {
	return tryEach("no-write", "refused", plan.MustNotWrite, func(dir string) (string, bool) {
		return proven(dir, createIn(dir))
	})
}

func tryMustOpen(plan ChildPlan) []Check {
	return tryEach("open", "opened", plan.MustOpen, func(path string) (string, bool) {
		got := openForWriting(path)
		return got, got == "opened"
	})
}

func tryMustNotOpen(plan ChildPlan) []Check {
	return tryEach("no-open", "refused", plan.MustNotOpen, func(path string) (string, bool) {
		return proven(path, openForWriting(path))
	})
}

func tryEach(name, want string, paths []string, try func(string) (string, bool)) []Check {
	var checks []Check
	for _, path := range paths {
		got, ok := try(path)
		checks = append(checks, Check{Name: name, Path: path, Want: want, Got: got, OK: ok})
	}
	return checks
}

// refusedWords are the only errors that prove a refusal. A path that is not
// there, or is something else than planned, proves nothing.
var refusedWords = map[string]bool{"EROFS": true, "EACCES": true, "EPERM": true}

// proven says whether an error proves that a path cannot be written. Refusal
// by permission does only on a read-only mount: the owner of a file (git's
// objects, Go's module cache are mode 0444) changes its mode and writes. In
// /proc the owner is the kernel's and stays.
func proven(path, got string) (string, bool) {
	if !refusedWords[got] || got == "EROFS" || sandbox.Contains("/proc", path) {
		return got, refusedWords[got]
	}
	if entered != nil {
		return domainProves(path, got, changeRights)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return got + ", statfs " + errnoName(err), false
	}
	if fs.Flags&unix.ST_RDONLY == 0 {
		return got + " on a writable mount", false
	}
	return got, true
}

// createIn creates a file without a name in dir, which vanishes on close.
func createIn(dir string) string {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	switch {
	case err == nil:
		unix.Close(fd)
		return "created"
	// Some filesystems have no O_TMPFILE (NFS, old overlayfs, FUSE).
	case errors.Is(err, unix.EOPNOTSUPP):
		return accessFor(dir, "created")
	}
	return errnoName(err)
}

// openForWriting opens an existing file as it is: no O_CREAT, no O_TRUNC, no
// link followed, and no waiting for the other end of a FIFO.
func openForWriting(path string) string {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case err == nil:
		unix.Close(fd)
		return "opened"
	// A program that is running refuses writers before the mount does; it
	// would be writable as soon as it ends.
	case errors.Is(err, unix.ETXTBSY):
		return accessFor(path, "opened")
	}
	return errnoName(err)
}

func accessFor(path, yes string) string {
	if entered != nil { // faccessat asks no security module
		if given, err := entered.gives(path); err != nil || given&changeRights == 0 {
			return "EACCES"
		}
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return errnoName(err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return errnoName(err)
	}
	if fs.Flags&unix.ST_RDONLY != 0 {
		return "EROFS"
	}
	return yes
}

func tryHidden(plan ChildPlan) []Check {
	return tryEach("hidden", "hidden", plan.MustBeHidden, func(path string) (string, bool) {
		got := lookInto(path)
		if got == "EACCES" && entered != nil {
			return domainProves(path, got, readRights)
		}
		return got, got == "empty" || got == "ENOENT" || got == "EACCES"
	})
}

func lookInto(path string) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return errnoName(err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if st.Size == 0 {
			return "empty"
		}
		if entered != nil { // its size is seen; its content must not be
			f, err := os.Open(path)
			if err != nil {
				return errnoName(err)
			}
			f.Close()
		}
		return "a file with content"
	case unix.S_IFDIR:
		f, err := os.Open(path)
		if err != nil {
			return errnoName(err)
		}
		defer f.Close()
		if names, _ := f.Readdirnames(1); len(names) == 0 {
			return "empty"
		}
		return "a directory with entries"
	}
	return "neither file nor directory"
}

// tryConnect: refused by the scope, or not there because the network
// namespace is the lane's own.
func tryConnect(plan ChildPlan) []Check {
	return tryEach("no-connect", "refused", plan.MustNotConnect, func(name string) (string, bool) {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return errnoName(err), false
		}
		defer unix.Close(fd)
		if err := unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name}); err != nil {
			got := errnoName(err)
			return got, got == "EPERM" || got == "ECONNREFUSED"
		}
		return "connected", false
	})
}

func tryNested(plan ChildPlan) []Check {
	if len(plan.Nested) == 0 {
		return nil
	}
	c := Check{Name: "nested-sandbox", Path: plan.Nested[0], Want: "exit 0"}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, plan.Nested[0], plan.Nested[1:]...)
	cmd.Dir = plan.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		c.Got, c.OK = "exit 0", true
		return []Check{c}
	}
	if len(out) > 400 {
		out = out[:400]
	}
	c.Got = fmt.Sprintf("%v: %s", err, strings.TrimSpace(string(out)))
	return []Check{c}
}
