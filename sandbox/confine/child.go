package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"lane/sandbox"
)

// PlanVersion is the version of ChildPlan that this build speaks. Parent and
// child are the same binary, so any other value is a mix-up and refused.
const PlanVersion = 1

// ChildPlan is all that the confined child is told. It travels as one JSON
// line on descriptor 3 and holds no secret values.
type ChildPlan struct {
	Version int      `json:"version"`
	Argv    []string `json:"argv"`
	Path    string   `json:"path"` // absolute executable
	Dir     string   `json:"dir"`

	// IDs are files whose device and inode must be inside what they were
	// when the plan was made.
	IDs []PathID `json:"ids,omitempty"`
	// MustWrite and MustNotWrite are directories in which creating a file
	// must succeed or fail. No name ever appears (O_TMPFILE).
	MustWrite    []string `json:"must_write,omitempty"`
	MustNotWrite []string `json:"must_not_write,omitempty"`
	// MustOpen and MustNotOpen are files that must or must not open for
	// writing. Nothing is written or truncated.
	MustOpen    []string `json:"must_open,omitempty"`
	MustNotOpen []string `json:"must_not_open,omitempty"`
	// MustBeHidden must be absent, empty or unreadable.
	MustBeHidden []string `json:"must_be_hidden,omitempty"`
	// MustNotConnect are abstract sockets, without the leading NUL, on which
	// the parent listens and which must not be connected to.
	MustNotConnect []string `json:"must_not_connect,omitempty"`
	// HostMounts says that the user accepted by name (host-mounts) that what
	// the host mounts during the lane can appear inside.
	HostMounts bool `json:"host_mounts,omitempty"`
	// Landlock, if set, is the policy that the child puts on itself before it
	// tries anything. Nil with a layer that has a process round the child.
	Landlock *sandbox.Policy `json:"landlock,omitempty"`
	// Nested, if set, is a sandbox of the agent's own kind round a program
	// that does nothing: it must exit 0 within five seconds.
	Nested []string `json:"nested,omitempty"`

	// Verify, if set, is the canary set of lane run --verify: what the checks
	// above try without a trace is done in earnest.
	Verify *Verify `json:"verify,omitempty"`

	// Seccomp names the system-call table to put on last; "" is none.
	Seccomp  string         `json:"seccomp,omitempty"`
	Limits   sandbox.Limits `json:"limits"`
	Terminal bool           `json:"terminal,omitempty"`
}

// Verify says where canaries are tried. Each has a name of this run's, so that
// what came to be can be found, and removed, from outside.
type Verify struct {
	Name      string   `json:"name"`
	Own       string   `json:"own"`       // a directory that can be written
	Refused   []string `json:"refused"`   // directories where each try must fail
	Elsewhere []string `json:"elsewhere"` // where it may fail or land in a directory of the lane's own
	Pointer   string   `json:"pointer,omitempty"`
}

// Canaries are all paths that the tries would make outside.
func (v Verify) Canaries() []string {
	var paths []string
	for _, list := range [][]string{v.Refused, v.Elsewhere} {
		for _, dir := range list {
			for _, end := range []string{"", ".d", ".l", ".s", ".r", ".n"} {
				paths = append(paths, dir+"/"+v.Name+end)
			}
		}
	}
	return paths
}

// PathID is a file's identity on this host.
type PathID struct {
	Path string `json:"path"`
	Dev  uint64 `json:"dev"`
	Ino  uint64 `json:"ino"`
}

// Probes fills in what follows from the policy alone: what the child tries,
// and what it puts on itself. The caller adds what matters by name (the
// shared .git, other worktrees, the main checkout) and IDs.
func Probes(p sandbox.Policy) ChildPlan {
	plan := ChildPlan{Version: PlanVersion, Limits: p.Limits, Terminal: p.Terminal, Seccomp: "exec"}
	if p.Nesting {
		plan.Seccomp = "nesting"
	}
	// Owned by the host's root and there on every kernel: see ownedProc.
	plan.MustNotOpen = append(plan.MustNotOpen, "/proc/sys/kernel/panic")
	rows := p.Sorted()
	for i, row := range rows {
		switch row.Access {
		case sandbox.Write:
			if row.File {
				plan.MustOpen = append(plan.MustOpen, row.Path)
			} else {
				plan.MustWrite = append(plan.MustWrite, row.Path)
			}
		case sandbox.Private:
			plan.MustWrite = append(plan.MustWrite, row.Path)
		case sandbox.Read, sandbox.Protect, sandbox.Hide:
			if row.File {
				plan.MustNotOpen = append(plan.MustNotOpen, row.Path)
			} else {
				plan.MustNotWrite = append(plan.MustNotWrite, row.Path)
			}
		}
		// A hidden directory with a row below it is not empty: it holds
		// that row's mount point.
		holds := i+1 < len(rows) && sandbox.Contains(row.Path, rows[i+1].Path)
		if row.Access == sandbox.Hide && !holds {
			plan.MustBeHidden = append(plan.MustBeHidden, row.Path)
		}
	}
	return plan
}

// Check is one thing the child tried.
type Check struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	Want string `json:"want"`
	Got  string `json:"got"`
	OK   bool   `json:"ok"`
}

// ChildReport is one record of the child on descriptor 4. The first is the
// result of the checks. After go there is a second one only when the program
// could not be started: end of file means that it was.
type ChildReport struct {
	OK     bool    `json:"ok"`
	Reason string  `json:"reason,omitempty"` // stable word, "" when OK
	Detail string  `json:"detail,omitempty"`
	Exit   int     `json:"exit,omitempty"` // lane's exit code: 125, 126 or 127
	Checks []Check `json:"checks,omitempty"`
}

// Records are framed as eight hexadecimal digits of length, a newline and
// that many bytes, so that a reader takes exactly one and no byte more.
const (
	frameHeader = 9
	maxReport   = 4 << 20
	maxPlan     = 16 << 20
)

var errFrame = errors.New("malformed record")

// ReadReport reads one record, bounded. io.EOF means that there is none:
// the child has become the program, or has died (its exit status says which).
func ReadReport(r io.Reader) (ChildReport, error) {
	var report ChildReport
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return report, io.EOF
		}
		return report, fmt.Errorf("read report: %w", err)
	}
	n, err := strconv.ParseUint(string(header[:frameHeader-1]), 16, 32)
	if err != nil || header[frameHeader-1] != '\n' || n > maxReport {
		return report, fmt.Errorf("read report: %w", errFrame)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return report, fmt.Errorf("read report: %w", err)
	}
	if err := json.Unmarshal(body, &report); err != nil {
		return report, fmt.Errorf("read report: %w", errFrame)
	}
	return report, nil
}

func writeReport(w io.Writer, report ChildReport) error {
	body, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if len(body) > maxReport {
		// Too many checks to tell: the verdict must get through all the same.
		report.Checks = nil
		if body, err = json.Marshal(report); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%08x\n%s", len(body), body)
	return err
}

// WritePlan sends the plan to the child. Go is what lets it run.
func WritePlan(w io.Writer, plan ChildPlan) error {
	line, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Go tells the child to become the program.
func Go(w io.Writer) error {
	_, err := io.WriteString(w, goLine)
	return err
}

const goLine = "go\n"
