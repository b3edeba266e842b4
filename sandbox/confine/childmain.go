package confine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Descriptors of the child. Fixed numbers instead of parameters in the
// environment, which the agent would inherit.
const (
	planFD   = 3
	reportFD = 4
)

// Exit codes of lane that the child stage reports and ends with.
const (
	exitRefused       = 125
	exitNotExecutable = 126
	exitNotFound      = 127
)

// childStages are what an operating system does in the child. Without any,
// no program is ever started.
type childStages struct {
	// checks try the policy; all run, so that a report is complete.
	checks []childCheck
	// before runs after go, in order, and stops at the first error.
	before []childStep
}

type childCheck struct {
	reason string // reported when it is the first that fails
	run    func(ChildPlan) []Check
}

type childStep struct {
	reason string
	run    func(ChildPlan) error
}

var stages childStages

// ChildMain is `lane confine`: the stage between the sandbox's start and the
// agent. It returns only when the program was not started; its result is the
// exit code of the process.
//
// The order is the argument: the thread is locked first, since capabilities,
// no_new_privs and filters belong to a thread; the checks come before go, so
// that a lane that does not hold never sees a prompt; the filter of system
// calls comes after all checks but the nested sandbox, which has to work
// under it; what must still pass at the end (setsid, setrlimit, execve) is in
// no table.
func ChildMain() int {
	runtime.LockOSThread()
	// Nothing that is started from here on inherits the plan or the report.
	syscall.CloseOnExec(planFD)
	syscall.CloseOnExec(reportFD)
	in := bufio.NewReader(os.NewFile(planFD, "plan"))
	out := os.NewFile(reportFD, "report")

	plan, err := readPlan(in)
	if err != nil {
		return refuse(out, ChildReport{Reason: "bad-plan", Detail: err.Error()})
	}
	report := runChecks(plan)
	if !report.OK {
		return refuse(out, report)
	}
	if err := writeReport(out, report); err != nil {
		fmt.Fprintln(os.Stderr, "lane confine: write report:", err)
		return exitRefused
	}
	if line, err := in.ReadString('\n'); err != nil || line != goLine {
		return exitRefused // the parent died or refused; it knows why
	}
	for _, step := range stages.before {
		if err := step.run(plan); err != nil {
			return refuse(out, ChildReport{Reason: step.reason, Detail: err.Error()})
		}
	}
	err = syscall.Exec(plan.Path, plan.Argv, os.Environ())
	return refuse(out, execReport(plan.Path, err))
}

func readPlan(in *bufio.Reader) (ChildPlan, error) {
	var plan ChildPlan
	line, err := readLine(in, maxPlan)
	if err != nil {
		return plan, fmt.Errorf("read plan: %w (lane confine is started by lane itself)", err)
	}
	if err := json.Unmarshal(line, &plan); err != nil {
		return plan, fmt.Errorf("read plan: %w", err)
	}
	switch {
	case plan.Version != PlanVersion:
		return plan, fmt.Errorf("plan version %d, want %d", plan.Version, PlanVersion)
	case len(plan.Argv) == 0 || plan.Path == "" || plan.Path[0] != '/':
		return plan, errors.New("plan names no program by its absolute path")
	}
	return plan, nil
}

// readLine reads to the newline, at most limit bytes.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return nil, errors.New("line too long")
		case err == nil:
			return line, nil
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func runChecks(plan ChildPlan) ChildReport {
	report := ChildReport{OK: true}
	if len(stages.checks) == 0 {
		return ChildReport{Reason: "no-layer", Detail: ErrNoLayer.Error()}
	}
	for _, check := range stages.checks {
		for _, result := range check.run(plan) {
			report.Checks = append(report.Checks, result)
			if !result.OK && report.OK {
				report.OK = false
				report.Reason = check.reason
				report.Detail = fmt.Sprintf("%s %+q: want %s, got %s", result.Name, result.Path, result.Want, result.Got)
			}
		}
	}
	return report
}

// refuse tells the parent, or, when nobody listens, standard error.
func refuse(out io.Writer, report ChildReport) int {
	report.OK = false
	if report.Exit == 0 {
		report.Exit = exitRefused
	}
	if err := writeReport(out, report); err != nil {
		fmt.Fprintf(os.Stderr, "lane confine: %s: %s\n", report.Reason, report.Detail)
	}
	return report.Exit
}

func execReport(path string, err error) ChildReport {
	report := ChildReport{Reason: "not-executable", Exit: exitNotExecutable,
		Detail: fmt.Sprintf("exec %+q: %v", path, err)}
	if errors.Is(err, fs.ErrNotExist) {
		report.Reason, report.Exit = "not-found", exitNotFound
	}
	return report
}
