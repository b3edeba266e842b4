// Command lane starts a coding agent in a git worktree so that it can write
// that worktree and nothing else, and proves it.
package main

import (
	"os"

	"lane/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:])) }
