package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// npmAgents are the real agents that are more than one file: what the stage
// gets of each, relative to node_modules. One star stands for the platform.
var npmAgents = []npmAgent{
	{"codex", "@openai/codex-linux-*/vendor/*/bin/codex", []string{"../codex-package.json", "../codex-path", "../codex-resources/bwrap", "codex-code-mode-host"}},
	{"gemini", "@google/gemini-cli/bundle/gemini.js", []string{"../package.json", "."}},
	{"copilot", "@github/copilot-linux-*/copilot", []string{"package.json"}},
}

type npmAgent struct {
	name, program string
	parts         []string // beside the program, directories whole
}

const agentModules = "agents/node_modules"

// installAgents copies those that are installed, and names each in bin.
func installAgents(dir string) error {
	for _, a := range npmAgents {
		found, err := filepath.Glob(filepath.Join(agentModules, a.program))
		if err != nil || len(found) == 0 {
			continue // the scripts that need it say so
		}
		program := found[0]
		for _, part := range append([]string{filepath.Base(program)}, a.parts...) {
			if err := installTree(filepath.Join(filepath.Dir(program), part), dir); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
		}
		if err := os.Symlink(filepath.Join(dir, "node_modules", strings.TrimPrefix(program, agentModules)), filepath.Join(dir, "bin", a.name)); err != nil {
			return err
		}
	}
	return nil
}

// installTree copies a file, or a directory with all that is in it, to the
// same place below dir.
func installTree(from, dir string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, "node_modules", strings.TrimPrefix(path, agentModules))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if _, err := os.Lstat(to); err == nil {
			return nil // the program itself, in a directory that is copied whole
		}
		return install(path, to)
	})
}

// agentProbe says whether an agent is there and starts.
func agentProbe(name string) func() error {
	return func() error { return quietly(filepath.Join(stage, "bin", name), "--version") }
}
