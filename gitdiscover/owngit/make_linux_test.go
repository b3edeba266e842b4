package owngit

import (
	"os"
	"strings"
	"testing"
)

// Everything a developer does with git works in the lane, and the shared git
// directory keeps every byte meanwhile.
func TestGitInTheLane(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"status is clean", `git status --porcelain`, ""},
		{"status names the branch", `git status -sb`, "## topic"},
		{"commit", `echo x >new; git add new; git commit -qm work; git log --format='%an %ae %s' -1; git status --porcelain`, "Some One some@example.invalid work"},
		{"commit -a sees a change", `echo x >>a.txt; git commit -qam work; git show --stat --format=%s | head -1`, "work"},
		{"amend", `echo x >new; git add -A; git commit -qm work; git commit -q --amend -m better; git log --format=%s`, "better\nsecond\nfirst"},
		{"branch", `git branch feat; git branch --format='%(refname:short)'`, "feat\nmain\ntopic"},
		{"switch -c", `git switch -qc feat; git commit -q --allow-empty -m on-feat; git switch -q topic; git log --format=%s feat -1`, "on-feat"},
		{"switch to a branch that is checked out elsewhere", `git switch -q main; git symbolic-ref HEAD`, "refs/heads/main"},
		{"stash", `echo x >>a.txt; git stash -q; git status --porcelain; git stash list | wc -l; git stash pop -q; git status --porcelain`, "1\n M a.txt"},
		{"rebase", `git switch -qc feat HEAD~1; echo f >f; git add f; git commit -qm f; git rebase -q topic; git log --format=%s`, "f\nsecond\nfirst"},
		{"merge", `git switch -qc feat HEAD~1; echo f >f; git add f; git commit -qm f; git switch -q topic; git merge -q -m merged feat; git log --format=%s -1; git log --format=%p -1 | wc -w`, "merged\n2"},
		{"cherry-pick", `git switch -qc feat HEAD~1; echo f >f; git add f; git commit -qm f; git switch -q topic; git cherry-pick feat >/dev/null; git log --format=%s`, "f\nsecond\nfirst"},
		{"reset", `echo x >new; git add new; git commit -qm work; git reset -q --hard HEAD~1; git log --format=%s -1; git status --porcelain; git log --format=%s ORIG_HEAD -1`, "second\nwork"},
		{"tag", `git tag light; git tag -a -m heavy heavy; git tag; git describe`, "heavy\nlight\nv1\nheavy"},
		{"describe from a copied tag", `git describe`, "v1"},
		{"log of every ref", `git log --all --format=%s`, "second\nfirst"},
		{"blame", `git blame -s a.txt | sed 's/^[^ ]* *//'`, "1) one\n2) more"},
		{"worktree list", `git worktree list --porcelain | grep -c ^worktree; git worktree list | grep -c topic`, "2\n1"},
		{"reflog", `git commit -q --allow-empty -m x; git reflog | wc -l; git rev-parse --verify -q HEAD@{1} >/dev/null`, "1"},
		{"fsck", `git commit -q --allow-empty -m x; git fsck --strict 2>&1 | grep -v ^Checking || true`, ""},
		{"gc", `git commit -q --allow-empty -m x; git gc -q; git log --format=%s -1; git fsck`, "x"},
		{"placeholders are not seen", `: >.mcp.json; mkdir .idea; : >.idea/x; git add -A; git status --porcelain`, ""},
		{"config is the lane's own", `git config user.name Other; git config core.fsmonitor /bin/false; git config user.name`, "Other"},
		{"hooks are off", `git rev-parse --git-path hooks | sed 's/.*state//'`, "/git/hooks"},
		{"rev-parse", `git rev-parse --show-toplevel | sed 's/.*wt/wt/'; git rev-parse --is-inside-work-tree; git rev-parse --is-bare-repository`, "wt\ntrue\nfalse"},
		{"worktree add", `git worktree add -q "$HOME/other" main; git -C "$HOME/other" log --format=%s -1`, "second"},
		{"clone of it", `git clone -q . "$HOME/clone"; git -C "$HOME/clone" log --format=%s -1`, "second"},
		{"restore", `rm a.txt; git restore a.txt; git status --porcelain`, ""},
		{"grep", `git grep -n more`, "a.txt:2:more"},
		{"bisect", `git bisect start -q HEAD HEAD~1 >/dev/null; git bisect reset 2>/dev/null; git status -sb`, "## topic"},
		{"notes", `git notes add -m n; git notes show`, "n"},
		{"archive", `git archive HEAD | tar t`, "a.txt\ndir/\ndir/b.txt"},
		{"detach", `git switch -q --detach; git commit -q --allow-empty -m d; git log --format=%s -1`, "d"},
		{"orphan", `git switch -q --orphan none; git commit -q --allow-empty -m o; git log --format=%s`, "o"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.write(s.main+"/.git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
			s.must(os.Chmod(s.main+"/.git/hooks/pre-commit", 0o755))
			s.plan()
			before := s.shared()
			equal(t, c.script, s.lane(c.script), c.want)
			s.unchanged(before)
			equal(t, "outside", s.git(s.wt, "rev-parse", "HEAD"), s.setup.Base)
		})
	}
}

// Repositories that are not made like the first one.
func TestMakeOf(t *testing.T) {
	for _, c := range []struct {
		name         string
		prepare      func(s *stage)
		script, want string
	}{
		{"an unborn branch", func(s *stage) { s.git(s.wt, "switch", "-q", "--orphan", "none") }, `git status -sb; git commit -q --allow-empty -m x; git log --format=%s`, "## No commits yet on none\nx"},
		{"a detached HEAD", func(s *stage) { s.git(s.wt, "switch", "-q", "--detach") }, `git status -sb; git log --format=%s -1`, "## HEAD (no branch)\nsecond"},
		{"packed refs", func(s *stage) { s.git(s.main, "pack-refs", "--all") }, `git describe; git branch --format='%(refname:short)'`, "v1\nmain\ntopic"},
		{"a loose ref newer than the packed one", func(s *stage) {
			s.git(s.main, "pack-refs", "--all")
			s.git(s.wt, "commit", "-q", "--allow-empty", "-m", "third")
		}, `git log --format=%s -1`, "third"},
		{"a symbolic remote head", func(s *stage) {
			s.git(s.main, "update-ref", "refs/remotes/origin/main", "HEAD")
			s.git(s.main, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
		}, `git rev-parse --abbrev-ref origin/HEAD; git branch -r`, "origin/main\n  origin/HEAD -> origin/main\n  origin/main"},
		{"an upstream", func(s *stage) {
			s.git(s.main, "remote", "add", "origin", "https://user:secret@host.invalid/x.git?token=secret")
			s.git(s.main, "update-ref", "refs/remotes/origin/topic", "HEAD~1")
			s.git(s.wt, "branch", "-q", "-u", "origin/topic")
		}, `git status -sb; git remote -v; grep -c secret "$(git rev-parse --git-common-dir)/config" || true`,
			"## topic...origin/topic [ahead 1]\norigin\thttps://host.invalid/x.git (fetch)\norigin\thttps://host.invalid/x.git (push)\n0"},
		{"the user's stash", func(s *stage) { s.write(s.wt+"/a.txt", "x\n"); s.git(s.wt, "stash", "-q") }, `git stash list`, ""},
		{"a shallow clone", func(s *stage) {
			s.git(s.root, "clone", "-q", "--depth", "1", "file://"+s.main, s.root+"/shallow")
			s.main = s.root + "/shallow"
			s.wt = s.root + "/wt2"
			s.git(s.main, "worktree", "add", "-q", "-b", "topic2", s.wt)
		}, `git log --format=%s; git fsck 2>&1 | grep -v ^Checking || true`, "second"},
		{"objects that are borrowed", func(s *stage) {
			s.git(s.root, "clone", "-q", "--shared", s.main, s.root+"/borrower")
			s.main = s.root + "/borrower"
			s.wt = s.root + "/wt2"
			s.git(s.main, "worktree", "add", "-q", "-b", "topic2", s.wt)
		}, `git log --format=%s; git commit -q --allow-empty -m x; git fsck 2>&1 | grep -v ^Checking || true`, "second\nfirst"},
		{"objects that are borrowed by a relative path", func(s *stage) {
			s.git(s.root, "clone", "-q", "--shared", s.main, s.root+"/borrower")
			s.write(s.root+"/borrower/.git/objects/info/alternates", "../../../main/.git/objects\n")
			s.main = s.root + "/borrower"
			s.wt = s.root + "/wt2"
			s.git(s.main, "worktree", "add", "-q", "-b", "topic2", s.wt)
		}, `git log --format=%s`, "second\nfirst"},
		{"a sparse checkout", func(s *stage) { s.git(s.wt, "sparse-checkout", "set", "dir") }, `ls; git status --porcelain; git sparse-checkout list; git sparse-checkout disable; ls`, "a.txt\ndir\ndir\na.txt\ndir"},
		{"a sparse checkout that leaves files out", func(s *stage) { s.git(s.wt, "sparse-checkout", "set", "--no-cone", "dir") }, `ls; git status --porcelain; git sparse-checkout list`, "dir\ndir"},
		{"line ends", func(s *stage) { s.git(s.main, "config", "core.autocrlf", "input") }, `printf 'x\r\n' >crlf; git add crlf 2>/dev/null; git show :crlf | od -An -c | tr -d ' '`, `x\n`},
		{"the user's own excludes", func(s *stage) {
			s.write(s.home+"/.config/git/ignore", "*.swp\n")
			s.write(s.main+"/.git/info/exclude", "scratch")
		}, `: >x.swp; : >scratch; : >.mcp.json; git status --porcelain`, ""},
		{"the user's own attributes", func(s *stage) {
			s.write(s.home+"/.config/git/attributes", "*.bin -diff\n")
			s.write(s.main+"/.git/info/attributes", "*.txt eol=crlf\n")
		}, `git check-attr diff x.bin; git check-attr eol x.txt`, "x.bin: diff: unset\nx.txt: eol: crlf"},
		{"an index of version 4", func(s *stage) { s.git(s.wt, "update-index", "--index-version", "4") }, `git status --porcelain; git ls-files`, "a.txt\ndir/b.txt"},
		{"a changed worktree", func(s *stage) { s.write(s.wt+"/a.txt", "x\n"); s.write(s.wt+"/u", "x\n"); s.git(s.wt, "add", "u") }, `git status --porcelain`, " M a.txt\nA  u"},
		{"a submodule", func(s *stage) {
			s.git(s.root, "init", "-q", s.root+"/lib")
			s.git(s.root+"/lib", "commit", "-q", "--allow-empty", "-m", "lib")
			s.git(s.wt, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.root+"/lib", "lib")
			s.git(s.wt, "commit", "-q", "-m", "sub")
		}, `git status --porcelain; git submodule status | cut -c1,42-46; git -C lib log --format=%s`, "  lib \nlib"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c.prepare(s)
			s.plan()
			before := s.shared()
			equal(t, c.script, s.lane(c.script), c.want)
			s.unchanged(before)
		})
	}
}

// In the lane no entry of the index looks changed, though its files have
// another owner there: git would read all of them for each status.
func TestOwnersAreWhatTheLaneSees(t *testing.T) {
	s := newStage(t)
	s.plan()
	if out := s.lane(`git diff-files --name-only; git update-index --refresh; git diff-files`); out != "" {
		t.Errorf("entries look changed: %s", out)
	}
}

func TestSurveyRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(s *stage)
		reason  Reason
	}{
		{"partial clone", func(s *stage) { s.git(s.main, "config", "remote.origin.promisor", "true") }, PartialClone},
		{"partial clone by extension", func(s *stage) { s.git(s.main, "config", "extensions.partialClone", "origin") }, PartialClone},
		{"main worktree", func(s *stage) { s.wt = s.main }, MainWorktree},
		{"merge", func(s *stage) { s.write(s.main+"/.git/worktrees/wt/MERGE_HEAD", "x") }, Unfinished},
		{"rebase", func(s *stage) { s.must(os.Mkdir(s.main+"/.git/worktrees/wt/rebase-merge", 0o755)) }, Unfinished},
		{"intent to add", func(s *stage) { s.write(s.wt+"/n", ""); s.git(s.wt, "add", "-N", "n") }, IndexUnsupported},
		{"split index", func(s *stage) { s.git(s.wt, "update-index", "--split-index") }, IndexUnsupported},
		{"sparse index", func(s *stage) { s.git(s.wt, "sparse-checkout", "set", "--sparse-index", "none") }, IndexUnsupported},
		{"conflicts", func(s *stage) {
			blob := s.git(s.wt, "rev-parse", "HEAD:a.txt")
			cmd := "printf '100644 " + blob + " 1\\tc\\n100644 " + blob + " 2\\tc\\n' | git update-index --index-info"
			s.must(shell(s, s.wt, cmd))
		}, IndexUnsupported},
		{"a branch that is another's name", func(s *stage) {
			s.git(s.main, "symbolic-ref", "refs/heads/alias", "refs/heads/topic")
			s.git(s.wt, "symbolic-ref", "HEAD", "refs/heads/alias")
		}, BranchSymbolic},
		{"config that includes itself", func(s *stage) { s.write(s.home+"/.gitconfig", "[include]\n\tpath = .gitconfig\n") }, BadConfig},
		{"config that does not parse", func(s *stage) { s.write(s.home+"/.gitconfig", "[bad") }, BadConfig},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c.prepare(s)
			f := Survey(s.discover(), s.places())
			if f.Refused == nil || f.Refused.Reason != c.reason {
				t.Fatalf("refused: %v, want %s", f.Refused, c.reason)
			}
			if _, err := Plan(s.discover(), Inputs{Facts: f}); err == nil {
				t.Error("planned all the same")
			}
		})
	}
}

// What the survey knows must be refused when another git makes it; this host's
// git makes neither.
func TestSurveyRefusesFormats(t *testing.T) {
	s := newStage(t)
	repo := s.discover()
	repo.RefStorage = "reftable"
	if f := Survey(repo, s.places()); f.Refused == nil || f.Refused.Reason != Reftable {
		t.Errorf("reftable: %v", f.Refused)
	}
	repo.RefStorage, repo.ObjectFormat = "files", "sha256"
	if f := Survey(repo, s.places()); f.Refused == nil || f.Refused.Reason != SHA256 {
		t.Errorf("sha256: %v", f.Refused)
	}
}

// A branch that moves between plan and start refuses: the copy would not be
// what the plan says.
func TestMakeSeesAMovedBranch(t *testing.T) {
	s := newStage(t)
	repo := s.discover()
	setup, err := Plan(repo, Inputs{Facts: Survey(repo, s.places())})
	s.must(err)
	s.git(s.wt, "commit", "-q", "--allow-empty", "-m", "late")
	refused(t, setup.Make(s.dir), Changed)
	s.git(s.wt, "switch", "-q", "--detach", setup.Base)
	refused(t, setup.Make(s.dir), Changed)
	s.git(s.wt, "switch", "-q", "topic")
	s.git(s.wt, "reset", "-q", "--hard", setup.Base)
	s.must(setup.Make(s.dir))
}

func TestNotes(t *testing.T) {
	s := newStage(t)
	s.write(s.home+"/.gitconfig", "[commit]\n\tgpgSign\n[user]\n\tname = x\n")
	s.write(s.main+"/.git/hooks/pre-push", "#!/bin/sh\n")
	s.must(os.Chmod(s.main+"/.git/hooks/pre-push", 0o755))
	s.write(s.wt+"/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	s.git(s.wt, "add", ".gitattributes")
	repo := s.discover()
	setup, err := Plan(repo, Inputs{Facts: Survey(repo, s.places())})
	s.must(err)
	var words []string
	for _, n := range setup.Notes {
		words = append(words, n.Word)
	}
	equal(t, "notes", strings.Join(words, " "), "no-identity unsigned hooks filters")
}
