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
	words := args[1:]
	text, code := "", false
	for len(words) > 0 && len(words[0]) > 1 && (words[0][0] == '-' || words[0][0] == '+') {
		w := words[0]
		words = words[1:]
		switch {
		case w == "--":
		case w == "--rcfile" || w == "--init-file":
			if len(words) > 0 {
				if t, ok := in.written(words[0], st); ok {
					in.code(t, sub, io, args[0]+" "+w)
				}
				words = words[1:]
			}
			continue
		case strings.HasPrefix(w, "--command="):
			text, code = strings.TrimPrefix(w, "--command="), true
			continue
		case w == "--command":
			code = true
			continue
		case strings.HasPrefix(w, "--"):
			continue
		case w == "-s":
			if io.in != holeVar && io.in != holeFile {
				in.code(io.in, sub, io, args[0])
			}
			return
		default:
			code = code || strings.Contains(w, "c") && w[0] == '-'
			if strings.HasSuffix(w, "o") || strings.HasSuffix(w, "O") {
				if len(words) > 0 && !code {
					words = words[1:]
				}
			}
			continue
		}
		break
	}
	switch {
	case code && text == "":
		if len(words) == 0 {
			return
		}
		text, words = words[0], words[1:]
		if len(words) > 0 {
			sub.name, words = words[0], words[1:]
		}
		fallthrough
	case code:
		sub.params = append([]string{}, words...)
		in.code(unglob(text), sub, io, args[0]+" -c")
	case len(words) == 0 || words[0] == "-" || words[0] == "/dev/stdin":
		// A file of the project that is fed to a shell is a script like any other.
		if io.in != holeVar && io.in != holeFile {
			in.code(io.in, sub, io, args[0])
		}
	default:
		in.runFile(words[0], words[1:], st, io)
	}
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
	words := args[1:]
	cleared := false
	for len(words) > 0 && len(words[0]) > 0 && words[0][0] == '-' {
		w := words[0]
		name, value, inline := strings.Cut(w, "=")
		words = words[1:]
		if w == "--" {
			break
		}
		switch {
		case w == "-" || w == "-i" || w == "--ignore-environment":
			cleared = true
			continue
		case w == "-0" || w == "-v" || w == "--null" || w == "--debug":
			continue
		}
		for _, short := range []string{"-u", "-C", "-S"} {
			if strings.HasPrefix(w, short) && len(w) > 2 && !strings.HasPrefix(w, "--") {
				name, value, inline = short, w[2:], true
			}
		}
		if !inline && (name == "-u" || name == "-C" || name == "-S" || name == "--unset" || name == "--chdir" || name == "--split-string") {
			if len(words) == 0 {
				return
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
		case "-S", "--split-string":
			words = append(strings.Fields(value), words...)
		}
	}
	moved := cleared
	for len(words) > 0 {
		name, value, ok := cutAssign(words[0])
		if words[0] == "-i" { // options after assignments, as some versions take them
			moved, words = true, words[1:]
			continue
		}
		if !ok {
			break
		}
		words = words[1:]
		moved = moved && !isTempVar(name)
		sub.vars[name] = variable{values: []string{value}, exported: true}
		in.environment(name, sub, "env "+name+"=")
	}
	if moved && len(words) > 0 && in.req.Vars["TMPDIR"] != "" {
		in.find(TempMoved, "env -i", "TMPDIR")
	}
	if len(words) > 0 {
		in.run(words, sub, io, false)
	} else {
		io.print(holeOut)
	}
}
