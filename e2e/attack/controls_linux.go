package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Work that must go on: a launcher that stops it is of no use.

func init() { lazily(addControls) }

func addControls() {
	list := []Attack{
		{ID: "ok-write", What: "write a file of the worktree", Try: func(Layout) error { return os.WriteFile("new.txt", []byte("x\n"), 0o644) },
			Judge: func(f *Fixture) Finding { return found(holds(f.Worktree+"/new.txt", "x"), "") }},
		{ID: "ok-rename", What: "rename and remove directories and files of the worktree", Try: func(Layout) error {
			return errors.Join(os.Rename("src", "lib"), os.Remove("main.go"))
		}, Judge: func(f *Fixture) Finding {
			return found(exists(f.Worktree+"/lib/lib") && !exists(f.Worktree+"/main.go"), "")
		}},
		{ID: "ok-hardlink", What: "hard-link a file within the worktree", Try: func(Layout) error { return os.Link("main.go", "src/main.go") },
			Judge: func(f *Fixture) Finding { return found(holds(f.Worktree+"/src/main.go", "package main"), "") }},
		{ID: "ok-git-status", What: "git status", Try: func(Layout) error { return shell("git status --porcelain") }},
		{ID: "ok-git-diff", What: "git diff and git log", Try: func(Layout) error { return shell("echo x >> main.go && git diff --stat && git log -1") }},
		{ID: "ok-commit", What: "git add and git commit on its own branch", Try: func(Layout) error {
			return shell("echo x > c.txt && git add c.txt && git -c user.name=a -c user.email=a@b commit -qm made-inside")
		}, Judge: func(f *Fixture) Finding {
			out, err := exec.Command("git", "-C", f.Repo, "log", "--format=%s", "-1", "lane").Output()
			return found(err == nil && strings.TrimSpace(string(out)) == "made-inside", "")
		}},
		{ID: "ok-tmp", What: "mktemp", Try: func(Layout) error { return shell("f=$(mktemp) && echo x > $f && rm $f") }},
		{ID: "ok-tmp-hard", What: "write a file in /tmp itself", Try: func(Layout) error {
			return shell("echo x > /tmp/lane-probe-$$ && rm /tmp/lane-probe-$$")
		}},
		{ID: "ok-home", What: "write below the home directory that it is given", Try: func(Layout) error {
			return shell("mkdir -p ~/.cache/probe && echo x > ~/.cache/probe/x && rm -r ~/.cache/probe")
		}},
		{ID: "ok-devnull", What: "write /dev/null, read /dev/urandom", Try: func(Layout) error { return shell("head -c 4 /dev/urandom > /dev/null") }},
		{ID: "ok-go-build", What: "go build with the default cache", Within: 3 * time.Minute, Try: func(Layout) error { return shell("go build -o out.bin .") },
			Judge: func(f *Fixture) Finding { return found(exists(f.Worktree+"/out.bin"), "") }},
		{ID: "ok-closed-cache", What: "close the directories of a cache in the worktree for writing, as go does", Try: func(Layout) error {
			return shell("mkdir -p mod/x && echo x > mod/x/f && chmod 555 mod/x mod")
		}, Judge: func(f *Fixture) Finding {
			info, err := os.Lstat(f.Worktree + "/mod/x")
			return found(err == nil && info.Mode().Perm() == 0o555 && holds(f.Worktree+"/mod/x/f", "x") && f.last.exit == 0, "")
		}},
		{ID: "ok-packages", What: "install packages that bring their authors' editor settings along", Try: func(Layout) error {
			return shell("mkdir -p node_modules/x/.vscode && echo {} > node_modules/x/.vscode/settings.json")
		}, Judge: func(f *Fixture) Finding {
			return found(exists(f.Worktree+"/node_modules/x/.vscode/settings.json") && f.last.exit == 0, "")
		}},
		{ID: "ok-new-repository", What: "make a repository in the worktree that runs nothing", Try: func(Layout) error {
			return shell("git init -q --template= new && cd new && echo x > x && git add x")
		}, Judge: func(f *Fixture) Finding {
			return found(exists(f.Worktree+"/new/.git/HEAD") && f.last.exit == 0, "")
		}},
		{ID: "ok-self-kill", What: "signal its own child", Try: func(Layout) error { return shell("sleep 9 & kill $!; wait; true") }},
		{ID: "ok-unixpair", What: "listen on a socket in TMPDIR", Try: ownSocket},
		{ID: "ok-loopback", What: "serve itself on loopback", Try: func(Layout) error { return ownServer("tcp", "127.0.0.1:0") }},
		{ID: "ok-socket-churn", What: "start while sockets of the host come and go", Launch: Launch{Times: 8}, Beside: churn, Try: func(Layout) error { return nil }},
		{ID: "ok-tty", What: "have a terminal when the launcher has one", Launch: Launch{Terminal: true}, Try: func(Layout) error {
			var m syscall.Termios
			_, err := call(syscall.SYS_IOCTL, 0, syscall.TCGETS, pointer(&m))
			return err
		}},
		{ID: "ok-exit-code", What: "its exit status comes back", Try: func(Layout) error { os.Exit(7); return nil },
			Judge: func(f *Fixture) Finding { return found(f.last.exit == 7, "") }},
	}
	list = append(list, streamControls()...)
	for i := range list {
		list[i].Kind = Control
		list[i].Claim = "work goes on: " + list[i].What
	}
	register(list...)
}

// churn opens and closes a service, as a busy host does.
func churn(f *Fixture, stop <-chan struct{}) {
	for {
		l, err := f.services.listen("unix", f.Late, "churn")
		select {
		case <-stop:
		case <-time.After(time.Duration(1+rand.IntN(10)) * time.Millisecond):
		}
		if err == nil {
			l.Close()
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

func streamControls() []Attack {
	const said = "on standard input"
	input := func(f *Fixture) string { return filepath.Join(f.out, "input") }
	return []Attack{
		{ID: "ok-stdin-file", What: "read a file on standard input",
			Setup:  func(f *Fixture) error { return os.WriteFile(input(f), []byte(said), 0o644) },
			Launch: Launch{Stdin: func(f *Fixture) (*os.File, error) { return os.Open(input(f)) }},
			Try:    func(Layout) error { return readsAll(said) }},
		{ID: "ok-stdin-pipe", What: "read a pipe on standard input", Launch: Launch{Stdin: func(*Fixture) (*os.File, error) {
			r, w, err := os.Pipe()
			if err != nil {
				return nil, err
			}
			_, err = w.WriteString(said) // less than a pipe holds
			return r, errors.Join(err, w.Close())
		}}, Try: func(Layout) error { return readsAll(said) }},
		{ID: "ok-stdout-append", What: "append to a log on standard output",
			Setup:  func(f *Fixture) error { return os.WriteFile(logFile(f), []byte("before\n"), 0o644) },
			Launch: Launch{Stdout: func(f *Fixture) (*os.File, error) { return os.OpenFile(logFile(f), os.O_WRONLY|os.O_APPEND, 0) }},
			Try:    func(Layout) error { return nil }, Judge: func(f *Fixture) Finding {
				return found(holds(logFile(f), "before\n"+sayStarted+"\n"+sayThrough), "")
			}},
	}
}

func readsAll(want string) error {
	b, err := io.ReadAll(os.Stdin)
	if err == nil && !bytes.Equal(b, []byte(want)) {
		err = fmt.Errorf("read %q", b)
	}
	return err
}

func ownSocket(Layout) error {
	dir := os.Getenv("TMPDIR")
	if dir == "" {
		dir = os.TempDir()
	}
	return ownServer("unix", filepath.Join(dir, fmt.Sprintf("s%d", os.Getpid())))
}

func ownServer(network, address string) error {
	s := &services{hits: map[string]int{}}
	l, err := s.listen(network, address, "own")
	if err != nil {
		return err
	}
	defer l.Close()
	return dial(network, l.Addr().String())
}
