// Command bench measures what lane adds to the start of an agent: the time
// from its argv to the first instruction of an agent that does nothing, beside
// a bare bwrap and a plain program, all in one run and interleaved, so that a
// busy machine slows all of them. It also reads how much memory lane needs
// while it supervises.
//
//	bench -lane bin/lane -n 30
//
// It measures the start only: an agent's own start-up and its model are not
// lane's, and take seconds.
package main

import (
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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Aims of the design. They are reported, not enforced: a machine that is busy
// misses them without lane being at fault.
const (
	aimOverBwrap = 10 * time.Millisecond
	aimMemory    = 20 << 10 // KiB
)

// agentName is the name under which this program is the agent.
const agentName = "idle-agent"

func main() {
	if filepath.Base(os.Args[0]) == agentName {
		os.Exit(idleAgent())
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	lane := flags.String("lane", "bin/lane", "the lane executable")
	n := flags.Int("n", 30, "rounds")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := bench(ctx, *lane, *n, stdout); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// idleAgent says when it began, holds still as long as its prompt says, and
// ends as an agent that succeeded.
func idleAgent() int {
	now := time.Now().UnixNano()
	if slices.Contains(os.Args, "--version") {
		fmt.Println("0.0.0")
		return 0
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	if d, err := time.ParseDuration(string(prompt)); err == nil {
		time.Sleep(d)
	}
	// The result is the time: lane prints it, so no file has to be shared.
	b, err := json.Marshal(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": strconv.FormatInt(now, 10)})
	if err != nil {
		return 1
	}
	fmt.Println(string(b))
	return 0
}

func bench(ctx context.Context, lane string, n int, stdout io.Writer) error {
	lane, err := filepath.Abs(lane)
	if err != nil {
		return err
	}
	s, err := newScene(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.root)

	bwrap := []string{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	rows := []struct {
		name    string
		measure func() (time.Duration, error)
		times   []time.Duration
	}{
		{name: "true, start to end", measure: func() (time.Duration, error) { return toEnd(ctx, s, "true") }},
		{name: "bare bwrap true, start to end", measure: func() (time.Duration, error) { return toEnd(ctx, s, append(bwrap, "true")...) }},
		{name: "the agent, start to its first instruction", measure: func() (time.Duration, error) { return toAgent(ctx, s, s.agent) }},
		{name: "bare bwrap with the agent, the same", measure: func() (time.Duration, error) { return toAgent(ctx, s, append(bwrap, s.agent)...) }},
		{name: "lane with the agent, the same", measure: func() (time.Duration, error) { return toAgent(ctx, s, s.laneRun(lane, "0s")...) }},
		{name: "lane with the agent, start to end", measure: func() (time.Duration, error) { return toEnd(ctx, s, s.laneRun(lane, "0s")...) }},
	}
	for round := -2; round < n; round++ { // two rounds warm the caches
		for i := range rows {
			d, err := rows[i].measure()
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			if round >= 0 {
				rows[i].times = append(rows[i].times, d)
			}
		}
	}
	fmt.Fprintf(stdout, "%-44s %9s %9s %9s   (ms, %d rounds)\n", "", "median", "fastest", "p90", n)
	for _, r := range rows {
		slices.Sort(r.times)
		fmt.Fprintf(stdout, "%-44s %9.2f %9.2f %9.2f\n", r.name, ms(median(r.times)), ms(r.times[0]), ms(r.times[len(r.times)*9/10]))
	}
	plain, bare, laned := median(rows[2].times), median(rows[3].times), median(rows[4].times)
	fmt.Fprintf(stdout, "\nlane / bare bwrap true   %6.1f\nlane / plain true        %6.1f\n", ratio(laned, median(rows[1].times)), ratio(laned, median(rows[0].times)))
	fmt.Fprintf(stdout, "lane / bare bwrap        %6.1f   (both to the agent's first instruction)\nlane / plain             %6.1f\n", ratio(laned, bare), ratio(laned, plain))
	over := laned - bare
	fmt.Fprintf(stdout, "lane over bare bwrap     %6.2f ms   aim: at most %v, %s\n", ms(over), aimOverBwrap, met(over <= aimOverBwrap))
	// lane itself and the confined child come before the agent, one after the
	// other; the agent here is a Go program that does nothing before it.
	fmt.Fprintf(stdout, "two empty Go programs    %6.2f ms   the floor of that on this machine\n", 2*ms(plain))

	peak, err := memory(ctx, s, lane)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "lane while it supervises %6.1f MiB  aim: under %d MiB, %s (VmHWM)\n", float64(peak)/1024, aimMemory>>10, met(peak < aimMemory))
	return benchWork(ctx, s, lane, max(n/3, 3), stdout)
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

func (s *scene) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = s.lane
	cmd.Env = s.env
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func toEnd(ctx context.Context, s *scene, argv ...string) (time.Duration, error) {
	cmd := s.command(ctx, argv...)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	return time.Since(begin), nil
}

// toAgent is the time until the agent's first instruction, as it says itself.
func toAgent(ctx context.Context, s *scene, argv ...string) (time.Duration, error) {
	cmd := s.command(ctx, argv...)
	begin := time.Now().UnixNano()
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return 0, fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return 0, err
	}
	text := strings.TrimSpace(string(out))
	var event struct {
		Result string `json:"result"`
	}
	if json.Unmarshal(out, &event) == nil && event.Result != "" {
		text = event.Result // not through lane: the agent's own line
	}
	then, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the agent said %q", text)
	}
	return time.Duration(then - begin), nil
}

// memory is the peak resident memory of lane's own process, in KiB, read while
// the agent holds still.
func memory(ctx context.Context, s *scene, lane string) (int, error) {
	argv := s.laneRun(lane, "2s")
	cmd := s.command(ctx, argv...)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	peak := 0
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err == nil && peak == 0 {
				err = errors.New("lane's memory was never seen")
			}
			return peak, err
		case <-time.After(20 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			if kib, err := strconv.Atoi(fields[0]); err == nil {
				peak = max(peak, kib)
			}
		}
	}
}
