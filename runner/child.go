package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"lane/sandbox/confine"
)

// proveTimeout bounds the child's proof. Its own longest step, the nested
// sandbox, is cut after 5 s.
const proveTimeout = 15 * time.Second

// child is the confined process while lane supervises it.
type child struct {
	plan    Plan
	host    Host
	cmd     *exec.Cmd
	orders  *os.File // plan and go, to descriptor 3
	reports *reports // from descriptor 4
	stdin   *os.File
	stdout  *os.File
	stderr  *tail
	errDone chan struct{} // the copy of stderr has ended
	waited  chan struct{} // closed when the process is reaped
	state   *os.ProcessState
	once    sync.Once
	group   *confine.Group // nil without limits that one binds
	reached []string       // which limits were; for those who waited
}

// start starts the layer with the confined child in it. The child waits for
// the plan; no agent runs.
//
// Without streams the child gets pipes of lane's: the prompt goes in, and the
// output is read. With streams it gets those.
func start(p Plan, h Host, s *streams) (*child, error) {
	if err := dropGoneSockets(&p, h); err != nil {
		return nil, err
	}
	if err := confine.CheckPaths(p.Policy); err != nil {
		var pe *confine.PathError
		if errors.As(err, &pe) {
			return nil, &Refusal{Reason: pe.Reason, Path: pe.Path, Detail: pe.Detail, Hint: "start again: something was moved while lane was starting"}
		}
		return nil, err
	}
	c := &child{plan: p, host: h, stderr: &tail{}, errDone: make(chan struct{}), waited: make(chan struct{})}
	var inside files
	defer inside.close()
	var errRead *os.File
	if s == nil {
		var err error
		if s, err = inside.pipes(c, &errRead); err != nil {
			return nil, err
		}
	}
	orders, err := inside.pipeIn(&c.orders)
	if err != nil {
		return nil, err
	}
	report, mine, err := reportPair()
	if err != nil {
		return nil, err
	}
	inside.list = append(inside.list, report)
	c.reports = mine
	if h.inPlace() {
		c.reports.withoutNamespace()
	}
	c.cmd = exec.Command(p.Start[0], p.Start[1:]...)
	// The directory is the layer's business; lane's own must not be held.
	c.cmd.Dir = "/"
	c.cmd.Env = p.Env.environ(h.values)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = s.in, s.out, s.err
	c.cmd.ExtraFiles = []*os.File{orders, report}
	// A group of its own: a terminal's ^C reaches lane alone, which then ends
	// the agent first and the namespace after it.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.Policy.Terminal {
		// The layer's process leads the session on the private pty and the
		// command is a group of its own in it (takeTerminal): a group without
		// a parent in its session would not be stopped by ^Z.
		c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	}
	dieWithLane(c.cmd.SysProcAttr)
	if c.group, err = makeGroup(p); err != nil {
		c.closeMine(errRead)
		return nil, err
	}
	if err := c.startLocked(); err != nil {
		c.closeMine(errRead)
		return nil, &Refusal{Reason: "layer-start", Path: p.Start[0], Detail: cause(err), Hint: "run lane doctor"}
	}
	go func() {
		defer close(c.errDone)
		if errRead == nil {
			return // standard error is the caller's
		}
		_, _ = io.Copy(c.stderr, errRead) // ends with the namespace
		errRead.Close()
	}()
	return c, nil
}

// startLocked starts and reaps the process on one locked thread:
// PR_SET_PDEATHSIG, by which bwrap dies with lane, fires when the thread that
// forked ends, not the process (bubblewrap#529).
func (c *child) startLocked() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread lives until Wait returns, then dies
		layer, err := confine.Lookup(c.plan.Layer)
		if err == nil {
			err = layer.Prepare(c.plan.Policy)
		}
		if err == nil && !c.plan.Checks.HostMounts {
			layer.Attr(c.cmd.SysProcAttr)
		}
		if err == nil && c.group != nil {
			c.group.Attr(c.cmd.SysProcAttr)
		}
		if err == nil {
			err = c.cmd.Start()
		}
		if err != nil {
			c.endGroup()
		}
		started <- err
		if err != nil {
			return
		}
		_ = c.cmd.Wait() // how it ended is in ProcessState
		c.endGroup()
		c.state = c.cmd.ProcessState
		close(c.waited)
	}()
	return <-started
}

func (c *child) closeMine(errRead *os.File) {
	for _, f := range []*os.File{c.stdin, c.stdout, c.orders, errRead} {
		if f != nil {
			f.Close()
		}
	}
	c.reports.Close()
}

// prove sends the plan and reads what the child found by trying, in the very
// namespace that the agent would get.
func (c *child) prove(res *Result) error {
	// An abstract socket of lane's own, for the child to fail to reach.
	for _, name := range c.plan.Checks.MustNotConnect {
		l, err := net.Listen("unix", "@"+name)
		if err != nil {
			return c.layerFailed(err)
		}
		defer l.Close()
	}
	c.boundReports()
	sendErr := confine.WritePlan(c.orders, c.plan.Checks)
	report, err := confine.ReadReport(c.reports)
	res.Layers[0].OK, res.Layers[0].Checks = report.OK, report.Checks
	if err != nil {
		return c.layerFailed(errors.Join(sendErr, err))
	}
	if !report.OK {
		return &Refusal{Reason: report.Reason, Detail: "the lane does not hold on this machine: " + report.Detail,
			Hint: proofHint(report.Reason), Exit: report.Exit}
	}
	return nil
}

// boundReports bounds the wait for the next report: without the layer's process
// there will be none, even where a process inside outlived it and holds the
// other end.
func (c *child) boundReports() {
	c.reports.SetReadDeadline(time.Now().Add(proveTimeout))
	go func() {
		<-c.waited
		c.reports.SetReadDeadline(time.Now().Add(lookEvery))
	}()
}

func proofHint(reason string) string {
	if reason == "nested-sandbox-refused" {
		return "the agent's own sandbox cannot start inside the lane; run lane doctor to see which setting of the host refuses it"
	}
	return "run lane doctor; if it finds nothing, please report this with the record"
}

// layerFailed is what bwrap itself said.
func (c *child) layerFailed(err error) error {
	c.kill()
	<-c.errDone
	said := bytes.TrimSpace(c.stderr.bytes())
	detail := "the confined child gave no report"
	if len(said) > 0 {
		detail = string(said)
	} else if err != nil && !errors.Is(err, io.EOF) {
		detail += ": " + err.Error()
	}
	if p := c.plan; dropGoneSockets(&p, c.host) == nil && len(p.Policy.Rows) != len(c.plan.Policy.Rows) {
		return &Refusal{Reason: "changed-before-start", Detail: "a socket that lane covers went away while lane was starting: " + detail, Hint: "start again"}
	}
	// Now that it failed, find out why: which setting of the host refuses.
	layer, lerr := confine.Lookup(c.plan.Layer)
	if lerr == nil {
		if p := layer.ProbeFor(context.Background(), confine.Need{BwrapPath: c.plan.LayerPath, UID: os.Geteuid()}); !p.OK {
			return &Refusal{Reason: p.Reason, Detail: p.Detail, Hint: p.Hint, Layer: p.Layer}
		}
	}
	return &Refusal{Reason: "layer-failed", Detail: detail, Hint: "the layer works by itself; please report this with the plan (lane plan)"}
}

// release lets the child become the agent, and returns when it has.
func (c *child) release() error {
	if err := confine.Go(c.orders); err != nil {
		return c.layerFailed(err)
	}
	c.orders.Close()
	c.boundReports()
	report, err := confine.ReadReport(c.reports)
	if errors.Is(err, io.EOF) {
		return nil // descriptor 4 closed by exec
	}
	if err != nil {
		return c.layerFailed(err)
	}
	reason := map[int]string{ExitNotExecutable: "writer-not-executable", ExitNotFound: "writer-not-found"}[report.Exit]
	if reason == "" {
		reason = report.Reason
	}
	return &Refusal{Reason: reason, Path: c.plan.Agent[0], Detail: report.Detail, Exit: report.Exit,
		Hint: "the program exists outside and cannot be executed inside the lane; name another (an agent: with --writer-bin), or show the lane where it lies: --read DIR"}
}

// kill ends the namespace and waits until it is empty.
func (c *child) kill() {
	c.once.Do(func() {
		// The namespace's pid 1 itself, by its pidfd: the kernel ends every
		// process of the namespace with it. That it dies with bwrap outside is
		// not relied on: the agent can trace it and change that.
		c.reports.end()
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // gone already is fine
	})
	<-c.waited
	if c.reports.known() {
		c.reports.waitEmpty(5 * time.Second)
		return
	}
	// The lane has not reported yet. Should the process outside have been
	// killed by somebody, those inside live on, in a session of their own.
	openRun{Layer: c.plan.LayerPath, RunDir: c.plan.RunDir}.endProcesses(time.Now().Add(5*time.Second), -1)
}

// files are the ends of pipes that the child gets; lane closes them after the
// start.
type files struct{ list []*os.File }

func (f *files) close() {
	for _, x := range f.list {
		x.Close()
	}
}

// pipes are the standard streams of an agent.
func (f *files) pipes(c *child, errRead **os.File) (*streams, error) {
	in, err := f.pipeIn(&c.stdin)
	if err != nil {
		return nil, err
	}
	out, err := f.pipeOut(&c.stdout)
	if err != nil {
		return nil, err
	}
	stderr, err := f.pipeOut(errRead)
	return &streams{in: in, out: out, err: stderr}, err
}

func (f *files) pipeIn(mine **os.File) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	*mine = w
	f.list = append(f.list, r)
	return r, nil
}

func (f *files) pipeOut(mine **os.File) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	*mine = r
	f.list = append(f.list, w)
	return w, nil
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const maxTail = 64 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*maxTail {
		t.buf = append([]byte(nil), t.buf[len(t.buf)-maxTail:]...)
	}
	return len(b), nil
}

func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.buf) > maxTail {
		return append([]byte(nil), t.buf[len(t.buf)-maxTail:]...)
	}
	return append([]byte(nil), t.buf...)
}
