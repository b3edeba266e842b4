package shell

import (
	"strconv"
	"strings"
)

func (in *interp) unset(args []string, st *state, _ stdio) {
	functions := false
	for _, name := range args[1:] {
		if strings.HasPrefix(name, "-") {
			functions = functions || strings.Contains(name, "f")
			continue
		}
		if functions {
			delete(st.funcs, name)
			continue
		}
		exported := st.vars[name].exported
		st.vars[name] = variable{unset: true}
		if exported && isTempVar(name) {
			in.find(TempMoved, "unset", name)
		}
	}
}

// read takes a line of standard input into variables.
func (in *interp) read(args []string, st *state, io stdio) {
	names := plainOptions(args[1:], "adinNptu")
	array := ""
	for i, a := range args[1:] {
		if a == "-a" && i+2 < len(args) {
			array = args[i+2]
		}
	}
	line := unglob(io.line()) // what is read is not a pattern
	if array != "" {
		st.vars[array] = variable{list: strings.Fields(line)}
		return
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	ifs := in.ifs(st)
	for i, name := range names {
		if !isName(name) {
			continue
		}
		value := line
		if i < len(names)-1 {
			value = line
			if cut := strings.IndexAny(line, ifs+" "); cut >= 0 && ifs != "" {
				value, line = line[:cut], strings.TrimLeft(line[cut+1:], " \t")
			} else if Unknown(line) {
				value = line[:min(2, len(line))]
			} else {
				line = ""
			}
		}
		in.assignScalar(name, value, st)
	}
}

func (in *interp) mapfile(args []string, st *state, io stdio) {
	names := plainOptions(args[1:], "dnOsuCc")
	for i, a := range args[1:] {
		if a == "-C" && i+2 < len(args) {
			in.code(args[i+2], st, io, args[0]+" -C")
		}
	}
	name := "MAPFILE"
	if len(names) > 0 {
		name = names[0]
	}
	st.vars[name] = variable{list: strings.Split(strings.TrimRight(io.text(), "\n"), "\n")}
}

func (in *interp) set(args []string, st *state, io stdio) {
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" || a == "-":
			st.params = append([]string{}, args[i+1:]...)
			return
		case a == "-o" || a == "+o" || a == "-A":
			i++
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
		default:
			st.params = append([]string{}, args[i:]...)
			return
		}
	}
}

func (in *interp) shift(args []string, st *state, _ stdio) {
	n := 1
	if len(args) > 1 {
		n, _ = strconv.Atoi(args[1])
	}
	if n > 0 && n <= len(st.params) {
		st.params = append([]string{}, st.params[n:]...)
	}
}

func (in *interp) getopts(args []string, st *state, _ stdio) {
	if len(args) > 2 {
		in.assignScalar(args[2], holeSeg, st)
	}
	st.set("OPTARG", holeVar)
}

func (in *interp) let(args []string, st *state, _ stdio) {
	for _, a := range args[1:] {
		in.prompt(a, st)
		if name, value, ok := cutAssign(a); ok {
			in.assignScalar(name, value, st)
		}
	}
}

// export is the form the parser took for an ordinary command, because its
// words come from expansions.
func (in *interp) export(args []string, st *state, _ stdio) {
	for _, a := range plainOptions(args[1:], "") {
		name, value, ok := cutAssign(a)
		if !ok {
			name = a
		} else {
			st.set(name, value)
		}
		if args[0] == "export" && isName(name) {
			v := st.vars[name]
			v.exported = true
			st.vars[name] = v
			in.environment(name, st, "export")
		}
	}
}
