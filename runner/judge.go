package runner

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
	"lane/gitdiscover/seal"
	"lane/runner/agent"
	"lane/sandbox"
)

// judge says how the run ended, from how the process ended and what the agent
// itself recorded. An exit code of 0 proves nothing: rate limits, refusals
// and a dead sandbox all end with it (facts/public-reports.md 0.8).
func judge(res *Result, j Job, end ending, out agent.Outcome) {
	code := end.Code
	res.AgentExit = &code
	res.Writer.Version = out.Version
	res.Writer.Tested = slices.Contains(j.Agent.Tested, out.Version)
	if out.Version != "" && !res.Writer.Tested {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%s %s is not a version that lane's tests have run (%s)", j.Agent.Name, out.Version, strings.Join(j.Agent.Tested, ", ")))
	}
	if out.Model != "" {
		res.Model = out.Model
	}
	if out.Denied != nil {
		res.Denied = out.Denied
	}
	res.ToolCalls, res.ToolFails, res.Turns = out.ToolCalls, out.ToolFails, out.Turns
	res.Usage, res.CostUSD, res.Text = out.Usage, out.CostUSD, out.Text
	switch {
	case end.TimedOut:
		res.Status, res.Reason, res.Exit = TimedOut, "timeout", ExitTimeout
		res.Detail = "the agent was ended after " + j.Plan.timeoutText()
	case end.Signal != 0:
		res.Status, res.Reason, res.Exit = Interrupted, "signal", ExitSignal+int(end.Signal)
		res.Signal = unix.SignalName(end.Signal)
	case end.Code > signalBase:
		res.Status, res.Reason, res.Exit = Failed, "agent-signal", end.Code
		res.Signal = unix.SignalName(syscall.Signal(end.Code - signalBase))
		res.Detail = "the agent was ended by a signal that did not come through lane"
	case out.Failed:
		res.Status, res.Reason, res.Detail = Failed, out.Reason, out.Detail
		if res.Exit = exitOfAgent(end.Code); res.Exit == 0 {
			res.Exit = ExitFailed
		}
	case end.Code != 0:
		res.Status, res.Reason, res.Exit = Failed, "agent-exit", exitOfAgent(end.Code)
	default:
		res.Status, res.Exit = Done, ExitDone
	}
	res.Warnings = append(res.Warnings, end.Reached...)
	if !end.Empty {
		res.Warnings = append(res.Warnings, "the end of the lane's last process was not seen")
	}
	if end.Stream != nil {
		res.Warnings = append(res.Warnings, "reading the agent's output: "+end.Stream.Error())
	}
	if res.Status != Done {
		res.Stderr = printable(end.Stderr)
	}
}

func (p Plan) timeoutText() string {
	b, _ := p.Timeout.MarshalText() // never fails
	return string(b)
}

// after looks at what the run left, once no process of it is alive: git's
// pointers first, before anything else trusts the worktree.
//
// The order is the argument: discovery says whether the directories are still
// the same; what the run closed is opened, so that nothing is looked past;
// litter and wiring are cleared away, so that the seal does not see the agent's
// own placeholders; then the seal says what else steers git. Nothing that is
// found ends the look: one trap must not hide another.
func after(res *Result, j Job, sealed seal.Seal) {
	open, err := openWorktree(j.Repo)
	if err != nil {
		res.trip("worktree-unreadable", j.Plan.Worktree, "the worktree could not be looked through after the run: "+cause(err),
			"treat all that is in it as the agent's own programs")
		return
	}
	defer open.root.Close()
	now, err := gitdiscover.DiscoverWith(j.Plan.Worktree, discoverOptions(j.Request))
	if err == nil {
		err = j.Repo.Same(now)
	}
	same := err == nil
	if !same {
		res.trip("git-changed", j.Plan.Worktree, "the worktree's git directories are not what they were before the run: "+err.Error(),
			"look at the worktree's .git and its git directory with a pager before running git there")
	}
	tree := readTreeOpening(j.Plan.Worktree, treeSkips(j.Repo), j.Host.Tree, open)
	if res.ChangedIncomplete = tree.Cut; tree.Cut != "" {
		res.lookedPast(j, tree.Cut)
	}
	res.Removed = j.seal.sweep(open.root)
	held, err := holdBack(open.root, j)
	res.holdBack(j, held, err)
	if same {
		compareSeal(res, j, sealed)
	}
	tree.without(slices.Concat(res.Removed, paths(held)))
	names := changed(j.Host.Tree, tree)
	if len(names) > 0 || tree.Cut != "" || len(tree.Dirs) != len(j.Host.Tree.Dirs) || len(tree.Repositories) != len(j.Host.Tree.Repositories) {
		lookCloser(res, j, sealed, open.root)
	}
	if err := open.closeAgain(); err != nil {
		res.Warnings = append(res.Warnings, "a directory that the run closed stays open: "+cause(err))
	}
	if same {
		takeIn(res, j, now)
		readLedger(res, j, sealed, len(names) > 0)
	}
	if res.TakeIn == nil || res.TakeIn.Status == "nothing" {
		judgeChanges(res, j, len(names))
	}
	if len(names) > maxChanged {
		res.ChangedMore = len(names) - maxChanged
		names = names[:maxChanged]
	}
	if names != nil {
		res.Changed = names
	}
}

// trip makes the run a tripwire, whatever else it was. The first thing found
// gives the reason; the others are told beside it.
func (res *Result) trip(reason, path, detail, hint string) {
	if res.Status == Tripwire {
		res.Warnings = append(res.Warnings, reason+": "+quoteUnlessPlain(path)+": "+detail)
		return
	}
	res.Status, res.Reason, res.Exit = Tripwire, reason, ExitTripwire
	res.Path, res.Detail, res.Hint = path, detail, hint
}

// lookedPast: what nobody looked at may be anything.
func (res *Result) lookedPast(j Job, why string) {
	res.trip("scan-incomplete", j.Plan.Worktree, "the worktree could not be looked through after the run: "+why,
		"look at what lies there before you start an agent, an editor or git in the worktree")
}

// holdBack records what was taken out of the worktree, and what could not be.
func (res *Result) holdBack(j Job, held []Held, err error) {
	res.Held = append(res.Held, held...)
	if err != nil {
		res.trip("wiring-left", j.Plan.Worktree, err.Error(), "remove it yourself before you start an agent, an editor or a shell in the worktree")
	}
	if len(held) > 0 {
		res.trip("wiring", filepath.Join(j.Plan.Worktree, held[0].Path),
			fmt.Sprintf("%d things that make agents, editors, shells or git run code appeared during the run and were held back, first %s (%s)", len(held), quote(held[0].Path), held[0].Reason),
			"they lie in "+filepath.Join(j.Plan.RunDir, recordDir, quarantineDir)+"; --accept wiring leaves them in place")
	}
}

func paths(held []Held) []string {
	var names []string
	for _, h := range held {
		names = append(names, h.Path)
	}
	return names
}

// judgeChanges tells plain success from a run in which nothing was done.
func judgeChanges(res *Result, j Job, n int) {
	if res.Status != Done || n > 0 {
		return
	}
	switch {
	case res.ToolCalls > 0 && res.ToolFails == res.ToolCalls:
		res.Status, res.Reason, res.Exit = ToolFailures, "tool-failures", ExitFailed
		res.Detail = fmt.Sprintf("all %d tool calls failed and no file changed", res.ToolCalls)
	case len(res.Denied) > 0:
		res.Status, res.Reason = NoChanges, "denied"
		res.Detail = fmt.Sprintf("%d calls were refused and no file changed", len(res.Denied))
	case j.Plan.RequireChanges:
		res.Status, res.Reason = NoChanges, "no-changes"
		res.Detail = "no file changed"
	}
	if j.Plan.RequireChanges && res.Exit == ExitDone {
		res.Exit = ExitFailed
	}
}

func treeSkips(repo gitdiscover.Repo) []string {
	skips := []string{repo.CommonDir, repo.GitDir}
	for _, o := range repo.Others {
		if o != repo.Worktree && sandbox.Contains(repo.Worktree, o) {
			skips = append(skips, o)
		}
	}
	return skips
}

// has says whether a path existed, as a file or a directory.
func (t Tree) has(name string) bool {
	_, file := t.Files[name]
	return file || t.Dirs[name]
}
