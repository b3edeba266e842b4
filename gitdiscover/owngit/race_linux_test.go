package owngit

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// emptyCommit makes a commit on the lane's branch without starting a lane.
func (s *stage) emptyCommit(message string) plumbing.Hash {
	s.t.Helper()
	tree := s.git(s.main, "rev-parse", s.setup.Base+"^{tree}")
	h := s.put(plumbing.CommitObject, fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s\n", tree, s.setup.Base, someone, someone, message))
	s.write(s.dir+"/"+s.setup.HeadRef, h.String()+"\n")
	return h
}

// loop runs a git command over and over until it is stopped.
func (s *stage) loop(dir string, args ...string) (stop func() int) {
	done := make(chan struct{})
	count := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-done:
				count <- n
				return
			default:
			}
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = dir, s.gitEnv()
			if cmd.Run() == nil {
				n++
			}
		}
	}()
	return func() int { close(done); return <-count }
}

// Against a user who commits on the very branch, and one who packs refs, all
// the time: no commit of either side is ever lost.
func TestRaceWithGit(t *testing.T) {
	s := newStage(t)
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	stopPacking := s.loop(s.main, "pack-refs", "--all")
	won, lost := 0, 0
	for i := range rounds {
		s.dir = fmt.Sprintf("%s/state/git%d", s.root, i)
		s.plan()
		tip := s.emptyCommit(fmt.Sprintf("lane %d", i))
		var git string
		var wait sync.WaitGroup
		wait.Go(func() {
			time.Sleep(time.Duration(i%7) * 3 * time.Millisecond)
			out, err := s.tryGit(s.wt, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("user %d", i))
			if err == nil {
				git = fmt.Sprintf("user %d", i)
			} else if !strings.Contains(out, "lock") {
				t.Errorf("commit: %s", out)
			}
		})
		in := s.inputs()
		in.Run = fmt.Sprintf("r%d", i)
		_, err := TakeIn(context.Background(), in)
		wait.Wait()
		var r *RefusedError
		switch log := s.git(s.wt, "log", "--format=%s"); {
		case git != "" && !strings.Contains(log, git):
			t.Errorf("round %d: git's commit is lost", i)
		case err == nil && !strings.Contains(s.git(s.wt, "rev-list", "HEAD"), tip.String()):
			t.Errorf("round %d: the lane's commit is lost", i)
		case err == nil:
			won++
		case !errors.As(err, &r) || r.Reason != BranchMoved && r.Reason != IndexLocked && r.Reason != RefLocked:
			t.Errorf("round %d: %v", i, err)
		default:
			lost++
		}
		equal(t, "status", s.git(s.wt, "status", "--porcelain"), "")
	}
	t.Logf("%d taken in, %d refused, refs packed %d times", won, lost, stopPacking())
	s.sound()
}

// Many lanes on one repository, each with its branch, all at once, while refs
// are packed and a worktree is added and removed: all arrive.
func TestManyLanesAtOnce(t *testing.T) {
	const lanes = 25
	s := newStage(t)
	stages := make([]*stage, lanes)
	for i := range stages {
		l := *s
		l.wt, l.dir = fmt.Sprintf("%s/wt%d", s.root, i), fmt.Sprintf("%s/state/git-%d", s.root, i)
		l.git(l.main, "worktree", "add", "-q", "-b", fmt.Sprintf("lane/%d", i), l.wt)
		l.plan()
		l.emptyCommit(fmt.Sprintf("work of lane %d", i))
		stages[i] = &l
	}
	stopPacking := s.loop(s.main, "pack-refs", "--all", "--prune")
	stopCommits := s.loop(s.main, "commit", "-q", "--allow-empty", "-m", "user")
	var wait sync.WaitGroup
	errs := make([]error, lanes)
	for i, l := range stages {
		in := l.inputs()
		in.Run, in.Limits.Wait = fmt.Sprintf("r%d", i), 30*time.Second
		wait.Go(func() { _, errs[i] = TakeIn(context.Background(), in) })
		wait.Go(func() { _, _ = FinishOpenIntents(in.Intents) }) // as every lane command does
	}
	wait.Wait()
	t.Logf("refs packed %d times, %d commits on main meanwhile", stopPacking(), stopCommits())
	for i, l := range stages {
		if errs[i] != nil {
			t.Errorf("lane %d: %v", i, errs[i])
			continue
		}
		equal(t, "log", l.git(l.wt, "log", "-1", "--format=%s"), fmt.Sprintf("work of lane %d", i))
		equal(t, "status", l.git(l.wt, "status", "--porcelain"), "")
	}
	s.sound()
}
