package owngit

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func (s *stage) inputs() TakeInInputs {
	l := DefaultLimits()
	l.Wait = 100 * time.Millisecond
	return TakeInInputs{Repo: s.discover(), Setup: s.setup, Dir: s.dir, Run: "r1", Intents: s.root + "/intents", Wiring: []string{".mcp.json", ".claude/settings.json", ".vscode"},
		WiringBelow: func(p string) bool { return strings.HasSuffix(p, "/.vscode") }, Limits: l}
}

func (s *stage) takeIn() (TakenIn, error) { return TakeIn(context.Background(), s.inputs()) }

// sound wants the repository whole and no trace of the take-in's own files.
func (s *stage) sound() {
	s.t.Helper()
	if out, err := s.tryGit(s.main, "fsck", "--strict", "--no-progress", "--no-dangling"); err != nil || out != "" {
		s.t.Errorf("fsck: %v\n%s", err, out)
	}
	s.tidy()
}

// tidy wants no lock, no intent and no file of lane's left.
func (s *stage) tidy() {
	s.t.Helper()
	for name := range s.shared() {
		if strings.HasSuffix(name, ".lock") || strings.Contains(name, "/lane-r") || strings.Contains(name, "tmp_") {
			s.t.Errorf("left behind: %s", name)
		}
	}
	left, _ := os.ReadDir(s.root + "/intents")
	for _, e := range left {
		if strings.HasSuffix(e.Name(), ".new") {
			continue // of a process that was killed while it wrote it; removed when it is a minute old
		}
		s.t.Errorf("intent left open: %s", e.Name())
	}
}

// Each way in which an agent may leave its git.
func TestTakeInEndings(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(s *stage)
		script  string
		refusal Reason
		// What the user's git says afterwards in the worktree.
		log, status, branch string
	}{
		{name: "on the branch", script: `echo x >new; git add new; git commit -qm work; echo y >>new; echo u >untracked`,
			log: "work\nsecond\nfirst", status: " M new\n?? untracked", branch: "topic"},
		{name: "several commits", script: `for i in 1 2 3; do echo $i >f$i; git add .; git commit -qm w$i; done`, log: "w3\nw2\nw1\nsecond\nfirst", branch: "topic"},
		{name: "staged work", script: `git commit -q --allow-empty -m work; echo x >new; git add new; git rm -q a.txt; echo z >>dir/b.txt`,
			log: "work\nsecond\nfirst", status: "D  a.txt\n M dir/b.txt\nA  new", branch: "topic"},
		{name: "on a new branch", script: `git switch -qc feat; echo x >new; git add new; git commit -qm work`, log: "work\nsecond\nfirst", branch: "topic"},
		{name: "detached", script: `git switch -q --detach; echo x >new; git add new; git commit -qm work`, log: "work\nsecond\nfirst", branch: "topic"},
		{name: "back on main", script: `echo x >new; git add new; git commit -qm work; git switch -q main`, refusal: HeadElsewhere, log: "second\nfirst", status: "", branch: "topic"},
		{name: "back on main, which is elsewhere", prepare: func(s *stage) {
			s.git(s.wt, "commit", "-q", "--allow-empty", "-m", "third")
		}, script: `git switch -q main`, refusal: BaseDiverged, log: "third\nsecond\nfirst", branch: "topic"},
		{name: "mid-rebase", script: `git switch -qc feat HEAD~1; echo f >a.txt; git commit -qam f; git rebase topic >/dev/null 2>&1 || true`, refusal: Unfinished,
			log: "second\nfirst", status: " M a.txt", branch: "topic"},
		{name: "mid-merge", script: `git switch -qc feat HEAD~1; echo f >a.txt; git commit -qam f; git switch -q topic; git merge feat >/dev/null || true`, refusal: Unfinished,
			log: "second\nfirst", status: " M a.txt", branch: "topic"},
		{name: "amended base", script: `git commit -q --amend -m other`, refusal: BaseDiverged, log: "second\nfirst", branch: "topic"},
		{name: "reset behind the base", script: `git reset -q --hard HEAD~1`, refusal: BaseDiverged, log: "second\nfirst", status: " M a.txt", branch: "topic"},
		{name: "branch deleted", script: `git switch -qc feat; git branch -qD topic; git commit -q --allow-empty -m work`, log: "work\nsecond\nfirst", branch: "topic"},
		{name: "only uncommitted", script: `echo x >new; echo y >>a.txt`, refusal: NothingToTakeIn, log: "second\nfirst", status: " M a.txt\n?? new", branch: "topic"},
		{name: "unborn in the lane", script: `git switch -q --orphan none`, refusal: UnbornHead, log: "second\nfirst", status: " D a.txt\n D dir/b.txt", branch: "topic"},
		{name: "merged main", prepare: func(s *stage) {
			s.write(s.main+"/m", "m\n")
			s.git(s.main, "add", "m")
			s.git(s.main, "commit", "-q", "-m", "on main")
		}, script: `echo x >new; git add new; git commit -qm work; git merge -q -m merged main`, log: "merged\non main\nwork\nsecond\nfirst", branch: "topic"},
		{name: "fast-forwarded to main", prepare: func(s *stage) {
			s.write(s.main+"/m", "m\n")
			s.git(s.main, "add", "m")
			s.git(s.main, "commit", "-q", "-m", "on main")
		}, script: `git merge -q --ff-only main`, log: "on main\nsecond\nfirst", branch: "topic"},
		{name: "unborn at the start", prepare: func(s *stage) { s.git(s.wt, "switch", "-q", "--orphan", "fresh") },
			script: `echo x >new; git add new; git commit -qm root`, log: "root", branch: "fresh"},
		{name: "detached at the start", prepare: func(s *stage) { s.git(s.wt, "switch", "-q", "--detach") },
			script: `echo x >new; git add new; git commit -qm work`, log: "work\nsecond\nfirst", branch: "HEAD"},
		{name: "packed by gc", script: `for i in 1 2 3; do seq 1000 >f; echo $i >>f; git add .; git commit -qm w$i; done; git gc -q --aggressive`, log: "w3\nw2\nw1\nsecond\nfirst", branch: "topic"},
		{name: "stash left", script: `echo x >>a.txt; git stash -q; git commit -q --allow-empty -m work`, log: "work\nsecond\nfirst", branch: "topic"},
		{name: "files renamed", script: `git mv dir d2; git commit -qm mv`, log: "mv\nsecond\nfirst", branch: "topic"},
		{name: "index of version 4", script: `git update-index --index-version 4; echo x >new; git add new; git commit -qm work`, log: "work\nsecond\nfirst", branch: "topic"},
		{name: "intent to add", script: `git commit -q --allow-empty -m work; echo x >new; git add -N new`, refusal: IndexUnsupported, log: "second\nfirst", status: "?? new", branch: "topic"},
		{name: "split index", script: `git commit -q --allow-empty -m work; git update-index --split-index`, refusal: IndexUnsupported, log: "second\nfirst", branch: "topic"},
		{name: "assume-unchanged", script: `git commit -q --allow-empty -m work; git update-index --assume-unchanged a.txt; echo x >>a.txt`, log: "work\nsecond\nfirst", status: " M a.txt", branch: "topic"},
		{name: "skip-worktree", script: `git commit -q --allow-empty -m work; git update-index --skip-worktree a.txt; echo x >>a.txt`, log: "work\nsecond\nfirst", status: " M a.txt", branch: "topic"},
		{name: "a change hidden by its times", script: `git commit -q --allow-empty -m work; touch -r a.txt stamp; printf 'one\nMORE\n' >a.txt; touch -r stamp a.txt; rm stamp;
			git update-index --assume-unchanged a.txt`, log: "work\nsecond\nfirst", status: " M a.txt", branch: "topic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if c.prepare != nil {
				c.prepare(s)
			}
			s.plan()
			before := s.shared()
			s.lane(c.script)
			s.unchanged(before)
			taken, err := s.takeIn()
			if c.refusal != "" {
				refused(t, err, c.refusal)
				s.unchanged(before)
			} else if err != nil {
				t.Fatalf("%v (%+v)", err, taken)
			}
			equal(t, "log", s.git(s.wt, "log", "--format=%s", "--topo-order"), c.log)
			equal(t, "status", s.git(s.wt, "status", "--porcelain"), c.status)
			equal(t, "branch", s.git(s.wt, "rev-parse", "--abbrev-ref", "HEAD"), c.branch)
			s.sound()
			if c.refusal == "" {
				equal(t, "reflog", s.git(s.wt, "reflog", "-1", "--format=%gs %gn"), "lane: take in r1 Some One")
				if c.branch != "HEAD" {
					equal(t, "branch's reflog", s.git(s.wt, "reflog", "-1", "--format=%gs", c.branch), "lane: take in r1")
				}
				// A second time there is nothing to do, and nothing is done.
				before := s.shared()
				_, err := s.takeIn()
				refused(t, err, BranchMoved)
				s.unchanged(before)
			}
		})
	}
}
