package confine

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"lane/e2e/feature"
	"lane/sandbox"
)

func requireScopes(t *testing.T) {
	t.Helper()
	if abi := LandlockABI(); abi < scopesABI {
		feature.Missing(t, "landlock", fmt.Sprintf("version %d has no scopes", abi))
	}
}

// With the host's network, abstract sockets are in reach without the scope
// and out of reach with it; those of the lane's own work; and two nested
// sandboxes still start.
func TestScope(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		requireScopes(t)
		f := newFixture(t)
		f.Policy.Network, f.Policy.Nesting = sandbox.NetworkHost, true
		name := fmt.Sprintf("lane-test-%d", os.Getpid())
		l, err := net.Listen("unix", "@"+name)
		must(t, err)
		defer l.Close()
		nested := nestedTwice(f.Probe.Path)
		change := func(p *ChildPlan) { p.MustNotConnect, p.Nested = []string{name}, nested }

		f.Unprepared = true
		o := f.start(t, change, "/bin/true")
		if o.Report.Reason != "connect-got-through" {
			t.Errorf("without the scope: %s", toJSON(o.Report))
		}
		f.Unprepared = false
		o = f.start(t, change, "/bin/sh", "-c", `python3 -c '
import socket
s=socket.socket(socket.AF_UNIX); s.bind("\0lane-inside"); s.listen()
c=socket.socket(socket.AF_UNIX); c.connect("\0lane-inside"); print("own socket works")'; sleep 9 & kill $! && echo own signal works`)
		if !o.Report.OK || !strings.Contains(o.Out, "own socket works") || !strings.Contains(o.Out, "own signal works") {
			t.Errorf("with the scope: %s\n%s", toJSON(o.Report), o.Out)
		}
		for _, c := range o.Report.Checks {
			if c.Name == "no-connect" && c.Got != "EPERM" {
				t.Errorf("%+v", c)
			}
		}
	})
}

// nestedTwice is a sandbox in a sandbox, as an agent's own starts: as root
// with the /proc that is there, since the kernel refuses a fresh one.
func nestedTwice(bwrap string) []string {
	one := []string{bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"}
	if os.Geteuid() == 0 {
		one = append(one, "--bind", "/proc", "/proc", "--")
	} else {
		one = append(one, "--proc", "/proc", "--")
	}
	return append(append(append([]string{}, one...), one...), "/bin/true")
}

// Own network: the scope is on as well, and changes nothing for the lane.
func TestScopeWithOwnNetwork(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		requireScopes(t)
		f := newFixture(t)
		if o := f.sh(t, "echo ran"); o.Code != 0 || o.Out != "ran\n" {
			t.Errorf("%s\n%s", toJSON(o.Report), o.Out)
		}
	})
}

// Without scopes and with the host's network there is a gap, else none.
func TestScopeGaps(t *testing.T) {
	for _, c := range []struct {
		scopes  bool
		network sandbox.NetworkMode
		want    int
	}{
		{true, sandbox.NetworkHost, 0}, {true, sandbox.NetworkNone, 0},
		{false, sandbox.NetworkHost, 1}, {false, sandbox.NetworkNone, 0},
	} {
		if got := ScopeGaps(sandbox.Policy{Network: c.network}, Probe{Scopes: c.scopes}); len(got) != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
