package seal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// userSteps is a user at work in the main worktree, and the editor's.
var userSteps = [][]string{
	{"commit", "-q", "--allow-empty", "-m", "second"},
	{"fetch", "-q", "--all"},
	{"config", "user.name", "x"},
	{"config", "user.email", "x@example.invalid"},
	{"branch", "topic"},
	{"checkout", "-q", "topic"},
	{"commit", "-q", "--allow-empty", "-m", "third"},
	{"push", "-q", "-u", "origin", "topic"},
	{"config", "branch.topic.description", "what it is for"},
	{"config", "branch.topic.vscode-merge-base", "origin/main"},
	{"checkout", "-q", "main"},
	{"merge", "-q", "topic"},
	{"tag", "v1"},
	{"branch", "-D", "topic"},
	{"worktree", "add", "-q", "-b", "extra", "../extra"},
	{"worktree", "lock", "../extra"},
	{"worktree", "unlock", "../extra"},
	{"status"},
	{"pack-refs", "--all"},
	{"fetch", "-q", "--prune"},
	{"worktree", "remove", "../extra"},
	{"branch", "-D", "extra"},
	{"remote", "add", "second", "https://user:secret@host.invalid/r.git"},
	{"config", "remote.second.gh-resolved", "base"},
	{"remote", "rename", "second", "third"},
	{"remote", "remove", "third"},
	{"notes", "add", "-m", "note"},
	{"gc", "-q"},
	{"stash", "list"},
	{"reset", "-q", "--hard", "HEAD~1"},
	{"rebase", "-q", "HEAD~1"},
	{"reflog", "expire", "--all", "--expire=now"},
	{"repack", "-q", "-a", "-d"},
	{"prune"},
	{"update-server-info"},
	{"worktree", "prune"},
	{"config", "pull.rebase", "true"},
	{"config", "core.fsmonitor", "false"},
	{"maintenance", "run", "--task=commit-graph", "--task=loose-objects", "--task=incremental-repack"},
	{"maintenance", "run", "--task=prefetch"},
	{"branch", "-m", "main", "trunk"},
	{"branch", "-m", "trunk", "main"},
}

// withOrigin gives the scene a remote to fetch from and push to.
func (s *scene) withOrigin() {
	s.git(".", "clone", "-q", "--bare", "main", "origin.git")
	s.git("main", "remote", "add", "origin", s.path("origin.git"))
	s.git("main", "fetch", "-q", "--all")
}

func (s *scene) stash() {
	s.write("main/a.txt", "changed\n")
	s.git("main", "stash", "push", "-q")
	s.git("main", "stash", "pop", "-q")
	s.git("main", "checkout", "-q", "--", "a.txt")
}

// TestQuietBesideAUser does one thing at a time, so that a step that trips is
// named, and looks at what is reported for all of them.
func TestQuietBesideAUser(t *testing.T) {
	s := newScene(t)
	s.withOrigin()
	first := s.take()
	for _, step := range userSteps {
		before := s.take()
		s.git("main", step...)
		r := s.compare(before)
		for _, c := range r.Tripped {
			t.Errorf("git %s trips: %+v", strings.Join(step, " "), c)
		}
		s.brief(r.Reported)
	}
	before := s.take()
	s.stash()
	s.quiet(s.compare(before))
	r := s.compare(first)
	s.quiet(r)
	got := s.brief(r.Reported)
	for _, want := range []string{"config main/.git/config user.name", "ref main/.git/refs/heads/main refs/heads/main",
		"ref main/.git/refs/tags/v1 refs/tags/v1", "ref main/.git/refs/notes/commits refs/notes/commits", "fetched main/.git/FETCH_HEAD"} {
		if !slices.Contains(got, want) {
			t.Errorf("not reported: %s; got\n  %s", want, strings.Join(got, "\n  "))
		}
	}
	for _, c := range r.Reported {
		if strings.Contains(c.Before+c.After, "secret") {
			t.Errorf("a password is shown: %+v", c)
		}
	}
}

// TestQuietInTheMainWorktree is a lane in the main worktree, whose git
// directory is the shared one: others work in linked worktrees.
func TestQuietInTheMainWorktree(t *testing.T) {
	s := newScene(t)
	s.withOrigin()
	s.repo = s.discover(s.main)
	first := s.take()
	for _, step := range [][]string{
		{"commit", "-q", "--allow-empty", "-m", "x"}, {"fetch", "-q", "--all"}, {"config", "user.name", "x"}, {"branch", "topic"},
		{"checkout", "-q", "topic"}, {"worktree", "add", "-q", "-b", "extra", "../extra"}, {"pack-refs", "--all"}, {"gc", "-q"},
		{"worktree", "remove", "../extra"}, {"status"}, {"reset", "-q", "--hard", "HEAD~1"}, {"stash", "list"},
	} {
		before := s.take()
		s.git("lane", step...)
		for _, c := range s.compare(before).Tripped {
			t.Errorf("git %s trips: %+v", strings.Join(step, " "), c)
		}
	}
	s.git("main", "status")
	s.git("main", "fetch", "-q", "--all")
	s.quiet(s.compare(first))
}

// TestQuietAmongLanes seals 25 lanes at once, over and over, while a user and
// the other lanes work: the half-done states of a real git must not trip
// either. Every fifth lane takes its commits in, with the journal.
func TestQuietAmongLanes(t *testing.T) {
	s := newScene(t)
	s.withOrigin()
	const lanes = 25
	s.opt.Journal = OpenJournal(s.path("journal"), s.repo.CommonDir)
	var l []*scene
	for i := range lanes {
		one := *s
		one.lane = s.path(fmt.Sprintf("lane%d", i))
		s.git("main", "worktree", "add", "-q", "-b", fmt.Sprintf("lane%d", i), one.lane)
		one.repo = s.discover(one.lane)
		l = append(l, &one)
	}
	first := make([]Seal, lanes)
	for i := range l {
		first[i] = l[i].take()
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(done)
		for _, step := range userSteps {
			s.tryGit("main", step...) // may meet the lock of another git here
		}
		s.tryGit("main", "stash", "push", "-q")
	})
	all.Go(func() { // other lanes take in
		for i := 0; i < lanes; i += 5 {
			takeIn(t, s, fmt.Sprintf("lane%d", i))
		}
	})
	for i, one := range l {
		all.Go(func() {
			for {
				r := Compare(context.Background(), first[i], one.opt)
				for _, c := range r.Tripped {
					t.Errorf("lane %d trips: %+v", i, c)
				}
				if _, err := Take(one.repo, one.opt); err != nil {
					t.Errorf("lane %d: %v", i, err)
				}
				select {
				case <-done:
					return
				case <-time.After(200 * time.Millisecond): // leave the two cores to git
				}
			}
		})
	}
	all.Wait()
	for i, one := range l {
		one.checkTakeIns(first[i], i, lanes/5)
	}
}

// checkTakeIns looks at what lane i is told in the end: every fifth knows its
// own take-in for one, and each knows the others'.
func (s *scene) checkTakeIns(first Seal, i, takeIns int) {
	s.t.Helper()
	r := Compare(context.Background(), first, s.opt)
	own, others := false, 0
	for _, c := range r.Reported {
		switch {
		case c.Kind == ByLane && c.Run == fmt.Sprintf("run-lane%d", i):
			own = true
			takeIns--
		case c.Kind == Ref && c.Run != "":
			others++
		}
	}
	if own != (i%5 == 0) || others != takeIns {
		s.t.Errorf("lane %d: own take-in reported: %v; %d of others, want %d", i, own, others, takeIns)
	}
}

// takeIn moves a branch the way lane does: noted first.
func takeIn(t *testing.T, s *scene, branch string) {
	old, err := s.tryGit("main", "rev-parse", branch)
	if err != nil {
		t.Error(err)
		return
	}
	commit, err := s.tryGit("main", "commit-tree", "-p", old, "-m", "taken in", old+"^{tree}")
	if err != nil {
		t.Error(err)
		return
	}
	if err := s.opt.Journal.Add(Move{Run: "run-" + branch, Ref: "refs/heads/" + branch, Old: old, New: commit}); err != nil {
		t.Error(err)
	}
	for range 20 {
		out, err := s.tryGit("main", "update-ref", "refs/heads/"+branch, commit, old)
		if err == nil {
			return
		}
		if !strings.Contains(out, "lock") {
			t.Error(err, out)
			return
		}
	}
	t.Errorf("%s could not be moved", branch)
}
