// Package gate attacks a lane on the user's own machine and reports whether
// what lane claims holds: the attacks of package attack under `lane exec`, and
// the installed agent under `lane run`, which a scripted model orders to try
// each forbidden act with its own tools. Beside them is work that must go on.
//
//	rep, err := gate.Run(ctx, gate.Options{Lane: exe, Writer: "claude"})
//	if err == nil && !rep.Held { ... }
//
// Everything is judged from outside, on disk, after the lane has ended; what
// the agent says decides nothing. There is no list of excuses: a claim that
// does not hold is reported as failed, unless the lane's own plan names it as
// a gap, which is then the claim's detail.
//
// The gate makes a small host of its own (a home directory with secrets, a
// repository with worktrees, services, a process) and attacks only that.
//
// Limits: it shows what this corpus shows, on this machine, with this agent.
// It needs git and the agent, and neither a key nor a network.
package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lane/e2e/attack"
)

// Schema names the form of a report.
const Schema = "lane.gate/1"

// Status is what became of one claim.
type Status string

// The statuses. A claim holds when it passed; one that does not apply here
// says nothing; the others are failures of the gate.
const (
	Passed        Status = "passed"
	Failed        Status = "failed"
	NotApplicable Status = "not-applicable"
	// NotExercised: it was never tried, so nothing is known.
	NotExercised Status = "not-exercised"
)

// The entries by which a lane is entered: `lane run`, with an agent whose own
// sandbox nests, and `lane exec`.
const (
	EntryRun  = "run"
	EntryExec = "exec"
)

// Claim is one thing that lane claims, and what was seen of it.
type Claim struct {
	ID     string `json:"id"`
	Entry  string `json:"entry"`
	Model  string `json:"model,omitempty"` // of the live gate
	Claim  string `json:"claim"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Millis int64  `json:"ms"`
}

// Options says what is gated.
type Options struct {
	Lane      string   // lane's executable, absolute
	Version   string   // lane's own
	Writer    string   // the agent's name
	WriterBin string   // its executable, "" to let lane find it
	Only      string   // ids or patterns of them, separated by commas; "" for all
	Dir       string   // where the scratch directory is made, "" for a default
	Records   string   // a directory that gets each run's record, "" for none
	Live      *Live    // nil for the offline gate
	Progress  Progress // nil for none
}

// Progress is told of each claim when it is known.
type Progress func(Claim)

// Inside is how lane's executable becomes the inside of an attack, and the
// MCP server of the gate: its first argument.
const Inside = "attack"

// Main is what lane's executable does when Inside is its first argument; args
// are the ones after it.
func Main(args []string) int {
	if len(args) == 1 && args[0] == "mcp" {
		return serveMCP(os.Stdin, os.Stdout)
	}
	return attack.Inside(args)
}

// wanted says whether an id was asked for.
func (o Options) wanted(id string) bool {
	if o.Only == "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(o.Only, ","), func(pattern string) bool {
		ok, err := path.Match(pattern, id)
		return err == nil && ok
	})
}

// UnknownError says that there is no such claim, or no gate for such an agent.
type UnknownError struct{ Detail string }

func (e *UnknownError) Error() string { return e.Detail }

// Run runs the gate. An error says that it could not be run; that claims do
// not hold is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Progress == nil {
		o.Progress = func(Claim) {}
	}
	if o.Live != nil && !writers[o.Writer].all {
		return Report{}, &UnknownError{"no live gate for the agent " + o.Writer + "; there is one for claude"}
	}
	if o.Records != "" {
		if err := os.MkdirAll(o.Records, 0o755); err != nil {
			return Report{}, err
		}
	}
	b := &bench{o: o, report: newReport(o)}
	var known bool
	if b.hands, known = writers[o.Writer]; !known {
		return b.report, &UnknownError{"no gate for the agent " + o.Writer + "; there is one for " + strings.Join(Writers(), ", ")}
	}
	if err := b.make(); err != nil {
		return b.report, err
	}
	defer b.remove()
	if o.Live != nil {
		if err := b.live(ctx); err != nil {
			return b.report, err
		}
	} else {
		b.offline(ctx)
	}
	if err := ctx.Err(); err != nil {
		return b.report, fmt.Errorf("the gate was ended: %w", err)
	}
	if len(b.report.Claims) == 0 {
		return b.report, &UnknownError{fmt.Sprintf("no claim is called %q", o.Only)}
	}
	b.report.finish()
	return b.report, b.recordErr
}

// bench is one run of the gate.
type bench struct {
	o      Options
	hands  hands
	dir    string // all of it
	setuid string
	mu     sync.Mutex
	report Report
	n      int // of the directories made
	// recordErr is the first record that could not be kept.
	recordErr error
}

// make makes the scratch directory: where lane puts no private directory over
// it, so that what an attack is refused it is refused by the lane's rules.
func (b *bench) make() error {
	parents := []string{b.o.Dir}
	if b.o.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil || os.MkdirAll(cache, 0o700) != nil {
			cache = ""
		}
		parents = []string{cache, "/var/tmp", os.TempDir()}
		if os.Geteuid() == 0 {
			// What root's home directory holds is hidden from root's lanes.
			parents = []string{"/srv", "/var/lib", "/var/tmp"}
		}
	}
	var errs error
	for _, parent := range parents {
		if parent == "" {
			continue
		}
		dir, err := os.MkdirTemp(parent, "lane-gate-")
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err == nil {
			b.dir = dir
			b.setuid = setuidCopy(dir)
			return os.Chmod(dir, 0o755) // the caller's umask may be 077
		}
		errs = errors.Join(errs, err)
	}
	return fmt.Errorf("make a scratch directory: %w", errs)
}

// setuidCopy is a copy of id(1) that runs as root, where this user can make
// one.
func setuidCopy(dir string) string {
	if os.Geteuid() != 0 {
		return ""
	}
	program, err := os.ReadFile("/usr/bin/id")
	to := filepath.Join(dir, "who")
	if err != nil || os.WriteFile(to, program, 0o755) != nil || os.Chmod(to, 0o755|os.ModeSetuid) != nil {
		return ""
	}
	return to
}

func (b *bench) remove() {
	if err := os.RemoveAll(b.dir); err == nil {
		return
	}
	// An attack may have taken rights away.
	_ = filepath.WalkDir(b.dir, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(b.dir) // what is left is told by nobody: the report stands
}

// fixture makes a small host; the second function closes it.
func (b *bench) fixture() (*attack.Fixture, func(), error) {
	b.mu.Lock()
	b.n++
	dir := filepath.Join(b.dir, fmt.Sprintf("f%d", b.n))
	b.mu.Unlock()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, nil, err
	}
	p := attack.Place{Dir: dir, Self: []string{b.o.Lane, Inside}, Setuid: b.setuid}
	runtime, drop := runtimeDir()
	p.Runtime = runtime
	f, err := attack.NewFixture(p)
	if err != nil {
		drop()
		return nil, nil, err
	}
	return f, func() { _ = f.Close(); drop() }, nil // bench.remove goes over it again
}

// runtimeDir is below the user's own, as a session's services are; "" where
// there is none.
func runtimeDir() (string, func()) {
	parent := fmt.Sprintf("/run/user/%d", os.Geteuid())
	if os.Geteuid() == 0 {
		parent = "/run"
	}
	dir, err := os.MkdirTemp(parent, "lane-gate-")
	if err != nil {
		return "", func() {}
	}
	return dir, func() { os.RemoveAll(dir) }
}

// laneEnv is what a lane of the gate gets beside the fixture's environment.
func (b *bench) laneEnv(f *attack.Fixture) []string {
	return []string{"LANE_HOME=" + filepath.Join(f.Dir, "lane-home")}
}

// tell takes a claim into the report.
func (b *bench) tell(c Claim, began time.Time) {
	c.Millis = time.Since(began).Milliseconds()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report.Claims = append(b.report.Claims, c)
	b.o.Progress(c)
}
