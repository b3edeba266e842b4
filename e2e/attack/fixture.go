package attack

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Place says where a fixture is made.
type Place struct {
	// Dir is empty, absolute, free of links, and this user's. All of the
	// fixture lies below it but for names in /tmp, /var/tmp and /dev/shm.
	Dir string
	// Runtime is the user's runtime directory, "" for one below Dir.
	Runtime string
	// Apart puts the repository and its worktrees outside the home directory.
	Apart bool
	// Self is how this program is started as the inside; the first is an
	// absolute path, outside Dir's worktrees.
	Self []string
	// Setuid is a copy of id(1) with root's setuid bit, "" where this user
	// could not make one.
	Setuid string
}

// Fixture is a small host to attack. It is put back before each attack.
type Fixture struct {
	Layout
	world, template string // what is put back, and from what
	out             string // what code that got out leaves
	secrets         map[string]string
	services        *services
	victim          *victim
	before          map[string]stamp
	undo            []func() // of this attack
	undoAll         []func() // of the fixture
	last            ended    // how the last launch ended
	launcher, round int      // the process of this launch, and its number
}

// NewFixture makes a fixture; Close removes it.
func NewFixture(p Place) (*Fixture, error) {
	f := &Fixture{world: filepath.Join(p.Dir, "world"), template: filepath.Join(p.Dir, "template"),
		out: filepath.Join(p.Dir, "out"), secrets: map[string]string{}}
	for _, name := range []string{"ssh", "env", "victim", "key", "foreign"} {
		f.secrets[name] = "secret-" + name + "-" + token()
	}
	f.Layout = f.place(p)
	if err := errors.Join(f.make(p), f.serve(), f.keep()); err != nil {
		f.Close()
		return nil, fmt.Errorf("fixture: %w", err)
	}
	return f, nil
}

func token() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (f *Fixture) place(p Place) Layout {
	src := filepath.Join(f.world, "home", "src")
	if p.Apart {
		src = filepath.Join(f.world, "src")
	}
	runtime := p.Runtime
	if runtime == "" {
		runtime = filepath.Join(p.Dir, "run")
	}
	own := "lane-attack-" + token()
	services := filepath.Join(p.Dir, "services")
	return Layout{
		Dir: p.Dir, Self: p.Self, Home: filepath.Join(f.world, "home"), Repo: filepath.Join(src, "proj"),
		Common: filepath.Join(src, "proj", ".git"), Worktree: filepath.Join(src, "proj-lane"),
		GitDir: filepath.Join(src, "proj", ".git", "worktrees", "proj-lane"), Other: filepath.Join(src, "proj-other"),
		Store: filepath.Join(f.world, "store"), Shared: filepath.Join(f.world, "shared"),
		Tmp: filepath.Join("/tmp", own), VarTmp: filepath.Join("/var/tmp", own), Shm: filepath.Join("/dev/shm", own),
		Link: filepath.Join(f.world, "link"), Canary: filepath.Join(f.out, "canary"), Runtime: runtime,
		Docker: filepath.Join(runtime, "docker.sock"), Agent: filepath.Join(runtime, "ssh-agent.sock"), Bus: filepath.Join(runtime, "bus"),
		Service: filepath.Join(services, "service.sock"), Datagram: filepath.Join(services, "log"), Late: filepath.Join(services, "late.sock"),
		Abstract: "@" + own, Segment: -1, Setuid: p.Setuid, UID: os.Geteuid(),
	}
}

// make builds the template, at the place that it has later: git writes
// absolute paths.
func (f *Fixture) make(p Place) error {
	src := filepath.Dir(f.Repo)
	for _, d := range []string{f.Home + "/.ssh", f.Home + "/.claude", f.Home + "/.config", src, f.Store, f.Shared, f.out, filepath.Dir(f.Service), f.Runtime} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	f.undoAll = append(f.undoAll, func() {
		os.RemoveAll(f.Tmp)
		os.RemoveAll(f.VarTmp)
		os.RemoveAll(f.Shm)
		if p.Runtime == "" {
			os.RemoveAll(f.Runtime)
		}
	})
	if err := errors.Join(
		os.Chmod(f.Shared, 0o777), os.Chmod(f.Home+"/.ssh", 0o700), os.Symlink(src, f.Link),
		os.WriteFile(f.Home+"/.ssh/id_ed25519", []byte(f.secrets["ssh"]+"\n"), 0o600),
		os.WriteFile(f.Home+"/.bashrc", []byte("# rc\n"), 0o644),
		os.WriteFile(f.Store+"/index.js", []byte("module.exports = 1\n"), 0o644),
	); err != nil {
		return err
	}
	err := f.sh(src, `
git init -q --template= -b main proj; cd proj; mkdir .git/hooks src
printf 'module proj\n\ngo 1.21\n' > go.mod; printf 'package main\n\nfunc main() {}\n' > main.go; echo lib > src/lib
git add .; git commit -qm one
echo 2 > two; git add .; git commit -qm two; git branch ahead; git reset -q --hard HEAD~1
git config extensions.worktreeConfig true
git worktree add -q ../proj-lane -b lane; git worktree add -q ../proj-other -b other`)
	if err != nil {
		return err
	}
	return run(f.out, nil, "cp", "-a", f.world, f.template)
}

// environ is a user's: what the user's next command has outside.
func (f *Fixture) environ() []string {
	return []string{"HOME=" + f.Home, "PATH=" + searchPath(), "USER=dev", "LOGNAME=dev", "LANG=C.UTF-8",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
}

// searchPath has go in it, which the tests of others may have found anywhere.
func searchPath() string {
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	for _, name := range []string{"go", "git"} {
		if at, err := exec.LookPath(name); err == nil {
			path = filepath.Dir(at) + ":" + path
		}
	}
	return path
}

func run(dir string, env []string, argv ...string) error {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", argv[0], err, short(string(out)))
	}
	return nil
}

// sh runs a script outside, as the user.
func (f *Fixture) sh(dir, script string) error {
	return run(dir, f.environ(), "/bin/sh", "-euc", "umask 022\n"+script)
}

// reset puts the world back and forgets what the last attack did.
func (f *Fixture) reset() error {
	for i := len(f.undo) - 1; i >= 0; i-- {
		f.undo[i]()
	}
	f.undo = nil
	if err := removeAll(f.world); err != nil {
		return err
	}
	if err := run(f.out, nil, "cp", "-a", f.template, f.world); err != nil {
		return err
	}
	for _, dir := range []string{f.out, f.Tmp, f.VarTmp} {
		if err := removeAll(dir); err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			return err
		}
	}
	os.Remove(f.Shm)
	f.services.forget()
	f.last = ended{}
	return f.victim.ensure(f)
}

// Close ends what the fixture runs and removes what it made.
func (f *Fixture) Close() error {
	for _, list := range [][]func(){f.undo, f.undoAll} {
		for i := len(list) - 1; i >= 0; i-- {
			list[i]()
		}
	}
	return errors.Join(removeAll(f.world), removeAll(f.template), removeAll(f.out), removeAll(filepath.Dir(f.Service)))
}

// removeAll removes also where an attack took the rights away.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// userRuns does what the user may do next: git in a directory. It says
// whether that ran a program of the agent's.
func (f *Fixture) userRuns(dir string, args ...string) Finding {
	if !exists(dir) {
		return Finding{}
	}
	// It takes milliseconds, or waits for ever where a FIFO lies in its way.
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Second)
	defer stop()
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir, c.Env, c.WaitDelay = dir, f.environ(), time.Second
	_ = c.Run() // it may fail: only the canary counts
	return found(exists(f.Canary), fmt.Sprintf("git %s in %s ran its program", strings.Join(args, " "), filepath.Base(dir)))
}
