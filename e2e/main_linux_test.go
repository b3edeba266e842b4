package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var (
	update = flag.Bool("update", false, "rewrite the scripts' expected files (cmp) from what came out")
	keep   = flag.Bool("keep", false, "keep the stage with the scripts' work directories, and say where it is")
)

// roles are what the test binary is when it is started under another name:
// the program under test, and the programs that a script puts round it. They
// are one binary so that there is one thing to build and one to copy.
var roles = map[string]func() int{
	"lane": laneMain, // the program under test
	"stub": stubMain, // an agent that does what its prompt says, as --writer-bin
	"mcp":  mcpMain,  // an MCP server that tries what it is told
	"with": withMain, // starts a command with odd descriptors and signals
}

func TestMain(m *testing.M) {
	if role, ok := roles[filepath.Base(os.Args[0])]; ok {
		os.Exit(role())
	}
	flag.Parse()
	os.Exit(run(m))
}

// run is apart from TestMain so that the stage is removed before the exit.
func run(m *testing.M) int {
	dir := os.Getenv(stageEnv)
	if dir == "" {
		var err error
		if dir, err = newStage(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
		defer func() {
			if *keep {
				fmt.Fprintln(os.Stderr, "e2e: stage kept in", dir)
				return
			}
			if err := removeStage(dir); err != nil {
				fmt.Fprintln(os.Stderr, "e2e:", err)
			}
		}()
	}
	stage = dir
	return m.Run()
}
