package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The shared git directory: what steers the git that the user runs next.

func init() { lazily(addGit) }

func addGit() {
	const hooks = "no hook can be put into the shared repository"
	const pointers = "what tells git where things are stays as it was"
	hook := func(f *Fixture) Finding { return f.planted(f.Common + "/hooks/post-checkout") }
	status := func(f *Fixture) Finding { return f.userRuns(f.Worktree, "status") }
	register(
		Attack{ID: "hook-literal", Claim: hooks, What: "write into .git/hooks by its absolute path", Try: func(l Layout) error {
			return os.WriteFile(l.Common+"/hooks/post-checkout", l.payload(), 0o755)
		}, Judge: hook},
		Attack{ID: "hook-symlink", Claim: hooks, What: "write into .git/hooks through a link in the worktree", Try: func(l Layout) error {
			if err := os.Symlink(l.Common+"/hooks", "h"); err != nil {
				return err
			}
			return os.WriteFile("h/post-checkout", l.payload(), 0o755)
		}, Judge: hook},
		Attack{ID: "hook-proc", Claim: hooks, What: "write into .git/hooks through /proc/PID/cwd and /proc/PID/root", Try: hookByProc, Judge: hook},
		Attack{ID: "hook-openat2", Claim: hooks, What: "write into .git/hooks with openat2", Try: func(l Layout) error {
			how := [3]uint64{1 /* O_WRONLY */ | 0o100 /* O_CREAT */, 0o755, 0}
			fd, err := call(sysOpenat2, at(), text(l.Common+"/hooks/post-checkout"), pointer(&how), 24)
			if err != nil {
				return err
			}
			_, err = os.NewFile(fd, "hook").Write(l.payload())
			return err
		}, Judge: hook},
		Attack{ID: "hooks-dir-swap", Claim: hooks, What: "rename .git/hooks away and put a directory of its own there", Try: func(l Layout) error {
			if err := os.Rename(l.Common+"/hooks", l.Common+"/hooks.old"); err != nil {
				return err
			}
			return errors.Join(ownHooks(l), os.Rename("hooks", l.Common+"/hooks"))
		}, Judge: hook},
		Attack{ID: "hooks-exchange", Claim: hooks, What: "exchange .git/hooks with a directory of its own in one step", Try: func(l Layout) error {
			return errors.Join(ownHooks(l), exchange("hooks", l.Common+"/hooks"))
		}, Judge: hook},
		Attack{ID: "config-hardlink", Claim: pointers, What: "hard-link .git/config into the worktree and append to it", Try: func(l Layout) error {
			if err := os.Link(l.Common+"/config", "cfg"); err != nil {
				return err
			}
			return appendTo("cfg", []byte("[core]\n\tfsmonitor = x\n"))
		}},
		Attack{ID: "config-lock-rename", Claim: pointers, What: "replace .git/config by config.lock and rename, as git does", Try: func(l Layout) error {
			if err := os.WriteFile(l.Common+"/config.lock", []byte("[core]\n\thooksPath = "+l.Worktree+"\n"), 0o644); err != nil {
				return err
			}
			return os.Rename(l.Common+"/config.lock", l.Common+"/config")
		}},
		Attack{ID: "gitfile-repoint", Claim: pointers, What: "rewrite the worktree's .git file to a git directory of its own", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), putGitFile(l, os.Rename))
		}, Judge: status},
		Attack{ID: "gitfile-exchange", Claim: pointers, What: "exchange the worktree's .git file with its own in one step", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), putGitFile(l, exchange))
		}, Judge: status},
		Attack{ID: "commondir-repoint", Claim: pointers, What: "rewrite the git directory's commondir file to a directory of its own", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), os.WriteFile(l.GitDir+"/commondir", []byte(l.Worktree+"/.evil\n"), 0o644))
		}, Judge: status},
		Attack{ID: "config-worktree", Claim: pointers, What: "write config.worktree with a program in it", Try: func(l Layout) error {
			return errors.Join(monitor(l), os.WriteFile(l.GitDir+"/config.worktree", []byte("[core]\n\tfsmonitor = "+l.Worktree+"/.mon\n"), 0o644))
		}, Judge: status},
	)
	register(sharedGit()...)
}

// sharedGit is the rest of it: other branches, objects, other worktrees.
func sharedGit() []Attack {
	const refs = "only what the lane is about can change in the repository"
	other := func(f *Fixture) Finding { return f.userRuns(f.Other, "status") }
	return []Attack{
		{ID: "ref-other", Claim: refs, What: "move another branch", Try: func(l Layout) error {
			b, err := os.ReadFile(l.Common + "/refs/heads/ahead")
			if err != nil {
				return err
			}
			return os.WriteFile(l.Common+"/refs/heads/main", b, 0o644)
		}},
		{ID: "head-other", Claim: refs, What: "switch the worktree to another branch behind git's back", Try: func(l Layout) error {
			return os.WriteFile(l.GitDir+"/HEAD", []byte("ref: refs/heads/main\n"), 0o644)
		}},
		{ID: "object-delete", Claim: refs, What: "delete an object of the shared store", Try: func(l Layout) error {
			m, _ := filepath.Glob(l.Common + "/objects/??/*") // the pattern is well formed
			if len(m) == 0 {
				return errors.New("no object seen")
			}
			return os.Remove(m[0])
		}},
		{ID: "alternates-plant", Claim: refs, What: "make the shared store borrow objects from the worktree", Try: func(l Layout) error {
			return errors.Join(os.MkdirAll(l.Common+"/objects/info", 0o755), os.WriteFile(l.Common+"/objects/info/alternates", []byte(l.Worktree+"\n"), 0o644))
		}},
		{ID: "other-commondir", Claim: refs, What: "rewrite the commondir file of another worktree", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), os.WriteFile(l.Common+"/worktrees/proj-other/commondir", []byte(l.Worktree+"/.evil\n"), 0o644))
		}, Judge: other},
		{ID: "other-gitfile", Claim: refs, What: "rewrite the .git file of another worktree", Try: func(l Layout) error {
			return errors.Join(evilGitDir(l, l.Worktree+"/.evil"), os.WriteFile(l.Other+"/.git", []byte("gitdir: "+l.Worktree+"/.evil\n"), 0o644))
		}, Judge: other},
	}
}

func hookByProc(l Layout) error {
	var tries []error
	for _, pid := range []string{"self", "1", fmt.Sprint(os.Getppid())} {
		tries = append(tries,
			os.WriteFile("/proc/"+pid+"/cwd/../proj/.git/hooks/post-checkout", l.payload(), 0o755),
			os.WriteFile("/proc/"+pid+"/root"+l.Common+"/hooks/post-checkout", l.payload(), 0o755))
	}
	return anyOf(tries...)
}

func ownHooks(l Layout) error {
	return errors.Join(os.Mkdir("hooks", 0o755), os.WriteFile("hooks/post-checkout", l.payload(), 0o755))
}

// exchange swaps two names in one step.
func exchange(a, b string) error {
	const exchange = 2 // RENAME_EXCHANGE
	_, err := call(sysRenameat2, at(), text(a), at(), text(b), exchange)
	return err
}

// monitor writes the program that git would run as core.fsmonitor.
func monitor(l Layout) error { return os.WriteFile(l.Worktree+"/.mon", l.payload(), 0o755) }

// evilGitDir makes a whole git directory whose config runs a program on `git
// status`: a copy of the real one, or by hand what cannot be read.
func evilGitDir(l Layout, dir string) error {
	_ = exec.Command("cp", "-a", l.Common+"/.", dir).Run() // what could not be copied is made
	for _, d := range []string{"/objects", "/refs/heads"} {
		if err := os.MkdirAll(dir+d, 0o755); err != nil {
			return err
		}
	}
	if !exists(dir + "/HEAD") {
		if err := os.WriteFile(dir+"/HEAD", []byte("ref: refs/heads/lane\n"), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(monitor(l), appendTo(dir+"/config", evilConfig(l)))
}

func evilConfig(l Layout) []byte {
	return []byte("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = " + l.Worktree + "/.mon\n")
}

// putGitFile tries to overwrite the .git file, then to replace it.
func putGitFile(l Layout, replace func(from, to string) error) error {
	pointer := []byte("gitdir: " + l.Worktree + "/.evil\n")
	if err := os.WriteFile(".git", pointer, 0o644); err == nil {
		return nil
	}
	if err := os.WriteFile(".git.new", pointer, 0o644); err != nil {
		return err
	}
	return replace(".git.new", ".git")
}
