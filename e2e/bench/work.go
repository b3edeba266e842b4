package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// aimWork is what bare bwrap costs the same work, as a ratio to plain.
const aimWork = 1.15

// workFiles is the size of the worktree that the jobs look through.
const workFiles = 20_000

// jobs are pieces of work that people and agents do in a worktree. Each is
// timed by a shell inside, so that the start is not counted twice.
var jobs = []struct{ name, script string }{
	{"git status, 20,000 files", "git status --porcelain"},
	{"find, 20,000 files", "find . -type f -name '*7'"},
	{"a compile", "for i in 1 2 3; do gcc -O1 -c -o $TMPDIR/x.o c/work.c; done"},
}

// benchWork compares starts of lane exec and the speed of work inside.
func benchWork(ctx context.Context, s *scene, lane string, n int, stdout io.Writer) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	tmp := filepath.Join(s.root, "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	s.env = append(s.env, "TMPDIR="+tmp)
	bwrap := []string{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", s.root, s.root, "--"}
	walls := []struct {
		name string
		argv []string
	}{{"plain", nil}, {"bare bwrap", bwrap}, {"lane exec", []string{lane, "exec", "--"}}}

	fmt.Fprintf(stdout, "\n%-30s %12s %12s %12s   (median ms, ratio to plain, %d rounds)\n", "", walls[0].name, walls[1].name, walls[2].name, n)
	row := func(name string, measure func(argv []string) (time.Duration, error)) ([3]time.Duration, error) {
		var times [3][]time.Duration
		for round := -1; round < n; round++ {
			for i, w := range walls {
				d, err := measure(w.argv)
				if err != nil {
					return [3]time.Duration{}, fmt.Errorf("%s, %s: %w", name, w.name, err)
				}
				if round >= 0 {
					times[i] = append(times[i], d)
				}
			}
		}
		var m [3]time.Duration
		for i := range times {
			slices.Sort(times[i])
			m[i] = median(times[i])
		}
		fmt.Fprintf(stdout, "%-30s %6.2f %5.2f %6.2f %5.2f %6.2f %5.2f\n", name, ms(m[0]), 1.0, ms(m[1]), ratio(m[1], m[0]), ms(m[2]), ratio(m[2], m[0]))
		return m, nil
	}
	start, err := row("start to end of true", func(argv []string) (time.Duration, error) {
		return toEnd(ctx, s, append(slices.Clone(argv), "true")...)
	})
	if err != nil {
		return err
	}
	worst := 0.0
	for _, j := range jobs {
		if strings.Contains(j.script, "gcc") {
			if _, err := exec.LookPath("gcc"); err != nil {
				fmt.Fprintf(stdout, "%-30s no gcc here\n", j.name)
				continue
			}
		}
		m, err := row(j.name, func(argv []string) (time.Duration, error) { return inside(ctx, s, argv, j.script) })
		if err != nil {
			return err
		}
		worst = max(worst, ratio(m[2], m[0]))
	}
	over := start[2] - start[1]
	fmt.Fprintf(stdout, "lane exec over bare bwrap %6.2f ms   aim: at most %v, %s\n", ms(over), aimOverBwrap, met(over <= aimOverBwrap))
	fmt.Fprintf(stdout, "work inside, worst ratio  %6.2f      aim: at most %.2f, %s\n", worst, aimWork, met(worst <= aimWork))
	return nil
}

// inside times a script by a shell of its own, in whatever runs it.
func inside(ctx context.Context, s *scene, argv []string, script string) (time.Duration, error) {
	timed := "s=$(date +%s%N); { " + script + "; } >/dev/null || exit; e=$(date +%s%N); echo $((e-s))"
	cmd := s.command(ctx, append(slices.Clone(argv), "/bin/sh", "-c", timed)...)
	if len(argv) == 0 {
		cmd = s.command(ctx, "/bin/sh", "-c", timed)
	}
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the shell said %q", out)
	}
	return time.Duration(ns), nil
}

// fill makes the worktree large and commits it.
func (s *scene) fill(ctx context.Context) error {
	for i := range workFiles {
		dir := filepath.Join(s.lane, fmt.Sprintf("d%03d", i%200))
		if i < 200 {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), []byte(strconv.Itoa(i)), 0o644); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(s.lane, "c"), 0o755); err != nil {
		return err
	}
	code := "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint work(int n){int i,s=0;for(i=0;i<n;i++)s+=i*i;printf(\"%d\",s);return s;}\n"
	if err := os.WriteFile(filepath.Join(s.lane, "c/work.c"), []byte(code), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "."}, {"commit", "-qm", "files"}} {
		cmd := s.command(ctx, append([]string{"git", "-c", "user.name=B", "-c", "user.email=b@example.invalid"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
