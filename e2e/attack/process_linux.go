package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Processes outside, what they hold, and what outlives a lane.

func init() { lazily(addProcess) }

func addProcess() {
	const claim = "no process outside can be reached"
	register(
		Attack{ID: "signal-outside", Claim: claim, What: "send a signal to a process outside", Try: func(l Layout) error {
			return syscall.Kill(l.Victim, syscall.SIGUSR1)
		}, Judge: func(f *Fixture) Finding {
			mark := filepath.Join(f.out, victimMark)
			return found(await(200*time.Millisecond, func() bool { return exists(mark) }), "the process outside got the signal")
		}},
		Attack{ID: "ptrace-outside", Claim: claim, What: "attach to a process outside as a debugger", Try: func(l Layout) error {
			const seize = 0x4206 // PTRACE_SEIZE
			_, err := call(syscall.SYS_PTRACE, seize, uintptr(l.Victim))
			return err
		}, Inside: "the one that is traced does not notice"},
		Attack{ID: "read-proc-env", Claim: claim, What: "read the environment of a process outside", Try: func(l Layout) error {
			return carry(l, fmt.Sprintf("/proc/%d/environ", l.Victim))
		}, Judge: func(f *Fixture) Finding { return f.looted("victim") }},
		Attack{ID: "proc-root", Claim: claim, What: "read the user's files through /proc/PID/root of any process", Try: func(l Layout) error {
			return throughProc(l, "root"+l.Home+"/.ssh/id_ed25519")
		}, Judge: func(f *Fixture) Finding { return f.looted("ssh") }},
		Attack{ID: "proc-fd", Claim: claim, What: "read what other processes have open, through /proc/PID/fd", Try: func(l Layout) error {
			return throughProc(l, fmt.Sprintf("fd/%d", l.VictimFD))
		}, Judge: func(f *Fixture) Finding { return f.looted("victim") }},
		Attack{ID: "pidfd-getfd", Claim: claim, What: "take a descriptor out of a process outside", Try: func(l Layout) error {
			pidfd, err := call(sysPidfdOpen, uintptr(l.Victim), 0)
			if err != nil {
				return err
			}
			fd, err := call(sysPidfdGetfd, pidfd, uintptr(l.VictimFD), 0)
			if err != nil {
				return err
			}
			b := make([]byte, 256)
			n, err := syscall.Pread(int(fd), b, 0)
			return errors.Join(err, l.loot(b[:max(n, 0)]))
		}, Judge: func(f *Fixture) Finding { return f.looted("victim") }},
		Attack{ID: "setns", Claim: claim, What: "enter the mount namespace of a process outside", Plain: Plain{Root, "it takes CAP_SYS_ADMIN"},
			Try: enterMounts, Judge: func(f *Fixture) Finding { return f.looted("ssh") }},
		Attack{ID: "sysv-shm", Claim: claim, What: "attach a shared memory segment of the user's", Try: func(l Layout) error {
			_, err := call(syscall.SYS_SHMAT, uintptr(l.Segment), 0, 0)
			return err
		}, Inside: "to attach is to reach it"},
		Attack{ID: "keyring", Claim: claim, What: "read a key of the user's keyring", Try: readKey,
			Judge: func(f *Fixture) Finding { return f.looted("key") }, Missing: func(f *Fixture) string {
				if f.KeyName == "" {
					return "this kernel has no keys"
				}
				return ""
			}},
	)
	register(programs()...)
}

// programs are started in ways that a rule about names would miss.
func programs() []Attack {
	const orphans = "no process outlives the lane"
	alive := func(f *Fixture) Finding { return found(f.beating(), "its process still runs") }
	return []Attack{
		{ID: "memfd-exec", Claim: "a program that is no file is confined like any other", What: "run a program from memory that writes into .git/hooks",
			Try: fromMemory, Judge: func(f *Fixture) Finding { return f.planted(f.Common + "/hooks/post-checkout") }},
		{ID: "loader-exec", Claim: "a program run by the loader is confined like any other", What: "run a shell by way of ld.so that writes into .git/hooks",
			Try: byLoader, Judge: func(f *Fixture) Finding { return f.planted(f.Common + "/hooks/post-checkout") },
			Missing: func(*Fixture) string {
				if len(loaders()) == 0 {
					return "no ld.so found"
				}
				return ""
			}},
		{ID: "setuid-program", Claim: "setuid programs of the host give no rights", What: "run a setuid program of root's", Try: func(l Layout) error {
			out, err := exec.Command(l.Setuid, "-u").Output()
			if err == nil && strings.TrimSpace(string(out)) != "0" {
				err = fmt.Errorf("it runs as %s", strings.TrimSpace(string(out)))
			}
			return err
		}, Inside: "who a program runs as is seen by the program", Missing: func(f *Fixture) string {
			if f.Setuid == "" {
				return "no setuid program was prepared by root"
			}
			return ""
		}},
		{ID: "orphan", Claim: orphans, What: "leave a process in a session of its own behind", Try: func(l Layout) error {
			c := l.again("+beat")
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			return errors.Join(c.Start(), beatsSoon())
		}, Judge: alive},
		{ID: "orphan-nopipe", Claim: orphans, What: "leave a process behind that was forked twice and holds no descriptor", Try: func(l Layout) error {
			argv := l.again("+beat").Args
			c := exec.Command("/bin/sh", append([]string{"-c", `exec </dev/null >/dev/null 2>&1; (setsid "$@" &)`, "sh"}, argv...)...)
			return errors.Join(c.Run(), beatsSoon())
		}, Judge: alive},
	}
}

func beatsSoon() error {
	if !await(3*time.Second, func() bool { return exists(heartFile) }) {
		return errors.New("its process did not start")
	}
	return nil
}

// throughProc carries out the same file of every process that is seen.
func throughProc(l Layout, name string) error {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	var tries []error
	for _, d := range dirs {
		if d == "/proc/"+strconv.Itoa(os.Getpid()) {
			continue
		}
		// A pipe would be waited at without end.
		if info, err := os.Stat(filepath.Join(d, name)); err != nil || !info.Mode().IsRegular() {
			tries = append(tries, fmt.Errorf("%s: %w", d, errors.Join(err, os.ErrNotExist)))
			continue
		}
		tries = append(tries, carry(l, filepath.Join(d, name)))
	}
	if len(tries) == 0 {
		return errors.New("no process is seen")
	}
	return anyOf(tries...)
}

// enterMounts tries the mount namespaces of all processes that are seen.
func enterMounts(l Layout) error {
	runtime.LockOSThread() // not unlocked: the thread is spoilt
	// A thread that shares its directory with others cannot enter any.
	if _, err := call(syscall.SYS_UNSHARE, syscall.CLONE_FS); err != nil {
		return err
	}
	var tries []error
	for _, pid := range []int{l.Victim, 1} {
		f, err := os.Open(fmt.Sprintf("/proc/%d/ns/mnt", pid))
		if err == nil {
			_, err = call(sysSetns, f.Fd(), syscall.CLONE_NEWNS)
		}
		if err == nil {
			err = carry(l, l.Home+"/.ssh/id_ed25519")
		}
		tries = append(tries, err)
	}
	return anyOf(tries...)
}

func readKey(l Layout) error {
	const search, read, userKeyring = 10, 11, -4
	ring := userKeyring
	key, err := call(sysKeyctl, search, uintptr(ring), text("user"), text(l.KeyName), 0)
	if err != nil {
		return err
	}
	b := make([]byte, 256)
	n, err := call(sysKeyctl, read, key, pointer(&b[0]), uintptr(len(b)))
	if err != nil {
		return err
	}
	return l.loot(b[:n])
}

// fromMemory runs a copy of itself that never was a file, and lets that try.
func fromMemory(l Layout) error {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	fd, err := call(sysMemfdCreate, text("x"), 0)
	if err != nil {
		return err
	}
	if _, err := os.NewFile(fd, "memory").Write(self); err != nil {
		return err
	}
	c := l.again("hook-literal")
	c.Path = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, short(string(out)))
	}
	return nil
}

func loaders() []string {
	var all []string
	for _, pattern := range []string{"/lib64/ld-linux-*.so*", "/lib/ld-linux-*.so*", "/lib/ld-musl-*.so*"} {
		m, _ := filepath.Glob(pattern) // the pattern is well formed
		all = append(all, m...)
	}
	return all
}

func byLoader(l Layout) error {
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		return err
	}
	hook := l.Common + "/hooks/post-checkout"
	out, err := exec.Command(loaders()[0], sh, "-euc", `printf '%s' "$1" > "$2"`, "sh", string(l.payload()), hook).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, short(string(out)))
	}
	return nil
}
