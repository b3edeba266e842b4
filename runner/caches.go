package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"lane/runner/agent"
)

// cacheDir holds the build caches of one worktree's lanes, below lane's own
// directory.
//
// The host's caches are not shared writable: an object that an agent plants
// there would be linked into the user's next build. Nor do the lanes of two
// worktrees share one. What an agent writes here reaches later lanes of its
// own worktree and nobody else; it can be deleted at any time.
func cacheDir(laneHome, worktree string) string {
	sum := sha256.Sum256([]byte(worktree))
	return filepath.Join(laneHome, "cache", hex.EncodeToString(sum[:12]))
}

// caches are the variables by which build tools find their cache, and where
// each one's lies below cacheDir. Downloaded sources (Go modules, cargo's
// registry) are read from the user's, read-only: see toolchains.
var caches = []struct{ variable, dir, reason string }{
	{"CCACHE_DIR", "ccache", "ccache's objects"},
	{"GOCACHE", "go-build", "Go's build cache"},
	{"PIP_CACHE_DIR", "pip", "pip's wheels"},
	{"npm_config_cache", "npm", "npm's packages"},
}

func cacheEnv(dir string) []agent.EnvVar {
	var env []agent.EnvVar
	for _, c := range caches {
		env = append(env, agent.EnvVar{Name: c.variable, Value: filepath.Join(dir, c.dir), Reason: c.reason + ", of this worktree's lanes only"})
	}
	return env
}

// mendCaches removes what a run has put in the place of a cache, a link to
// somewhere else for instance: the next run's tools would fail on it.
func mendCaches(dir string) error {
	for _, c := range caches {
		path := filepath.Join(dir, c.dir)
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() {
			continue // the tool makes it
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
