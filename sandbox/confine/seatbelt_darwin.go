package confine

import (
	"context"
	"os"
	"syscall"

	"lane/sandbox"
)

// Default is the layer that confines when none is asked for. No other is ever
// taken in its place.
const Default = "seatbelt"

func init() { register(seatbelt{}) }

// seatbelt confines with macOS's sandbox. It is unverified: see the gap of
// that name, without whose acceptance nothing starts.
type seatbelt struct{}

func (seatbelt) Name() string { return "seatbelt" }

// Namespaces: none.
func (seatbelt) Namespaces() bool { return false }

// Fit keeps what is protected inside a writable directory: a later rule takes
// away what an earlier one gave.
func (seatbelt) Fit(p sandbox.Policy) sandbox.Policy { return p.InPlace(true) }

func (s seatbelt) Probe(ctx context.Context) Probe {
	return s.ProbeFor(ctx, Need{UID: os.Geteuid()})
}

// ProbeFor starts nothing: what would be tried has never been.
func (s seatbelt) ProbeFor(ctx context.Context, need Need) Probe { return s.Find(ctx, need) }

// Find looks for sandbox-exec.
func (s seatbelt) Find(context.Context, Need) Probe {
	p := Probe{Layer: s.Name(), Version: "unverified"}
	if info, err := os.Stat(sandboxExec); err != nil || !info.Mode().IsRegular() {
		p.Reason, p.Detail, p.Hint = "missing-sandbox-exec", sandboxExec+" is not there", "it belongs to macOS"
		return p
	}
	p.Path, p.OK = sandboxExec, true
	return p
}

func (seatbelt) Gaps(p sandbox.Policy, root bool) []sandbox.Gap { return seatbeltGaps(p, root) }
func (seatbelt) Checks(p sandbox.Policy) ChildPlan              { return Probes(p) }
func (seatbelt) Prepare(sandbox.Policy) error                   { return nil }

// Attr has the child lead a session of its own.
func (seatbelt) Attr(attr *syscall.SysProcAttr) { attr.Setpgid, attr.Setsid = false, true }

func (seatbelt) Argv(p sandbox.Policy, child []string, _ Options) ([]string, error) {
	return seatbeltArgv(p, child)
}
