package owngit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// literally writes any object into the repository and asks git fsck --strict
// about it.
func (s *stage) literally(kind, data string) (hash, fsck string) {
	s.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--literally", "--stdin", "-t", kind)
	cmd.Dir, cmd.Env, cmd.Stdin = s.main, s.gitEnv(), strings.NewReader(data)
	out, err := cmd.Output()
	s.must(err)
	hash = strings.TrimSpace(string(out))
	fsck, _ = s.tryGit(s.main, "fsck", "--strict", "--no-progress", "--no-dangling", "--no-reflogs", hash)
	// Of this object only: others made here stay in the store.
	var mine []string
	for line := range strings.Lines(fsck) {
		if strings.Contains(line, hash) && !strings.HasPrefix(line, "dangling") {
			mine = append(mine, strings.TrimSpace(line))
		}
	}
	return hash, strings.Join(mine, "; ")
}

// Every tree that git fsck --strict objects to is refused, and none that git
// writes.
func TestTreesAgainstFsck(t *testing.T) {
	s := newStage(t)
	blob := plumbing.NewHash(s.git(s.main, "rev-parse", "HEAD:a.txt"))
	for _, name := range []string{
		"a", "git", ".gi", ".gitx", ".gitmodule", "git~10", "git~", "x.git", ".git.x", "a~1", "ü", "a\\b", "con", "a:b", "a ", "gitmod~x", ".gitattributes", "...", ". ", "\xff", strings.Repeat("n", 255),
		".git", ".GIT", ".gIt", "git~1", "GIT~1", ".git ", ".git.", ".git . .", ".git:stream", ".git::$INDEX_ALLOCATION", "a\\.git", "a\\git~1", ".g\u200cit", "\u200d.git", ".gi\ufeffT", ".git\\x", ".", "..", "a/b", "/a", "", "git~1.", "git~1:x",
	} {
		_, fsck := s.literally("tree", entryText("100644", name, blob))
		_, err := parseTree([]byte(entryText("100644", name, blob)), true)
		if bad := fsck != ""; bad && err == nil {
			t.Errorf("%+q passes; git says %s", name, fsck)
		} else if !bad && err != nil && !strings.Contains(name, "\\") {
			t.Errorf("%+q is refused (%v), and git has nothing against it", name, err)
		}
	}
	for _, name := range []string{".gitmodules", ".GITMODULES", ".gitmodules ", "gitmod~1", "GITMOD~4", "gi7eba~1", "gi7eb~10", ".gitmo\u200cdules", ".gitmodules:x"} {
		_, fsck := s.literally("tree", entryText("120000", name, blob))
		if _, err := parseTree([]byte(entryText("120000", name, blob)), true); err == nil {
			t.Errorf("a link %+q passes; git says %q", name, fsck)
		}
		if !looksLikeModules(name) {
			t.Errorf("%+q is not seen as .gitmodules", name)
		}
	}
	for _, name := range []string{"gitmod~5", "gitmodules", "gi7ebax~1", "gi7eba~0", ".gitmodulesx", "gitmod~1x"} {
		if looksLikeModules(name) {
			t.Errorf("%+q is taken for .gitmodules", name)
		}
	}
	e := func(mode, name string) string { return entryText(mode, name, blob) }
	for _, tree := range []string{
		e("100644", "a") + e("100644", "a"), e("100644", "b") + e("100644", "a"), e("100644", "a") + e("40000", "a"), e("40000", "a") + e("100644", "a.b"), e("100644", "a") + e("100644", "a.b") + e("40000", "a"),
		e("0100644", "a"), e("100600", "a"), e("0", "a"), e("777777", "a"), entryText("100644", "a", plumbing.ZeroHash),
	} {
		_, fsck := s.literally("tree", tree)
		if _, err := parseTree([]byte(tree), true); (fsck != "") != (err != nil) && err == nil {
			t.Errorf("%q passes; git says %q", tree, fsck)
		}
	}
}

func TestCommitsAgainstFsck(t *testing.T) {
	s := newStage(t)
	tree, parent := s.git(s.main, "rev-parse", "HEAD^{tree}"), s.git(s.main, "rev-parse", "HEAD")
	head := "tree " + tree + "\nparent " + parent + "\n"
	who := func(author string) string { return head + "author " + author + "\ncommitter " + someone + "\n\nm\n" }
	good, bad := 0, 0
	for _, c := range []string{
		who(someone), who("A B <> 0 +0000"), who(" <a> 0 +0000"), who("A <a> 12 -1200"), who("A <a> 12 +9999"), "tree " + tree + "\nauthor " + someone + "\ncommitter " + someone + "\n\nroot\n",
		head + "author " + someone + "\ncommitter " + someone + "\nencoding x\ngpgsig -----\n x\n\nm", head + "author " + someone + "\ncommitter " + someone + "\n", who(someone) + "\n\ntrailing",
		who("<a> 0 +0000"), who("A<a> 0 +0000"), who("A <a>0 +0000"), who("A <a> 00 +0000"), who("A <a> 0 0000"), who("A <a> 0 +000"), who("A <a> x +0000"), who("A <a> 0 +0000 "), who("A <a <b> 0 +0000"), who("A > <a> 0 +0000"),
		who("A a> 0 +0000"), who("A <a> 99999999999999999999 +0000"), who("A <a> 18446744073709551614 +0000"), who("A <a> -1 +0000"),
		head + "committer " + someone + "\n\nm\n", head + "author " + someone + "\n\nm\n", head + "author " + someone + "\nauthor " + someone + "\ncommitter " + someone + "\n\nm\n",
		"tree " + tree[:39] + "\n", "parent " + parent + "\n", "", "tree " + tree, head + "author " + someone + "\ncommitter " + someone + "\n\nm\x00m\n", head + "author " + someone + "\ncommitter " + someone + "\nx",
		"tree " + tree + "\nparent " + parent[:39] + "\nauthor " + someone + "\ncommitter " + someone + "\n\nm\n", head + "author " + someone + "\ncommitter " + someone + "\nheader\x00\n\nm\n",
	} {
		_, fsck := s.literally("commit", c)
		_, err := parseCommit([]byte(c))
		switch {
		case fsck != "" && err == nil:
			t.Errorf("%q passes; git says %s", c, fsck)
		case fsck == "" && err != nil:
			t.Errorf("%q is refused (%v), and git has nothing against it", c, err)
		case err == nil:
			good++
		default:
			bad++
		}
	}
	// git reads over the second blank; no git writes it.
	if _, err := parseCommit([]byte(who("A <a>  0 +0000"))); err == nil {
		t.Error("two blanks before a date pass")
	}
	t.Logf("%d good, %d bad", good, bad)
}

// packs makes a history whose packs hold every kind of entry.
func (s *stage) packs() {
	s.t.Helper()
	s.must(shell(s, s.main, `for i in $(seq 40); do seq $((i*37)) >big; seq 300 >>big; echo $i >small$((i%5)); git add .; git commit -qm c$i; done; git tag -a -m t heavy
		git repack -adfq --depth=50 --window=50; for i in $(seq 40 50); do seq $((i*37)) >big; git add .; git commit -qm c$i; done; git repack -dq; git -c repack.useDeltaBaseOffset=false repack -adfq; for i in 1 2; do echo l$i >l; git add .; git commit -qm l; done`))
}

func testMeter() *meter { return &meter{ctx: context.Background(), limits: DefaultLimits()} }

// Objects, found and read as git finds and reads them.
func TestStoreAgainstGit(t *testing.T) {
	s := newStage(t)
	s.packs()
	store, err := openStore([]string{s.main + "/.git/objects"}, testMeter())
	s.must(err)
	defer store.close()
	n := 0
	for line := range strings.Lines(s.git(s.main, "cat-file", "--batch-all-objects", "--batch-check")) {
		f := strings.Fields(line)
		h := plumbing.NewHash(f[0])
		kind, data, found, err := store.read(h)
		if err != nil || !found || kind.String() != f[1] || fmt.Sprint(len(data)) != f[2] || hashOf(kind, data) != h {
			t.Fatalf("%s: %s %d %v %v", line, kind, len(data), found, err)
		}
		if k, found, err := store.kind(h); k != kind || !found || err != nil {
			t.Fatalf("%s: kind %s %v %v", line, k, found, err)
		}
		n++
	}
	if _, found, err := store.kind(plumbing.NewHash(strings.Repeat("1", 40))); found || err != nil {
		t.Errorf("a missing object: %v %v", found, err)
	}
	// The user repacks, and adds, while the store is open.
	s.git(s.main, "repack", "-adq")
	s.git(s.main, "commit", "-q", "--allow-empty", "-m", "late")
	s.git(s.main, "repack", "-dq")
	if _, found, err := store.kind(plumbing.NewHash(s.git(s.main, "rev-parse", "HEAD"))); !found || err != nil {
		t.Errorf("after a repack: %v %v", found, err)
	}
	t.Logf("%d objects", n)
}

// A pack without its index, against git's own index of it.
func TestScanAgainstGit(t *testing.T) {
	s := newStage(t)
	s.packs()
	names, err := filepath.Glob(s.main + "/.git/objects/pack/*.pack")
	s.must(err)
	n, deltas := 0, 0
	for _, name := range names {
		f, err := os.Open(name)
		s.must(err)
		defer f.Close()
		st, err := f.Stat()
		s.must(err)
		found := map[plumbing.Hash]packedAt{}
		p := &pack{r: f, size: st.Size(), name: name, cache: newBaseCache()}
		p.byName = func(h plumbing.Hash) (int64, bool) { at, ok := found[h]; return at.off, ok }
		s.must(scanPack(p, testMeter(), func(h plumbing.Hash, at packedAt) { found[h] = at }, 0))
		for line := range strings.Lines(s.git(s.main, "verify-pack", "-v", name)) {
			f := strings.Fields(line)
			if len(f) < 5 || len(f[0]) != 40 {
				continue
			}
			at, ok := found[plumbing.NewHash(f[0])]
			if !ok || at.kind.String() != f[1] || fmt.Sprint(at.off) != f[4] {
				t.Errorf("%s: found %v %+v", strings.TrimSpace(line), ok, at)
			}
			delete(found, plumbing.NewHash(f[0]))
			n++
			if len(f) > 5 {
				deltas++
			}
		}
		if len(found) > 0 {
			t.Errorf("%d objects that git does not know", len(found))
		}
	}
	if deltas < 20 {
		t.Errorf("%d objects, %d deltas", n, deltas)
	}
}

// An index written here is what git reads, in each version.
func TestIndexAgainstGit(t *testing.T) {
	s := newStage(t)
	s.must(shell(s, s.wt, `mkdir -p x/y; echo 1 >x/y/z; ln -s z x/y/l; echo 1 >x/run; chmod +x x/run; for i in $(seq 20); do echo $i >x/file$i; done; long=$(printf 'n%.0s' $(seq 250)); mkdir -p $long/$long/$long; cd $long/$long/$long
		mkdir -p $long/$long/$long/$long/$long/$long/$long/$long/$long/$long/$long/$long; cd ..; cd ../..; git add .`))
	for _, version := range []string{"2", "3", "4"} {
		s.git(s.wt, "update-index", "--index-version", version)
		s.git(s.wt, "update-index", "--assume-unchanged", "x/run")
		if version != "2" {
			s.git(s.wt, "update-index", "--skip-worktree", "x/file1")
		}
		path := s.main + "/.git/worktrees/wt/index"
		data, err := os.ReadFile(path)
		s.must(err)
		x, err := decodeIndex(data)
		s.must(err)
		want := s.git(s.wt, "ls-files", "-s", "-v", "-t", "--debug")
		s.must(os.WriteFile(path, encodeIndex(x.version, x.entries), 0o644))
		equal(t, "version "+version, s.git(s.wt, "ls-files", "-s", "-v", "-t", "--debug"), want)
		equal(t, "status", s.git(s.wt, "status", "--porcelain", "-uno", "dir"), "")
		s.git(s.wt, "update-index", "--no-skip-worktree", "x/file1")
	}
}
