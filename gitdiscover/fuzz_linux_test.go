package gitdiscover

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// linkedSite is a repository with one linked worktree, for a fuzz target to
// rewrite one file of, again and again.
func linkedSite(f *testing.F) *site {
	s := newSite(f)
	s.build(layout{Build: linked})
	s.write(s.root+"/wt/.keep", "")
	return s
}

// agree holds the one property that must never break: what Discover accepts,
// git opens at the same three places. It returns both answers.
func (s *site) agree(t *testing.T, dir string) (Repo, gitSays, error) {
	t.Helper()
	repo, err := discoverInTime(t, dir)
	says := s.askGit(dir)
	var r *RefusedError
	switch {
	case err == nil && !says.ok:
		t.Fatalf("accepted as %+v; git: %s", repo, says.text)
	case err == nil:
		s.samePaths("Discover", gitSays{worktree: repo.Worktree, gitDir: repo.GitDir, commonDir: repo.CommonDir}, says)
	case !errors.As(err, &r):
		t.Fatalf("an error that is no refusal: %v", err)
	default:
		infoOf(r.Class)
		if strings.ContainsFunc(r.Detail+r.Hint+r.Error(), isControl) {
			t.Fatalf("a refusal with a control character: %q", r.Error())
		}
	}
	return repo, says, err
}

// ours are the classes that stand for "git would go on": a refusal of another
// class must be git's too.
func ours(c Class) bool { return infoOf(c).GitGoesOn }

func FuzzPointer(f *testing.F) {
	s := linkedSite(f)
	for _, text := range []string{
		"", "gitdir: ", "gitdir: \n", "gitdir: {R}/main/.git/worktrees/wt\n", "gitdir: ../main/.git/worktrees/wt\r\n",
		"gitdir: ..//main/./.git/../.git/worktrees/wt/", "gitdir: ../main/.git\n", "gitdir: ../main/.git/worktrees/wt\x00", "GITDIR: x", "\ngitdir: x",
		"gitdir: /proc/self/cwd/../main/.git/worktrees/wt\n", "gitdir: /dev/fd/0\n", "gitdir: /dev/null", "gitdir: .git", "gitdir: " + strings.Repeat("./", 2040) + "x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s.t = t
		text := strings.ReplaceAll(string(data), "{R}", s.root)
		s.must(os.WriteFile(s.root+"/wt/.git", []byte(text), 0o644))
		_, says, err := s.agree(t, s.root+"/wt")
		var r *RefusedError
		if errors.As(err, &r) && says.ok && !ours(r.Class) {
			t.Fatalf("refused: %v; git accepts: %s", r, says.text)
		}
	})
}

func FuzzCommonDir(f *testing.F) {
	s := linkedSite(f)
	for _, text := range []string{
		"", "\n", "../..", "../..\r\n", "../../\n", "../../\x00x\n", "..", ".", "/", "{R}/main/.git", "{R}/none", "{R}/none/x", "../../HEAD", "../../HEAD/x", "../..\nx\n", "../../../.git//", "/proc/self/cwd/../main/.git",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s.t = t
		text := strings.ReplaceAll(string(data), "{R}", s.root)
		s.must(os.WriteFile(s.root+"/main/.git/worktrees/wt/commondir", []byte(text), 0o644))
		_, says, err := s.agree(t, s.root+"/wt")
		var r *RefusedError
		if errors.As(err, &r) && says.ok && !ours(r.Class) {
			t.Fatalf("refused: %v; git accepts: %s", r, says.text)
		}
	})
}

// FuzzHead wants more than agreement: of HEAD, what git opens is opened, and
// the branch is git's.
func FuzzHead(f *testing.F) {
	s := newSite(f)
	s.build(layout{Build: mainRepo})
	for _, text := range []string{
		"", "ref: refs/heads/main\n", "ref:refs/heads/main", "ref: \t\r\nrefs/heads/a/b  \n\n", "ref: refs/", "ref: refs/heads/../x", "ref: refs/heads/a b", "ref: refs/heads/x.lock", "ref: refs/heads/@{x", "ref: refs/heads/@",
		"ref: refs/heads/.a", "ref: refs/heads/a.", "ref: refs/heads//a", "ref: refs/heads/a/", "ref: refs/tags/x", "ref: refs/x", "ref: heads/x", "ref: refs/heads/é\n", "ref: refs/heads/\xff\n", "ref: refs/heads/a\x7f", "ref: refs/heads/main\x00x",
		strings.Repeat("a", 40), strings.Repeat("A", 64), strings.Repeat("a", 39), strings.Repeat("a", 41), "ref:" + strings.Repeat(" ", 246) + "refs/heads/main", "REF: refs/heads/main",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s.t = t
		s.must(os.WriteFile(s.root+"/main/.git/HEAD", data, 0o644))
		repo, says, err := s.agree(t, s.root+"/main")
		if (err == nil) != says.ok {
			t.Fatalf("%v; git: %s", err, says.text)
		}
		if err != nil || len(data) > maxHead || slices.Contains(data, 0) {
			return // git's discovery and its ref code read these differently
		}
		cmd := exec.Command("git", "-C", s.root+"/main", "symbolic-ref", "-q", "HEAD")
		cmd.Env = s.gitEnv()
		out, err := cmd.Output()
		if want := strings.TrimSuffix(string(out), "\n"); err == nil && repo.HeadRef != want {
			t.Fatalf("HEAD names %q, git: %q", repo.HeadRef, want)
		} else if err != nil && repo.HeadRef != "" {
			t.Fatalf("HEAD names %q, git: %v", repo.HeadRef, err)
		}
	})
}

// FuzzReftable has no oracle here; it must end, and give a ref name or none.
func FuzzReftable(f *testing.F) {
	f.Add(reftable(1, 4096, refRecord{name: "HEAD", target: "refs/heads/main"}))
	f.Add(reftable(2, 0, refRecord{name: "AUTO_MERGE", objects: 1}, refRecord{name: "HEAD", objects: 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if target, found, ok := tableHead(data); found && !ok || target != "" && !found {
			t.Fatalf("%q, %v, %v", target, found, ok)
		}
	})
}
