package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockWorktree takes the worktree for this run: two agents in one worktree
// would undo each other's work. The lock goes with the process, however it
// ends.
func lockWorktree(laneHome, worktree string) (*os.File, error) {
	dir := filepath.Join(laneHome, "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &Refusal{Reason: "lane-home", Path: dir, Detail: cause(err), Hint: "set LANE_HOME to a directory that can be written"}
	}
	sum := sha256.Sum256([]byte(worktree))
	path := filepath.Join(dir, hex.EncodeToString(sum[:12]))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, &Refusal{Reason: "lane-home", Path: path, Detail: cause(err), Hint: "set LANE_HOME to a directory that can be written"}
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &Refusal{Reason: "worktree-busy", Path: worktree, Detail: "another lane runs in this worktree",
			Hint: "wait for it (lane runs list), or use another worktree"}
	}
	if err != nil {
		f.Close()
		return nil, &Refusal{Reason: "lane-home", Path: path, Detail: "lock: " + err.Error(), Hint: "set LANE_HOME to a directory on a file system with locks"}
	}
	return f, nil
}
