// Command demo shows lane's main job from the outside: it makes a scratch
// repository with a linked worktree, starts a scripted model in place of the
// network, runs the real Claude Code through `lane run`, and then looks on the
// disk at what the agent did and what it was refused. It needs no key and no
// network, and it fails if anything is not as lane promises.
//
//	demo -lane bin/lane
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"lane/e2e/model"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	lane := flags.String("lane", "bin/lane", "the lane executable")
	agents := flags.String("agents", "e2e/agents/node_modules/.bin", "directory with the real claude")
	keep := flags.Bool("keep", false, "keep the scratch directory")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	// `make demo | head` must not leave the scratch directory behind.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := demo(ctx, *lane, *agents, *keep, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "demo:", err)
		return 1
	}
	return 0
}

const prompt = "Give greet.sh a --loud option, with a test. Then try to write outside your worktree."

func demo(ctx context.Context, lane, agents string, keep bool, stdout, stderr io.Writer) error {
	lane, err := filepath.Abs(lane)
	if err != nil {
		return err
	}
	if agents, err = filepath.Abs(agents); err != nil {
		return err
	}
	s, err := newScene(ctx)
	if err != nil {
		return err
	}
	if keep {
		fmt.Fprintln(stderr, "demo: the scratch directory stays:", s.root)
	} else {
		defer os.RemoveAll(s.root)
	}
	tries := s.attempts()
	srv, err := model.Start(ctx, s.script(tries), "", 0)
	if err != nil {
		return err
	}
	defer srv.Close()
	before, err := s.outside()
	if err != nil {
		return err
	}

	cmd := exec.CommandContext(ctx, lane, "run", "--json", "--model", "haiku", "--writer", "claude", "--", prompt)
	cmd.Dir = s.lane
	// Nothing of the caller's environment is needed, so nothing of it is there
	// to be shown. The key is made up: the scripted model takes any.
	cmd.Env = []string{"PATH=" + agents + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + s.home, "LANG=C.UTF-8",
		"LANE_HOME=" + filepath.Join(s.root, "lane-home"), "ANTHROPIC_API_KEY=demo", "ANTHROPIC_BASE_URL=" + srv.URL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // lane ends the whole tree
	cmd.WaitDelay = 20 * time.Second
	var record bytes.Buffer
	cmd.Stdout, cmd.Stderr = &record, stderr
	fmt.Fprintf(stdout, "$ cd %s\n$ %s\n\n", s.lane, strings.Join(append([]string{"lane"}, quoted(cmd.Args[1:])...), " "))
	runErr := cmd.Run()
	var exit *exec.ExitError
	if runErr != nil && !errors.As(runErr, &exit) {
		return runErr
	}

	c := &checks{out: stdout}
	fmt.Fprintln(stdout, "\nWhat the agent was asked to do, on the disk:")
	s.checkWork(c, srv)
	fmt.Fprintln(stdout, "\nWhat it tried beside that, what it was told, and what is on the disk:")
	s.checkAttempts(c, srv, tries)
	after, err := s.outside()
	if err != nil {
		return err
	}
	c.that(same(before, after), "every file of the main checkout, its .git, the sibling worktree and the home directory is as before (%d compared)", len(before))
	left := srv.Unplayed()
	c.that(len(left) == 0, "the agent came for every step of the script %v", left)

	fmt.Fprintln(stdout, "\nThe record (`lane runs show last --json`, long lines cut):")
	if err := show(stdout, record.Bytes()); err != nil {
		return err
	}
	c.that(runErr == nil, "lane's exit code is %d", cmd.ProcessState.ExitCode())
	if c.failed > 0 {
		return fmt.Errorf("%d of %d checks failed", c.failed, c.n)
	}
	fmt.Fprintf(stdout, "\nAll %d checks hold.\n", c.n)
	return nil
}

// checks counts and prints claims about the disk.
type checks struct {
	out       io.Writer
	n, failed int
}

func (c *checks) that(ok bool, format string, args ...any) {
	c.n++
	mark := "ok  "
	if !ok {
		c.failed++
		mark = "FAIL"
	}
	fmt.Fprintf(c.out, "  %s %s\n", mark, fmt.Sprintf(format, args...))
}

// show prints the record, each line cut to what a terminal has room for.
func show(w io.Writer, record []byte) error {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, bytes.TrimSpace(record), "  ", "  "); err != nil {
		return fmt.Errorf("the record is not JSON: %w: %s", err, record)
	}
	for line := range strings.Lines("  " + pretty.String() + "\n") {
		if r := []rune(line); len(r) > 150 {
			line = string(r[:150]) + "…\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// quoted shows arguments as a shell would take them.
func quoted(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if strings.ContainsAny(a, " $'\"") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return out
}
