package shell

import "strings"

// module is python -m: the module's own command line.
func (in *interp) module(words []string, st *state, io stdio) {
	if len(words) == 0 {
		return
	}
	name := words[0]
	if in.imported(name, words[1:], st, io) {
		return
	}
	rest := append([]string{name}, words[1:]...)
	switch name {
	case "venv", "virtualenv":
		rest[0] = "virtualenv"
	case "http.server", "json.tool", "zipfile", "tarfile", "compileall", "timeit", "cProfile", "profile", "trace", "pdb", "runpy", "ensurepip", "gzip", "uuid", "calendar":
		in.standardModule(name, words[1:], st, io)
		return
	}
	if strings.HasPrefix(name, "pip.") {
		rest[0] = "pip"
	}
	in.program(rest, st, io)
}

func (in *interp) standardModule(name string, words []string, st *state, io stdio) {
	var ops []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case name == "compileall" && (w == "-o" || w == "-j" || w == "-r" || w == "-x" || w == "-d" || w == "-s" || w == "-p" || w == "-i"):
			i++
		case (w == "-o" || w == "--outfile") && i+1 < len(words):
			i++
			in.effect(Write, words[i], "python -m "+name, st)
		case name == "timeit" && (w == "-s" || w == "-n" || w == "-r" || w == "-u") && i+1 < len(words):
			i++
			if w == "-s" {
				in.language(langPython, words[i], nil, "python -m timeit", st, io)
			}
		case !strings.HasPrefix(w, "-"):
			ops = append(ops, w)
		}
	}
	last := ""
	if len(ops) > 0 {
		last = ops[len(ops)-1]
	}
	flag := ""
	if len(words) > 0 {
		flag = words[0]
	}
	switch {
	case name == "json.tool" && len(ops) > 1, (name == "zipfile" || name == "tarfile") && (flag == "-e" || flag == "--extract") && len(ops) > 1:
		in.effect(Write, last, "python -m "+name, st)
	case (name == "zipfile" || name == "tarfile") && (flag == "-e" || flag == "--extract"):
		in.effect(Write, ".", "python -m "+name, st)
	case (name == "zipfile" || name == "tarfile") && (flag == "-c" || flag == "--create") && len(ops) > 0:
		in.effect(Write, ops[0], "python -m "+name, st)
	case name == "compileall":
		for _, dir := range ops {
			in.effect(Write, dir, "python -m compileall", st)
		}
	case name == "timeit" && len(ops) > 0:
		in.language(langPython, last, nil, "python -m timeit", st, io)
	case name == "cProfile" || name == "trace" || name == "pdb":
		if len(ops) > 0 {
			in.runFile(ops[0], ops[1:], st, io)
		}
	}
}

// pycache is python -X pycache_prefix=DIR.
func (in *interp) pycache(text, tool string, st *state) {
	if dir, ok := strings.CutPrefix(text, "pycache_prefix="); ok {
		in.effect(Write, dir, tool+" -X pycache_prefix", st)
	}
}

// imported runs a Python module that the call wrote, once.
func (in *interp) imported(name string, args []string, st *state, io stdio) bool {
	if len(in.files) == 0 || name == "" {
		return false
	}
	file := strings.ReplaceAll(name, ".", "/")
	for _, f := range []string{file + ".py", file + "/__main__.py", file + "/__init__.py"} {
		text, ok := in.written(f, st)
		if !ok {
			continue
		}
		key := "import " + fold(in.abs(f, st))
		if _, done := in.files[key]; !done {
			in.files[key] = ""
			in.language(langPython, text, args, f, st, io)
		}
		return true
	}
	return false
}
