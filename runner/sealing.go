package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if err != nil {
		return s, refusalOf(err, "unsealable")
	}
	return s, nil
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
	detail := fmt.Sprintf("%s: was %s, is %s", kindMeans(first.Kind), first.Before, first.After)
	if n := len(r.Tripped) + r.TrippedMore; n > 1 {
		detail += fmt.Sprintf(" (and %d more changes; lane runs show lists them)", n-1)
	}
	res.trip(string(first.Kind), string(first.Path), detail, "before you run git there, look with: "+first.Inspect)
}

func kindMeans(k seal.Kind) string {
	for _, info := range seal.Kinds() {
		if info.Kind == k {
			return info.Means
		}
	}
	return string(k)
}

// lookCloser sweeps a worktree in which something changed, and holds back what
// appeared in it and would run something.
func lookCloser(res *Result, j Job, sealed seal.Seal, root *os.Root) {
	ctx, cancel := context.WithTimeout(context.Background(), compareTime)
	defer cancel()
	before := j.Host.Tree.sealed(j.Plan.Worktree)
	sweep := seal.Sweep(ctx, j.Plan.Worktree, seal.SweepOptions{Before: before, Wiring: sealOptions(j).Wiring,
		Hooks: sealed.HooksPaths(), CommonDir: j.Repo.CommonDir, Skip: treeSkips(j.Repo)})
	res.Sweep = &sweep
	below := sandbox.NewWiringBelow()
	held, err := holdBackFound(root, j, sweep, below)
	res.holdBack(j, held, err)
	if len(sweep.Incomplete) > 0 {
		res.lookedPast(j, sweep.Incomplete[0])
	}
	for _, f := range sweep.Findings {
		_, wiring := below.Find(string(f.Path))
		switch {
		case (f.Kind == seal.FoundRepository || f.Kind == seal.FoundBare) && f.Was == "changed" && len(f.Runs) > 0 && !acceptsWiring(j):
			// One without the name .git is not protected during the run.
			res.trip("wiring-changed", filepath.Join(j.Plan.Worktree, string(f.Path)), "git takes it for a repository, the run has changed it, and it makes git run something or look elsewhere: "+strings.Join(f.Runs, ", "),
				"see what changed before you run git there: git diff; to undo it: git checkout -- "+quoteUnlessPlain(string(f.Path)))
		case f.Kind == seal.FoundSetuid:
			res.takeRights(root, string(f.Path))
		case f.Kind == seal.FoundWiring && f.Was == "changed" && !acceptsWiring(j) && wiring:
			// More of it was there than lane protects.
			res.trip("wiring-changed", filepath.Join(j.Plan.Worktree, string(f.Path)), "it makes agents, editors or shells run code, and the run has changed it",
				"see what changed: git diff; to undo it: git checkout -- "+quoteUnlessPlain(string(f.Path)))
		}
	}
}

// takeRights takes from a program the rights of its owner or group, which
// whoever starts it would run with. A write to a file does so as well.
func (res *Result) takeRights(root *os.Root, name string) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return // gone, or held back
	}
	if err := root.Chmod(name, info.Mode().Perm()); err != nil {
		res.trip("setuid", name, "a program with the rights of its owner or group appeared, and they could not be taken from it: "+cause(err), "chmod ug-s it, or remove it")
		return
	}
	res.Warnings = append(res.Warnings, quoteUnlessPlain(name)+" appeared as a program with the rights of its owner or group; these were taken from it")
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
