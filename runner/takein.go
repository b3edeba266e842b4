package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lane/gitdiscover"
	"lane/gitdiscover/owngit"
	"lane/gitdiscover/seal"
	"lane/sandbox"
)

// When a lane's commits are brought into the repository.
const (
	takeInNever   = "never"
	takeInSuccess = "success" // the default: after a run that succeeded
	takeInAlways  = "always"  // also after one that failed
)

// intentsDir holds what take-ins are about to do, for every run.
func intentsDir(laneHome string) string { return filepath.Join(laneHome, "intents") }

// FinishIntents finishes or undoes what a lane that was killed in the middle
// of a take-in left. Every lane command that touches runs calls it first; it
// costs one directory listing.
func FinishIntents() error {
	home, err := LaneHome()
	if err != nil {
		return err
	}
	if _, err := owngit.FinishOpenIntents(intentsDir(home)); err != nil {
		return &Refusal{Reason: "open-intent", Path: intentsDir(home), Detail: "a take-in that was cut short cannot be finished: " + err.Error(),
			Hint: "see what holds the repository's locks, then start again"}
	}
	return nil
}

// takeIn brings the lane's commits in where the run asks for it, and says in
// the record what came of it. Nothing of the agent's is run or obeyed.
func takeIn(res *Result, j Job, now gitdiscover.Repo) {
	if j.Plan.OwnGit == nil {
		return
	}
	when := j.Request.TakeIn
	if when == "" {
		when = takeInSuccess
	}
	good := res.Exit == ExitDone
	if when == takeInNever || when == takeInSuccess && !good || res.Status == Tripwire {
		res.TakeIn = &TakeInResult{Status: "kept", Reason: "not-asked-for"}
		switch {
		case !j.hasCommits():
			res.TakeIn = &TakeInResult{Status: "nothing"}
		case res.Status == Tripwire:
			res.TakeIn.Reason = "tripwire"
		}
		return
	}
	out := takeInNow(j.Plan, now, j.Request, j.Host.LaneHome)
	res.TakeIn = &out
	if out.Status == "refused" && good {
		res.Status, res.Reason, res.Exit = NotTaken, out.Reason, ExitNotTaken
		res.Path, res.Detail = out.Path, out.Detail
		res.Hint = out.Hint + " The work is kept: lane runs take-in " + j.Plan.Run
	}
}

// takeInNow does it. The move of the ref is noted in the journal first, so
// that other lanes of the repository know it for lane's own.
func takeInNow(p Plan, now gitdiscover.Repo, req Request, laneHome string) TakeInResult {
	if err := os.MkdirAll(intentsDir(laneHome), 0o700); err != nil {
		return TakeInResult{Status: "refused", Reason: "lane-home", Detail: cause(err)}
	}
	in := takeInInputs(p, now, req, laneHome)
	journal := seal.OpenJournal(filepath.Join(laneHome, "journal"), now.CommonDir)
	in.Moving = func(ref, old, tip string) error {
		if ref == "" {
			ref = seal.HeadName(now)
		}
		return journal.Add(seal.Move{Run: p.Run, Ref: ref, Old: old, New: tip})
	}
	taken, err := owngit.TakeIn(context.Background(), in)
	out := TakeInResult{Status: "taken", TakenIn: taken}
	var r *owngit.RefusedError
	switch {
	case err == nil:
	case errors.As(err, &r) && r.Reason == owngit.NothingToTakeIn:
		out.Status = "nothing"
	case errors.As(err, &r):
		out.Status, out.Reason, out.Path, out.Detail, out.Hint = "refused", string(r.Reason), r.Path, r.Detail, r.Hint
	default:
		out.Status, out.Reason, out.Detail = "refused", "take-in", err.Error()
		out.Hint = "the next lane command finishes or undoes what was begun."
	}
	return out
}

func takeInInputs(p Plan, now gitdiscover.Repo, req Request, laneHome string) owngit.TakeInInputs {
	in := owngit.TakeInInputs{
		Repo: now, Setup: *p.OwnGit, Dir: p.ownGitDir(), Run: p.Run, Intents: intentsDir(laneHome),
		AcceptGitlinks: slices.Contains(req.Accept, "gitlinks"), AcceptWiring: slices.Contains(req.Accept, "wiring"),
		KeepRefs: req.KeepRefs, Limits: owngit.DefaultLimits(),
	}
	if req.MaxTakeIn > 0 {
		in.Limits.Bytes = req.MaxTakeIn
	}
	below := sandbox.NewWiringBelow()
	for _, w := range sandbox.Wiring() {
		in.Wiring = append(in.Wiring, w.Path)
	}
	in.WiringBelow = func(path string) bool { _, ok := below.Find(path); return ok }
	return in
}

// TakeInResult says what came of a lane's commits.
type TakeInResult struct {
	// Status is "taken", "nothing" (no commit was made), "kept" (the run did
	// not ask for it, or ended badly) or "refused".
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// RebasedFrom is the lane's own tip where its commits were replayed on the
	// branch before they were taken in.
	RebasedFrom string `json:"rebased_from,omitempty"`
	owngit.TakenIn
}

// TakeInRun takes the commits of an ended run in, later or again. With
// req.Rebase, commits that do not fit the branch any more are replayed on it
// first, inside a lane.
func TakeInRun(id string, req Request) (TakeInResult, error) {
	p, home, err := sealedPlan(id)
	if err != nil {
		return TakeInResult{}, err
	}
	if p.OwnGit == nil {
		return TakeInResult{}, &Refusal{Reason: "read-only", Path: id, Detail: "the run had no git directory of its own", Hint: "its changes are in the worktree"}
	}
	lock, err := lockWorktree(home, p.Worktree)
	if err != nil {
		return TakeInResult{}, err
	}
	defer lock.Close()
	req.Vouch = p.Vouched
	now, err := gitdiscover.DiscoverWith(p.Worktree, discoverOptions(req))
	if err != nil {
		return TakeInResult{}, err
	}
	out := takeInNow(p, now, req, home)
	if req.Rebase && out.canRebase() {
		if out, err = rebaseRun(p, now, req, out); err != nil {
			return out, err
		}
	}
	return out, amendRecord(p, out)
}

// sealedPlan reads the plan of a run, which was read-only inside the lane.
func sealedPlan(id string) (Plan, string, error) {
	var p Plan
	home, err := LaneHome()
	if err != nil {
		return p, home, err
	}
	res, err := ShowRun(id)
	if err != nil {
		return p, home, err
	}
	b, err := readBeneath(filepath.Join(home, "runs", res.Run), planDir+"/plan.json", maxRecord)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err == nil && p.RunDir != filepath.Join(home, "runs", res.Run) {
		err = fmt.Errorf("it is the plan of a run in %s", quote(p.RunDir))
	}
	if err != nil {
		return p, home, &Refusal{Reason: "no-such-run", Path: id, Detail: "its plan cannot be read: " + cause(err), Hint: "lane runs list"}
	}
	return p, home, nil
}

// amendRecord notes a later take-in in the run's record.
func amendRecord(p Plan, out TakeInResult) error {
	dir, err := os.OpenRoot(filepath.Join(p.RunDir, recordDir))
	if err != nil {
		return err
	}
	defer dir.Close()
	res, err := readRecord(p.RunDir)
	if err != nil {
		return err
	}
	res.TakeIn = &out
	if out.Status == "taken" && res.Status == NotTaken {
		res.Status, res.Reason, res.Path, res.Detail, res.Hint, res.Exit = Done, "", "", "", "", ExitDone
	}
	b, err := res.MarshalIndent()
	if err != nil {
		return err
	}
	return writeByRename(dir, "result.json", b)
}

// leaves says whether the lane's own git directory holds what is nowhere else.
func (t *TakeInResult) leaves(j Job) bool {
	if t == nil {
		return false
	}
	switch t.Status {
	case "refused":
		return true
	case "kept":
		return j.hasCommits()
	}
	return t.OthersMore > 0 || slices.ContainsFunc(t.Others, func(o owngit.OtherRef) bool { return o.Kept == "" && o.Hash != t.Tip })
}

// hasCommits says whether the lane's own git directory holds anything that
// the repository has not. It looks for files only.
func (j Job) hasCommits() bool {
	// Objects as well as refs: a commit on a detached HEAD has no ref.
	for _, dir := range []string{"refs/heads", "refs/tags", "refs/stash", "objects"} {
		found := false
		own := filepath.Join(j.Plan.ownGitDir(), dir)
		_ = filepath.WalkDir(own, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && path == filepath.Join(own, "info") {
				return filepath.SkipDir // lane's own alternates
			}
			if err == nil && !d.IsDir() {
				found = true
				return filepath.SkipAll
			}
			return nil // what cannot be read counts as nothing here
		})
		if found {
			return true
		}
	}
	return false
}
