package gitdiscover

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOthers(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(linked,
		[]string{"git", "-C", "{R}/main", "worktree", "add", "-q", "{R}/wt/inner"},
		[]string{"git", "-C", "{R}/main", "worktree", "add", "-q", "{R}/gone"}, []string{"rm", "{R}/gone"},
		[]string{"git", "-C", "{R}/main", "worktree", "add", "-q", "{R}/emptied"}, []string{"rm", "{R}/emptied/.git"},
		[]string{"mkdir", "{R}/main/.git/worktrees/fifo"}, []string{"mkfifo", "{R}/main/.git/worktrees/fifo/gitdir"},
		[]string{"symlink", "{R}/main/.git/worktrees/link", "wt"},
		[]string{"write", "{R}/main/.git/worktrees/file", "x"},
		[]string{"write", "{R}/main/.git/worktrees/nul/gitdir", "{R}/main/.git\x00/.git\n"},
		[]string{"write", "{R}/main/.git/worktrees/proc/gitdir", "/proc/self/cwd/.git\n"},
		[]string{"fill", "{R}/main/.git/worktrees/huge/gitdir", "{R}/main/.git", "\n", "10000"},
		[]string{"write", "{R}/main/.git/worktrees/relative/gitdir", "../../../../rel/.git\n"}, []string{"write", "{R}/rel/.git", "x"})})
	r := discovered(t, s.root+"/wt", Options{})
	if d := cmp.Diff([]string{s.root + "/main", s.root + "/rel", s.root + "/wt/inner"}, r.Others); d != "" {
		t.Error(d)
	}
}

func TestListHasALimit(t *testing.T) {
	s := newSite(t)
	for _, n := range []string{"b", "a", "c"} {
		s.write(s.root+"/d/"+n, "")
	}
	f := &finder{identity: CurrentIdentity()}
	defer f.close()
	d, err := f.enter(s.root)
	s.must(err)
	if l, err := f.list(d, "d", 3); err != nil || !slices.Equal(l, []string{"a", "b", "c"}) {
		t.Errorf("%q, %v", l, err)
	}
	if l, err := f.list(d, "none", 3); err != nil || l != nil {
		t.Errorf("%q, %v", l, err)
	}
	var r *RefusedError
	if _, err := f.list(d, "d", 2); !errors.As(err, &r) || r.Class != TooLarge {
		t.Errorf("over the limit: %v", err)
	}
}

func TestOthersOfSubmodule(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(submodule, []string{"git", "-C", "{R}/super/sub", "worktree", "add", "-q", "{R}/wt"})})
	if r := discovered(t, s.root+"/wt", Options{}); !slices.Equal(r.Others, []string{s.root + "/super/sub"}) {
		t.Errorf("%q", r.Others)
	}
	if r := discovered(t, s.root+"/super/sub", Options{}); r.Linked || !r.PointerIsFile || !slices.Equal(r.Others, []string{s.root + "/wt"}) {
		t.Errorf("%+v", r)
	}
}

// TestAlternates asks git for the same list, which count-objects prints.
func TestAlternates(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: steps(mainRepo, []string{"repo", "a"}, []string{"repo", "b c"}, []string{"repo", "d"}, []string{"repo", "e"})})
	alternates := func(repo, text string) {
		s.write(s.root+"/"+repo+"/.git/objects/info/alternates", strings.ReplaceAll(text, "{R}", s.root))
	}
	alternates("main", "# a comment\n\n{R}/a/.git/objects\n../../../d/.git/objects/\n{R}/none\n{R}/a/.git/objects\n{R}/main/.git/objects\n")
	alternates("a", "\"{R}/b\\040c/.git/objects\"\n")
	alternates("b c", "{R}/a/.git/objects\n{R}/e/.git/objects")
	r := discovered(t, s.root+"/main", Options{})
	cmd := exec.Command("git", "-C", s.root+"/main", "count-objects", "-v")
	cmd.Env = s.gitEnv()
	out, err := cmd.Output()
	s.must(err)
	var want []string
	for line := range strings.Lines(string(out)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "alternate: "); ok {
			want = append(want, p)
		}
	}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(r.Alternates))
	if d := cmp.Diff(want, got); d != "" || len(got) != 4 {
		t.Errorf("git and Discover differ: %s", d)
	}
}

func TestAlternatesEnd(t *testing.T) {
	s := newSite(t)
	s.build(layout{Build: mainRepo})
	for i := range 10 { // a chain longer than git follows
		from := fmt.Sprintf("%s/o%d", s.root, i)
		if i == 0 {
			from = s.root + "/main/.git/objects"
		}
		s.write(from+"/info/alternates", fmt.Sprintf("%s/o%d\n", s.root, i+1))
	}
	if r := discovered(t, s.root+"/main", Options{}); len(r.Alternates) != maxNesting+1 {
		t.Errorf("%q", r.Alternates)
	}
	var many strings.Builder
	for i := range maxAlternates + 1 {
		s.must(os.Mkdir(fmt.Sprintf("%s/n%d", s.root, i), 0o700))
		fmt.Fprintf(&many, "%s/n%d\n", s.root, i)
	}
	s.write(s.root+"/main/.git/objects/info/alternates", many.String())
	refusedAs(t, s.root+"/main", Options{}, TooLarge)
}

func TestUnquoteC(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `"a\"b\\"`: `a"b\`, `"\303\251"`: "é", `"\t\n"`: "\t\n"} {
		if got, ok := unquoteC(in); !ok || got != want {
			t.Errorf("%s: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{`"a`, `"a"b`, `"\`, `"\4"`, `"\400"`, `"\18"`, `"\x41"`, `"`} {
		if got, ok := unquoteC(in); ok {
			t.Errorf("%s: %q", in, got)
		}
	}
}
