package shell

import (
	"strconv"
	"strings"
)

// command is how the interpreter runs something.
type command func(in *interp, args []string, st *state, io stdio)

// builtins are the commands the shell runs itself.
var builtins map[string]command

func init() { // in a function, because the commands run commands themselves
	builtins = map[string]command{
		"cd": (*interp).cd, "chdir": (*interp).cd, "pushd": (*interp).pushd, "popd": (*interp).popd,
		"echo": (*interp).echo, "printf": (*interp).printf, "print": (*interp).echo, "pwd": (*interp).pwd,
		"eval": (*interp).eval, "source": (*interp).source, ".": (*interp).source,
		"exec": (*interp).exec, "command": (*interp).commandWord, "builtin": (*interp).commandWord,
		"noglob": wrapper, "nocorrect": wrapper, "-": wrapper, "coproc": wrapper,
		"unset": (*interp).unset, "read": (*interp).read, "mapfile": (*interp).mapfile, "readarray": (*interp).mapfile,
		"set": (*interp).set, "shift": (*interp).shift, "trap": (*interp).trap,
		"alias": (*interp).alias, "unalias": (*interp).unalias, "hash": (*interp).hash, "enable": (*interp).enable,
		"getopts": (*interp).getopts, "let": (*interp).let,
		"export": (*interp).export, "readonly": (*interp).export, "declare": (*interp).export,
		"typeset": (*interp).export, "local": (*interp).export,
		"bind": (*interp).bind, "complete": (*interp).complete, "history": (*interp).history, "fc": (*interp).history,
		":": nothing, "true": nothing, "false": nothing, "exit": nothing, "return": nothing,
		"break": nothing, "continue": nothing, "wait": nothing, "jobs": nothing, "shopt": nothing,
		"setopt": nothing, "unsetopt": nothing, "autoload": nothing, "emulate": nothing, "umask": nothing,
		"ulimit": nothing, "times": nothing, "test": nothing, "[": nothing, "compgen": nothing,
		"zmodload": nothing, "zstyle": nothing, "compdef": nothing, "bindkey": nothing, "logout": nothing,
	}
}

func nothing(*interp, []string, *state, stdio) {}

// wrapper runs the rest of its words.
func wrapper(in *interp, args []string, st *state, io stdio) {
	if len(args) > 1 {
		in.run(args[1:], st, io, true)
	}
}

// plainOptions skips single-letter options; valued lists those that take the
// next word.
func plainOptions(words []string, valued string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		w := words[0]
		words = words[1:]
		if w == "--" {
			break
		}
		if strings.IndexByte(valued, w[len(w)-1]) >= 0 && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

func (in *interp) cd(args []string, st *state, io stdio) {
	operands := args[1:]
	for len(operands) > 0 && (operands[0] == "-L" || operands[0] == "-P" || operands[0] == "-e" || operands[0] == "--" || operands[0] == "-q") {
		operands = operands[1:]
	}
	switch {
	case len(operands) == 0:
		home, _ := in.tilde("", st)
		st.chdir(home)
	case operands[0] == "-":
		st.chdir(st.oldDir)
	default:
		st.chdir(in.cdPath(operands[0], st))
	}
}

// cdPath honours CDPATH, which makes "cd name" go elsewhere.
func (in *interp) cdPath(dir string, st *state) string {
	v, ok := st.vars["CDPATH"]
	if !ok || len(v.values) == 0 || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, ".") || HasHole(dir) {
		return dir
	}
	first, _, _ := strings.Cut(v.values[0], ":")
	if first == "" || first == "." {
		return dir
	}
	return first + "/" + dir
}

func (in *interp) pushd(args []string, st *state, io stdio) {
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+") {
			continue
		}
		st.stack = append(st.stack, st.dir)
		st.chdir(a)
		return
	}
	in.popd(nil, st, io)
}

func (in *interp) popd(_ []string, st *state, _ stdio) {
	if n := len(st.stack); n > 0 {
		st.chdir(st.stack[n-1])
		st.stack = st.stack[:n-1]
	}
}

func (in *interp) pwd(_ []string, st *state, io stdio) { io.print(st.dir + "\n") }

func (in *interp) echo(args []string, st *state, io stdio) {
	words := args[1:]
	end, escapes := "\n", false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neEr") == "" {
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
	io.print(unglob(text) + end)
}

// unglob turns wildcards back into characters, where words are printed and
// not used as paths.
func unglob(text string) string {
	if !HasWildcard(text) {
		return text
	}
	return strings.NewReplacer(holeStar, "*", holeQuery, "?", holeSet, "[", holeEnd, "]").Replace(text)
}

// printf formats as the shell does, as far as its arguments are known.
func (in *interp) printf(args []string, st *state, io stdio) {
	words := args[1:]
	target := ""
	if len(words) > 2 && words[0] == "-v" {
		target, words = words[1], words[2:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	text := format(words[0], words[1:])
	if target != "" {
		in.assignScalar(target, text, st)
		return
	}
	io.print(text)
}

// format applies a printf format until its arguments are used up.
func format(f string, args []string) string {
	var b strings.Builder
	for round := 0; round == 0 || len(args) > 0 && round < 256; round++ {
		used := false
		for i := 0; i < len(f); i++ {
			if f[i] == '\\' && i+1 < len(f) {
				end := escapeEnd(f, i)
				b.WriteString(ansiC(f[i:end]))
				i = end - 1
				continue
			}
			if f[i] != '%' || i+1 >= len(f) {
				b.WriteByte(f[i])
				continue
			}
			j := i + 1
			for j < len(f) && strings.IndexByte("#-+ 0123456789.*'", f[j]) >= 0 {
				j++
			}
			if j == len(f) {
				break
			}
			i = j
			if f[j] == '%' {
				b.WriteByte('%')
				continue
			}
			arg := ""
			if len(args) > 0 {
				arg, args, used = args[0], args[1:], true
			}
			b.WriteString(convert(f[j], arg))
		}
		if b.Len() > maxValue {
			panic(errLimit)
		}
		if !used {
			break
		}
	}
	return b.String()
}

func convert(verb byte, arg string) string {
	switch verb {
	case 'b':
		return ansiC(arg)
	case 's', 'q':
		return unglob(arg)
	case 'c':
		if arg == "" || HasHole(arg) {
			return arg
		}
		return arg[:1]
	case 'd', 'i', 'u':
		if n, err := strconv.ParseInt(arg, 0, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case 'x', 'o', 'X':
		if n, err := strconv.ParseInt(arg, 0, 64); err == nil {
			return strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8}[verb])
		}
	}
	return holeSeg
}

// escapeEnd is where the backslash escape that starts at i ends.
func escapeEnd(s string, i int) int {
	end := i + 2
	switch s[i+1] {
	case 'x':
		_, n := digits(s[i+2:], 16, 2)
		end += n
	case 'u':
		_, n := digits(s[i+2:], 16, 4)
		end += n
	case 'U':
		_, n := digits(s[i+2:], 16, 8)
		end += n
	case '0', '1', '2', '3', '4', '5', '6', '7':
		_, n := digits(s[i+1:], 8, 3)
		end = i + 1 + n
	}
	return min(end, len(s))
}

func (in *interp) eval(args []string, st *state, io stdio) {
	words := args[1:]
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	in.code(unglob(strings.Join(words, " ")), st, io, "eval")
}

// source runs a file in this very shell. A file of the project is its own
// business; text that a descriptor or this call holds is run.
func (in *interp) source(args []string, st *state, io stdio) {
	if len(args) < 2 {
		return
	}
	name := args[1]
	outer := st.params
	if len(args) > 2 {
		st.params = args[2:]
	}
	switch {
	case name == "/dev/stdin" || name == "-":
		in.code(io.in, st, io, "source")
	default:
		in.effect(Read, name, "source", st)
		if text, ok := in.written(name, st); ok {
			in.code(text, st, io, "source "+name)
		}
	}
	st.params = outer
}

func (in *interp) exec(args []string, st *state, io stdio) {
	if words := plainOptions(args[1:], "a"); len(words) > 0 {
		in.run(words, st, io, false)
	}
}

// commandWord is command and builtin: the rest of the words, without
// functions and aliases.
func (in *interp) commandWord(args []string, st *state, io stdio) {
	words := args[1:]
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		if strings.ContainsAny(words[0], "vV") {
			io.print("/usr/bin/" + strings.Join(words[1:], " ") + "\n")
			return
		}
		words = words[1:]
	}
	if len(words) > 0 {
		in.run(words, st, io, false)
	}
}

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
	line, _, _ := strings.Cut(unglobInput(io.in), "\n")
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

// unglobInput keeps input as it is: what is read is not a pattern.
func unglobInput(text string) string { return unglob(text) }

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
	st.vars[name] = variable{list: strings.Split(strings.TrimRight(io.in, "\n"), "\n")}
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

// trap runs its text when a signal comes or the shell ends.
func (in *interp) trap(args []string, st *state, io stdio) {
	words := args[1:]
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) > 1 && words[0] != "-" && !strings.HasPrefix(words[0], "-") {
		in.code(words[0], st.fork(), io, "trap")
	}
}

func (in *interp) alias(args []string, st *state, _ stdio) {
	for _, a := range args[1:] {
		if name, text, ok := strings.Cut(a, "="); ok && name != "" {
			st.aliases[name] = text
		}
	}
}

func (in *interp) unalias(args []string, st *state, _ stdio) {
	for _, a := range args[1:] {
		if a == "-a" {
			clear(st.aliases)
		}
		delete(st.aliases, a)
	}
}

// hash -p makes a name run another program.
func (in *interp) hash(args []string, st *state, _ stdio) {
	for i, a := range args {
		if a == "-p" && i+2 < len(args) {
			st.aliases[args[i+2]] = quoteAll(args[i+1 : i+2])
		}
	}
}

// enable -f loads a builtin from a shared object: code nobody reads.
func (in *interp) enable(args []string, st *state, _ stdio) {
	for _, a := range args[1:] {
		if a == "-f" {
			in.find(UnknownCode, "enable -f", "")
		}
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

func (in *interp) bind(args []string, st *state, io stdio) {
	for i, a := range args {
		if a == "-x" && i+1 < len(args) {
			if _, code, ok := strings.Cut(args[i+1], ":"); ok {
				in.code(strings.Trim(code, " \"'"), st.fork(), io, "bind -x")
			}
		}
	}
}

func (in *interp) complete(args []string, st *state, io stdio) {
	for i, a := range args {
		if a == "-C" && i+1 < len(args) {
			in.code(args[i+1], st.fork(), io, "complete -C")
		}
	}
}

// history -w and -a write the file they name.
func (in *interp) history(args []string, st *state, _ stdio) {
	for i, a := range args {
		if (a == "-w" || a == "-a") && i+1 < len(args) {
			in.effect(Write, args[i+1], args[0]+" "+a, st)
		}
	}
}
