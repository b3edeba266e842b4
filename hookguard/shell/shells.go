package shell

import (
	"path"
	"strings"
)

// sh is a shell started by the command: with -c it runs that text, with a
// file it runs the file, without either what it reads.
func (in *interp) sh(args []string, st *state, io stdio) {
	sub := st.fork()
	sub.aliases, sub.params = map[string]string{}, []string{}
	o := in.shellOptions(args[0], args[1:], sub, io)
	words := o.words
	switch {
	case o.reads: // it looks for errors only
	case o.code && o.text == "" && len(words) == 0:
	case o.code:
		if o.text == "" {
			o.text, words = words[0], words[1:]
			if len(words) > 0 {
				sub.name, words = words[0], words[1:]
			}
		}
		sub.params = append([]string{}, words...)
		in.code(unglob(o.text), sub, io, args[0]+" -c")
	case o.stdin || len(words) == 0 || words[0] == "-" || words[0] == "/dev/stdin":
		if o.stdin {
			sub.params = append([]string{}, words...)
		}
		// A file of the project that is fed to a shell is a script like any other.
		if io.text() != holeInput && io.text() != holeFile {
			in.code(io.text(), sub, io, args[0])
		}
		in.typedLater(args, io)
	default:
		in.runFile(words[0], words[1:], st, io)
	}
}

// typedLater notes an interpreter whose input nobody gave.
func (in *interp) typedLater(args []string, io stdio) {
	if io.text() != holeInput {
		return
	}
	for _, w := range args[1:] {
		switch w {
		case "--version", "-V", "-v", "-version", "--help", "-h", "-help":
			return
		}
	}
	in.find(TypedLater, args[0], "")
}

// shellOptions is a shell's command line taken apart.
type shellOptions struct {
	text  string // of --command=
	code  bool   // -c
	stdin bool   // -s
	reads bool   // -n: nothing is run
	words []string
}

func (in *interp) shellOptions(shell string, words []string, sub *state, io stdio) shellOptions {
	o := shellOptions{}
	for len(words) > 0 && len(words[0]) > 1 && (words[0][0] == '-' || words[0][0] == '+') {
		w := words[0]
		words = words[1:]
		text, command := strings.CutPrefix(w, "--command=")
		switch {
		case w == "--":
			o.words = words
			return o
		case (w == "--rcfile" || w == "--init-file") && len(words) > 0:
			if t, ok := in.written(words[0], sub); ok {
				in.code(t, sub, io, shell+" "+w)
			}
			words = words[1:]
		case command:
			o.text, o.code = text, true
		case w == "--command":
			o.code = true
		case strings.HasPrefix(w, "--"):
		case w == "-s":
			o.stdin = true
		default: // -euxc, +x, -o errexit
			o.code = o.code || strings.Contains(w, "c") && w[0] == '-'
			if strings.Contains(w, "n") {
				o.reads = w[0] == '-'
			}
			if (strings.HasSuffix(w, "o") || strings.HasSuffix(w, "O")) && len(words) > 0 && !o.code {
				if words[0] == "noexec" {
					o.reads = w[0] == '-'
				}
				words = words[1:]
			}
		}
	}
	o.words = words
	return o
}

// runFile runs a script whose text the call holds; another file of the
// project is the project's own business.
func (in *interp) runFile(name string, args []string, st *state, io stdio) {
	if FromOutput(name) {
		in.find(UnknownCode, "a script named by another command's output", "")
		return
	}
	if text, ok := in.written(name, st); ok {
		in.script(name, text, args, st, io)
		return
	}
	io.print(holeOut)
}

// script runs a file of known text, by its first line or as shell.
func (in *interp) script(name, text string, args []string, st *state, io stdio) {
	first, _, _ := strings.Cut(text, "\n")
	if program, ok := strings.CutPrefix(first, "#!"); ok {
		fields := strings.Fields(program)
		if len(fields) > 1 && path.Base(fields[0]) == "env" {
			fields = fields[1:]
			if fields[0] == "-S" && len(fields) > 1 {
				fields = fields[1:]
			}
		}
		if len(fields) > 0 {
			if lang, ok := interpreters[path.Base(fields[0])]; ok {
				in.language(lang, text, args, name, st, io)
				return
			}
			if last := fields[len(fields)-1]; len(fields) > 1 && last[0] == '-' && strings.HasSuffix(last, "f") { // sed -f, make -f
				words := append([]string{path.Base(fields[0])}, fields[1:]...)
				in.run(append(append(words, name), args...), st, io, false)
				return
			}
		}
	} else if lang := languageOf(name); lang != "" {
		in.language(lang, text, args, name, st, io)
		return
	}
	sub := st.fork()
	sub.params, sub.name = append([]string{}, args...), name
	// What the file held before is a script of the project like any other.
	in.code(strings.ReplaceAll(text, holeFile, holeInit+"\n"), sub, io, name)
}

// env runs a command in a changed environment.
func (in *interp) env(args []string, st *state, io stdio) {
	sub := st.fork()
	words, cleared := in.envOptions(args[1:], sub)
	for len(words) > 0 {
		name, value, ok := cutAssign(words[0])
		if words[0] == "-i" { // options after assignments, as some versions take them
			cleared, words = true, words[1:]
			continue
		}
		if !ok && len(words) > 1 && Unknown(words[0]) && len(words[0]) == 2 { // $(cat .env): assignments
			words = words[1:]
			continue
		}
		if !ok {
			break
		}
		words = words[1:]
		cleared = cleared && !isTempVar(name)
		sub.vars[name] = variable{values: []string{value}, exported: true}
		in.environment(name, sub, "env "+name+"=")
	}
	if len(words) == 0 {
		io.print(holeOut)
		return
	}
	if cleared && in.req.Vars["TMPDIR"] != "" {
		in.find(TempMoved, "env -i", "TMPDIR")
	}
	in.run(words, sub, io, false)
}

// envOptions applies env's own options and returns the words after them, and
// whether the environment is emptied.
func (in *interp) envOptions(words []string, sub *state) (rest []string, cleared bool) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		w := words[0]
		words = words[1:]
		name, value, inline := strings.Cut(w, "=")
		for _, short := range []string{"-u", "-C", "-S"} {
			if strings.HasPrefix(w, short) && len(w) > 2 {
				name, value, inline = short, w[2:], true
			}
		}
		switch name {
		case "--":
			return words, cleared
		case "-", "-i", "--ignore-environment":
			cleared = true
			continue
		case "-u", "-C", "-S", "--unset", "--chdir", "--split-string":
		default:
			continue
		}
		if !inline {
			if len(words) == 0 {
				return nil, cleared
			}
			value, words = words[0], words[1:]
		}
		switch name {
		case "-u", "--unset":
			if isTempVar(value) {
				in.find(TempMoved, "env -u", value)
			}
			sub.vars[value] = variable{unset: true}
		case "-C", "--chdir":
			sub.chdir(value)
		default:
			words = append(strings.Fields(value), words...)
		}
	}
	return words, cleared
}
