package e2e

import (
	"os"

	"lane/cmd"
)

// laneMain is the program under test: what cmd/lane is.
func laneMain() int { return cmd.Main(os.Args[1:]) }
