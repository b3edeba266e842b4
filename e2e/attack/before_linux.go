package attack

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// What was there before the launch: descriptors, links, mounts, owners, and
// things that change while the launcher looks at them.

func init() { lazily(addBefore) }

func addBefore() {
	const fds = "what the caller has open is no way out"
	hook := func(f *Fixture) Finding { return f.planted(f.Common + "/hooks/post-checkout") }
	open := func(path func(*Fixture) string, flags int) func(*Fixture) (*os.File, error) {
		return func(f *Fixture) (*os.File, error) { return os.OpenFile(path(f), flags, 0o644) }
	}
	hooks := func(f *Fixture) string { return f.Common + "/hooks" }
	beneath := func(fd int) func(Layout) error {
		return func(l Layout) error {
			n, err := syscall.Openat(fd, "post-checkout", syscall.O_CREAT|syscall.O_WRONLY, 0o755)
			if err != nil {
				return err
			}
			_, err = os.NewFile(uintptr(n), "hook").Write(l.payload())
			return err
		}
	}
	register(
		Attack{ID: "fd-leak", Claim: fds, What: "use a directory that the launcher inherited open", Launch: Launch{Extra: open(hooks, os.O_RDONLY)},
			Try: beneath(extraFD), Judge: hook},
		Attack{ID: "fd-leak-path", Claim: fds, What: "use a directory that the launcher inherited as O_PATH",
			Launch: Launch{Extra: open(hooks, oPath)}, Try: beneath(extraFD), Judge: hook},
		Attack{ID: "stdin-dir", Claim: fds, What: "use a directory on standard input", Launch: Launch{Stdin: open(hooks, os.O_RDONLY)},
			Try: beneath(0), Judge: hook, Refusal: "a directory is no input"},
		Attack{ID: "stdin-path", Claim: fds, What: "use a directory on standard input, opened as O_PATH", Launch: Launch{Stdin: open(hooks, oPath)},
			Try: beneath(0), Judge: hook, Refusal: "a directory is no input"},
		Attack{ID: "stdin-reopen", Claim: fds, What: "open the file on standard input again, for writing",
			Launch: Launch{Stdin: open(func(f *Fixture) string { return f.Home + "/.bashrc" }, os.O_RDONLY)}, Try: func(l Layout) error {
				return appendTo("/proc/self/fd/0", l.payload())
			}},
		Attack{ID: "stdout-reopen", Claim: fds, What: "open the log on standard output again, and take what was in it",
			Setup: func(f *Fixture) error {
				return os.WriteFile(logFile(f), []byte(f.secrets["foreign"]+"\n"), 0o644)
			},
			Launch: Launch{Stdout: open(logFile, os.O_WRONLY|os.O_APPEND)}, Try: func(l Layout) error {
				// Of a pipe there is nothing to take, and reading it would hang.
				if info, err := os.Stat("/proc/self/fd/1"); err != nil || !info.Mode().IsRegular() {
					return errors.Join(err, errors.New("standard output is no file"))
				}
				return anyOf(carry(l, "/proc/self/fd/1"), os.Truncate("/proc/self/fd/1", 0))
			}, Judge: func(f *Fixture) Finding {
				if !holds(logFile(f), f.secrets["foreign"]) {
					return through("what was in the log is gone")
				}
				return f.looted("foreign")
			}},
	)
	register(linked()...)
	register(places()...)
}

const oPath = 0x200000 // O_PATH, which package syscall does not name

func logFile(f *Fixture) string { return filepath.Join(f.out, "log") }

func linked() []Attack {
	const claim = "a hard link in the worktree changes nothing outside"
	const refusal = "what a further name of a file is for cannot be told"
	return []Attack{
		{ID: "hardlink-git", Claim: claim, What: "write a file of the worktree that was hard-linked to .git/config before",
			Setup:   func(f *Fixture) error { return os.Link(f.Common+"/config", f.Worktree+"/cfg") },
			Try:     func(Layout) error { return appendTo("cfg", []byte("[core]\n\thooksPath = x\n")) },
			Refusal: refusal},
		{ID: "hardlink-store", Claim: claim, What: "write a file of the worktree that belongs to a package store",
			Setup: func(f *Fixture) error {
				return errors.Join(os.MkdirAll(f.Worktree+"/node_modules/dep", 0o755), os.Link(f.Store+"/index.js", f.Worktree+"/node_modules/dep/index.js"))
			},
			Try:     func(l Layout) error { return appendTo("node_modules/dep/index.js", []byte("// pwned\n")) },
			Refusal: refusal},
		{ID: "hardlink-key", Claim: "secrets of the user cannot be read", What: "read a key that was hard-linked into the worktree before",
			Setup: func(f *Fixture) error { return os.Link(f.Home+"/.ssh/id_ed25519", f.Worktree+"/key") },
			Try:   func(l Layout) error { return carry(l, "key") }, Judge: func(f *Fixture) Finding { return f.looted("ssh") },
			Refusal: refusal},
	}
}

func places() []Attack {
	const claim = "the lane holds wherever the worktree lies"
	return []Attack{
		{ID: "foreign-file", Claim: "a lane started by root has no power over others' files", What: "read a file in the worktree that belongs to another user",
			Setup: func(f *Fixture) error {
				name := f.Worktree + "/foreign"
				err := os.WriteFile(name, []byte(f.secrets["foreign"]+"\n"), 0o600)
				if f.UID != 0 {
					return err // it stays this user's, and is skipped
				}
				return errors.Join(err, os.Chown(name, nobody, nobody))
			}, Try: func(l Layout) error { return carry(l, "foreign") }, Judge: func(f *Fixture) Finding { return f.looted("foreign") },
			Plain: Plain{Root, "a user has no power over others' files"}, Missing: needsRoot},
		{ID: "foreign-dir", Claim: "a lane started by root has no power over others' files", What: "write into a directory in the worktree that belongs to another user",
			Setup: func(f *Fixture) error {
				name := f.Worktree + "/theirs"
				err := os.Mkdir(name, 0o755)
				if f.UID != 0 {
					return err
				}
				return errors.Join(err, os.Chown(name, nobody, nobody))
			}, Try: func(l Layout) error { return os.WriteFile("theirs/x", nil, 0o644) }, Judge: func(f *Fixture) Finding {
				return found(exists(f.Worktree+"/theirs/x"), "wrote into another user's directory")
			}, Plain: Plain{Root, "a user has no power over others' files"}, Missing: needsRoot},
		{ID: "other-mount", Claim: claim, What: "write wiring and .git where the worktree is a mount of another file system",
			Launch: Launch{Wrap: onOtherMount}, Try: func(l Layout) error {
				return anyOf(os.WriteFile(l.Common+"/hooks/post-checkout", l.payload(), 0o755),
					errors.Join(os.MkdirAll(".claude", 0o755), os.WriteFile(".claude/settings.json", []byte(`{"hooks":{}}`), 0o644)))
			}, Judge: func(f *Fixture) Finding {
				defer os.RemoveAll(f.Shm)
				return found(exists(f.Shm+"/.claude/settings.json"), ".claude/settings.json is left in the mounted worktree")
			}, Missing: needsRoot},
		{ID: "symlink-parent", Claim: claim, What: "write by way of a link through which the worktree was entered",
			Launch: Launch{Dir: func(f *Fixture) string { return f.Link + "/proj-lane" }}, Try: func(l Layout) error {
				pwned := []byte("package pwned\n")
				return anyOf(os.WriteFile(l.Link+"/proj/.git/hooks/post-checkout", l.payload(), 0o755), os.WriteFile(l.Link+"/proj-other/main.go", pwned, 0o644),
					os.WriteFile("../proj/main.go", pwned, 0o644), errors.Join(os.Remove(l.Link), os.Symlink(l.Home, l.Link)))
			}},
	}
}

const nobody = 65534

func needsRoot(f *Fixture) string {
	if f.UID != 0 {
		return "only root can make this fixture"
	}
	return ""
}

// onOtherMount binds a directory of /dev/shm over the worktree, in a mount
// namespace of its own.
func onOtherMount(f *Fixture) []string {
	return []string{"unshare", "--mount", "--propagation", "private", "/bin/sh", "-euc",
		`cp -a "$1" "$2"; mount --bind "$2" "$1"; cd "$1"; shift 2; exec "$@"`, "sh", f.Worktree, f.Shm}
}
