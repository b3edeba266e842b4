// Command lane-hook is lane hook and nothing else. A lane that was built
// together with it (make build) has agents start it in its own place: the
// whole of lane is several times as large, and most of the time of a hook is
// its start.
package main

import (
	"os"

	"lane/hookguard/dialect"
)

func main() { os.Exit(dialect.Program(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
