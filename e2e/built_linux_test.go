package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// What make build makes: lane starts the lane-inside beside it as the confined
// child, and itself where that is not the one that was built with it. The other
// tests run lane alone.
func TestLaneAsItIsBuilt(t *testing.T) {
	need(t, "git", "bwrap", "socat")
	dir, err := os.MkdirTemp(filepath.Join(stage, "root"), "built-")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if out, err := exec.CommandContext(t.Context(), "make", "-C", "..", "build", "BIN="+bin).CombinedOutput(); err != nil {
		t.Fatalf("make build: %v: %s", err, out)
	}
	lane, inside := filepath.Join(bin, "lane"), filepath.Join(bin, "lane-inside")
	run := func(argv ...string) []byte {
		t.Helper()
		c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANE_HOME=" + dir + "/state", "ANTHROPIC_API_KEY=dummy", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", argv, err, stderr.Bytes())
		}
		return out
	}
	run("git", "init", "-q", "repo")
	run("git", "-C", "repo", "commit", "-q", "--allow-empty", "-m", "x")
	run("git", "-C", "repo", "worktree", "add", "-q", "../tree")
	child := func() string {
		t.Helper()
		var plan struct {
			Start []string `json:"start"`
		}
		if err := json.Unmarshal(run(lane, "plan", "--json", "--writer", "claude", "--writer-bin", filepath.Join(stage, "bin", "stub"), "--dir", "tree", "--", "x"), &plan); err != nil {
			t.Fatal(err)
		}
		i := slices.Index(plan.Start, "confine")
		if i < 1 {
			t.Fatalf("no child in %q", plan.Start)
		}
		return plan.Start[i-1]
	}
	if got := child(); got != inside {
		t.Errorf("the child is %s, want %s", got, inside)
	}
	run(lane, "exec", "--dir", "tree", "--", "sh", "-c", "echo x >made && ! echo x 2>/dev/null >../repo/made")
	if _, err := os.Stat(filepath.Join(dir, "tree", "made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "repo", "made")); err == nil {
		t.Error("it wrote the main checkout")
	}
	if err := os.WriteFile(inside, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := child(); got != lane {
		t.Errorf("with another build's beside it the child is %s, want %s", got, lane)
	}
	run(lane, "exec", "--dir", "tree", "--", "true")
}
