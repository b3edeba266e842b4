package shell

import (
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
		"ulimit": nothing, "times": nothing, "test": nothing, "[": nothing, "compgen": (*interp).complete,
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
	physical := false
	for len(operands) > 0 && (operands[0] == "-L" || operands[0] == "-P" || operands[0] == "-e" || operands[0] == "--" || operands[0] == "-q") {
		physical = operands[0] == "-P" || physical && operands[0] != "-L"
		operands = operands[1:]
	}
	switch {
	case len(operands) == 0:
		home, _ := in.tilde("", st)
		st.chdir(home)
	case operands[0] == "-":
		st.chdir(st.oldDir)
	case physical:
		st.chdir(in.physical(in.abs(in.cdPath(operands[0], st), st)))
	default:
		st.chdir(in.cdPath(operands[0], st))
	}
}

// physical is an absolute path with its links followed, as the kernel does it:
// a ".." counts from where a link leads.
func (in *interp) physical(p string) string {
	if in.req.Readlink == nil || HasHole(p) || !strings.HasPrefix(p, "/") {
		return p
	}
	at, pending := "/", strings.Split(p, "/")
	for followed := 0; len(pending) > 0 && followed < 40; {
		name := pending[0]
		pending = pending[1:]
		next := fold(at + "/" + name)
		target, link := in.madeLink(next)
		if !link && name != ".." {
			target, link = in.req.Readlink(next)
		}
		if !link {
			at = next
			continue
		}
		followed++
		if strings.HasPrefix(target, "/") {
			at = "/"
		}
		pending = append(strings.Split(target, "/"), pending...)
	}
	return at
}

// madeLink is where a link leads that the call made.
func (in *interp) madeLink(name string) (string, bool) {
	for i := len(in.report.Links) - 1; i >= 0; i-- {
		if l := in.report.Links[i]; l.Path == name {
			return l.Target, l.Target != ""
		}
	}
	return "", false
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
	ordinary := strings.NewReplacer(holeFile, holeInit+"\n") // a file that is sourced is a script like any other
	switch {
	case name == "/dev/stdin" || name == "-":
		in.code(io.text(), st, io, "source")
	default:
		in.effect(Read, name, "source", st)
		if text, ok := in.written(name, st); ok {
			in.code(ordinary.Replace(text), st, io, "source "+name)
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
		if (a == "-w" || a == "-a" || a == "-W" || a == "-A") && i+1 < len(args) {
			in.effect(Write, args[i+1], args[0]+" "+a, st)
		}
	}
}
