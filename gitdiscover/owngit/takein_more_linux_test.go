package owngit

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is asked for by name is taken in, and said.
func TestTakeInAccepts(t *testing.T) {
	for _, c := range []struct {
		name, script  string
		accept        func(*TakeInInputs)
		accepted, log string
	}{
		{"gitlinks", `git init -q sub; git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; printf '[submodule "sub"]\n\turl = /x\n\tpath = sub\n' >.gitmodules; git add -f . 2>/dev/null; git commit -qm sub`,
			func(in *TakeInInputs) { in.AcceptGitlinks = true }, ".gitmodules sub", "sub"},
		{"wiring", `echo '{}' >.mcp.json; mkdir .claude; echo '{}' >.claude/settings.json; git add -f .; git commit -qm wiring`,
			func(in *TakeInInputs) { in.AcceptWiring = true }, ".claude/settings.json .mcp.json", "wiring"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.plan()
			s.lane(c.script)
			in := s.inputs()
			c.accept(&in)
			taken, err := TakeIn(context.Background(), in)
			s.must(err)
			equal(t, "accepted", strings.Join(taken.Seen.Accepted, " "), c.accepted)
			equal(t, "log", s.git(s.wt, "log", "-1", "--format=%s"), c.log)
			equal(t, "status", s.git(s.wt, "status", "--porcelain"), "")
			s.sound()
		})
	}
}

// An accepted .gitmodules must still be one that git itself would not refuse.
func TestModulesAreChecked(t *testing.T) {
	for _, text := range []string{
		"[submodule \"../x\"]\n\turl = /x\n", "[submodule \"x\"]\n\turl = -u./x\n", "[submodule \"x\"]\n\tpath = -x\n",
		"[submodule \"x\"]\n\tupdate = !x\n", "[submodule \"x\"]\n\tpath = \"x\\r\"\n", "[submodule \"x\"]\n\turl = ext::sh -c x\n",
		"[submodule \"x\"]\n\tpath = .git/x\n", "[submodule \"x\"]\n\tpath = a/../../x\n", "[broken\n", "[submodule \"x\"]\n\turl = \"https://x/%0ay\"\n",
	} {
		if checkModules([]byte(text)) == nil {
			t.Errorf("passes: %q", text)
		}
	}
	if err := checkModules([]byte("[submodule \"lib/x\"]\n\tpath = lib/x\n\turl = ../x.git\n\tbranch = main\n\tupdate = rebase\n")); err != nil {
		t.Error(err)
	}
}

// What is staged without a commit goes over; wiring does not, and its file is
// then shown as what it is.
func TestStagedWiringIsUnstaged(t *testing.T) {
	s := newStage(t)
	s.write(s.wt+"/.vscode/tasks.json", "{}\n")
	s.git(s.wt, "add", ".")
	s.git(s.wt, "commit", "-q", "-m", "tasks")
	s.plan()
	s.lane(`git commit -q --allow-empty -m work; echo '{}' >.mcp.json; git add -f .mcp.json; echo x >new; git add new; echo '{"x":1}' >.vscode/tasks.json; git add .
		git init -q sub; git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git add sub 2>/dev/null; git rm -q --cached a.txt`)
	taken, err := s.takeIn()
	s.must(err)
	equal(t, "unstaged", strings.Join(taken.Unstaged, " "), ".mcp.json .vscode/tasks.json sub")
	equal(t, "status", s.git(s.wt, "status", "--porcelain"), " M .vscode/tasks.json\nD  a.txt\nA  new\n?? .mcp.json\n?? a.txt\n?? sub/")
	s.sound()
}

func TestWiringUnstagedByTheLaneStays(t *testing.T) {
	s := newStage(t)
	s.write(s.wt+"/.vscode/tasks.json", "{}\n")
	s.git(s.wt, "add", ".")
	s.git(s.wt, "commit", "-q", "-m", "tasks")
	s.plan()
	s.lane(`git commit -q --allow-empty -m work; git rm -rq --cached .vscode`)
	taken, err := s.takeIn()
	s.must(err)
	equal(t, "unstaged", strings.Join(taken.Unstaged, " "), ".vscode/tasks.json")
	equal(t, "status", s.git(s.wt, "status", "--porcelain"), "")
}

func TestSeen(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(`mkdir -p .github/workflows d; echo x >.github/workflows/ci.yml; ln -s /etc/passwd abs; ln -s ../../x d/out; ln -s ../a.txt d/in; ln -s .git/config cfg
		printf '*.x filter=y\n' >d/.gitattributes; printf '*.x text\n' >.gitattributes; git add .; git commit -qm work`)
	taken, err := s.takeIn()
	s.must(err)
	equal(t, "links", strings.Join(taken.Seen.Links, " "), "abs cfg d/out")
	equal(t, "workflows", strings.Join(taken.Seen.Workflows, " "), ".github/workflows/ci.yml")
	equal(t, "attributes", strings.Join(taken.Seen.Attributes, " "), "d/.gitattributes")
	s.sound()
}

func TestOtherRefs(t *testing.T) {
	const script = `git switch -qc feat; echo f >f; git add f; git commit -qm feat; git tag -a -m t rel; git switch -q topic; echo x >new; git add new; git commit -qm work
		echo s >>a.txt; git stash -q; git tag light HEAD~1; git notes add -m n`
	s := newStage(t)
	s.plan()
	s.lane(script)
	taken, err := s.takeIn()
	s.must(err)
	equal(t, "listed", refNames(taken, func(r OtherRef) string { return r.Name }), "refs/heads/feat refs/notes/commits refs/stash refs/tags/light refs/tags/rel")
	equal(t, "kept", strings.TrimSpace(refNames(taken, func(r OtherRef) string { return r.Kept })), "")
	if out := s.git(s.main, "for-each-ref", "refs/lane"); out != "" {
		t.Errorf("kept without being asked: %s", out)
	}
	s.sound()

	s = newStage(t)
	s.plan()
	s.lane(script)
	in := s.inputs()
	in.KeepRefs = true
	_, err = TakeIn(context.Background(), in)
	s.must(err)
	equal(t, "kept", s.git(s.main, "for-each-ref", "--format=%(refname)", "refs/lane"),
		"refs/lane/r1/heads/feat\nrefs/lane/r1/notes/commits\nrefs/lane/r1/stash\nrefs/lane/r1/tags/light\nrefs/lane/r1/tags/rel")
	equal(t, "log of one", s.git(s.main, "log", "--format=%s", "refs/lane/r1/heads/feat"), "feat\nsecond\nfirst")
	s.sound()
}

// A HEAD that cannot be taken in is kept too, when that is asked for.
func TestDivergedHeadIsKept(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(`echo x >new; git add new; git commit -q --amend -m other`)
	in := s.inputs()
	in.KeepRefs = true
	_, err := TakeIn(context.Background(), in)
	refused(t, err, BaseDiverged)
	equal(t, "kept", s.git(s.main, "log", "--format=%s", "refs/lane/r1/HEAD"), "other\nfirst")
	equal(t, "branch", s.git(s.wt, "log", "--format=%s"), "second\nfirst")
	s.sound()
}

// A kept ref passes the same rules, and one that does not holds up nothing.
func TestKeptRefsPassTheRules(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(`git switch -qc bad; echo '{}' >.mcp.json; git add -f .mcp.json; git commit -qm bad; git switch -q topic; echo x >new; git add new; git commit -qm work`)
	s.write(s.dir+"/refs/heads/gone", strings.Repeat("1", 40)+"\n")
	in := s.inputs()
	in.KeepRefs = true
	taken, err := TakeIn(context.Background(), in)
	s.must(err)
	for _, r := range taken.Others {
		if (r.Name == "refs/heads/bad" || r.Name == "refs/heads/gone") && (r.Kept != "" || r.Why == "") {
			t.Errorf("%+v", r)
		}
	}
	equal(t, "log", s.git(s.wt, "log", "-1", "--format=%s"), "work")
	s.sound()
}

// Refs that cannot lie beside each other as files hold up nothing, and those
// beyond the limit are counted: they are the agent's work as well.
func TestKeptRefsThatExcludeEachOther(t *testing.T) {
	s := newStage(t)
	s.plan()
	s.lane(`echo x >new; git add new; git commit -qm work; git branch z`)
	tip := strings.TrimSpace(readText(t, s.dir+"/refs/heads/z"))
	s.write(s.dir+"/packed-refs", "# pack-refs with: \n"+tip+" refs/heads/b\n"+tip+" refs/heads/b/c\n")
	in := s.inputs()
	in.KeepRefs, in.Limits = true, DefaultLimits()
	taken, err := TakeIn(context.Background(), in)
	s.must(err)
	for _, r := range taken.Others {
		switch r.Name {
		case "refs/heads/b", "refs/heads/z":
			if r.Kept == "" {
				t.Errorf("not kept: %+v", r)
			}
		case "refs/heads/b/c":
			if r.Kept != "" || r.Why == "" {
				t.Errorf("%+v", r)
			}
		}
	}
	equal(t, "log", s.git(s.wt, "log", "-1", "--format=%s"), "work")
	s.sound()

	s = newStage(t)
	s.plan()
	s.lane(`for i in 1 2 3 4; do git commit -q --allow-empty -m $i; git branch b$i; done`)
	in = s.inputs()
	in.KeepRefs, in.Limits = true, DefaultLimits()
	in.Limits.Refs = 3
	taken, err = TakeIn(context.Background(), in)
	s.must(err)
	if len(taken.Others) != 3 || taken.OthersMore != 1 {
		t.Errorf("%d others and %d more", len(taken.Others), taken.OthersMore)
	}
}

func refNames(taken TakenIn, of func(OtherRef) string) string {
	var names []string
	for _, r := range taken.Others {
		names = append(names, of(r))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit func(*Limits)
	}{
		{"bytes", func(l *Limits) { l.Bytes = 1000 }},
		{"one object", func(l *Limits) { l.Object = 1000 }},
		{"objects", func(l *Limits) { l.Objects = 5 }},
		{"time", func(l *Limits) { l.Time = 1 }},
	} {
		for _, gc := range []string{"", "git gc -q"} {
			t.Run(c.name+gc, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				s.plan()
				s.lane(`seq 1000 >new; for i in 1 2 3 4; do echo $i >f$i; done; git add .; git commit -qm work; ` + gc)
				in := s.inputs()
				c.limit(&in.Limits)
				before := s.shared()
				_, err := TakeIn(context.Background(), in)
				refused(t, err, TooLarge)
				s.unchanged(before)
				s.sound()
			})
		}
	}
}

// A lock that somebody holds is waited for and never removed.
func TestForeignLocks(t *testing.T) {
	for _, c := range []struct {
		lock   string
		reason Reason
	}{
		{"/main/.git/worktrees/wt/index.lock", IndexLocked},
		{"/main/.git/worktrees/wt/HEAD.lock", RefLocked},
		{"/main/.git/refs/heads/topic.lock", RefLocked},
	} {
		t.Run(c.lock, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.plan()
			s.lane(`echo x >new; git add new; git commit -qm work`)
			before := s.shared()
			s.write(s.root+c.lock, "")
			_, err := s.takeIn()
			refused(t, err, c.reason)
			s.must(os.Remove(s.root + c.lock)) // fails when it is gone
			for name, sum := range s.shared() {
				if was, ok := before[name]; !strings.HasPrefix(name, "objects/pack/") && (!ok || was != sum) {
					t.Errorf("changed: %s", name)
				}
			}
			s.sound()

			s.write(s.root+c.lock, "")
			go func() {
				time.Sleep(200 * time.Millisecond)
				os.Remove(s.root + c.lock)
			}()
			in := s.inputs()
			in.Limits.Wait = 10 * time.Second
			_, err = TakeIn(context.Background(), in)
			s.must(err)
			s.sound()
		})
	}
}

// What the user did meanwhile is not lost.
func TestTheUserWorksToo(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(s *stage)
		reason Reason
	}{
		{"commits", func(s *stage) { s.git(s.wt, "commit", "-q", "--allow-empty", "-m", "mine") }, BranchMoved},
		{"switches", func(s *stage) { s.git(s.wt, "switch", "-qc", "mine") }, BranchMoved},
		{"detaches", func(s *stage) { s.git(s.wt, "switch", "-q", "--detach") }, BranchMoved},
		{"stages", func(s *stage) { s.write(s.wt+"/mine", ""); s.git(s.wt, "add", "mine") }, IndexChanged},
		{"deletes the branch", func(s *stage) { s.git(s.main, "update-ref", "-d", "refs/heads/topic") }, BranchMoved},
		{"refreshes", func(s *stage) { s.must(os.Chtimes(s.wt+"/a.txt", time.Now(), time.Now())); s.git(s.wt, "status") }, ""},
		{"packs refs", func(s *stage) { s.git(s.main, "pack-refs", "--all") }, ""},
		{"repacks", func(s *stage) { s.git(s.main, "gc", "-q", "--prune=now") }, ""},
		{"commits on main", func(s *stage) { s.git(s.main, "commit", "-q", "--allow-empty", "-m", "mine") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.plan()
			s.lane(`echo x >new; git add new; git commit -qm work`)
			c.do(s)
			log := s.git(s.main, "log", "--all", "--format=%s")
			_, err := s.takeIn()
			if c.reason == "" {
				s.must(err)
				equal(t, "log", s.git(s.wt, "log", "--format=%s"), "work\nsecond\nfirst")
				equal(t, "status", s.git(s.wt, "status", "--porcelain"), "")
				s.sound()
				return
			}
			refused(t, err, c.reason)
			equal(t, "log", s.git(s.main, "log", "--all", "--format=%s"), log)
			s.tidy()
		})
	}
}

// In a sparse checkout, what is outside stays outside.
func TestSparseCheckout(t *testing.T) {
	s := newStage(t)
	s.write(s.main+"/other/c.txt", "c\n")
	s.git(s.main, "add", ".")
	s.git(s.main, "commit", "-q", "-m", "third")
	s.git(s.wt, "sparse-checkout", "set", "dir")
	s.plan()
	s.lane(`echo x >>dir/b.txt; git commit -qam work; git merge -q -m merged main`)
	_, err := s.takeIn()
	s.must(err)
	equal(t, "status", s.git(s.wt, "status", "--porcelain"), "")
	if _, err := os.Stat(s.wt + "/other"); err == nil {
		t.Error("other/ was checked out")
	}
	equal(t, "skipped", s.git(s.wt, "ls-files", "-t", "other"), "S other/c.txt")
	s.sound()
}

// A large history below the base costs nothing, and one beside it is found.
func TestDescendsAcrossMerges(t *testing.T) {
	s := newStage(t)
	var in strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b.invalid> %d +0000\ndata 1\nx\n", 1_900_000_000+i)
		if i == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
	}
	s.write(s.root+"/import", in.String())
	s.must(shell(s, s.main, "git fast-import --quiet --force <../import"))
	s.plan()
	s.lane(`git merge -q --ff-only main; git commit -q --allow-empty -m work`)
	_, err := s.takeIn()
	s.must(err)
	equal(t, "log", s.git(s.wt, "rev-list", "--count", "HEAD"), "2003")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
