package confine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// Default is the layer that confines when none is asked for. No other is ever
// taken in its place.
const Default = "bwrap"

func init() { register(bwrap{}) }

// bwrap confines with bubblewrap: mount, pid, ipc, uts, cgroup, user and
// network namespaces.
//
// The argv alone filters no system call and sets no limit: Prepare and the
// child stage do.
type bwrap struct{}

func (bwrap) Name() string { return "bwrap" }

// Namespaces: all of them.
func (bwrap) Namespaces() bool { return true }

// Fit changes nothing: mounts can say all that a policy says.
func (bwrap) Fit(p sandbox.Policy) sandbox.Policy { return p }

// Checks has the child put on the table of system calls only; all else stands
// when it starts.
func (bwrap) Checks(p sandbox.Policy) ChildPlan { return Probes(p) }

func (b bwrap) Probe(ctx context.Context) Probe {
	return b.ProbeFor(ctx, Need{UID: os.Geteuid()})
}

// Prepare puts on the thread, before bubblewrap, what its own processes have
// to carry as well: process 1 of the lane is bubblewrap's, the agent may
// trace it (same user, no capabilities on either side), and makes any call
// through it that only the child's filter refuses (measured). What bubblewrap
// needs is what an agent's own sandbox needs, so it is that table.
//
// The thread is also scoped where the kernel can; where it cannot, ScopeGaps
// said so.
func (bwrap) Prepare(sandbox.Policy) error {
	// The thread's own bit: bubblewrap, which is not setuid, sets it as well.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl PR_SET_NO_NEW_PRIVS: %w", err)
	}
	if LandlockABI() >= scopesABI {
		if err := scopeThread(); err != nil {
			return err
		}
	}
	return putFilter("nesting")
}

// maxArgs is below bubblewrap's own MAX_ARGS (9000), with room for the child.
const maxArgs = 8500

// Argv renders the policy in this order, and the order is the argument:
//
//  1. namespaces and lifetime, which hold for everything below;
//  2. the rows with parents before children, so that a longer path lies on
//     top of a shorter one, as Policy.Decide has it; pins (Policy.Pins) are
//     rows like any other here;
//  3. read-only remounts of what bubblewrap itself had to write into (empty
//     directories that get mount points, /dev), after the last such write;
//  4. the child.
//
// Values of the environment pass by inheritance: an argv is readable by
// every user of the host.
func (bwrap) Argv(p sandbox.Policy, child []string, opt Options) ([]string, error) {
	if err := sandbox.Validate(p); err != nil {
		return nil, err
	}
	switch {
	case opt.BwrapPath == "":
		return nil, errors.New("bwrap: no path")
	case len(child) == 0:
		return nil, errors.New("bwrap: no child")
	case opt.Cwd != "" && !filepath.IsAbs(opt.Cwd):
		return nil, fmt.Errorf("bwrap: directory %+q is not absolute", opt.Cwd)
	}
	argv := append([]string{opt.BwrapPath}, namespaces(p, opt)...)
	var last []string
	for _, row := range withPins(p) {
		args, after, err := mountArgs(row, opt)
		if err != nil {
			return nil, err
		}
		argv = append(argv, args...)
		last = append(last, after...)
		if row.Access == sandbox.Processes && (opt.Root || !p.Nesting) {
			argv = append(argv, coverProc()...)
		}
	}
	argv = append(argv, last...)
	if opt.Cwd != "" {
		argv = append(argv, "--chdir", opt.Cwd)
	}
	if len(argv) > maxArgs {
		return nil, fmt.Errorf("bwrap: %d rows make %d arguments, the limit is %d", len(p.Rows), len(argv), maxArgs)
	}
	return append(append(argv, "--"), child...), nil
}

func namespaces(p sandbox.Policy, opt Options) []string {
	args := []string{"--unshare-user"}
	if opt.Root {
		// Any uid but 0: execve then drops every capability.
		args = append(args, "--uid", strconv.Itoa(InnerID), "--gid", strconv.Itoa(InnerID))
	}
	args = append(args, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
	if p.Network == sandbox.NetworkNone {
		args = append(args, "--unshare-net")
	}
	if !p.Nesting {
		args = append(args, "--disable-userns")
	}
	args = append(args, "--die-with-parent")
	if !p.Terminal {
		// With a terminal the child makes the session itself, around the
		// private pty.
		args = append(args, "--new-session")
	}
	return args
}

func withPins(p sandbox.Policy) []sandbox.Row {
	p.Rows = append(p.Pins(), p.Rows...)
	return p.Sorted()
}

// mountArgs renders one row: the arguments at its place, and those that have
// to wait until every mount point exists.
func mountArgs(row sandbox.Row, opt Options) (args, after []string, err error) {
	source := row.Path
	if row.Source != "" {
		source = row.Source
	}
	switch row.Access {
	case sandbox.Read, sandbox.Protect:
		return []string{"--ro-bind", source, row.Path}, nil, nil
	case sandbox.Write:
		return []string{"--bind", source, row.Path}, nil, nil
	case sandbox.Private:
		mode := row.Mode
		if mode == 0 {
			mode = 0o755
		}
		args = []string{"--perms", strconv.FormatUint(uint64(mode), 8)}
		if row.Size > 0 {
			args = append(args, "--size", strconv.FormatInt(row.Size, 10))
		}
		return append(args, "--tmpfs", row.Path), nil, nil
	case sandbox.Hide:
		if row.File {
			if opt.EmptyFile == "" {
				return nil, nil, fmt.Errorf("bwrap: no empty file to hide %+q with", row.Path)
			}
			return []string{"--ro-bind", opt.EmptyFile, row.Path}, nil, nil
		}
		return []string{"--perms", "755", "--size", "1048576", "--tmpfs", row.Path},
			[]string{"--remount-ro", row.Path}, nil
	case sandbox.Devices:
		// bubblewrap's /dev is a directory in memory that the lane could
		// fill without bound.
		return []string{"--dev", row.Path}, []string{"--remount-ro", row.Path}, nil
	case sandbox.Processes:
		return []string{"--proc", row.Path}, nil, nil
	}
	return nil, nil, fmt.Errorf("bwrap: unknown access %q", row.Access)
}

// ownedProc are the parts of /proc that the kernel lets the host's uid 0
// write by ownership alone, whatever its capabilities and whatever number it
// has in a user namespace. bubblewrap covers only those whose directory
// itself is writable, which leaves /proc/sys open: a lane started by root
// wrote kernel.core_pattern with every capability set empty (measured).
//
// Started by a user, only settings of the lane's own namespaces are writable
// there. They are covered too, but not with Nesting: the kernel refuses the
// fresh /proc of an agent's own sandbox while something covers this one
// (mount_too_revealing). As root those sandboxes have to do without anyway.
var ownedProc = []string{"sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr", "profile"}

func coverProc() []string {
	// /proc/sys has to be there; the others exist on some kernels only.
	args := []string{"--ro-bind", "/proc/sys", "/proc/sys"}
	for _, name := range ownedProc {
		args = append(args, "--ro-bind-try", "/proc/"+name, "/proc/"+name)
	}
	return args
}

// Gaps: the host's network when it is shared, the namespaces that an agent's
// own sandbox needs, and what limits cannot bind.
func (bwrap) Gaps(p sandbox.Policy, root bool) []sandbox.Gap {
	var gaps []sandbox.Gap
	add := func(name, detail string) {
		gaps = append(gaps, sandbox.Gap{Name: name, Detail: detail})
	}
	if p.Network == sandbox.NetworkHost {
		add("network: host", "the lane shares the host's network: any host and services on loopback can be reached")
	}
	if p.Nesting {
		add("nested-namespaces", "the agent's own sandbox needs user namespaces, so what runs in the lane can make them, and mount in them: more of the kernel is open to it than in lane exec")
	}
	return append(gaps, limitGaps(p.Limits, root)...)
}
