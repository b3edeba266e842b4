package gitdiscover

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lane/e2e/feature"
)

func discovered(t *testing.T, dir string, o Options) Repo {
	t.Helper()
	r, err := DiscoverWith(dir, o)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return r
}

func refusedAs(t *testing.T, dir string, o Options, c Class) *RefusedError {
	t.Helper()
	repo, err := DiscoverWith(dir, o)
	var r *RefusedError
	if !errors.As(err, &r) || r.Class != c {
		t.Fatalf("%s: %+v, %v, want %s", dir, repo, err, c)
	}
	return r
}

func TestRepoFields(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: linked})
	r := discovered(t, s.root+"/wt", Options{})
	want := Repo{
		Worktree: s.root + "/wt", GitDir: s.root + "/main/.git/worktrees/wt", CommonDir: s.root + "/main/.git",
		Linked: true, Branch: "wt", HeadRef: "refs/heads/wt", Pointer: s.root + "/wt/.git", PointerIsFile: true,
		Others: []string{s.root + "/main"}, ObjectFormat: "sha1", RefStorage: "files",
		IDs: map[string]FileID{},
	}
	for name, path := range map[string]string{"worktree": want.Worktree, "pointer": want.Pointer, "gitdir": want.GitDir, "commondir": want.CommonDir} {
		var st syscall.Stat_t
		s.must(syscall.Lstat(path, &st))
		want.IDs[name] = FileID{Dev: st.Dev, Ino: st.Ino}
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	r = discovered(t, s.root+"/main", Options{})
	if r.Linked || r.PointerIsFile || r.Branch != "main" || !slices.Equal(r.Others, []string{s.root + "/wt"}) {
		t.Errorf("main worktree: %+v", r)
	}
}

func TestBranch(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: mainRepo})
	for head, want := range map[string][2]string{
		"ref: refs/heads/a/b\n":  {"refs/heads/a/b", "a/b"},
		"ref: refs/heads/é":      {"refs/heads/é", "é"},
		"ref: refs/tags/x\n":     {"refs/tags/x", ""},
		"ref: refs/heads/../x":   {"", ""},
		"ref: refs/heads/a.lock": {"", ""},
		"ref: refs/heads/a\x1b":  {"", ""},
		strings.Repeat("a", 40):  {"", ""},
	} {
		s.write(s.root+"/main/.git/HEAD", head)
		r := discovered(t, s.root+"/main", Options{})
		if r.HeadRef != want[0] || r.Branch != want[1] {
			t.Errorf("%q: %q, %q", head, r.HeadRef, r.Branch)
		}
	}
}

func TestFormatFields(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: bareHub("{R}/wt")})
	if r := discovered(t, s.root+"/wt", Options{}); !r.Bare || len(r.Others) != 0 || r.WorktreeConfig {
		t.Errorf("a worktree of a bare repository: %+v", r)
	}
	s.git("init", "-q", "--object-format=sha256", s.root+"/sha")
	s.git("-C", s.root+"/sha", "sparse-checkout", "set", "x")
	if r := discovered(t, s.root+"/sha", Options{}); r.ObjectFormat != "sha256" || !r.WorktreeConfig || r.Bare {
		t.Errorf("a sparse sha256 repository: %+v", r)
	}
}

func TestSameNamesTheFirstDifference(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: linked})
	before := discovered(t, s.root+"/wt", Options{})
	differs := func(field string) {
		t.Helper()
		err := before.Same(discovered(t, s.root+"/wt", Options{}))
		var c *ChangedError
		if field == "" && err != nil || field != "" && (!errors.As(err, &c) || c.Field != field) {
			t.Errorf("%v, want a difference in %q", err, field)
		}
	}
	differs("")
	s.git("-C", s.root+"/main", "worktree", "add", "-q", s.root+"/elsewhere")
	differs("")
	s.git("-C", s.root+"/main", "worktree", "add", "-q", s.root+"/wt/below")
	differs("Others")
	s.git("-C", s.root+"/main", "worktree", "remove", "--force", s.root+"/wt/below")
	s.git("-C", s.root+"/wt", "checkout", "-q", "-b", "moved")
	differs("Branch")
	s.git("-C", s.root+"/wt", "checkout", "-q", "wt")
	// The same text in a new file: only the inode tells.
	s.write(s.root+"/wt/.git2", "gitdir: "+s.root+"/main/.git/worktrees/wt\n")
	s.must(os.Rename(s.root+"/wt/.git2", s.root+"/wt/.git"))
	differs("IDs[pointer]")
	s.write(s.root+"/main/.git/objects/info/alternates", s.root+"\n")
	differs("Alternates")
}

// TestSameKnowsEveryField fails when Repo grows a field that Same forgets.
func TestSameKnowsEveryField(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "repo.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	same, err := os.ReadFile("same.go")
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Repo" {
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					if !strings.Contains(string(same), "r."+name.Name) && name.Name != "Others" {
						t.Errorf("Same does not compare %s", name.Name)
					}
				}
			}
		}
		return true
	})
}

func TestClassesHaveEveryConstant(t *testing.T) {
	seen := map[Class]bool{}
	for _, i := range Classes() {
		if seen[i.Class] || i.Means == "" || i.Do == "" || strings.HasSuffix(i.Means, ".") || !strings.HasSuffix(i.Do, ".") {
			t.Errorf("row %+v", i)
		}
		seen[i.Class] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "classes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if v, ok := node.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				n++
				if c := Class(strings.Trim(lit.Value, `"`)); !seen[c] {
					t.Errorf("class %s has no row", c)
				}
			}
		}
		return true
	})
	if n != len(seen) {
		t.Errorf("%d constants, %d rows", n, len(seen))
	}
	used := map[Class]bool{}
	for _, l := range readLayouts(t) {
		used[l.Class] = true
	}
	for c := range seen {
		if !used[c] {
			t.Errorf("no layout is refused as %s", c)
		}
	}
}

func TestEnter(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: linked})
	s.must(os.Symlink("wt", s.root+"/link"))
	t.Chdir(s.root + "/wt")
	for _, dir := range []string{"", ".", "./", "../wt", "../link", "../main/../link/.", s.root + "/link", "//" + s.root + "//wt//"} {
		if r := discovered(t, dir, Options{}); r.Worktree != s.root+"/wt" {
			t.Errorf("%q: %q", dir, r.Worktree)
		}
	}
	for _, dir := range []string{"none", ".git", ".git/x", s.root + "/none/../wt", "\x00"} {
		refusedAs(t, dir, Options{}, CwdUnreadable)
	}
	refusedAs(t, "/proc/self/cwd", Options{}, UnstablePath)
	// $PWD is not believed.
	t.Setenv("PWD", s.root+"/main")
	if r := discovered(t, "", Options{}); r.Worktree != s.root+"/wt" {
		t.Errorf("with another PWD: %q", r.Worktree)
	}
}

// TestReftableStack reads HEAD of a linked worktree from its own tables, the
// newest first.
func TestReftableStack(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(linked, config(v1+"[extensions]\n\trefstorage = reftable\n"))})
	dir := s.root + "/main/.git/worktrees/wt/"
	s.write(dir+"HEAD", "ref: refs/heads/.invalid\n")
	read := func() string {
		t.Helper()
		r, err := Discover(s.root + "/wt")
		if err != nil || r.RefStorage != "reftable" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Branch
	}
	if b := read(); b != "" {
		t.Errorf("without tables: %q", b)
	}
	s.write(dir+"reftable/a.ref", string(reftable(1, 4096, refRecord{name: "HEAD", target: "refs/heads/old"})))
	s.write(dir+"reftable/b.ref", string(reftable(1, 4096, refRecord{name: "HEAD", target: "refs/heads/new"})))
	s.write(dir+"reftable/c.ref", string(reftable(1, 4096, refRecord{name: "refs/bisect/bad", objects: 1})))
	s.write(dir+"reftable/tables.list", "a.ref\nb.ref\nc.ref\n")
	if b := read(); b != "new" {
		t.Errorf("the newest table that has it: %q", b)
	}
	s.write(dir+"reftable/tables.list", "../../x\n")
	if b := read(); b != "" {
		t.Errorf("a table elsewhere: %q", b)
	}
}

// TestExchange swaps what a link on the way names while Discover runs: an
// answer must be of one repository, never of two.
func TestExchange(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: [][]string{{"repo", "a/main"}, {"repo", "b/main"}}})
	for _, r := range []string{"a", "b"} {
		s.git("-C", s.root+"/"+r+"/main", "worktree", "add", "-q", s.root+"/"+r+"/wt")
		s.write(s.root+"/"+r+"/main/.git/worktrees/wt/gitdir", s.root+"/wt/.git\n")
	}
	s.write(s.root+"/wt/.git", "gitdir: ../l/main/.git/worktrees/wt\n")
	s.must(os.Symlink("a", s.root+"/l"))
	stop := time.Now().Add(300 * time.Millisecond)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; time.Now().Before(stop); i++ {
			os.Remove(s.root + "/l2")
			os.Symlink([]string{"a", "b"}[i%2], s.root+"/l2")
			os.Rename(s.root+"/l2", s.root+"/l")
		}
	}()
	seen := map[string]int{}
	for time.Now().Before(stop) {
		r, err := Discover(s.root + "/wt")
		if err != nil {
			t.Errorf("refused: %v", err)
			break
		}
		if filepath.Dir(filepath.Dir(r.GitDir)) != r.CommonDir {
			t.Errorf("two repositories: %+v", r)
			break
		}
		seen[r.CommonDir]++
	}
	<-done
	t.Log(seen)
}

// TestSparseFiles: a file's size is not believed before it is bounded.
func TestSparseFiles(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: linked})
	largest := func(path string) {
		t.Helper()
		for size := int64(1<<63 - 1); ; size >>= 1 {
			if err := os.Truncate(path, size); err == nil {
				t.Logf("%s has %d bytes", path, size)
				return
			} else if size < 1<<32 {
				feature.Missing(t, "sparse files", err.Error())
			}
		}
	}
	largest(s.root + "/main/.git/worktrees/wt/HEAD")
	if r := discovered(t, s.root+"/wt", Options{}); r.Branch != "" && r.Branch != "wt" {
		t.Errorf("%+v", r)
	}
	for _, f := range []string{"main/.git/config", "main/.git/worktrees/wt/gitdir", "main/.git/worktrees/wt/commondir", "wt/.git"} {
		largest(s.root + "/" + f)
		refusedAs(t, s.root+"/wt", Options{}, TooLarge)
	}
}

// TestNothingStaysOpen counts descriptors over many answers of every kind.
func TestNothingStaysOpen(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(submodule, []string{"repo", "main"}, []string{"worktree"}, []string{"write", "{R}/x/.git", "gitdir: none\n"}, []string{"mkdir", "{R}/y/.git"})})
	count := func() int {
		l, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			feature.Missing(t, "procfs", err.Error())
		}
		return len(l)
	}
	before := count()
	for range 20 {
		for _, d := range []string{"wt", "main", "super/sub", "x", "y", "main/.git", "none", ""} {
			Discover(s.root + "/" + d)
		}
	}
	if after := count(); after > before+2 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func BenchmarkDiscover(b *testing.B) {
	s := newSite(b)
	s.build(layout{Build: linked})
	for _, n := range []int{1, 1000} {
		for i := range n {
			wt := fmt.Sprintf("%s/many/w%d", s.root, i)
			s.write(wt+"/.git", "x")
			s.write(fmt.Sprintf("%s/main/.git/worktrees/w%d/gitdir", s.root, i), wt+"/.git\n")
		}
		b.Run(fmt.Sprintf("worktrees=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Discover(s.root + "/wt"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
