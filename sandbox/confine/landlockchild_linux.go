package confine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// entered is the domain that this process has put on itself, nil with a layer
// that has a process round the child.
var entered *domain

// enterDomain is the whole of the landlock layer inside the child. It comes
// before every other check, not right before the program: what is tried after
// it is tried in the state that the agent gets, and nothing that the child
// still has to do needs a right more. Only the table of system calls comes
// later, as with every layer, since it can be read back but not tried without
// being on.
//
// The order is the argument: no_new_privs first, without which the kernel
// takes neither domain nor filter; then the capabilities, so that a rule is
// only made for what can be reached without them; then the rules; then the
// domain.
func enterDomain(plan ChildPlan) []Check {
	if plan.Landlock == nil {
		return nil
	}
	c := Check{Name: "landlock", Want: "entered", Got: "entered", OK: true}
	for _, step := range []func(ChildPlan) error{noNewPrivs, dropCapabilities, enterRules} {
		if err := step(plan); err != nil {
			c.Got, c.OK = err.Error(), false
			return []Check{c}
		}
	}
	return append([]Check{c}, tryOutside()...)
}

func noNewPrivs(ChildPlan) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl PR_SET_NO_NEW_PRIVS: %w", err)
	}
	return nil
}

// noRoot are the securebits, which golang.org/x/sys lacks, that take from uid
// 0 its special meaning: NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each
// with its lock, and the lock of KEEP_CAPS, which stays off.
const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<7

// dropCapabilities leaves no capability and no way to get one: root keeps its
// uid here, and with capabilities it would change owners, make devices and
// trace the host's processes past every rule. no_new_privs already keeps
// execve from giving any; the bounding set and the securebits say it twice.
func dropCapabilities(ChildPlan) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl PR_CAP_AMBIENT: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&header, &caps[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if caps[0].Effective&(1<<unix.CAP_SETPCAP) != 0 {
		for c := uintptr(0); c <= 63; c++ {
			err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
			if errors.Is(err, unix.EINVAL) {
				break // the kernel has no more
			}
			if err != nil {
				return fmt.Errorf("prctl PR_CAPBSET_DROP %d: %w", c, err)
			}
		}
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
			return fmt.Errorf("prctl PR_SET_SECUREBITS: %w", err)
		}
	}
	caps = [2]unix.CapUserData{}
	if err := unix.Capset(&header, &caps[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

func enterRules(plan ChildPlan) error {
	grants, err := grantsOf(*plan.Landlock, listNames)
	if err != nil {
		return err
	}
	d, err := newDomain(plan.Landlock.Network, grants)
	if err != nil {
		return err
	}
	if plan.Terminal {
		if err := d.addTerminal(); err != nil {
			return err
		}
	}
	if err := d.enter(); err != nil {
		return err
	}
	entered = d
	return nil
}

// listNames: what cannot be listed has nothing in it that could be given.
func listNames(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return names
}

// addTerminal gives the private pty on standard input by its file: its name
// in /dev/pts is one among those of the user's own terminals.
func (d *domain) addTerminal() error {
	fd, err := unix.Open("/proc/self/fd/0", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer unix.Close(fd)
	return d.addFD(fd, grant{path: "/proc/self/fd/0", kind: grantDevice, must: true})
}

// tryOutside tries what a domain has to keep inside besides files: lane's own
// process is the nearest one outside.
func tryOutside() []Check {
	parent := unix.Getppid()
	trace := Check{Name: "no-trace", Path: fmt.Sprintf("/proc/%d/environ", parent), Want: "refused"}
	fd, err := unix.Open(trace.Path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
		trace.Got = "opened"
	} else {
		trace.Got = errnoName(err)
		trace.OK = refusedWords[trace.Got]
	}
	if entered.abi < scopesABI {
		return []Check{trace} // the gap signals
	}
	signal := Check{Name: "no-signal", Path: fmt.Sprint(parent), Want: "EPERM", Got: "sent"}
	if err := unix.Kill(parent, 0); err != nil {
		signal.Got = errnoName(err)
		signal.OK = signal.Got == signal.Want
	}
	return []Check{trace, signal}
}

// trySockets tries what the table of system calls has to refuse where no
// namespace keeps the host's sockets and networks away.
func trySockets(plan ChildPlan) []Check {
	if plan.Landlock == nil {
		return nil
	}
	families := []struct {
		name   string
		family int
	}{{"AF_UNIX", unix.AF_UNIX}, {"AF_INET", unix.AF_INET}, {"AF_INET6", unix.AF_INET6}}
	if plan.Landlock.Network == sandbox.NetworkHost {
		families = families[:1]
	}
	var checks []Check
	for _, f := range families {
		c := Check{Name: "no-socket", Path: f.name, Want: "refused", Got: "made"}
		fd, err := unix.Socket(f.family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			unix.Close(fd)
		} else {
			c.Got = errnoName(err)
			c.OK = c.Got == "EAFNOSUPPORT"
		}
		checks = append(checks, c)
	}
	return checks
}

// domainProves says what the rules say where trying proves nothing: the mode
// of the file refused, and its owner could change that.
func domainProves(path, got string, asked uint64) (string, bool) {
	given, err := entered.gives(path)
	switch {
	case err != nil:
		return got + ", open " + errnoName(err), false
	case given&asked != 0:
		return got + ", but a rule gives " + rightNames(given&asked), false
	}
	return got, true
}
