package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"lane/gitdiscover"
	"lane/gitdiscover/owngit"
	"lane/runner/agent"
)

// rebaseScript replays commits on the branch as it is now. It runs inside a
// lane, in a checkout of its own, so that the worktree's files stay as the
// agent left them; only the lane's HEAD and index move. Its arguments are
// where the commits begin, and the last one.
//
// Counted from the branch itself where that holds the start, commits that are
// there already in other words (an earlier rebase) are passed over.
//
// The index is merged without the files: they are the agent's, not the ones
// that the commits hold.
const rebaseScript = `
onto=$(git rev-parse --verify HEAD)
git worktree add -q --detach "$TMPDIR/rebase" "$2" >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; exit 1; }
cd "$TMPDIR/rebase"
from=$1
if test "$1" = --root || git merge-base --is-ancestor "$1" "$onto"; then from=$onto; fi
if ! GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true git rebase --rebase-merges --no-autosquash --no-autostash --onto "$onto" "$from" >"$TMPDIR/log" 2>&1; then
	git diff --name-only --diff-filter=U -z >"$TMPDIR/paths"
	if test -s "$TMPDIR/paths"; then cat "$TMPDIR/paths"; exit 3; fi
	cat "$TMPDIR/log"; exit 1
fi
tip=$(git rev-parse --verify HEAD)
cd "$OLDPWD"
git read-tree -i -m "$onto" "$tip" >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; exit 4; }
git update-ref -m rebase HEAD "$tip" "$onto"
`

// What rebaseScript exits with.
const (
	rebaseConflicts = 3 // its output are the paths
	rebaseStaged    = 4 // what the user has staged is in the way
)

// maxRebaseOutput bounds what is read of the script's output.
const maxRebaseOutput = 64 << 10

// rebaseTime is for a checkout and all commits.
const rebaseTime = 10 * time.Minute

// canRebase says whether the commits do not fit the branch, and nothing else
// is wrong with them.
func (t TakeInResult) canRebase() bool {
	return t.Status == "refused" && (t.Reason == string(owngit.BranchMoved) || t.Reason == string(owngit.BaseDiverged)) && t.Tip != ""
}

// rebaseRun replays a run's commits on the branch as it is now, and takes in
// what comes of it. first is the refusal it answers.
//
// A second lane does it, with a git directory of its own, made anew from the
// repository. The commits are carried there as data. So git, also the
// confined one, never sees what else the agent left in its directory, and that
// stays as it is: a rebase that fails can be tried again.
func rebaseRun(p Plan, now gitdiscover.Repo, req Request, first TakeInResult) (TakeInResult, error) {
	j, err := rebaseJob(p, now, req, first.Tip)
	if err != nil {
		return first, err
	}
	s := j.Plan.OwnGit
	switch {
	case s.HeadRef != p.OwnGit.HeadRef:
		first.Hint = "Switch back to the lane's branch, then lane runs take-in --rebase."
		return first, nil
	case s.Base == "":
		return first, nil // there is nothing to put the commits on
	}
	res := emptyResult("")
	res.describe(j.Plan, j.Host)
	if ref := unacceptedRefusal(j.Plan); ref != nil {
		return first, ref
	}
	warden, err := openWarden(&j, &res, nil)
	if err != nil {
		return first, refusalOf(err, "warden")
	}
	defer warden.close()
	dir, err := makeRunDir(&j.Plan, &res)
	if err != nil {
		return first, refusalOf(err, "run-directory")
	}
	defer dir.Close()
	defer os.RemoveAll(j.Plan.RunDir)
	said, err := executeHearing(j, warden, &res)
	if err == nil {
		err = rebaseEnded(res, said)
	}
	if err != nil {
		var r *owngit.RefusedError
		if errors.As(err, &r) {
			first.Reason, first.Path, first.Detail, first.Hint = string(r.Reason), r.Path, r.Detail, r.Hint
			return first, nil
		}
		return first, refusalOf(err, "rebase")
	}
	// Looked at again: only what is there now counts.
	again, err := gitdiscover.DiscoverWith(p.Worktree, discoverOptions(j.Request))
	if err != nil {
		return first, err
	}
	req.KeepRefs = false // they were kept, if at all, from the run's own directory
	rebased := j.Plan
	rebased.Run = p.Run
	out := takeInNow(rebased, again, req, j.Host.LaneHome)
	out.RebasedFrom, out.AgentBranch = first.Tip, first.AgentBranch
	out.Others, out.OthersMore = first.Others, first.OthersMore
	return out, nil
}

// rebaseJob plans the second lane.
func rebaseJob(p Plan, now gitdiscover.Repo, req Request, tip string) (Job, error) {
	from := cmp.Or(p.OwnGit.Base, "--root")
	inside := Request{
		Writer: "exec", Dir: now.Worktree, Command: []string{"/bin/sh", "-euc", rebaseScript, "rebase", from, tip},
		Git: gitOwn, TakeIn: takeInNever, Layer: p.Layer, Accept: req.Accept, Vouch: p.Vouched, Timeout: rebaseTime,
	}
	a := agent.Command(inside.Command)
	host, err := Survey(context.Background(), inside, now, a)
	if err != nil {
		return Job{}, err
	}
	plan, err := Build(inside, now, a, host)
	if err != nil {
		return Job{}, err
	}
	j := Job{Request: inside, Repo: now, Agent: a, Host: host, Plan: plan, Progress: func(string) {}}
	j.fill = func(into Plan) error {
		got, err := owngit.Carry(context.Background(), takeInInputs(p, now, req, host.LaneHome), into.ownGitDir())
		if err == nil && got != tip {
			err = fmt.Errorf("the lane's HEAD was at %s and is at %s", tip, got)
		}
		return err
	}
	return j, nil
}

// executeHearing runs a command of lane's own and returns what it said.
func executeHearing(j Job, w *warden, res *Result) (string, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return "", err
	}
	out, in, err := os.Pipe()
	if err != nil {
		null.Close()
		return "", fmt.Errorf("pipe: %w", err)
	}
	j.streams = &streams{in: null, out: in, err: in, inside: []*os.File{null, in}}
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(out, maxRebaseOutput)) // what could be read is shown
		_, _ = io.Copy(io.Discard, out)
		said <- string(b)
	}()
	err = execute(j, w, res)
	j.streams.started() // where it did not get that far
	out.SetReadDeadline(time.Now().Add(drainTime))
	defer out.Close()
	return <-said, err
}

// rebaseEnded says what is wrong with how the script ended.
func rebaseEnded(res Result, said string) error {
	words := func(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }
	code := -1
	if res.AgentExit != nil {
		code = *res.AgentExit
	}
	switch {
	case res.Status == Tripwire:
		return &Refusal{Reason: res.Reason, Path: res.Path, Detail: res.Detail, Hint: res.Hint}
	case res.Status == Done:
		return nil
	case res.Status == Failed && code == rebaseConflicts:
		paths := strings.Split(strings.TrimRight(said, "\x00"), "\x00")
		return owngit.RefuseRebase(paths[0], fmt.Sprintf("%d files are changed differently on the branch and in the lane's commits", len(paths)))
	case res.Status == Failed && code == rebaseStaged:
		r := owngit.RefuseRebase("", "what is staged in the worktree is in the way: "+words(said))
		r.Hint = "Commit or unstage it (git status), then lane runs take-in --rebase."
		return r
	case res.Status == TimedOut:
		return owngit.RefuseRebase("", "it took longer than "+rebaseTime.String())
	}
	return owngit.RefuseRebase("", fmt.Sprintf("git ended with exit code %d: %s", code, words(said)))
}
