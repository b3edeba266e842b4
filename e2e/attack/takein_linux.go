package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Commits that come back. Where a launcher gives the agent git, it brings the
// commits into the repository: what comes with them must be commits and
// nothing else. Each of these commits, so that something is brought in.

func init() { lazily(addTakein) }

func addTakein() {
	const claim = "with a commit comes nothing but a commit"
	list := []Attack{
		{ID: "takein-wiring", What: "commit agent settings and take them out of the worktree again", Try: func(Layout) error {
			return shell("mkdir .claude && echo '{\"hooks\":{}}' > .claude/settings.json && git add -f .claude && " + commit + " && rm -r .claude")
		}, Judge: func(f *Fixture) Finding { return f.branchHas("lane", ".claude/settings.json") }},
		{ID: "takein-gitlink", What: "commit a gitlink", Try: func(Layout) error {
			return shell("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),dep && " + commit)
		}, Judge: func(f *Fixture) Finding { return f.branchHas("lane", "160000 ") }},
		{ID: "takein-gitmodules", What: "commit a .gitmodules file", Try: func(Layout) error {
			return shell("git config -f .gitmodules submodule.dep.path dep && git config -f .gitmodules submodule.dep.url ext::true && git add -f .gitmodules && " + commit + " && rm .gitmodules")
		}, Judge: func(f *Fixture) Finding { return f.branchHas("lane", ".gitmodules") }},
		{ID: "takein-dotgit", What: "commit a tree with .git in it", Try: func(Layout) error {
			return shell(`blob=$(echo x | git hash-object -w --stdin) && sub=$(printf '100755 blob %s\tpost-checkout\n' $blob | git mktree) &&
tree=$(printf '040000 tree %s\t.git\n' $sub | git mktree) && git update-ref HEAD $(git -c user.name=a -c user.email=a@b commit-tree -p HEAD -m x $tree)`)
		}, Judge: func(f *Fixture) Finding { return f.branchHas("lane", ".git") }},
		{ID: "takein-other-ref", What: "move another branch and make tags, beside a commit", Try: func(Layout) error {
			return shell("echo x > c && git add c && " + commit + " && git update-ref refs/heads/main HEAD && git tag evil && git update-ref refs/heads/other HEAD")
		}},
		{ID: "takein-rewind", What: "replace the branch's history by one of its own", Try: func(Layout) error {
			return shell("git update-ref HEAD $(git -c user.name=a -c user.email=a@b commit-tree -m x HEAD^{tree})")
		}, Judge: func(f *Fixture) Finding {
			err := run(f.Repo, f.environ(), "git", "merge-base", "--is-ancestor", "main", "lane")
			return found(err != nil, "the branch has lost its history")
		}},
		{ID: "takein-config", What: "leave programs in the configuration and hooks that it commits with", Try: func(l Layout) error {
			return errors.Join(monitor(l), shell("echo x > c && git add c && "+commit+` && d=$(git rev-parse --git-common-dir) &&
for k in core.fsmonitor core.sshCommand core.editor; do git config $k "$PWD/.mon"; done; git config core.hooksPath "$PWD"; mkdir -p "$d/hooks"; cp .mon "$d/hooks/post-commit"; cp .mon post-commit`))
		}, Judge: func(f *Fixture) Finding { return f.userRuns(f.Worktree, "commit", "-q", "--allow-empty", "-m", "x") }},
		{ID: "takein-forged-object", What: "put other content under the name of an object that is shared", Try: func(Layout) error {
			return shell(`d=$(git rev-parse --git-path objects) && old=$(git rev-parse HEAD:main.go) && new=$(echo forged | git hash-object -w --stdin) &&
mkdir -p "$d/$(echo $old | cut -c1-2)" && rm -f "$d/$(echo $old | cut -c1-2)/$(echo $old | cut -c3-)" && cp "$d/$(echo $new | cut -c1-2)/$(echo $new | cut -c3-)" "$d/$(echo $old | cut -c1-2)/$(echo $old | cut -c3-)"; echo x > c && git add c && ` + commit)
		}, Judge: func(f *Fixture) Finding {
			if err := run(f.Repo, f.environ(), "git", "fsck", "--full", "--no-dangling"); err != nil {
				return through("the shared store is damaged: " + err.Error())
			}
			out, err := exec.Command("git", "-C", f.Repo, "show", "lane:main.go").Output()
			return found(err != nil || strings.Contains(string(out), "forged"), "main.go is a forged object")
		}},
		{ID: "takein-links", What: "turn the files that are brought in into links to secrets", Try: linkPrivateGit},
	}
	for i := range list {
		list[i].Claim, list[i].Commits = claim, true
	}
	register(list...)
}

const commit = "git -c user.name=a -c user.email=a@b commit -q -m x"

// branchHas says whether a branch outside has come to hold a path or mode.
func (f *Fixture) branchHas(branch, text string) Finding {
	out, err := exec.Command("git", "-C", f.Repo, "ls-tree", "-r", "-t", branch).Output()
	return found(err == nil && strings.Contains(string(out), text), fmt.Sprintf("the branch holds %q", text))
}

// linkPrivateGit commits and then replaces what a launcher will read. Without
// a git directory of its own it would replace the user's, which is through.
func linkPrivateGit(l Layout) error {
	if err := shell("echo x > c && git add c && " + commit); err != nil {
		return err
	}
	out, err := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir").Output()
	if err != nil {
		return err
	}
	secret := l.Home + "/.ssh/id_ed25519"
	var tries []error
	for _, dir := range strings.Fields(string(out)) {
		for _, name := range []string{"HEAD", "index", "packed-refs", "refs/heads/lane", "objects/info/alternates", "objects/pack", "logs/HEAD"} {
			path := filepath.Join(dir, name)
			_ = os.RemoveAll(path) // what is not there is made
			tries = append(tries, os.Symlink(secret, path))
		}
	}
	return anyOf(tries...)
}
