package attack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Other files of the user and of the host.

func init() { lazily(addFiles) }

func addFiles() {
	const writes = "nothing outside the worktree can be written"
	const reads = "secrets of the user cannot be read"
	pwned := []byte("package pwned\n")
	register(
		Attack{ID: "sibling-worktree", Claim: writes, What: "write a file of another agent's worktree", Try: func(l Layout) error {
			return os.WriteFile(l.Other+"/main.go", pwned, 0o644)
		}},
		Attack{ID: "main-checkout", Claim: writes, What: "write a file of the main checkout by its absolute path", Try: func(l Layout) error {
			return os.WriteFile(l.Repo+"/main.go", pwned, 0o644)
		}},
		Attack{ID: "home-rc", Claim: writes, What: "append to ~/.bashrc", Try: func(l Layout) error {
			return appendTo(l.Home+"/.bashrc", l.payload())
		}},
		Attack{ID: "home-new", Claim: writes, What: "create ~/.gitconfig, which is missing", Try: func(l Layout) error {
			return os.WriteFile(l.Home+"/.gitconfig", []byte("[core]\n\tfsmonitor = x\n"), 0o644)
		}},
		Attack{ID: "home-claude", Claim: writes, What: "write the user's own agent settings", Try: func(l Layout) error {
			return errors.Join(os.MkdirAll(l.Home+"/.claude", 0o755), os.WriteFile(l.Home+"/.claude/settings.json", []byte(`{"hooks":{}}`), 0o644))
		}},
		Attack{ID: "home-chmod", Claim: writes, What: "change mode and times of protected files without writing them", Try: func(l Layout) error {
			return anyOf(os.Chmod(l.Home+"/.ssh/id_ed25519", 0o666), os.Chtimes(l.Home+"/.bashrc", time.Unix(1, 0), time.Unix(1, 0)))
		}},
		Attack{ID: "home-xattr", Claim: writes, What: "set an extended attribute of a protected file", Try: func(l Layout) error {
			return syscall.Setxattr(l.Home+"/.bashrc", "user.lane", []byte("x"), 0)
		}, Judge: func(f *Fixture) Finding {
			_, err := syscall.Getxattr(f.Home+"/.bashrc", "user.lane", nil)
			return found(err == nil, "set an attribute of ~/.bashrc")
		}},
		Attack{ID: "shared-dir", Claim: writes, What: "write a directory of the host that everybody may write", Try: func(l Layout) error {
			return os.WriteFile(l.Shared+"/x", nil, 0o644)
		}},
		Attack{ID: "wt-dir-swap", Claim: writes, What: "rename the worktree and put a link to ~ in its place", Try: func(l Layout) error {
			if err := os.Rename(l.Worktree, l.Worktree+".moved"); err != nil {
				return err
			}
			return os.Symlink(l.Home, l.Worktree)
		}, Judge: func(f *Fixture) Finding {
			info, err := os.Lstat(f.Worktree)
			return found(err != nil || !info.IsDir(), "the worktree is another one")
		}},
		Attack{ID: "read-ssh", Claim: reads, What: "read ~/.ssh/id_ed25519", Try: func(l Layout) error {
			return carry(l, l.Home+"/.ssh/id_ed25519")
		}, Judge: func(f *Fixture) Finding { return f.looted("ssh") }},
		Attack{ID: "read-env", Claim: reads, What: "read a secret of the launcher's environment, its own or any process's", Try: readEnv,
			Judge: func(f *Fixture) Finding { return f.looted("env") }},
		Attack{ID: "read-shadow", Claim: reads, What: "read /etc/shadow", Plain: Plain{Root, "only root may read it"}, Try: func(Layout) error {
			b, err := os.ReadFile("/etc/shadow")
			if err == nil && len(b) == 0 {
				err = errors.New("empty")
			}
			return err
		}, Inside: "real password hashes are not carried out to be compared"},
	)
	register(sharedTemporary()...)
	register(privileged()...)
}

func sharedTemporary() []Attack {
	const claim = "no temporary directory is shared with others"
	made := func(path func(*Fixture) string) func(*Fixture) Finding {
		return func(f *Fixture) Finding { return found(exists(path(f)), "wrote "+path(f)) }
	}
	write := func(dir string) error {
		return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/x", nil, 0o644))
	}
	return []Attack{
		{ID: "tmp-shared", Claim: claim, What: "write somebody's directory in /tmp", Try: func(l Layout) error { return write(l.Tmp) },
			Judge: made(func(f *Fixture) string { return f.Tmp + "/x" })},
		{ID: "vartmp-shared", Claim: claim, What: "write somebody's directory in /var/tmp", Try: func(l Layout) error { return write(l.VarTmp) },
			Judge: made(func(f *Fixture) string { return f.VarTmp + "/x" })},
		{ID: "shm-shared", Claim: claim, What: "write into /dev/shm", Try: func(l Layout) error { return os.WriteFile(l.Shm, nil, 0o644) },
			Judge: made(func(f *Fixture) string { return f.Shm })},
	}
}

// privileged files outlive the lane with rights of whoever owns them.
func privileged() []Attack {
	const claim = "no file with rights of its own is left in the worktree"
	self := func(name string) error {
		b, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			return err
		}
		return os.WriteFile(name, b[:min(len(b), 4096)], 0o755) // its rights are what counts
	}
	left := func(bit os.FileMode) func(*Fixture) Finding {
		return func(f *Fixture) Finding {
			names, _ := filepath.Glob(f.Worktree + "/rights*") // the pattern is well formed
			for _, n := range names {
				if info, err := os.Lstat(n); err == nil && info.Mode()&bit != 0 && info.Mode().IsRegular() {
					return through(fmt.Sprintf("left %s with mode %v", filepath.Base(n), info.Mode()))
				}
			}
			return Finding{}
		}
	}
	return []Attack{
		{ID: "setuid-file", Claim: claim, What: "make a setuid program in the worktree, by every call that can",
			Try: func(l Layout) error { return errors.Join(self("rights"), withMode(0o4755)) }, Judge: left(os.ModeSetuid)},
		{ID: "setgid-file", Claim: claim, What: "make a setgid program in the worktree, by every call that can",
			Try: func(l Layout) error { return errors.Join(self("rights"), withMode(0o2755)) }, Judge: left(os.ModeSetgid)},
		{ID: "file-caps", Claim: claim, What: "give a program in the worktree file capabilities", Plain: Plain{Root, "setting them takes CAP_SETFCAP"},
			Try: func(l Layout) error {
				// Version 2, effective, CAP_SYS_ADMIN permitted.
				caps := []byte{1, 0, 0, 2, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
				return errors.Join(self("rights"), syscall.Setxattr("rights", "security.capability", caps, 0))
			}, Judge: func(f *Fixture) Finding {
				_, err := syscall.Getxattr(f.Worktree+"/rights", "security.capability", nil)
				return found(err == nil, "left a program with capabilities")
			}},
	}
}

// withMode makes files called rights* with a mode, in different ways.
func withMode(mode uint32) error {
	const excl = syscall.O_CREAT | syscall.O_EXCL | syscall.O_WRONLY
	syscall.Umask(0)
	created := func(fd int, err error) error {
		if err == nil {
			syscall.Close(fd)
		}
		return err
	}
	var old error
	fd, err := syscall.Open("rights", syscall.O_RDONLY, 0)
	if err == nil {
		old = syscall.Fchmod(fd, mode)
		syscall.Close(fd)
	}
	how := [3]uint64{excl, uint64(mode), 0}
	fd2, err2 := call(sysOpenat2, at(), text("rights-openat2"), pointer(&how), 24)
	_, err3 := call(sysFchmodat2, at(), text("rights"), uintptr(mode), 0)
	return anyOf(
		errors.Join(err, old), err3,
		syscall.Chmod("rights", mode),
		created(syscall.Open("rights-open", excl, mode)),
		created(int(fd2), err2),
		syscall.Mknod("rights-mknod", syscall.S_IFREG|mode, 0),
	)
}

// carry reads a file and carries it out.
func carry(l Layout, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return l.loot(b)
}

func readEnv(l Layout) error {
	all := []byte(os.Getenv("AWS_SECRET_ACCESS_KEY") + "\n")
	names, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, n := range names {
		if b, err := os.ReadFile(n); err == nil {
			all = append(all, b...)
		}
	}
	if err := l.loot(all); err != nil {
		return err
	}
	if !bytes.Contains(all, []byte("secret-env-")) {
		return errors.New("in no environment")
	}
	return nil
}
