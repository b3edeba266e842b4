package shell

import "strings"

// tool interprets a program by its table row.
func (in *interp) tool(args []string, st *state, io stdio) {
	operands := []string{}
	for _, a := range args[1:] {
		if !strings.HasPrefix(a, "-") {
			operands = append(operands, a)
		}
	}
	switch args[0] {
	case "touch", "mkdir", "tee", "truncate":
		for _, o := range operands {
			in.effect(Write, o, args[0], st)
		}
	case "rm", "rmdir", "unlink":
		for _, o := range operands {
			in.effect(Remove, o, args[0], st)
		}
	case "cp", "mv", "install":
		if n := len(operands); n > 1 {
			in.effect(Write, operands[n-1], args[0], st)
			for _, o := range operands[:n-1] {
				if args[0] == "mv" {
					in.effect(Remove, o, args[0], st)
				}
			}
		}
	}
	io.print(holeOut)
}

// generic judges a program nobody has a row for.
func (in *interp) generic(args []string, st *state) {}
