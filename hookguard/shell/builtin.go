package shell

import (
	"strings"
)

// builtins are the commands the shell runs itself, and programs that do to
// their operands what a shell would.
var builtins map[string]func(*interp, []string, *state, stdio)

// programs are the tools whose operands no table row can describe.
var programs map[string]func(*interp, []string, *state, stdio)

func init() {
	builtins = map[string]func(*interp, []string, *state, stdio){
		"cd": (*interp).cd, "chdir": (*interp).cd,
		"echo": (*interp).echo, "pwd": (*interp).pwd,
		"eval": (*interp).eval, "unset": (*interp).unset,
		":": nothing, "true": nothing, "false": nothing,
	}
	programs = map[string]func(*interp, []string, *state, stdio){
		"sh": (*interp).sh, "bash": (*interp).sh, "dash": (*interp).sh, "zsh": (*interp).sh, "ksh": (*interp).sh,
	}
}

func nothing(*interp, []string, *state, stdio) {}

func (in *interp) cd(args []string, st *state, io stdio) {
	operands := args[1:]
	for len(operands) > 0 && len(operands[0]) > 1 && operands[0][0] == '-' {
		if operands[0] == "--" {
			operands = operands[1:]
			break
		}
		operands = operands[1:]
	}
	switch {
	case len(operands) == 0:
		home, _ := in.tilde("", st)
		st.chdir(home)
	case operands[0] == "-":
		st.chdir(st.oldDir)
	default:
		st.chdir(operands[0])
	}
}

func (in *interp) pwd(_ []string, st *state, io stdio) { io.print(st.dir + "\n") }

func (in *interp) echo(args []string, st *state, io stdio) {
	words := args[1:]
	end, escapes := "\n", false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		if strings.Contains(words[0], "n") {
			end = ""
		}
		if i := strings.LastIndexAny(words[0], "eE"); i >= 0 {
			escapes = words[0][i] == 'e'
		}
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if escapes {
		text = ansiC(text)
	}
	io.print(text + end)
}

// script runs a file the call itself wrote.
func (in *interp) script(name, text string, args []string, st *state, io stdio) {
	sub := st.fork()
	sub.params, sub.name = args, name
	in.code(text, sub, io, name)
}

// environment looks at a variable that commands will see.
func (in *interp) environment(name string, st *state, by string) {
	if name != "TMPDIR" {
		return
	}
	value, set := in.lookup(name, st)
	if !set || value == "" {
		in.find(TempMoved, by, name)
		return
	}
	in.effect(Write, value, by, st)
}

func (in *interp) eval(args []string, st *state, io stdio) {
	in.code(strings.Join(args[1:], " "), st, io, "eval")
}

func (in *interp) unset(args []string, st *state, _ stdio) {
	for _, name := range args[1:] {
		if strings.HasPrefix(name, "-") {
			continue
		}
		st.vars[name] = variable{unset: true}
		if name == "TMPDIR" {
			in.find(TempMoved, "unset", name)
		}
	}
}

// sh is a shell started by the command: with -c it runs that text, without
// operands what it reads.
func (in *interp) sh(args []string, st *state, io stdio) {
	sub := st.fork()
	for i, a := range args[1:] {
		if strings.HasPrefix(a, "-") && strings.Contains(a, "c") && i+2 < len(args) {
			in.code(args[i+2], sub, io, args[0]+" -c")
			return
		}
		if !strings.HasPrefix(a, "-") {
			return
		}
	}
	if io.in != holeVar {
		in.code(io.in, sub, io, args[0])
	}
}
