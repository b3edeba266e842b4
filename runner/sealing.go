package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lane/gitdiscover/seal"
	"lane/sandbox"
)

// compareTime bounds the look after the end. What was not compared by then
// counts as changed.
const compareTime = 30 * time.Second

// sealOptions say what is sealed: git's own files always, and the wiring of
// agents and editors unless the user lets it change.
func sealOptions(j Job) seal.Options {
	opt := seal.Options{Home: j.Host.Home, Journal: seal.OpenJournal(filepath.Join(j.Host.LaneHome, "journal"), j.Repo.CommonDir)}
	if !slices.Contains(j.Request.Accept, "wiring") {
		for _, w := range sandbox.Wiring() {
			opt.Wiring = append(opt.Wiring, w.Path)
		}
	}
	return opt
}

// takeSeal seals what steers git before the agent starts.
func takeSeal(j Job) (seal.Seal, error) {
	s, err := seal.Take(j.Repo, sealOptions(j))
	var u *seal.UnsealableError
	if errors.As(err, &u) {
		return s, &Refusal{Reason: "unsealable", Path: u.Path, Detail: u.Detail,
			Hint: "lane could not tell whether this changed during the run; look at the file and its permissions"}
	}
	return s, err
}

// compareSeal looks again, once nothing of the lane runs any more, and makes
// the run a tripwire when something changed that nobody else may change.
func compareSeal(res *Result, j Job, before seal.Seal) {
	ctx, cancel := context.WithTimeout(context.Background(), compareTime)
	defer cancel()
	r := seal.Compare(ctx, before, sealOptions(j))
	res.Seal = &r
	if len(r.Tripped) == 0 {
		return
	}
	first := r.Tripped[0]
	res.Status, res.Reason, res.Exit = Tripwire, string(first.Kind), ExitTripwire
	res.Path = string(first.Path)
	res.Detail = fmt.Sprintf("%s: was %s, is %s", kindMeans(first.Kind), first.Before, first.After)
	if n := len(r.Tripped) + r.TrippedMore; n > 1 {
		res.Detail += fmt.Sprintf(" (and %d more changes; lane runs show lists them)", n-1)
	}
	res.Hint = "before you run git there, look with: " + first.Inspect
}

func kindMeans(k seal.Kind) string {
	for _, info := range seal.Kinds() {
		if info.Kind == k {
			return info.Means
		}
	}
	return string(k)
}

// lookCloser sweeps a worktree in which something changed, holds back nested
// repositories that would run something, and reads the ledger.
func lookCloser(res *Result, j Job, sealed seal.Seal, root *os.Root) {
	ctx, cancel := context.WithTimeout(context.Background(), compareTime)
	defer cancel()
	before := j.Host.Tree.sealed(j.Plan.Worktree)
	sweep := seal.Sweep(ctx, j.Plan.Worktree, seal.SweepOptions{Before: before, Wiring: sealOptions(j).Wiring,
		Hooks: sealed.HooksPaths(), Skip: treeSkips(j.Repo)})
	res.Sweep = &sweep
	held, err := holdBackRepositories(root, j, sweep)
	if res.Held = append(res.Held, held...); err != nil || len(held) > 0 {
		tripWiring(res, j, held, err)
	}
}

// readLedger tells what moved in git since the seal was taken, lane's own
// take-in included, and what differs from HEAD's tree.
func readLedger(res *Result, j Job, sealed seal.Seal, changed bool) {
	taken := res.TakeIn != nil && res.TakeIn.Status == "taken"
	if j.Agent.Command || !changed && !taken && len(res.Seal.Reported) == 0 {
		return // a command leaves no record, and without a change there is nothing to tell
	}
	ctx, cancel := context.WithTimeout(context.Background(), compareTime)
	defer cancel()
	after := res.Seal.After
	if taken {
		after = seal.Compare(ctx, sealed, sealOptions(j)).After
	}
	ledger := seal.ReadLedger(ctx, sealed, after, seal.LedgerOptions{Stamps: j.Host.Tree.Files, Skip: treeSkips(j.Repo)})
	res.Ledger = &ledger
}
