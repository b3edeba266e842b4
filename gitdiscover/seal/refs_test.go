package seal

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/e2e/feature"
	"lane/gitdiscover"
)

// moves says what a report tells about refs, a line each.
func refLines(r Report) []string {
	var l []string
	for _, c := range r.Reported {
		if c.Kind == Ref {
			l = append(l, fmt.Sprintf("%s %.12s %.12s", string(c.Name), c.Before, c.After))
		}
	}
	slices.Sort(l)
	return l
}

func (s *scene) sameRefLines(r Report, want ...string) {
	s.t.Helper()
	s.quiet(r)
	if got := refLines(r); !slices.Equal(got, want) {
		s.t.Errorf("refs:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// refSteps is what happens to refs, few or many; packing them moves none.
func (s *scene) refSteps(one, two string) {
	s.git("main", "update-ref", "refs/heads/moved", two)
	s.git("main", "update-ref", "refs/heads/new", one)
	s.git("main", "update-ref", "-d", "refs/heads/gone")
	s.git("main", "update-ref", "refs/remotes/origin/packed", two)
	s.git("main", "symbolic-ref", "refs/heads/sym", "refs/heads/main")
}

func (s *scene) refStart() (one, two string) {
	one = s.git("main", "rev-parse", "HEAD")
	two = s.git("main", "commit-tree", "-p", one, "-m", "two", one+"^{tree}")
	for _, r := range []string{"refs/heads/moved", "refs/heads/gone", "refs/heads/still"} {
		s.git("main", "update-ref", r, one)
	}
	s.git("main", "update-ref", "refs/remotes/origin/packed", one)
	s.git("main", "update-ref", "refs/remotes/origin/packed2", one)
	s.git("main", "pack-refs", "--all")
	for _, r := range []string{"refs/heads/moved", "refs/heads/gone", "refs/heads/still"} {
		s.git("main", "update-ref", r, two)
		s.git("main", "update-ref", r, one)
	}
	return one, two
}

func TestRefsThatMove(t *testing.T) {
	s := newScene(t)
	one, two := s.refStart()
	r := s.after(func() { s.refSteps(one, two) })
	s.sameRefLines(r, "refs/heads/gone "+one[:12]+" absent", "refs/heads/moved "+one[:12]+" "+two[:12], "refs/heads/new absent "+one[:12],
		"refs/heads/sym absent ref: refs/he", "refs/remotes/origin/packed "+one[:12]+" "+two[:12])
	s.sameRefLines(s.after(func() { s.git("main", "pack-refs", "--all") }))
	s.sameRefLines(s.after(func() { s.git("main", "gc", "-q") }))
}

// With more loose refs than are read, those that moved are still named; what
// they were before is not known.
func TestManyRefsThatMove(t *testing.T) {
	s := newScene(t)
	one, two := s.refStart()
	s.large(maxValues+500, 0)
	s.git("main", "update-ref", "refs/heads/gone", two)
	s.git("main", "update-ref", "refs/heads/gone", one)
	time.Sleep(1100 * time.Millisecond) // the directories are settled, as in any repository that was not just made
	r := s.after(func() { s.refSteps(one, two) })
	unread := "another valu"
	s.sameRefLines(r, "refs/heads/gone "+unread+" absent", "refs/heads/moved "+unread+" "+two[:12], "refs/heads/new absent "+one[:12],
		"refs/heads/sym absent ref: refs/he", "refs/remotes/origin/packed "+one[:12]+" "+two[:12])
	time.Sleep(50 * time.Millisecond) // what was written within a tick of the seal would count as after it
	// All go into packed-refs: the values before are not known, but they did
	// not move since none was written.
	s.sameRefLines(s.after(func() { s.git("main", "pack-refs", "--all") }))
	r = s.after(func() { s.large(2*maxValues, 0) }) // few before, many after
	if n := len(refLines(r)); n != maxValues-500 && r.Incomplete == nil {
		t.Errorf("%d refs reported", n)
	}
	s.write("main/.git/refs/heads/lane", two+"\n")
	if got := s.brief(s.after(func() { s.write("main/.git/refs/heads/lane", one+"\n") }).Tripped); len(got) != 1 {
		t.Errorf("the own branch is not read exactly: %q", got)
	}
}

func TestRefsOfTheWorktree(t *testing.T) {
	s := newScene(t)
	one := s.git("main", "rev-parse", "HEAD")
	r := s.after(func() { s.git("lane", "update-ref", "refs/worktree/x", one) })
	s.sameRefLines(r, "refs/worktree/x absent "+one[:12])
	if p := string(r.Reported[0].Path); p != s.common("worktrees/lane/refs/worktree/x") {
		t.Errorf("path %s", p)
	}
}

func TestRefsThatAreNoFiles(t *testing.T) {
	s := newScene(t)
	r := s.after(func() {
		s.must(syscall.Mkfifo(s.common("refs/heads/fifo"), 0o644))
		s.must(os.Symlink("/etc/passwd", s.common("refs/heads/link")))
		s.write("main/.git/refs/heads/long", strings.Repeat("x", 2*maxRefFile))
		s.write("main/.git/refs/heads/half.lock", "")
		s.write("main/.git/refs/heads/\x1b[31m", "x")
		s.must(os.MkdirAll(s.common("refs/heads"+strings.Repeat("/d", 100)), 0o755))
	})
	if len(r.Tripped) != 0 || len(r.Incomplete) != 1 {
		t.Errorf("tripped %v, incomplete %q", r.Tripped, r.Incomplete)
	}
	s.brief(r.Reported)
	want := []string{"refs/heads/\x1b[31m absent x", "refs/heads/fifo absent a FIFO, sock", "refs/heads/link absent link: /etc/p", "refs/heads/long absent 8192 bytes, "}
	if got := refLines(r); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPackedLookup(t *testing.T) {
	p := packedRefs{data: []byte("# pack-refs with: peeled\n1111 refs/heads/a\n2222 refs/heads/ab\n^3333\n4444 refs/tags/a\n")}
	for name, want := range map[string]string{"refs/heads/a": "1111", "refs/heads/ab": "2222", "refs/tags/a": "4444", "refs/heads": "", "heads/a": "", "a": "", "refs/heads/abc": ""} {
		if got := p.lookup(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if all := p.all(); len(all) != 3 || all["refs/tags/a"] != "4444" {
		t.Errorf("%v", all)
	}
}

// A branch that is packed while the seal is being taken did not move.
func TestBranchPackedMeanwhile(t *testing.T) {
	s := newScene(t)
	want := s.git("main", "rev-parse", "lane")
	d, err := openFolder(s.repo.CommonDir, true)
	s.must(err)
	defer d.close()
	r := takeRefs(d, nil)
	s.git("main", "pack-refs", "--all", "--prune")
	if got, fault := r.branchValue(d, "refs/heads/lane"); got != want || fault != "" {
		t.Errorf("%q %q, want %q", got, fault, want)
	}
	if l := diffRefs(r, takeRefs(d, &r)); l != nil {
		t.Errorf("%v", l)
	}
}

// tableOf writes a reftable with one block of refs, as git's format document
// says: no compression of names, one restart.
func tableOf(idLen int, records ...[]byte) []byte {
	version, header := byte(1), 24
	if idLen == 32 {
		version, header = 2, 28
	}
	table := make([]byte, header)
	copy(table, "REFT")
	table[4] = version
	if version == 2 {
		copy(table[24:], "s256")
	}
	block := []byte{'r', 0, 0, 0}
	for _, r := range records {
		block = append(block, r...)
	}
	block = append(block, 0, 0, byte(header+4), 0, 1)
	binary.BigEndian.PutUint32(table[4:8], uint32(version)<<24) // block size 0: not aligned
	n := header + len(block)
	block[1], block[2], block[3] = byte(n>>16), byte(n>>8), byte(n)
	return append(table, block...)
}

func record(name string, kind byte, value ...byte) []byte {
	r := []byte{0}
	suffix := uint64(len(name))<<3 | uint64(kind)
	if suffix >= 0x80 {
		r = append(r, 0x80|byte(suffix>>7-1), byte(suffix&0x7f))
	} else {
		r = append(r, byte(suffix))
	}
	return append(append(append(r, name...), 0), value...)
}

func id(t testing.TB, digit string, n int) []byte {
	b, err := hex.DecodeString(strings.Repeat(digit, 2*n))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func symref(name, target string) []byte {
	return record(name, 3, append([]byte{byte(len(target))}, target...)...)
}

func TestReadTable(t *testing.T) {
	for _, n := range []int{20, 32} {
		refs := map[string]string{}
		if err := readTable(tableOf(n, symref("HEAD", "refs/heads/a"), record("refs/heads/a", 1, id(t, "1", n)...), record("refs/heads/b", 1, id(t, "2", n)...),
			record("refs/tags/t", 2, slices.Concat(id(t, "3", n), id(t, "4", n))...)), refs); err != nil {
			t.Fatal(err)
		}
		if err := readTable(tableOf(n, record("refs/heads/b", 0), record("refs/heads/c", 1, id(t, "5", n)...)), refs); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"HEAD": "ref: refs/heads/a", "refs/heads/a": strings.Repeat("1", 2*n), "refs/heads/c": strings.Repeat("5", 2*n), "refs/tags/t": strings.Repeat("3", 2*n)}
		if fmt.Sprint(refs) != fmt.Sprint(want) {
			t.Errorf("%d: %v, want %v", n, refs, want)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add(tableOf(20, symref("HEAD", "refs/heads/a"), record("refs/heads/a", 1, id(f, "1", 20)...)))
	f.Add(tableOf(32, record("refs/heads/a", 2, id(f, "1", 64)...)))
	f.Fuzz(func(t *testing.T, table []byte) {
		done := make(chan struct{})
		go func() { readTable(table, map[string]string{}); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatal("hangs")
		}
	})
}

// reftables turns the scene into a repository with reftables, by hand: the
// installed git may be too old to.
func (s *scene) reftables() {
	id1 := id(s.t, "1", 20)
	s.write("main/.git/config", "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\trefstorage = reftable\n")
	s.must(os.RemoveAll(s.common("refs")))
	s.write("main/.git/refs/heads", "this repository uses the reftable format\n")
	s.write("main/.git/HEAD", "ref: refs/heads/.invalid\n")
	s.write("main/.git/worktrees/lane/HEAD", "ref: refs/heads/.invalid\n")
	s.stack("main/.git", tableOf(20, symref("HEAD", "refs/heads/main"), record("refs/heads/lane", 1, id1...), record("refs/heads/main", 1, id1...)))
	s.stack("main/.git/worktrees/lane", tableOf(20, symref("HEAD", "refs/heads/lane")))
	s.repo = s.discover(s.lane)
	if s.repo.HeadRef != "refs/heads/lane" || s.repo.RefStorage != "reftable" {
		s.t.Fatalf("%+v", s.repo)
	}
}

// stack adds a table to a stack, as git does: the table, then the list anew.
func (s *scene) stack(dir string, table []byte) {
	list, _ := os.ReadFile(s.path(dir + "/reftable/tables.list"))
	name := fmt.Sprintf("0x%012x.ref", len(list))
	s.write(dir+"/reftable/"+name, string(table))
	s.write(dir+"/reftable/new", string(list)+name+"\n")
	s.must(os.Rename(s.path(dir+"/reftable/new"), s.path(dir+"/reftable/tables.list")))
}

func TestReftables(t *testing.T) {
	s := newScene(t)
	s.reftables()
	two := id(t, "2", 20)
	s.sameRefLines(s.after(func() {}))
	r := s.after(func() {
		s.stack("main/.git", tableOf(20, record("refs/heads/main", 1, two...), record("refs/heads/new", 1, two...)))
	})
	s.sameRefLines(r, "refs/heads/main 111111111111 222222222222", "refs/heads/new absent 222222222222")
	r = s.after(func() { s.stack("main/.git", tableOf(20, symref("HEAD", "refs/heads/new"))) })
	s.quiet(r)
	r = s.after(func() { s.stack("main/.git", tableOf(20, record("refs/heads/lane", 1, two...))) })
	if got := s.brief(r.Tripped); !slices.Equal(got, []string{"own-branch main/.git/refs/heads/lane refs/heads/lane"}) {
		t.Errorf("own branch: %q", got)
	}
	r = s.after(func() { s.stack("main/.git/worktrees/lane", tableOf(20, symref("HEAD", "refs/heads/main"))) })
	if got := s.brief(r.Tripped); !slices.Equal(got, []string{"head main/.git/worktrees/lane/HEAD worktrees/lane/HEAD"}) {
		t.Errorf("head: %q", got)
	}
	r = s.after(func() { s.stack("main/.git", []byte("REFT\x09")) })
	if got := s.brief(r.Tripped); !slices.Contains(got, "unreadable main/.git/reftable") {
		t.Errorf("broken: %q", got)
	}
}

// TestUnsealable is the other end: what cannot be looked at before the start
// is an error that names it.
func TestUnsealable(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *scene)
		path string
	}{
		"a hook too many": {func(s *scene) {
			for i := range maxTreeEntries {
				s.must(os.WriteFile(s.common(fmt.Sprintf("hooks/h%d", i)), nil, 0o644))
			}
		}, "main/.git/hooks"},
		"hooks too deep": {func(s *scene) { s.must(os.MkdirAll(s.common("hooks"+strings.Repeat("/d", 20)), 0o755)) }, "main/.git/hooks"},
		"an own branch that cannot be read": {func(s *scene) {
			s.git("main", "pack-refs", "--all")
			s.must(os.Truncate(s.common("packed-refs"), maxPacked+1))
		}, "main/.git/packed-refs"},
		"a config that grew": {func(s *scene) {
			s.write("main/.git/config", s.read("main/.git/config")+strings.Repeat("#\n", maxHashed))
		}, "main/.git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			c.do(s)
			_, err := Take(s.repo, s.opt)
			u, ok := err.(*UnsealableError)
			if !ok || u.Path != s.path(c.path) || u.Detail == "" {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Take(gitdiscover.Repo{Worktree: "/nowhere", GitDir: "/nowhere/.git", CommonDir: "/nowhere/.git"}, Options{}); err == nil {
		t.Error("nothing is sealed without an error")
	}
}

func TestUnreadableAsUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("no mode stops root; TestAsUser runs this")
	}
	s := newScene(t)
	s.write("main/.git/hooks/pre-push", "x\n")
	r := s.after(func() { s.must(os.Chmod(s.common("hooks/pre-push"), 0)) })
	if got := s.brief(r.Tripped); !slices.Equal(got, []string{"unreadable main/.git/hooks/pre-push"}) {
		t.Errorf("%q", got)
	}
	if _, err := Take(s.repo, s.opt); err == nil || !strings.Contains(err.Error(), filepath.Base("pre-push")) {
		t.Errorf("%v", err)
	}
	s.must(os.Chmod(s.common("hooks/pre-push"), 0o644))
	s.git("main", "fetch", "-q", ".")
	s.git("main", "worktree", "add", "-q", "--detach", s.path("other"))
	r = s.after(func() { // others' affairs
		s.must(os.Chmod(s.common("worktrees"), 0o311))
		s.must(os.Chmod(s.common("FETCH_HEAD"), 0))
		s.must(os.Chmod(s.common("HEAD"), 0))
	})
	s.must(os.Chmod(s.common("worktrees"), 0o755))
	if len(r.Tripped) != 0 || len(r.Incomplete) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestReftablesOfGit reads the tables of a git that can write them.
func TestReftablesOfGit(t *testing.T) {
	s := newScene(t)
	if out, err := s.tryGit(".", "init", "-q", "-b", "main", "--ref-format=reftable", "rt"); err != nil {
		feature.Missing(t, "reftable", out)
	}
	s.main = s.path("rt")
	s.write("rt/a.txt", "a\n")
	s.git("rt", "add", ".")
	s.git("rt", "commit", "-qm", "first")
	s.git("rt", "worktree", "add", "-q", "-b", "w", s.path("rtw"))
	s.lane = s.path("rtw")
	s.repo = s.discover(s.lane)
	for i := range 300 { // enough for several blocks and a compaction
		s.git("rt", "update-ref", fmt.Sprintf("refs/heads/team/branch-%03d", i), "HEAD")
	}
	s.git("rt", "tag", "-a", "-m", "t", "v1")
	s.git("rt", "branch", "-D", "team/branch-007")
	s.git("rt", "pack-refs")
	s.git("rt", "update-ref", "refs/heads/late", "HEAD")

	before := s.take()
	want := map[string]string{"HEAD": "ref: refs/heads/main"}
	for line := range strings.Lines(s.git("rt", "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = id
	}
	if got := before.refs.tables.values; !maps.Equal(got, want) {
		t.Errorf("%d refs, want %d", len(got), len(want))
	}
	if before.head != "ref: refs/heads/w" || before.branch != s.git("rtw", "rev-parse", "HEAD") {
		t.Errorf("head %q, branch %q", before.head, before.branch)
	}
	s.git("rt", "commit", "-q", "--allow-empty", "-m", "elsewhere")
	s.git("rt", "gc", "-q")
	s.quiet(s.compare(before))
	tip := s.commit("rtw", "here")
	r := s.compare(before)
	if got := s.brief(r.Tripped); !slices.Contains(got, "own-branch rt/.git/refs/heads/w refs/heads/w") {
		t.Errorf("%q", got)
	}
	if l := ReadLedger(t.Context(), before, r.After, LedgerOptions{}); l.Missing != nil || !slices.Equal(ids(l.Commits), []string{tip}) {
		t.Errorf("%+v", l)
	}
}
