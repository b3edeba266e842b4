// Command lane-inside is what of lane runs inside a lane, and nothing else: the
// confined child, and the hook that agents start at each of their calls. A lane
// that was built together with it (make build) uses it in its own place: the
// whole of lane is several times as large, and most of the time of a child and
// of a hook is its start.
package main

import (
	"os"

	"lane/hookguard/dialect"
	"lane/sandbox/confine"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "confine" {
		os.Exit(confine.ChildMain())
	}
	os.Exit(dialect.Program(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
