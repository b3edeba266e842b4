package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestExecPassesExitCodesOn: lane exec ends as its command does.
func TestExecPassesExitCodesOn(t *testing.T) {
	need(t, "git", "bwrap")
	everyUser(t, func(t *testing.T, uid int) {
		s := newSite(t, uid)
		code := func(argv ...string) int {
			t.Helper()
			c := s.command(append([]string{"lane", "exec"}, argv...)...)
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatalf("%v: %s", err, out)
			}
			return c.ProcessState.ExitCode()
		}
		for _, n := range []int{0, 1, 2, 7, 99, 122, 123, 124, 125, 126, 127, 255} {
			if got := code("--", "sh", "-c", fmt.Sprintf("exit %d", n)); got != n {
				t.Errorf("exit %d came out as %d", n, got)
			}
		}
		for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGABRT, syscall.SIGFPE,
			syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU} {
			if got := code("--", "sh", "-c", fmt.Sprintf("kill -%d $$", int(sig))); got != 128+int(sig) {
				t.Errorf("%v inside came out as %d", sig, got)
			}
		}
		began := time.Now()
		if got := code("--timeout", "1s", "--", "sleep", "60"); got != 124 {
			t.Errorf("the timeout came out as %d", got)
		}
		if got := code("--timeout", "1s", "--", "sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"); got != 124 {
			t.Errorf("the timeout of a deaf command came out as %d", got)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("two timeouts of a second took %v", took)
		}
		if got := code("--", "/nowhere/command"); got != 127 {
			t.Errorf("a command that is not there came out as %d", got)
		}
	})
}

// TestExecPassesSignalsOn: what lane is sent reaches the command, which may
// have something of its own to do about it.
func TestExecPassesSignalsOn(t *testing.T) {
	need(t, "git", "bwrap")
	const traps = `for s in USR1 USR2 QUIT; do trap "echo got $s" $s; done
trap 'echo got TERM; exit 41' TERM; trap 'echo got HUP; exit 42' HUP; trap 'echo got INT; exit 43' INT
echo ready; while :; do sleep 0.05; done`
	everyUser(t, func(t *testing.T, uid int) {
		s := newSite(t, uid)
		for last, want := range map[syscall.Signal]int{syscall.SIGTERM: 41, syscall.SIGHUP: 42, syscall.SIGINT: 43} {
			c := s.command("lane", "exec", "--", "sh", "-c", traps)
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			next := func(want string) {
				t.Helper()
				if !lines.Scan() || lines.Text() != want {
					t.Errorf("said %q, want %q", lines.Text(), want)
				}
			}
			next("ready")
			for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGQUIT, syscall.SIGUSR1} {
				if err := c.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				next("got " + map[syscall.Signal]string{syscall.SIGUSR1: "USR1", syscall.SIGUSR2: "USR2", syscall.SIGQUIT: "QUIT"}[sig])
			}
			// They do not end the lane, also not after a while.
			time.Sleep(1500 * time.Millisecond)
			if err := c.Process.Signal(last); err != nil {
				t.Fatal(err)
			}
			next("got " + map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP", syscall.SIGINT: "INT"}[last])
			_ = c.Wait() // its exit code says it
			if got := c.ProcessState.ExitCode(); got != want {
				t.Errorf("%v: the command's exit code %d came out as %d", last, want, got)
			}
		}
	})
}
