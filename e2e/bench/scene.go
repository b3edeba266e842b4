package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// scene is a scratch repository with a linked worktree, and the agent.
type scene struct {
	root  string
	lane  string
	agent string
	env   []string
}

func newScene(ctx context.Context) (*scene, error) {
	root, err := os.MkdirTemp("", "lane-bench-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	home := filepath.Join(root, "home")
	repo := filepath.Join(home, "repo")
	s := &scene{root: root, lane: filepath.Join(home, "lane"), agent: filepath.Join(root, "bin", agentName),
		env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "LANE_HOME=" + filepath.Join(root, "lane-home"), "ANTHROPIC_API_KEY=bench"}}
	for _, dir := range []string{repo, filepath.Dir(s.agent)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := copySelf(s.agent); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"commit", "-q", "--allow-empty", "-m", "first"},
		{"worktree", "add", "-q", "-b", "work", s.lane},
	} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "init.defaultBranch=main", "-c", "user.name=B", "-c", "user.email=b@example.invalid"}, args...)...)
		cmd.Dir = repo
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return s, nil
}

// laneRun is a run of the idle agent that holds still for some time.
func (s *scene) laneRun(lane, hold string) []string {
	return []string{lane, "run", "--writer-bin", s.agent, "--writer", "claude", "--", hold}
}

func copySelf(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	in, err := os.Open(self)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
