// Package confine enforces a sandbox.Policy with what the operating system
// has: one file per layer, registered by that file.
//
// A layer renders the argv that starts the confined child; the child stage
// (ChildMain, `lane confine`) runs inside, in the very namespaces the agent
// gets, proves by trying that the policy holds there, reports, waits for go
// and only then becomes the agent.
//
//	layer, err := confine.Lookup("bwrap")
//	if probe := layer.Probe(ctx); !probe.OK { … probe.Reason, probe.Hint … }
//	argv, err := layer.Argv(policy, []string{lane, "confine"}, opt)
//
// What holds as long as nothing outside interferes: a program of the host's
// that replaces a protected file by rename takes the mount over it away with
// it (the kernel detaches mounts of other namespaces), and the new file can
// be written inside. The seal of package gitdiscover/seal finds that
// afterwards; nothing here prevents it.
//
// The package starts no agent, watches nothing and cleans nothing up: that
// is package runner. It never weakens a policy it cannot meet: what a layer
// leaves open is a named Gap.
package confine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"lane/sandbox"
)

// Need is what Probe is asked for.
type Need struct {
	// BwrapPath is used instead of a search, and checked the same way.
	BwrapPath string
	// UID is the caller's effective uid.
	UID int
}

// Probe is what trying a layer on this host showed.
type Probe struct {
	Layer   string `json:"layer"`
	OK      bool   `json:"ok"`
	Reason  string `json:"reason,omitempty"`  // stable word, "" when OK
	Blocker string `json:"blocker,omitempty"` // which setting of the host refuses, stable word
	Detail  string `json:"detail,omitempty"`
	Hint    string `json:"hint,omitempty"` // the smallest remedy
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	// Scopes says that the kernel can keep abstract sockets and signals
	// inside (Landlock ABI 6), which Prepare then does. Without it and with
	// the host's network, ScopeGaps has the gap.
	Scopes bool `json:"scopes"`
}

// ScopeGaps are the gaps of a policy on a host without scopes. The landlock
// layer refuses every socket of a name, and has no namespace to keep signals in.
func ScopeGaps(p sandbox.Policy, probe Probe) []sandbox.Gap {
	if probe.Layer == "landlock" && !probe.Scopes {
		return []sandbox.Gap{{Name: "signals",
			Detail: "the kernel has no Landlock scopes (Linux 6.12), so the user's other processes can be sent signals"}}
	}
	if probe.Scopes || p.Network != sandbox.NetworkHost {
		return nil
	}
	return []sandbox.Gap{{Name: "abstract-sockets",
		Detail: "the kernel has no Landlock scopes (Linux 6.12), so the host's abstract sockets (X11, some session services) can be connected to"}}
}

// InnerID is the uid and gid inside a lane that root started.
const InnerID = 1000

// Options are what Argv needs to know about this run and host besides the
// policy.
type Options struct {
	// BwrapPath is the absolute path that Probe found.
	BwrapPath string
	// Root says that lane runs with euid 0. The lane then gets uid 1000 in a
	// user namespace of its own: uid 0 there would keep capabilities with
	// which remount, umount and mknod succeed (measured).
	Root bool
	// Cwd is where the child starts.
	Cwd string
	// EmptyFile is an empty regular file of lane's own, shown for Hide rows
	// that are files.
	EmptyFile string
}

// Layer is one mechanism that confines a process tree.
type Layer interface {
	Name() string
	// Probe really tries the layer, as the current user.
	Probe(ctx context.Context) Probe
	// ProbeFor is Probe with the search for programs spelled out.
	ProbeFor(ctx context.Context, need Need) Probe
	// Find is the part of ProbeFor that starts no sandbox: OK then says only
	// that the layer's programs are there and can be trusted. A start proves
	// the rest; when it fails, ProbeFor says why.
	Find(ctx context.Context, need Need) Probe
	// Namespaces says that the layer gives the lane a view and a process tree
	// of its own: rows can be private and have a source, sandboxes can start
	// inside, and all ends with the layer's process. Without, Argv is the
	// child itself.
	Namespaces() bool
	// Fit returns the policy as the layer can enforce it. Where it gives more
	// than p does, Gaps of p says so. Argv takes nothing else.
	Fit(p sandbox.Policy) sandbox.Policy
	// Gaps are what the layer leaves open of this policy, which Fit has not
	// changed yet, for a caller that is root or not. It is pure.
	Gaps(p sandbox.Policy, root bool) []sandbox.Gap
	// Checks are what the child tries, and what it puts on itself, for a
	// policy that Fit has made.
	Checks(p sandbox.Policy) ChildPlan
	// Prepare readies the calling thread to start Argv: what it puts on, the
	// started process inherits. Call it on a locked OS thread that starts
	// nothing else, right before the start; the goroutine never unlocks it.
	Prepare(p sandbox.Policy) error
	// Attr adds to attr what the process that becomes Argv has to be started
	// with.
	Attr(attr *syscall.SysProcAttr)
	// Argv renders the complete argv that starts child confined. It is pure.
	Argv(p sandbox.Policy, child []string, opt Options) ([]string, error)
}

// ErrNoLayer says that no layer of that name exists on this system.
var ErrNoLayer = errors.New("no such confinement layer on this system")

var registry = map[string]Layer{}

func register(l Layer) {
	if _, twice := registry[l.Name()]; twice {
		panic("confine: two layers named " + l.Name())
	}
	registry[l.Name()] = l
}

// Lookup returns the layer of that name, or ErrNoLayer.
func Lookup(name string) (Layer, error) {
	if l, ok := registry[name]; ok {
		return l, nil
	}
	return nil, ErrNoLayer
}

// Layers returns the layers of this system by name.
func Layers() []Layer {
	var all []Layer
	for _, l := range registry {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b Layer) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}
