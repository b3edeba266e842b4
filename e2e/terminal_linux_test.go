package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// window is a terminal with the user's shell in it, and the person before it.
type window struct {
	t     *testing.T
	site  *site
	pty   *os.File
	shell *exec.Cmd

	mu   sync.Mutex
	text []byte // all that was shown
	read int    // how much of it expect has seen
}

// openWindow starts bash with job control. It does not edit lines, so that the
// terminal is as cooked as it found it while the prompt is shown.
func openWindow(t *testing.T, s *site) *window {
	t.Helper()
	w := &window{t: t, site: s, shell: s.command("/bin/bash", "--norc", "--noprofile", "--noediting", "-i")}
	w.shell.Env = append(w.shell.Env, "PS1=outer> ", "HISTFILE=")
	var err error
	if w.pty, err = pty.StartWithSize(w.shell, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := w.pty.Read(b)
			w.mu.Lock()
			w.text = append(w.text, b[:n]...)
			w.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = w.shell.Process.Kill()
		w.pty.Close() // hangs up on all that is left in the session
		_ = w.shell.Wait()
		if t.Failed() {
			s := w.shown()
			t.Logf("the window showed: %q", s[max(0, len(s)-2000):])
		}
	})
	w.expect("outer> ")
	return w
}

func (w *window) shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// expect waits for text after what was expected before.
func (w *window) expect(text string) {
	w.t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		i := bytes.Index(w.text[w.read:], []byte(text))
		if i >= 0 {
			w.read += i + len(text)
			w.mu.Unlock()
			return
		}
		rest := string(w.text[w.read:])
		w.mu.Unlock()
		if time.Now().After(end) {
			w.t.Fatalf("waited for %q, got %q", text, rest[max(0, len(rest)-500):])
		}
	}
}

// never looks for text in what was shown since expect, and for a while.
func (w *window) never(text string) {
	w.t.Helper()
	time.Sleep(300 * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	if bytes.Contains(w.text[w.read:], []byte(text)) {
		w.t.Fatalf("%q was shown: %q", text, w.text[w.read:])
	}
}

func (w *window) typed(keys string) {
	w.t.Helper()
	if _, err := w.pty.Write([]byte(keys)); err != nil {
		w.t.Fatal(err)
	}
}

// run types a command and waits until it was echoed, so that what it says is
// not taken for the echo.
func (w *window) run(line string) {
	w.t.Helper()
	w.typed(line + "\n")
	w.expect("\r\n")
}

// status asks for the exit code of the last command.
func (w *window) status(want int) {
	w.t.Helper()
	w.run("echo status=$?.")
	w.expect(fmt.Sprintf("status=%d.", want))
	w.expect("outer> ")
}

// cooked checks that the terminal is as a shell's command expects it.
func (w *window) cooked() {
	w.t.Helper()
	w.run(cookedCount)
	w.expect("6")
	w.expect("outer> ")
}

func TestTerminalPassesSizeAndKeys(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		w := openWindow(t, newSite(t, uid))
		w.run("lane exec -- sh -c 'tty -s && stty size; trap \"stty size\" WINCH; echo ready; while :; do sleep 0.1; done'")
		w.expect("24 80")
		w.expect("ready")
		if err := pty.Setsize(w.pty, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
			t.Fatal(err)
		}
		w.expect("30 100")
		w.typed("\x03")
		w.expect("outer> ")
		w.status(130)
		w.cooked()

		// What is typed is read by the command, echoed once, and ended by ^D.
		w.run("lane exec -- cat")
		time.Sleep(200 * time.Millisecond)
		w.typed("hello\n")
		w.expect("hello\r\nhello\r\n")
		w.typed("\x04")
		w.expect("outer> ")
		w.status(0)

		w.run("lane exec -- sh -c 'kill -QUIT $$'")
		w.expect("outer> ")
		w.status(131)
	})
}

func TestTerminalStopsAndGoesOn(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		w := openWindow(t, newSite(t, uid))
		// A plain command: ^Z is its kernel's business, not its own.
		// One that forks nothing: a shell that is stopped between its vfork and
		// the child's exec waits for it and does not look stopped, in a lane or
		// not.
		w.run("lane exec -- perl -e '$| = 1; for (1..600) { select undef, undef, undef, .1; print \"tick$_\\n\" }'")
		w.expect("tick1\r\n")
		w.typed("\x1a")
		w.expect("Stopped")
		w.expect("outer> ")
		w.cooked()
		w.never("tick")
		w.run("bg")
		w.expect("outer> ")
		w.expect("tick") // it goes on, in the background
		w.cooked()
		w.run("fg")
		w.expect("tick")
		w.typed("\x1a") // and the keys reach it again
		w.expect("Stopped")
		w.run("fg")
		w.expect("tick")
		w.typed("\x03")
		w.expect("outer> ")
		w.status(130)
		w.cooked()

		// A shell with jobs of its own: its ^Z is not lane's.
		w.run("lane exec -- env PS1='inner> ' bash --norc --noprofile --noediting -i")
		w.expect("inner> ")
		w.run("sleep 100")
		time.Sleep(300 * time.Millisecond) // until it is the one in the foreground
		w.typed("\x1a")
		w.expect("Stopped")
		w.expect("inner> ")
		w.run("fg")
		time.Sleep(300 * time.Millisecond)
		w.typed("\x03")
		w.expect("inner> ")
		w.run("echo code=$?.")
		w.expect("code=130.")
		w.run("suspend -f")
		w.expect("Stopped")
		w.expect("outer> ")
		w.cooked()
		w.run("fg")
		w.run("exit 7")
		w.expect("outer> ")
		w.status(7)
		w.cooked()
	})
}

// SIGTSTP and SIGSTOP sent to lane itself, and what was started with it.
func TestTerminalStopsBySignal(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		w := openWindow(t, newSite(t, uid))
		for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
			w.run("lane exec -- sh -c 'echo ready; exec sleep 100'")
			w.expect("ready")
			lane := w.child("lane")
			if err := syscall.Kill(lane, sig); err != nil {
				t.Fatal(err)
			}
			w.expect("Stopped")
			w.cooked()
			w.run("fg")
			time.Sleep(300 * time.Millisecond)
			w.typed("\x03")
			w.expect("outer> ")
			w.status(130)
			w.cooked()
		}
		// Without a private terminal the signal stops both, too.
		w.run("lane exec -- sh -c 'while :; do sleep 0.1; echo tick; done' | cat")
		w.expect("tick")
		w.typed("\x1a")
		w.expect("Stopped")
		w.expect("outer> ")
		w.never("tick")
		w.run("fg")
		w.expect("tick")
		w.typed("\x03")
		w.expect("outer> ")
		w.cooked()
	})
}

// child is the pid of the shell's child whose program has this name.
func (w *window) child(name string) int {
	w.t.Helper()
	for _, p := range processes() {
		if p.ppid == w.shell.Process.Pid && len(p.argv) > 0 && filepath.Base(p.argv[0]) == name {
			return p.pid
		}
	}
	w.t.Fatalf("the shell has no child %s", name)
	return 0
}

func TestTerminalIsLeftAloneInTheBackground(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		w := openWindow(t, newSite(t, uid))
		w.run("lane exec -- sh -c 'sleep 1; echo half; sleep 100' &")
		w.expect("outer> ")
		w.cooked()
		w.expect("half")
		w.run("jobs")
		w.expect("Running")
		w.cooked()
		w.run("fg")
		time.Sleep(300 * time.Millisecond)
		w.typed("\x03")
		w.expect("outer> ")
		w.status(130)
		w.cooked()
		// One that ends in the background.
		w.run("lane exec -- sh -c 'sleep 0.5; echo end' &")
		w.expect("end\r") // the private pty adds one of its own
		time.Sleep(200 * time.Millisecond)
		w.cooked()
		w.run("jobs")
		w.never("Stopped")
		// The keys of the terminal stay the shell's.
		w.run("lane exec -- sh -c 'cat; sleep 100' > /dev/null &")
		time.Sleep(500 * time.Millisecond)
		w.run("jobs")
		w.never("Stopped")
		w.run("kill %1; wait; echo gone")
		w.expect("gone")
	})
}

func TestTerminalIsNotDrivenByTheCommand(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		w := openWindow(t, newSite(t, uid))
		w.run(`lane exec -- printf 'a\033]52;c;ZXZpbA==\007b\033[21tc\033P$qm\033\\d\033[?1000h\033[?2004h\033[?25l\033[31me'`)
		w.expect("abcd\x1b[?1000h\x1b[?2004h\x1b[?25l\x1b[31me")
		w.expect("\x1b[?25h\x1b[?1000l\x1b[?2004l\x1b[0m")
		w.expect("outer> ")
		// The same where only the output is the terminal.
		w.run(`lane exec -- printf 'a\033]52;c;ZXZpbA==\007b\033[?1000h' < /dev/null`)
		w.expect("ab\x1b[?1000h\x1b[?1000l")
		w.expect("outer> ")
		if s := w.shown(); strings.Contains(strings.ReplaceAll(s, `\033]52`, ""), "]52") || strings.Contains(s, "\x1b[21t") {
			t.Errorf("a sequence got through: %q", s)
		}
	})
}

// A terminal's answer to a question that the command asked at its end must not
// be typed into the shell.
func TestTerminalAnswersAreNotTyped(t *testing.T) {
	need(t, "git", "bwrap")
	w := openWindow(t, newSite(t, os.Getuid()))
	w.run(`lane exec -- sh -c 'sleep 0.5; printf "asked\033[6n"'`)
	w.expect("asked\x1b[6n")
	time.Sleep(100 * time.Millisecond) // as far as the terminal is away
	w.typed("\x1b[7;9R")
	w.expect("outer> ")
	w.run("echo 'line is clean'")
	w.expect("line is clean\r\n")
	if strings.Contains(w.shown(), "7;9R") {
		t.Error("the answer was typed into the shell")
	}
}

// cookedCount prints 6 on a terminal that is as a shell's command expects it.
const cookedCount = "stty -a | tr ' ;\\n' '[\\n*]' | grep -cxE 'isig|icanon|echo|opost|icrnl|iexten'"

// Killed, lane cannot give the terminal back: the warden does, at once, with
// what the command has set in it. A script has no shell that would.
func TestTerminalIsGivenBackWhenLaneIsKilled(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		s := newSite(t, uid)
		s.write("script", `lane exec -- sh -c 'printf "\033[?1049h\033[?1002h\033[>1u\033[?25l\033[31mready"; exec sleep 60'
sleep 1
printf 'cooked='; `+cookedCount+`
lane runs list
printf 'again='; `+cookedCount+"\n", 0o644)
		w := openWindow(t, s)
		w.run("sh script")
		w.expect("ready")
		kill(t, w.inScript("lane", "exec"))
		w.expect("\x1b[?25h\x1b[?1002l\x1b[?1049l")
		w.expect("cooked=6")
		w.expect("again=6")
		w.expect("outer> ")

		// The warden killed too: the next lane command on that terminal does.
		w.run("sh script")
		w.expect("ready")
		kill(t, w.inScript("lane", "exec"), w.inScript("lane", "warden"))
		w.expect("cooked=0")
		w.expect("again=6")
		w.expect("outer> ")
		w.cooked()
	})
}

// A shell that has the terminal again is not disturbed.
func TestTerminalIsLeftToTheShell(t *testing.T) {
	need(t, "git", "bwrap")
	w := openWindow(t, newSite(t, os.Getuid()))
	w.run("lane exec -- sh -c 'echo ready; exec sleep 60'")
	w.expect("ready")
	// Stopped, lane does not see that somebody else sets the terminal up.
	lane := w.child("lane")
	if err := syscall.Kill(lane, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.expect("Stopped")
	w.run("stty -echo -icanon min 1; echo set")
	w.expect("set")
	kill(t, lane)
	time.Sleep(500 * time.Millisecond)
	w.typed("echo kept=$(stty -a | grep -c -e -icanon).\n")
	w.expect("kept=1.")
	w.typed("stty sane\n")
	w.expect("outer> ")
}

func kill(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

// inScript is the pid of lane in a script of the shell's, or of what lane
// started as that mode.
func (w *window) inScript(name, mode string) int {
	w.t.Helper()
	all := processes()
	below := map[int]bool{w.shell.Process.Pid: true}
	for range 4 { // shell, script, lane, its warden
		for _, p := range all {
			below[p.pid] = below[p.pid] || below[p.ppid]
		}
	}
	for _, p := range all {
		if below[p.pid] && len(p.argv) > 1 && filepath.Base(p.argv[0]) == name && p.argv[1] == mode {
			return p.pid
		}
	}
	w.t.Fatalf("no process %s %s below the shell", name, mode)
	return 0
}
