package confine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

func init() { register(landlock{}) }

// landlock confines without namespaces, where a host refuses those: a
// Landlock domain, a table of system calls that closes part of what a domain
// leaves open, and no capabilities. There is no process round the agent: the
// child puts all of it on itself (see enterDomain) and becomes the agent.
//
// It is the weaker layer. It has no view of its own: what it does not give is
// refused and still has a name; processes, mounts and times of the host are
// seen. Gaps lists what that leaves open, and nobody gets it without accepting
// each gap by name.
type landlock struct{}

func (landlock) Name() string { return "landlock" }

// Namespaces: none.
func (landlock) Namespaces() bool { return false }

// Fit leaves out what rules cannot say: they only add, so nothing inside a
// directory that is writable can be taken away again, and a private directory
// becomes one that cannot be entered.
func (landlock) Fit(p sandbox.Policy) sandbox.Policy { return p.InPlace(false) }

func (l landlock) Probe(ctx context.Context) Probe {
	return l.ProbeFor(ctx, Need{UID: os.Geteuid()})
}

// Find asks the kernel for its version of Landlock.
func (l landlock) Find(context.Context, Need) Probe {
	abi := LandlockABI()
	p := Probe{Layer: l.Name(), Version: fmt.Sprintf("ABI %d", abi), Scopes: abi >= scopesABI, OK: abi >= landlockMinABI}
	switch {
	case p.OK:
	case abi == 0:
		p.Reason, p.Blocker, p.Version = "missing-landlock", "kernel", ""
		p.Detail = "the kernel has no Landlock, or it is switched off"
		p.Hint = "start the kernel with lsm=landlock,... (built with CONFIG_SECURITY_LANDLOCK=y)"
	default:
		p.Reason, p.Blocker = "old-landlock", "kernel"
		p.Detail = fmt.Sprintf("Landlock ABI %d cannot keep files from being truncated, which ABI %d can", abi, landlockMinABI)
		p.Hint = "run Linux 6.2 or newer"
	}
	return p
}

// ProbeFor restricts a thread that ends with the probe, and tries it there.
func (l landlock) ProbeFor(ctx context.Context, need Need) Probe {
	p := l.Find(ctx, need)
	if !p.OK {
		return p
	}
	tried := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the domain goes with the thread
		tried <- tryDomain()
	}()
	if err := <-tried; err != nil {
		p.OK, p.Reason, p.Detail = false, "landlock-refused", err.Error()
		p.Blocker, p.Hint = "unknown", "the kernel or a container's seccomp filter refuses Landlock; see the detail"
	}
	return p
}

// tryDomain puts a domain on the calling thread in which / can be read, and
// tries both that it can and that nothing can be made.
func tryDomain() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl PR_SET_NO_NEW_PRIVS: %w", err)
	}
	var st unix.Stat_t
	dir := os.TempDir()
	if err := unix.Stat(dir, &st); err != nil {
		return fmt.Errorf("stat %+q: %w", dir, err)
	}
	d, err := newDomain(sandbox.NetworkHost, []grant{{path: "/", kind: grantRead}})
	if err == nil {
		err = d.enter()
	}
	if err != nil {
		return err
	}
	if got := createIn(dir); !refusedWords[got] {
		return fmt.Errorf("a domain without the right to write: creating a file in %+q: %s", dir, got)
	}
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("a domain with the right to read: open /: %w", err)
	}
	return unix.Close(fd)
}

// Prepare has nothing to put on the starting thread: no process stands
// between it and the child.
func (landlock) Prepare(sandbox.Policy) error { return nil }

// Attr has the child start a session of its own, so that /dev/tty inside is
// not the caller's terminal, and end when the thread that started it does.
func (landlock) Attr(attr *syscall.SysProcAttr) {
	attr.Setpgid, attr.Setsid = false, true
	attr.Pdeathsig = syscall.SIGKILL
}

// Argv is the child itself. The rows travel in the plan that it reads.
func (landlock) Argv(p sandbox.Policy, child []string, _ Options) ([]string, error) {
	if err := sandbox.Validate(p); err != nil {
		return nil, err
	}
	if len(child) == 0 {
		return nil, errors.New("landlock: no child")
	}
	for _, row := range p.Rows {
		if row.Source != "" {
			return nil, fmt.Errorf("landlock: cannot show %+q at %+q", row.Source, row.Path)
		}
		if row.Access == sandbox.Private {
			return nil, fmt.Errorf("landlock: cannot make the private directory %+q", row.Path)
		}
	}
	if taken := p.TakenInside(); len(taken) > 0 {
		return nil, fmt.Errorf("landlock: cannot take %+q away inside a writable directory", taken[0].Path)
	}
	if p.Nesting {
		return nil, errors.New("landlock: no sandbox can start inside: a domain refuses mount(2)")
	}
	return slices.Clone(child), nil
}

// Checks has the child put the policy on itself before it tries it.
func (landlock) Checks(p sandbox.Policy) ChildPlan {
	plan := Probes(p)
	plan.Landlock = &p
	plan.MustBeHidden = nil
	for _, row := range p.Sorted() {
		if row.Access == sandbox.Hide { // also where another row lies below
			plan.MustBeHidden = append(plan.MustBeHidden, row.Path)
		}
	}
	plan.Seccomp = "landlock"
	if p.Network == sandbox.NetworkNone {
		plan.Seccomp = "landlock-offline"
	}
	return plan
}

// Gaps are what stays open although the policy closes it, each tried in the
// tests of this package. What the table of system calls closes is none:
// sockets of other programs, networks, keyrings, System V IPC, io_uring.
func (landlock) Gaps(p sandbox.Policy, root bool) []sandbox.Gap {
	var gaps []sandbox.Gap
	add := func(name, detail string) {
		gaps = append(gaps, sandbox.Gap{Name: name, Detail: detail})
	}
	var protected, hidden []string
	for _, row := range p.TakenInside() {
		if row.Access == sandbox.Hide {
			hidden = append(hidden, row.Path)
		} else {
			protected = append(protected, row.Path)
		}
	}
	if len(protected) > 0 {
		add("protect-inside", fmt.Sprintf("what lies in a writable directory can be written: %s", firstOf(protected)))
	}
	if len(hidden) > 0 {
		add("hide-inside", fmt.Sprintf("what lies in a writable directory can be read: %s", firstOf(hidden)))
	}
	add("metadata", "names, sizes and times of any file can be asked for and watched, and the mode and times of files of the same user can be changed, wherever they lie")
	add("orphans", "a process that left the agent's session lives on when lane itself is killed")
	add("host-processes-visible", "the host's processes are seen with their command lines, and its network connections; not their memory, environment or files")
	if root {
		add("root-owner", "lane was started by root, so the lane has root's uid, without capabilities: the files of root are its own (see metadata), and device nodes outside /dev can be opened for reading")
	}
	if p.Network == sandbox.NetworkHost {
		add("network: host", "the lane shares the host's network: any host and services on loopback can be reached")
	}
	return append(gaps, limitGaps(p.Limits, root)...)
}

// firstOf names some of many paths.
func firstOf(paths []string) string {
	const most = 3
	var quoted []string
	for _, path := range paths[:min(len(paths), most)] {
		quoted = append(quoted, fmt.Sprintf("%+q", path))
	}
	if more := len(paths) - most; more > 0 {
		quoted = append(quoted, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(quoted, ", ")
}
