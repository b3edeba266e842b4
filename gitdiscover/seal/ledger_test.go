package seal

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func (s *scene) ledger(before Seal, opt LedgerOptions) Ledger {
	s.t.Helper()
	after := s.compare(before).After
	return ReadLedger(context.Background(), before, after, opt)
}

func ids(l []Commit) []string {
	var out []string
	for _, c := range l {
		out = append(out, c.ID)
	}
	slices.Sort(out)
	return out
}

// logIDs are git's own answer.
func (s *scene) logIDs(args ...string) []string {
	l := strings.Fields(s.git("main", append([]string{"rev-list"}, args...)...))
	slices.Sort(l)
	return l
}

func (s *scene) commit(dir, subject string) string {
	s.git(dir, "commit", "-q", "--allow-empty", "-m", subject)
	return s.git(dir, "rev-parse", "HEAD")
}

func TestLedgerOfCommits(t *testing.T) {
	s := newScene(t)
	before := s.take()
	base := s.git("lane", "rev-parse", "HEAD")
	s.commit("main", "elsewhere")
	s.commit("lane", "one\n\nbody")
	s.git("lane", "merge", "-q", "--no-ff", "-m", "merged", "main")
	tip := s.commit("lane", "three \x1b[31mred\u202e")
	s.git("main", "tag", "v1")
	l := s.ledger(before, LedgerOptions{})
	if l.Missing != nil || l.Dropped != nil {
		t.Errorf("%+v", l)
	}
	if got, want := ids(l.Commits), s.logIDs(base+".."+tip); !slices.Equal(got, want) {
		t.Errorf("commits %q, want %q", got, want)
	}
	if c := l.Commits[0]; c.ID != tip || c.Subject != "three [31mred" || c.Author != "a <a@example.invalid>" || len(c.Parents) != 1 {
		t.Errorf("%+v", c)
	}
	want := HeadMove{"refs/heads/lane", "refs/heads/lane", base, tip}
	if l.Head != want {
		t.Errorf("head %+v, want %+v", l.Head, want)
	}
	var refs []string
	for _, r := range l.Refs {
		refs = append(refs, string(r.Name))
	}
	if !slices.Equal(refs, []string{"refs/heads/lane", "refs/heads/main", "refs/tags/v1"}) {
		t.Errorf("refs %q", refs)
	}
	if b, err := json.Marshal(l); err != nil || strings.Contains(string(b), "null") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestLedgerOfARewind(t *testing.T) {
	s := newScene(t)
	base := s.git("lane", "rev-parse", "HEAD")
	one, two := s.commit("lane", "one"), s.commit("lane", "two")
	before := s.take()
	s.git("lane", "reset", "-q", "--hard", base)
	other := s.commit("lane", "other")
	l := s.ledger(before, LedgerOptions{})
	lost := []string{one, two}
	slices.Sort(lost)
	if !slices.Equal(ids(l.Commits), []string{other}) || !slices.Equal(ids(l.Dropped), lost) {
		t.Errorf("gained %q, lost %q", ids(l.Commits), ids(l.Dropped))
	}
	before = s.take()
	s.git("lane", "reset", "-q", "--hard", base)
	if l := s.ledger(before, LedgerOptions{}); len(l.Commits) != 0 || !slices.Equal(ids(l.Dropped), []string{other}) {
		t.Errorf("gained %q, lost %q", ids(l.Commits), ids(l.Dropped))
	}
}

func TestLedgerOfHeads(t *testing.T) {
	s := newScene(t)
	base := s.git("lane", "rev-parse", "HEAD")
	before := s.take()
	s.git("lane", "checkout", "-q", "--detach")
	s.git("main", "branch", "-D", "lane")
	if l := s.ledger(before, LedgerOptions{}); l.Head != (HeadMove{"refs/heads/lane", "HEAD", base, base}) || l.Commits == nil {
		t.Errorf("%+v", l)
	}
	before = s.take()
	s.git("lane", "checkout", "-q", "-b", "next")
	tip := s.commit("lane", "x")
	if l := s.ledger(before, LedgerOptions{}); l.Head != (HeadMove{"HEAD", "refs/heads/next", base, tip}) || !slices.Equal(ids(l.Commits), []string{tip}) {
		t.Errorf("%+v", l)
	}
	s.git("lane", "checkout", "-q", "--orphan", "unborn")
	s.repo = s.discover(s.lane)
	before = s.take()
	s.write("lane/new.txt", "n\n")
	if l := s.ledger(before, LedgerOptions{}); l.Head.Before != "" || l.Missing != nil || len(l.Files) != 3 {
		t.Errorf("%+v", l)
	}
	root := s.commit("lane", "root")
	if l := s.ledger(before, LedgerOptions{}); l.Head.After != root || !slices.Equal(ids(l.Commits), []string{root}) {
		t.Errorf("%+v", l)
	}
}

// TestLedgerAgreesWithGitOnRandomHistories holds the walk against rev-list,
// on histories with merges and clocks that go wrong.
func TestLedgerAgreesWithGitOnRandomHistories(t *testing.T) {
	s := newScene(t)
	rnd := rand.New(rand.NewPCG(4, 1))
	all := []string{s.git("main", "rev-parse", "HEAD")}
	tree := s.git("main", "rev-parse", "HEAD^{tree}")
	for i := range 60 {
		text := "tree " + tree + "\n"
		for _, p := range rnd.Perm(min(len(all), 8))[:min(len(all), 1+rnd.IntN(3))] {
			text += "parent " + all[len(all)-1-p] + "\n"
		}
		at := 1_700_000_000 + i*10 + rnd.IntN(200) // of children before that of parents, often
		text += fmt.Sprintf("author a <a> %d +0000\ncommitter a <a> %d +0000\n\n%d\n", at, at, i)
		s.write("commit", text)
		all = append(all, s.git("main", "hash-object", "-t", "commit", "-w", s.path("commit")))
	}
	o, err := openObjects(s.repo)
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	for range 30 {
		a, b := all[rnd.IntN(len(all))], all[rnd.IntN(len(all))]
		r := (&rangeWalk{objects: o}).between(context.Background(), a, b)
		want := s.logIDs(b, "^"+a)
		if got := ids(r.commits); !slices.Equal(got, want) || r.cut != "" {
			t.Fatalf("%s..%s: %q (%s), want %q", a, b, got, r.cut, want)
		}
		_, err := s.tryGit("main", "merge-base", "--is-ancestor", a, b)
		if r.descends != (err == nil) {
			t.Fatalf("%s is an ancestor of %s: %v, git says %v", a, b, r.descends, err == nil)
		}
	}
}

func fileLines(l Ledger) []string {
	out := []string{}
	for _, f := range l.Files {
		out = append(out, f.Kind+" "+string(f.Path))
	}
	slices.Sort(out)
	return out
}

func TestLedgerOfFiles(t *testing.T) {
	s := newScene(t)
	for i := range 3 {
		s.write(fmt.Sprintf("lane/k%d.txt", i), "same size\n")
	}
	s.must(os.Symlink("a.txt", s.path("lane/link")))
	s.must(os.Symlink("a.txt", s.path("lane/link2")))
	s.write("lane/dir/x", "x\n")
	s.write("lane/gone/x", "x\n")
	s.git("lane", "add", ".")
	s.git("lane", "commit", "-qm", "files")
	s.write("lane/old-untracked", "was there before\n")
	s.write("lane/cache/old", "was there before\n")
	s.write("lane/k2.txt", "changed!!\n") // by the user, before the run
	before, stamps := s.take(), s.stamps()

	info, err := os.Stat(s.path("lane/k0.txt"))
	s.must(err)
	s.write("lane/k0.txt", "SAME size\n")
	s.must(os.Chtimes(s.path("lane/k0.txt"), info.ModTime(), info.ModTime())) // git's index would believe it
	s.must(os.Chmod(s.path("lane/k1.txt"), 0o755))
	s.must(os.Remove(s.path("lane/sub/b.txt")))
	s.must(os.RemoveAll(s.path("lane/gone")))
	s.must(os.RemoveAll(s.path("lane/dir")))
	s.write("lane/dir", "a file now\n")
	s.must(os.Remove(s.path("lane/link")))
	s.must(os.Symlink("/etc/passwd", s.path("lane/link")))
	s.must(os.Remove(s.path("lane/link2")))
	s.must(os.Mkdir(s.path("lane/link2"), 0o755))
	s.write("lane/link2/in", "in\n")
	s.write("lane/new\n\x1b[31m", "new\n")
	s.write("lane/pkg/deep/new", "new\n")
	s.write("lane/cache/new", "new\n")
	s.must(os.Remove(s.path("lane/a.txt")))
	s.must(syscall.Mkfifo(s.path("lane/a.txt"), 0o644))

	run := []string{"deleted dir/", "deleted gone/", "deleted link2", "deleted sub/b.txt", "mode k1.txt", "modified k0.txt", "modified link", "type a.txt",
		"untracked dir", "untracked link2/", "untracked new\n\x1b[31m", "untracked pkg/"}
	want := slices.Concat(run, []string{"untracked cache/new"})
	slices.Sort(want)
	if got := fileLines(s.ledger(before, LedgerOptions{Stamps: stamps})); !slices.Equal(got, want) {
		t.Errorf("with stamps:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	want = slices.Concat(run, []string{"untracked cache/", "untracked old-untracked", "modified k2.txt"})
	slices.Sort(want)
	l := s.ledger(before, LedgerOptions{})
	if got := fileLines(l); !slices.Equal(got, want) || l.Missing != nil {
		t.Errorf("without:\n%s\nwant\n%s\n%+v", strings.Join(got, "\n"), strings.Join(want, "\n"), l.Missing)
	}
	b, err := json.Marshal(l.Files)
	if err != nil || !strings.Contains(string(b), `"\"new\\n\\x1b[31m\""`) {
		t.Errorf("%s, %v", b, err)
	}
}

// stamps are those of a walk with os, as the runner makes them.
func (s *scene) stamps() map[string]Stamp {
	m := map[string]Stamp{}
	s.walk(s.lane, "", func(rel string, e os.DirEntry) {
		if e.IsDir() {
			return
		}
		info, err := e.Info()
		s.must(err)
		st, ok := StampOf(info)
		if !ok {
			s.t.Fatal("no stamp")
		}
		m[rel] = st
	})
	return m
}

func (s *scene) walk(dir, rel string, fn func(string, os.DirEntry)) {
	l, err := os.ReadDir(dir)
	s.must(err)
	for _, e := range l {
		if rel == "" && e.Name() == ".git" {
			continue
		}
		fn(childPath(rel, e.Name()), e)
		if e.IsDir() {
			s.walk(dir+"/"+e.Name(), childPath(rel, e.Name()), fn)
		}
	}
}

func TestLedgerWhereObjectsAre(t *testing.T) {
	for name, make := range map[string]func(s *scene){
		"packed": func(s *scene) { s.git("main", "gc", "-q") },
		"borrowed": func(s *scene) {
			s.git(".", "clone", "-q", "--shared", "main", "clone")
			s.main = s.path("clone")
			s.git("clone", "worktree", "add", "-q", "-b", "lane2", s.path("lane2"))
			s.lane = s.path("lane2")
		},
		"borrowed twice": func(s *scene) {
			s.git(".", "clone", "-q", "--shared", "main", "one")
			s.git(".", "clone", "-q", "--shared", "one", "clone")
			s.lane = s.path("clone")
		},
		"shallow": func(s *scene) {
			s.commit("main", "more")
			s.git(".", "clone", "-q", "--depth=1", "file://"+s.path("main"), "clone")
			s.lane = s.path("clone")
		},
		"partial": func(s *scene) {
			s.git("main", "config", "uploadpack.allowFilter", "true")
			s.git(".", "clone", "-q", "--filter=blob:none", "file://"+s.path("main"), "clone")
			s.lane = s.path("clone")
		},
		"with a commit-graph and a multi-pack-index": func(s *scene) {
			s.git("main", "repack", "-q", "-a", "-d")
			s.git("main", "commit-graph", "write", "--reachable")
			s.git("main", "multi-pack-index", "write")
		},
		"objects is a link": func(s *scene) {
			s.must(os.Rename(s.common("objects"), s.path("store")))
			s.must(os.Symlink(s.path("store"), s.common("objects")))
		},
		"relative worktrees": func(s *scene) {
			s.git("main", "config", "core.repositoryFormatVersion", "1")
			s.git("main", "config", "extensions.relativeWorktrees", "true")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			make(s)
			if name == "relative worktrees" { // the installed git may be too old for it
				s.repo = s.discover(s.lane)
				before := s.take()
				if l := s.ledger(before, LedgerOptions{}); l.Missing != nil || len(l.Files) != 0 {
					t.Errorf("%+v", l)
				}
				return
			}
			s.repo = s.discover(s.lane)
			before := s.take()
			s.write(s.lane+"/a.txt", "b\n")
			tip := s.commit(s.lane, "one")
			l := s.ledger(before, LedgerOptions{})
			if l.Missing != nil || !slices.Equal(ids(l.Commits), []string{tip}) || !slices.Equal(fileLines(l), []string{"modified a.txt"}) {
				t.Errorf("%+v", l)
			}
		})
	}
}

func TestLedgerThatIsUnavailable(t *testing.T) {
	s := newScene(t)
	s.git(".", "init", "-q", "--object-format=sha256", "big")
	s.lane = s.path("big")
	s.repo = s.discover(s.lane)
	before := s.take()
	tip := s.commit("big", "one")
	l := s.ledger(before, LedgerOptions{})
	if len(l.Missing) != 2 || !strings.Contains(l.Missing[0].Why, "sha256") || l.Head.After != tip || len(l.Refs) != 1 {
		t.Errorf("sha256: %+v", l)
	}

	s = newScene(t)
	before = s.take()
	s.write("main/.git/refs/heads/lane", strings.Repeat("1", 40)+"\n")
	if l := s.ledger(before, LedgerOptions{}); len(l.Missing) == 0 || l.Missing[0].What != "commits" {
		t.Errorf("a commit that is not here: %+v", l)
	}

	s = newScene(t)
	tip = s.commit("lane", "x")
	before = s.take()
	tip2 := s.commit("lane", "y")
	p := s.common("objects/" + tip2[:2] + "/" + tip2[2:])
	s.must(os.Remove(p))
	s.must(syscall.Mkfifo(p, 0o644))
	if l := s.ledger(before, LedgerOptions{}); len(l.Missing) == 0 || l.Head.Before != tip {
		t.Errorf("an object is a FIFO: %+v", l)
	}
	s.must(os.Remove(p))
	s.write(p, "no object")
	if l := s.ledger(before, LedgerOptions{}); len(l.Missing) == 0 {
		t.Errorf("an object is garbage: %+v", l)
	}

	s = newScene(t)
	s.reftables()
	before = s.take()
	s.stack("main/.git", tableOf(20, record("refs/heads/lane", 1, id(t, "2", 20)...)))
	l = s.ledger(before, LedgerOptions{})
	if l.Head.Before != strings.Repeat("1", 40) || l.Head.After != strings.Repeat("2", 40) || len(l.Missing) == 0 {
		t.Errorf("reftables: %+v", l)
	}
}

func TestLedgerCaps(t *testing.T) {
	s := newScene(t)
	before := s.take()
	f, err := os.Create(s.path("lane/a.txt"))
	s.must(err)
	if err := f.Truncate(1 << 60); err != nil {
		s.must(f.Truncate(1 << 43)) // the largest file of ext4 is smaller
	}
	s.must(f.Close())
	s.must(os.Remove(s.path("lane/sub/b.txt")))
	if got := fileLines(s.ledger(before, LedgerOptions{})); !slices.Equal(got, []string{"deleted sub/b.txt", "modified a.txt"}) {
		t.Errorf("%q", got)
	}
	for name, caps := range map[string]Caps{"entries": {Entries: 1}, "depth": {Depth: -1}, "time": {Time: time.Nanosecond}} {
		if l := s.ledger(before, LedgerOptions{Caps: caps}); len(l.Missing) == 0 || l.Missing[0].What != "files" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	s.must(os.Remove(s.path("lane/a.txt")))
	s.write("lane/a.txt", "b\n")
	if got := fileLines(s.ledger(before, LedgerOptions{Caps: Caps{Bytes: 1}})); !slices.Contains(got, "unverified a.txt") {
		t.Errorf("bytes: %q", got)
	}
}
