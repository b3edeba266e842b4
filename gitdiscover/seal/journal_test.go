package seal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestJournalExplains(t *testing.T) {
	now := time.Now()
	move := func(ref, old, new, run string) Move { return Move{Run: run, Ref: ref, Old: old, New: new, Time: now} }
	moves := []Move{
		move("refs/heads/x", "1", "2", "a"),
		move("refs/heads/x", "2", "3", "failed"), // noted, then not done
		move("refs/heads/x", "2", "4", "b"),
		move("refs/heads/y", "", "1", "c"),
		move("refs/heads/z", "1", "", "d"),
		move("worktrees/w/HEAD", "1", "2", "e"),
		{Run: "old", Ref: "refs/heads/x", Old: "7", New: "8", Time: now.Add(-time.Hour)},
	}
	for _, c := range []struct{ name, before, after, run string }{
		{"refs/heads/x", "1", "2", "a"}, {"refs/heads/x", "1", "4", "b"}, {"refs/heads/x", "2", "4", "b"},
		{"refs/heads/y", Absent, "1", "c"}, {"refs/heads/z", "1", Absent, "d"}, {"worktrees/w/HEAD", "1", "2", "e"},
		{"refs/heads/x", "4", "1", ""},  // backwards
		{"refs/heads/x", "1", "5", ""},  // on from there by another
		{"refs/heads/xx", "1", "2", ""}, // another ref
		{"refs/heads/x", "7", "8", ""},  // before the seal
		{"refs/heads/x", "1", "1", ""}, {"", "1", "2", ""},
	} {
		run, ok := explains(moves, Change{Name: Name(c.name), Before: c.before, After: c.after}, now)
		if run != c.run || ok != (c.run != "") {
			t.Errorf("%+v: %q, %v", c, run, ok)
		}
	}
}

func TestJournalIsKept(t *testing.T) {
	dir := t.TempDir()
	j := OpenJournal(dir, "/r/.git")
	if j.Moves() != nil || (*Journal)(nil).Moves() != nil {
		t.Error("moves before the first")
	}
	var all sync.WaitGroup
	for i := range 8 { // several lanes at once
		all.Go(func() {
			for k := range 25 {
				if err := OpenJournal(dir, "/r/.git").Add(Move{Run: fmt.Sprint(i), Ref: "refs/heads/x", Old: fmt.Sprint(k), New: fmt.Sprint(k + 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(j.Moves()); n != 200 {
		t.Errorf("%d moves, want 200", n)
	}
	if OpenJournal(dir, "/other/.git").Moves() != nil {
		t.Error("another repository has the same journal")
	}
	if run, ok := j.Explains(Change{Name: "refs/heads/x", Before: "0", After: "25"}, time.Now()); !ok || run == "" {
		t.Errorf("%q %v", run, ok)
	}
	info, err := os.Stat(j.dir + "/" + journalName)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestJournalIsBounded(t *testing.T) {
	j := OpenJournal(t.TempDir(), "/r/.git")
	last := Move{Run: "r", Ref: "refs/heads/x", Old: "1", New: "2"}
	if err := j.Add(last); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(j.dir, journalName)
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A line cut short by a crash, at the end of a journal that is too long.
	if err := os.WriteFile(path, []byte(strings.Repeat(string(line), maxJournal/len(line)+2)+`{"run":"cut`), 0o600); err != nil {
		t.Fatal(err)
	}
	last.New = "3"
	if err := j.Add(last); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxJournal*2/3 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	moves := j.Moves()
	if len(moves) < 1000 || moves[len(moves)-1].New != "3" {
		t.Errorf("%d moves", len(moves))
	}
	if err := j.Add(Move{Ref: strings.Repeat("x", maxMove)}); err == nil {
		t.Error("a move of any length is taken")
	}
}

func TestJournalHangsOnNothing(t *testing.T) {
	j := OpenJournal(t.TempDir(), "/r/.git")
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{journalName, "lock"} {
		if err := syscall.Mkfifo(filepath.Join(j.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() { j.Moves(); done <- j.Add(Move{Ref: "x", New: "y"}) }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a FIFO is a journal")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("hangs")
	}
}

// A branch that only the journal explains is not a stranger's; on from there
// it is.
func TestOwnBranchMovedByLane(t *testing.T) {
	s := newScene(t)
	s.opt.Journal = OpenJournal(s.path("journal"), s.repo.CommonDir)
	before := s.take()
	takeIn(t, s, "lane")
	r := s.compare(before)
	s.quiet(r)
	if got := s.brief(r.Reported); len(got) != 1 || !strings.HasPrefix(got[0], "by-lane ") || r.Reported[0].Run != "run-lane" {
		t.Errorf("%+v", r.Reported)
	}
	s.git("lane", "commit", "-q", "--allow-empty", "-m", "by hand")
	if got := s.brief(s.compare(before).Tripped); len(got) != 1 {
		t.Errorf("a commit after the take-in: %q", got)
	}
}

// A detached worktree's HEAD is what lane moves.
func TestDetachedHeadMovedByLane(t *testing.T) {
	s := newScene(t)
	s.git("lane", "checkout", "-q", "--detach")
	s.repo = s.discover(s.lane)
	s.opt.Journal = OpenJournal(s.path("journal"), s.repo.CommonDir)
	before := s.take()
	old := s.git("lane", "rev-parse", "HEAD")
	commit := s.git("main", "commit-tree", "-p", old, "-m", "x", old+"^{tree}")
	s.must(s.opt.Journal.Add(Move{Run: "r", Ref: HeadName(s.repo), Old: old, New: commit}))
	s.write("main/.git/worktrees/lane/HEAD", commit+"\n")
	s.quiet(s.compare(before))
	s.write("main/.git/worktrees/lane/HEAD", strings.Repeat("1", 40)+"\n")
	if got := s.brief(s.compare(before).Tripped); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
