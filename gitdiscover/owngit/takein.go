package owngit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"lane/gitdiscover"
)

// TakeInInputs are what [TakeIn] needs. All but the content of Dir is lane's
// own word.
type TakeInInputs struct {
	// Repo is the worktree, discovered again after the lane ended.
	Repo gitdiscover.Repo
	// Setup is the sealed one that the lane started with.
	Setup Setup
	// Dir is the lane's git directory.
	Dir string
	// Run names the run: in the reflog, and below refs/lane/.
	Run string
	// Intents is a directory of lane's own, the same for every run, in which
	// [FinishOpenIntents] finds what a crash left.
	Intents string
	// Wiring are paths in a worktree that make an agent, an editor or a shell
	// run code.
	Wiring []string
	// WiringBelow says the same of one path in a directory below; nil is none.
	WiringBelow func(path string) bool
	// AcceptGitlinks and AcceptWiring take in commits that change submodules,
	// or wiring.
	AcceptGitlinks, AcceptWiring bool
	// KeepRefs writes the agent's other refs to refs/lane/<Run>/, and its HEAD
	// too when that could not be taken in.
	KeepRefs bool
	Limits   Limits
	// Moving, if set, is told the move right before it is made, when all locks
	// are held: the branch, "" for a detached HEAD, and its values. Its error
	// calls the move off.
	Moving func(ref, old, tip string) error
	// Now is the time of the reflog's line; zero for the current time.
	Now time.Time

	step func(string)
}

// TakenIn says what came into the repository. It is filled in as far as it
// went when there is an error too.
type TakenIn struct {
	// Ref is the branch that moved, "HEAD" for a detached one, "" for none.
	Ref     string `json:"ref"`
	Base    string `json:"base"`
	Tip     string `json:"tip"`
	Commits int    `json:"commits"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"` // unpacked
	Pack    string `json:"pack,omitempty"`
	// AgentBranch is the branch HEAD was on in the lane, if it is another.
	AgentBranch string `json:"agent_branch,omitempty"`
	// Unstaged are paths that were staged in the lane and are not any more:
	// their files are in the worktree.
	Unstaged []string   `json:"unstaged,omitempty"`
	Seen     Seen       `json:"seen"`
	Others   []OtherRef `json:"others,omitempty"`
	// OthersMore counts those beyond the list, which are not kept either.
	OthersMore int `json:"others_more,omitempty"`
}

// TakeIn brings the commit at the HEAD of the lane's git directory into the
// repository, and moves the worktree's branch to it. It must be called when no
// process of the lane is left.
//
// The error is a *[RefusedError] where something was found wrong; then the
// branch, HEAD and the index are as they were. Any other error after the branch
// moved says so, and [FinishOpenIntents] goes on from there.
func TakeIn(ctx context.Context, in TakeInInputs) (TakenIn, error) {
	t := newTakeIn(in)
	err := t.run(ctx)
	return t.result, err
}

func newTakeIn(in TakeInInputs) *takeIn {
	if in.Now.IsZero() {
		in.Now = time.Now()
	}
	if in.step == nil {
		in.step = func(string) {}
	}
	if in.Limits == (Limits{}) {
		in.Limits = DefaultLimits()
	}
	return &takeIn{in: in, result: TakenIn{Base: in.Setup.Base}, policy: newPolicy(in),
		listed: map[plumbing.Hash]plumbing.ObjectType{}}
}

// takeIn is one take-in.
type takeIn struct {
	in     TakeInInputs
	policy policy
	result TakenIn

	dir   *hostileDir
	m     *meter
	o     *objects
	agent *agentRefs
	mine  *snapshot
	index *index // the lane's

	list   []newObject // what goes into the pack
	listed map[plumbing.Hash]plumbing.ObjectType
}

func (t *takeIn) run(ctx context.Context) error {
	if err := t.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.in.Limits.Time)
	defer cancel()
	t.m = &meter{ctx: ctx, limits: t.in.Limits}
	if err := t.open(); err != nil {
		return err
	}
	defer t.close()
	main := t.guarded(t.examine)
	if t.in.KeepRefs {
		if err := t.guarded(func() error { return t.keep(main != nil) }); err != nil {
			return errors.Join(main, err)
		}
	}
	if len(t.list) > 0 {
		t.in.step("pack")
		name, err := writePack(filepath.Join(t.in.Setup.CommonDir, "objects"), t.list, t.o.private)
		if err != nil {
			return err
		}
		t.result.Pack = name
	}
	t.in.step("packed")
	if err := t.writeKept(); err != nil {
		return errors.Join(main, err)
	}
	if main != nil {
		return main
	}
	return t.apply()
}

// check wants the worktree to be the one the lane was made for.
func (t *takeIn) check() error {
	s, repo := t.in.Setup, t.in.Repo
	switch {
	case !validRef("refs/"+t.in.Run) || strings.Contains(t.in.Run, "/"):
		return fmt.Errorf("bug: run %q cannot be part of a ref", t.in.Run)
	case s.GitDir != repo.GitDir || s.CommonDir != repo.CommonDir || s.Worktree != repo.Worktree || !repo.Linked:
		return refuse(Changed, repo.Worktree, "is not the worktree that the lane was made for")
	}
	return checkFormat(repo)
}

func (t *takeIn) open() (err error) {
	if t.dir, err = openHostile(t.in.Dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if err := t.alternates(); err != nil {
		return err
	}
	if t.agent, err = readAgentRefs(t.dir, t.private()); err != nil {
		return err
	}
	if t.mine, err = readRefs(t.in.Setup.CommonDir); err != nil {
		return err
	}
	t.o = &objects{m: t.m, commits: map[plumbing.Hash]*commit{}}
	dirs := append([]string{filepath.Join(t.in.Repo.CommonDir, "objects")}, t.in.Repo.Alternates...)
	if t.o.shared, err = openStore(dirs, t.m); err != nil {
		return err
	}
	err = t.guarded(func() (err error) {
		t.o.private, err = openPrivate(t.dir, t.m)
		return err
	})
	if err != nil {
		return err
	}
	t.result.Others, t.result.OthersMore, err = t.agent.others(t.o, t.mine, t.in.Limits.Refs)
	return err
}

func (t *takeIn) close() {
	if t.o != nil && t.o.shared != nil {
		t.o.shared.close()
	}
	if t.o != nil && t.o.private != nil {
		t.o.private.close()
	}
	t.dir.close()
}

// private is the worktree's git directory, relative to Dir.
func (t *takeIn) private() string { return "worktrees/" + t.in.Setup.Name }

// guarded turns a panic over hostile bytes into a refusal: it is a bug, and
// the safe side of it is that nothing is taken in.
func (t *takeIn) guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(BadObject, t.in.Dir, "lane failed over it (a bug): %v", p)
		}
	}()
	return fn()
}

// alternates wants the file back as lane wrote it.
func (t *takeIn) alternates() error {
	const rel = "objects/info/alternates"
	want := t.in.Setup.alternatesText()
	data, err := t.dir.read(rel, int64(len(want))+maxRefFile)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(AlternatesChanged, t.dir.path+"/"+rel, "is missing")
	}
	if err != nil {
		return err
	}
	if string(data) != want {
		return refuse(AlternatesChanged, t.dir.path+"/"+rel, "is not what lane wrote")
	}
	return nil
}

// apply moves the branch.
func (t *takeIn) apply() error {
	s := t.in.Setup
	tip, err := t.o.commit(t.agent.head)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.in.Intents, 0o700); err != nil {
		return err
	}
	a := &apply{
		intent: intent{Schema: intentSchema, Run: t.in.Run, GitDir: s.GitDir, CommonDir: s.CommonDir, Ref: s.HeadRef,
			Old: s.Base, New: t.result.Tip, Who: s.reflogIdentity(t.in.Now)},
		setup: s, wait: t.in.Limits.Wait, step: t.in.step,
	}
	a.merge = func(real *realIndex) ([]byte, error) {
		m := t.merger(real, tip.tree)
		data, err := m.merge(t.index, real.index, real.version())
		slices.Sort(m.unstaged)
		t.result.Unstaged = m.unstaged
		return data, err
	}
	a.moving = func() error {
		if t.in.Moving == nil {
			return nil
		}
		return t.in.Moving(s.HeadRef, s.Base, t.result.Tip)
	}
	err = a.run(t.in.Intents)
	if a.done {
		t.result.Ref = cmp.Or(s.HeadRef, "HEAD")
	}
	return err
}
