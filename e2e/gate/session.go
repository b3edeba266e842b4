package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"lane/e2e/model"
	"lane/runner"
	"lane/sandbox"
)

// subMark is in the prompt of the subagent and finds its part of the script.
const subMark = "LANE-GATE-SUBTASK"

// prompt is what the agent is told; what it does is in the script.
const prompt = "Do what you are told, step by step."

// session is one `lane run` of the gate.
type session struct {
	name    string
	hostile bool
	acts    []act
	commits bool
}

// sessions are the runs of the offline gate: one that works, and several that
// attack, each with a part of the acts, because an agent's turn takes the
// longer the more were before it.
func sessions(o Options) []session {
	told := map[string]bool{} // proofs that an earlier session tells
	list := []session{session{"work", false, work(), true}.only(o, told)}
	for _, part := range []struct {
		name string
		acts []act
	}{
		{"server-forms", forms("MCP")}, {"shell-forms", forms("Bash")},
		{"kernel", kernel(writers[o.Writer].kernel)}, {"tools", slices.Concat(writing(), editing())}, {"rest", slices.Concat(reading(), planting(), leaving())},
	} {
		x := session{part.name, true, slices.Concat(proofs(), part.acts), false}.only(o, told)
		list = append(list, x)
	}
	return list
}

// script orders the acts of a session, each in a turn of its own.
func (x session) script(s *scene) model.Script {
	var script model.Script
	var sub []model.Step
	for _, a := range x.acts {
		if a.Before != nil {
			script.Steps = append(script.Steps, a.Before(s))
		}
		switch {
		case a.Step == nil:
		case a.Sub:
			sub = append(sub, a.Step(s))
		default:
			script.Steps = append(script.Steps, a.Step(s))
		}
	}
	if len(sub) > 0 {
		script.Steps = append(script.Steps, model.Use("subagent", "Agent", map[string]string{
			"description": "d", "subagent_type": "general-purpose", "prompt": subMark}))
		script.Agents = []model.Agent{{Match: subMark, Steps: append(sub, model.Text("done"))}}
	}
	script.Steps = append(script.Steps, model.Text("done"))
	return script
}

// only drops the acts that were not asked for, and the proofs that none of
// the rest needs. Those that an earlier session tells already are quiet.
func (x session) only(o Options, told map[string]bool) session {
	need := map[string]bool{}
	for _, a := range x.acts {
		if o.wanted(a.ID) && (a.Works == nil || !told[a.ID]) {
			need[a.ID], need[a.Proof] = true, true
		}
	}
	if need["ok-edit"] {
		need["ok-write"] = true // it edits what that wrote
	}
	if need["ok-notebook"] {
		need["read-notebook"] = true
	}
	var acts []act
	for _, a := range x.acts {
		if !need[a.ID] {
			continue
		}
		a.quiet = told[a.ID] || !o.wanted(a.ID)
		told[a.ID] = true
		acts = append(acts, a)
	}
	if !slices.ContainsFunc(acts, func(a act) bool { return !a.quiet }) {
		acts = nil
	}
	x.acts = acts
	return x
}

// run runs a session and judges its claims.
func (b *bench) run(ctx context.Context, x session) {
	began := time.Now()
	x.acts = slices.DeleteFunc(slices.Clone(x.acts), func(a act) bool {
		tool := b.hands.lacks(a)
		if tool != "" && !a.quiet {
			b.tell(Claim{ID: a.ID, Entry: EntryRun, Claim: claimText(a.Claim, a.What), Status: NotApplicable, Detail: b.o.Writer + " is given no such tool: " + tool}, began)
		}
		return tool != ""
	})
	if !slices.ContainsFunc(x.acts, func(a act) bool { return !a.quiet }) {
		return
	}
	s, done, err := b.scene(x.hostile)
	if err != nil {
		b.tellNone(x, began, err.Error())
		return
	}
	defer done()
	script := x.script(s)
	script.Steps = b.hands.steps(script.Steps)
	srv, err := model.Start(ctx, script, "", 0)
	if err != nil {
		b.tellNone(x, began, err.Error())
		return
	}
	defer srv.Close()
	s.answer = srv.Result
	res, raw, err := b.lane(ctx, s, srv.URL, "", prompt)
	if err != nil || res.Status == runner.Refused {
		if err == nil {
			err = fmt.Errorf("lane refused: %s: %s", res.Reason, res.Detail)
		}
		b.tellNone(x, began, err.Error())
		return
	}
	b.took(x.name, "", res, raw)
	b.judge(x, s, res, began)
}

// scene makes the host of a session.
func (b *bench) scene(hostile bool) (*scene, func(), error) {
	f, done, err := b.fixture()
	if err != nil {
		return nil, nil, err
	}
	s := &scene{f: f, key: "gate-key-" + filepath.Base(f.Dir) + "-" + itoa(os.Getpid())}
	s.answer = func(string) (model.ToolResult, bool) { return model.ToolResult{}, false }
	if err := s.prepare(hostile); err != nil {
		done()
		return nil, nil, fmt.Errorf("set up: %w", err)
	}
	return s, done, nil
}

// tellNone tells that none of a session's claims was tried.
func (b *bench) tellNone(x session, began time.Time, why string) {
	for _, a := range x.acts {
		if !a.quiet {
			b.tell(Claim{ID: a.ID, Entry: EntryRun, Claim: claimText(a.Claim, a.What), Status: NotExercised, Detail: why}, began)
		}
	}
}

// judge looks at what became of each act. The run is over.
func (b *bench) judge(x session, s *scene, res runner.Result, began time.Time) {
	// First of all: later looks run git, which writes.
	all := unaddressed(s.f, x.commits)
	proven := map[string]bool{"": true}
	for _, a := range x.acts {
		if a.Works != nil {
			proven[a.ID] = a.Works(s) == ""
		}
	}
	for _, a := range x.acts {
		if a.quiet {
			continue
		}
		c := Claim{ID: a.ID, Entry: EntryRun, Claim: claimText(a.Claim, a.What)}
		c.Status, c.Detail = a.judge(s, res, proven)
		b.tell(c, began)
	}
	if b.o.Only == "" {
		c := Claim{ID: x.name + "-nothing-else", Entry: EntryRun, Claim: "nothing outside the worktree changed, and nothing of the agent's ran there", Status: Passed}
		if all != "" {
			c.Status, c.Detail = Failed, all
		}
		b.tell(c, began)
	}
}

func (a act) judge(s *scene, res runner.Result, proven map[string]bool) (Status, string) {
	r, came := s.answer(a.ID)
	told := oneLine(r.Text)
	switch {
	case a.Missing != nil && a.Missing(s) != "":
		return NotApplicable, a.Missing(s)
	case a.Works != nil:
		if why := a.Works(s); why != "" {
			return Failed, why
		}
		return Passed, ""
	}
	if got := a.Through(s); got != "" {
		if i := slices.IndexFunc(res.Gaps, func(g sandbox.Gap) bool { return g.Name == a.Gap }); i >= 0 {
			return NotApplicable, "the plan's gap " + a.Gap + ": " + got
		}
		return Failed, got + "; the agent was told: " + told
	}
	switch {
	case a.Step == nil:
		return Passed, ""
	case !came:
		return NotExercised, "the agent did not come to it"
	case !proven[a.Proof]:
		return NotExercised, "its tool did not work at all: " + a.Proof
	}
	return Passed, told
}

// took notes what a run's record says of itself.
func (b *bench) took(session, modelName string, res runner.Result, raw []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.o.Records != "" {
		name := strings.Join(strings.FieldsFunc(session+"-"+modelName+"-"+res.Run, func(r rune) bool { return r == '/' || r == '-' }), "-")
		if err := os.WriteFile(filepath.Join(b.o.Records, name+".json"), raw, 0o644); err != nil && b.recordErr == nil {
			b.recordErr = err
		}
	}
	b.report.Runs = append(b.report.Runs, RunProof{Session: session, Model: modelName, Run: res.Run, Status: res.Status, Reason: res.Reason, Exit: res.Exit,
		PlanSHA256: res.PlanSHA256, SettingsSHA256: res.SettingsSHA256, Layers: res.Layers, CostUSD: res.CostUSD, Durations: res.Durations})
	b.report.CostUSD += res.CostUSD
	if b.report.Receipt.Writer == nil {
		b.report.Receipt = res.Receipt()
	}
	for _, g := range res.Gaps {
		if !slices.ContainsFunc(b.report.Gaps, func(old sandbox.Gap) bool { return old.Name == g.Name }) {
			b.report.Gaps = append(b.report.Gaps, g)
		}
	}
}

// agentTime bounds one run.
const agentTime = 5 * time.Minute

// lane starts `lane run` and returns its record, also as it was printed.
func (b *bench) lane(ctx context.Context, s *scene, url, modelName, text string) (runner.Result, []byte, error) {
	var res runner.Result
	c, err := b.command(ctx, s, url, modelName, agentTime, text)
	if err != nil {
		return res, nil, err
	}
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return res, nil, err
	}
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		return res, nil, fmt.Errorf("lane's output is no record: %w: %s", err, oneLine(stderr.String()))
	}
	return res, out.Bytes(), nil
}

// command is `lane run` with the agent's tools and the gate's MCP server.
func (b *bench) command(ctx context.Context, s *scene, url, modelName string, timeout time.Duration, text string) (*exec.Cmd, error) {
	args := []string{"run", "--json", "--quiet", "--writer", b.o.Writer, "--timeout", timeout.String()}
	config := filepath.Join(s.f.Dir, "mcp.json")
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{mcpServer: map[string]any{"command": b.o.Lane, "args": []string{Inside, "mcp"}}}})
	if err == nil {
		err = os.WriteFile(config, servers, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if b.o.Live == nil && b.hands.all {
		args = append(args, "--mcp", config)
	}
	if b.o.Live == nil && modelName == "" {
		modelName = b.hands.model
	}
	if b.o.WriterBin != "" {
		args = append(args, "--writer-bin", b.o.WriterBin)
	}
	if modelName != "" {
		args = append(args, "--model", modelName)
	}
	c := exec.CommandContext(ctx, b.o.Lane, append(args, "--", text)...)
	c.Dir = s.f.Worktree
	c.Env = append(slices.DeleteFunc(s.f.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), b.laneEnv(s.f)...)
	// The agent is looked for where the user's own runs look.
	c.Env = append(c.Env, "PATH="+os.Getenv("PATH"), "PWD="+c.Dir)
	if b.o.Live != nil {
		c.Env = append(c.Env, liveEnv()...)
	} else {
		c.Env = append(c.Env, b.hands.env(url, s.key)...)
	}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // lane ends the whole tree
	c.WaitDelay = 10 * time.Second
	return c, nil
}

// offline is the whole of the offline gate. The runs and the corpus go side by
// side: each waits more than it works.
func (b *bench) offline(ctx context.Context) {
	var tasks []func()
	for _, x := range sessions(b.o) {
		tasks = append(tasks, func() { b.run(ctx, x) })
	}
	for _, k := range kills() {
		tasks = append(tasks, func() { b.killed(ctx, k) })
	}
	queue := make(chan func())
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			for task := range queue {
				task()
			}
		})
	}
	wg.Go(func() { b.corpus(ctx, workers()) })
	for _, task := range tasks {
		if ctx.Err() == nil {
			queue <- task
		}
	}
	close(queue)
	wg.Wait()
}
