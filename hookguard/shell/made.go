package shell

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// tee writes what it reads to its files and to its output.
func (in *interp) tee(args []string, st *state, io stdio) {
	in.toolAs("tee", args, st, io)
	for _, f := range filesOf(args) {
		in.remember(f, io.text(), st)
	}
	io.print(io.text())
}

// cp with -s makes links instead of copies.
func (in *interp) cp(args []string, st *state, io stdio) {
	for _, w := range args[1:] {
		if w == "--symbolic-link" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "s") && !strings.ContainsAny(w, "tS") {
			in.ln(append([]string{args[0], "-s"}, operandsOf(args[1:])...), st, io)
			return
		}
	}
	in.toolAs("cp", args, st, io)
	in.carry(operandsOf(args[1:]), st)
}

// mv and install carry what the call wrote to another name.
func (in *interp) mv(args []string, st *state, io stdio) {
	in.toolAs(args[0], args, st, io)
	in.carry(operandsOf(args[1:]), st)
}

// carry gives what the call wrote its second name; the first may be there
// still. The last operand may be a directory.
func (in *interp) carry(ops []string, st *state) {
	for len(ops) > 2 && strings.Trim(ops[0], "0123456789") == "" { // of -m 755
		ops = ops[1:]
	}
	if len(ops) < 2 {
		return
	}
	target := ops[len(ops)-1]
	for _, source := range ops[:len(ops)-1] {
		if text, ok := in.written(source, st); ok {
			in.remember(target, text, st)
			in.remember(target+"/"+path.Base(source), text, st)
		}
	}
}

// makeTool is make, with a makefile that the call itself wrote.
func (in *interp) makeTool(args []string, st *state, io stdio) {
	files := []string{"GNUmakefile", "makefile", "Makefile"}
	sub := st.fork()
	for i, w := range args {
		if i+1 < len(args) && (w == "-f" || w == "--file" || w == "--makefile") {
			files = []string{args[i+1]}
		}
		if i+1 < len(args) && (w == "-C" || w == "--directory") {
			sub.chdir(args[i+1])
		}
	}
	for _, f := range files {
		text, ok := in.written(f, sub)
		if f == "-" || f == "/dev/stdin" {
			text, ok = io.text(), io.text() != holeInput
		}
		if ok {
			in.makeCode(text, "make", sub, io)
			break
		}
	}
	in.installs(args, sub)
	in.tool(args, st, io)
}

// installs is make install, which writes below its prefix when no DESTDIR
// stands before that.
func (in *interp) installs(args []string, st *state) {
	prefix, target := "", false
	for _, w := range args[1:] {
		name, value, ok := cutAssign(w)
		switch {
		case !ok:
			target = target || strings.HasPrefix(w, "install")
		case name == "DESTDIR":
			return
		case strings.EqualFold(name, "prefix"):
			prefix = strings.TrimPrefix(value, ":")
		}
	}
	if target && looksLikePath(prefix) && !contains(args, "-n") {
		in.effect(Write, prefix, args[0]+" install", st)
	}
}

// ln makes links; a symbolic one is followed from then on.
func (in *interp) ln(args []string, st *state, io stdio) {
	symbolic, dir := false, ""
	var ops []string
	for i := 1; i < len(args); i++ {
		w := args[i]
		name, value, inline := strings.Cut(w, "=")
		switch {
		case w == "--":
			ops = append(ops, args[i+1:]...)
			i = len(args)
		case name == "--target-directory" && inline:
			dir = value
		case w == "-t" || w == "--target-directory":
			if i++; i < len(args) {
				dir = args[i]
			}
		case w == "-S" || w == "--suffix":
			i++
		case strings.HasPrefix(w, "--s") && strings.HasPrefix("--symbolic", w):
			symbolic = true
		case len(w) > 1 && w[0] == '-' && w[1] != '-':
			symbolic = symbolic || strings.Contains(w, "s")
			if _, d, ok := strings.Cut(w, "t"); ok && d != "" {
				dir = d
			} else if ok && i+1 < len(args) { // -st DIR
				i++
				dir = args[i]
			}
		case strings.HasPrefix(w, "--"):
		default:
			ops = append(ops, w)
		}
	}
	target := "."
	switch {
	case dir != "":
		target = dir
	case len(ops) > 1:
		target, ops = ops[len(ops)-1], ops[:len(ops)-1]
	}
	for _, source := range ops {
		name := target
		if dir != "" || len(ops) > 1 || target == "." || strings.HasSuffix(target, "/") {
			name = strings.TrimSuffix(target, "/") + "/" + path.Base(source)
		}
		in.link(symbolic, source, name, args[0], st)
	}
}

// link records a link that the command makes.
func (in *interp) link(symbolic bool, source, name, by string, st *state) {
	in.effect(Name, name, by, st)
	if !symbolic {
		in.effect(HardLink, source, by, st)
		in.carry([]string{source, name}, st)
		return
	}
	if len(in.report.Links) < 256 {
		in.report.Links = append(in.report.Links, Link{Path: fold(in.abs(name, st)), Target: source})
	}
}

// mktemp makes a file in TMPDIR, in the directory of -p, or by a template
// that may lead anywhere.
func (in *interp) mktemp(args []string, st *state, io stdio) {
	dir, template, prefixed, dry := "", "", false, false
	for i := 1; i < len(args); i++ {
		w := args[i]
		name, value, inline := strings.Cut(w, "=")
		switch {
		case name == "--tmpdir":
			prefixed = true
			if inline {
				dir = value
			}
		case name == "--suffix":
			if !inline {
				i++
			}
		case w == "-p":
			if i++; i < len(args) {
				dir, prefixed = args[i], true
			}
		case strings.HasPrefix(w, "-p") && !strings.HasPrefix(w, "--"):
			dir, prefixed = w[2:], true
		case w == "-t":
			prefixed = true
		case w == "-u" || w == "--dry-run":
			dry = true
		case strings.HasPrefix(w, "-") && len(w) > 1:
			dry = dry || !strings.HasPrefix(w, "--") && strings.Contains(w, "u")
			prefixed = prefixed || !strings.HasPrefix(w, "--") && strings.Contains(w, "t")
		default:
			template = w
		}
	}
	if template == "" || prefixed {
		temp, set := in.lookup("TMPDIR", st)
		switch {
		case set && temp != "" && (dir == "" || !strings.HasPrefix(args[0], "tempfile")):
			if dir == "" || prefixed && dir == "" {
				dir = temp
			}
		case dir == "":
			dir = "/tmp"
			if !set && in.req.Vars["TMPDIR"] == "" {
				dir = holeVar
			}
		}
		if template == "" {
			template = holeSeg
		}
		template = strings.TrimSuffix(dir, "/") + "/" + template
	}
	if !dry {
		in.effect(Write, template, args[0], st)
	}
	io.print(strings.TrimSuffix(strings.TrimRight(template, "X"), holeSeg) + holeSeg + "\n")
}

func (in *interp) applyPatch(args []string, st *state, io stdio) {
	text := io.text()
	if len(args) > 1 {
		text = args[len(args)-1]
	}
	for _, f := range PatchFiles(text) {
		in.effect(f.Op, f.Path, "apply_patch", st)
	}
}

// goTool is go; a program that the call wrote is read for the files that it
// names when it is run or tested.
func (in *interp) goTool(args []string, st *state, io stdio) {
	if len(args) > 1 && (args[1] == "run" || args[1] == "test") {
		for _, w := range args[2:] {
			in.sources(w, ".go", "go "+args[1], st, io)
		}
	}
	in.tool(args, st, io)
}

// sources reads what the call wrote of a program: a file, or a directory's.
func (in *interp) sources(name, ending, by string, st *state, io stdio) {
	if text, ok := in.written(name, st); ok {
		in.quotedCode(text, by, st.fork(), io)
		return
	}
	dir := fold(in.abs(strings.TrimSuffix(name, "/..."), st))
	for _, file := range in.writtenFiles() {
		if path.Ext(file) == ending && below(file, dir) {
			in.quotedCode(in.files[file], by, st.fork(), io)
		}
	}
}

// writtenFiles are the files that the call wrote, in one order each time.
func (in *interp) writtenFiles() []string { return slices.Sorted(maps.Keys(in.files)) }

// pytest runs the tests that the call wrote.
func (in *interp) pytest(args []string, st *state, io stdio) {
	for _, file := range in.writtenFiles() {
		name, text := path.Base(file), in.files[file]
		if strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test") || strings.HasSuffix(name, "_test.py") || name == "conftest.py") {
			in.language(langPython, text, nil, name, st.fork(), io)
		}
	}
	in.tool(args, st, io)
}

// justTool is just, with a justfile that the call itself wrote: its recipes
// are indented as a makefile's are.
func (in *interp) justTool(args []string, st *state, io stdio) {
	for _, name := range []string{"justfile", "Justfile", ".justfile"} {
		text, ok := in.written(name, st)
		for line := range strings.Lines(text) {
			if ok && strings.TrimLeft(line, " \t") != line {
				in.leniently(strings.TrimLeft(line, " \t@-"), st.fork(), io, "just")
			}
		}
	}
	in.tool(args, st, io)
}

// packageScript runs a script of a package.json that the call itself wrote.
func (in *interp) packageScript(args []string, st *state, io stdio) {
	if text, ok := in.written("package.json", st); ok && len(args) > 1 {
		var file struct {
			Scripts map[string]string `json:"scripts"`
		}
		if json.Unmarshal([]byte(text), &file) == nil {
			for _, w := range args[1:] {
				if w == args[1] && (w == "t" || w == "tst") {
					w = "test"
				}
				for _, name := range []string{"pre" + w, w, "post" + w} {
					if code := file.Scripts[name]; code != "" {
						in.code(code, st.fork(), io, args[0]+" "+w)
					}
				}
			}
			if args[1] == "install" || args[1] == "i" || args[1] == "ci" {
				for _, name := range []string{"preinstall", "install", "postinstall", "prepare"} {
					in.code(file.Scripts[name], st.fork(), io, args[0]+" "+name)
				}
			}
		}
	}
	in.tool(args, st, io)
}

// bunTool is a package manager and an interpreter.
func (in *interp) bunTool(args []string, st *state, io stdio) {
	for i, w := range args {
		dir, ok := strings.CutPrefix(w, "--cwd=")
		if w == "--cwd" && i+1 < len(args) {
			dir, ok = args[i+1], true
		}
		if ok {
			st = st.fork()
			st.chdir(dir)
			in.effect(Write, ".", "bun --cwd", st)
		}
	}
	if len(args) > 2 && args[1] == "run" {
		if _, ok := in.written("package.json", st); ok {
			in.packageScript(args, st, io)
			return
		}
	}
	in.interpreter(args, st, io)
}
