package shell

import (
	"path"
	"strings"
)

// programs are the tools whose command lines no table row can describe.
var programs map[string]command

func init() { // in a function, because programs run other programs
	programs = map[string]command{
		"git": (*interp).git, "env": (*interp).env, "genv": (*interp).env,
		"sh": (*interp).sh, "bash": (*interp).sh, "dash": (*interp).sh, "zsh": (*interp).sh, "ksh": (*interp).sh, "mksh": (*interp).sh, "ash": (*interp).sh, "rbash": (*interp).sh, "fish": (*interp).sh,
		"find": (*interp).findFiles, "gfind": (*interp).findFiles, "fd": (*interp).fd, "fdfind": (*interp).fd,
		"xargs": (*interp).xargs, "gxargs": (*interp).xargs,
		"tee": (*interp).tee, "gtee": (*interp).tee, "cp": (*interp).cp, "gcp": (*interp).cp,
		"make": (*interp).makeTool, "gmake": (*interp).makeTool, "bmake": (*interp).makeTool,
		"sqlite3": (*interp).sqliteTool, "sqlite": (*interp).sqliteTool, "duckdb": (*interp).sqliteTool,
		"pre-commit": (*interp).hookInstaller, "lefthook": (*interp).hookInstaller, "overcommit": (*interp).hookInstaller, "git-secrets": (*interp).hookInstaller,
		"az": (*interp).azure,
		"ln": (*interp).ln, "gln": (*interp).ln, "link": (*interp).ln, "tar": (*interp).tar, "gtar": (*interp).tar, "bsdtar": (*interp).tar,
		"7z": (*interp).sevenZip, "7za": (*interp).sevenZip, "7zr": (*interp).sevenZip, "7zz": (*interp).sevenZip,
		"mktemp": (*interp).mktemp, "gmktemp": (*interp).mktemp, "tempfile": (*interp).mktemp,
		"sed": (*interp).sed, "gsed": (*interp).sed, "ssed": (*interp).sed,
		"awk": (*interp).awk, "gawk": (*interp).awk, "mawk": (*interp).awk, "nawk": (*interp).awk,
		"ed": (*interp).ed, "red": (*interp).ed, "ex": (*interp).vim, "vim": (*interp).vim, "vi": (*interp).vim, "nvim": (*interp).vim, "view": (*interp).vim, "gvim": (*interp).vim, "vimdiff": (*interp).vim,
		"emacs": (*interp).emacs, "tmux": (*interp).tmux, "screen": (*interp).screen, "zellij": (*interp).zellij,
		"apply_patch": (*interp).applyPatch, "applypatch": (*interp).applyPatch,
		"kill": (*interp).kill, "pkill": (*interp).pkill, "killall": (*interp).pkill, "pgrep": (*interp).pgrep, "pidof": (*interp).pgrep,
		"ssh": (*interp).ssh, "claude": (*interp).agent, "codex": (*interp).agent, "copilot": (*interp).agent, "gemini": (*interp).agent,
		"docker": (*interp).container, "podman": (*interp).container, "nerdctl": (*interp).container, "finch": (*interp).container,
		"parallel": (*interp).parallel, "gparallel": (*interp).parallel, "rush": (*interp).parallel, "gh": (*interp).gh,
		"cross-env": (*interp).env, "cross-env-shell": (*interp).env, "busybox": (*interp).multiCall, "toybox": (*interp).multiCall,
		"echo": (*interp).echo, "printf": (*interp).printf, "pwd": (*interp).pwd,
	}
	for name := range interpreters {
		programs[name] = (*interp).interpreter
	}
}

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

// tee writes what it reads to its files and to its output.
func (in *interp) tee(args []string, st *state, io stdio) {
	in.toolAs("tee", args, st, io)
	for _, f := range filesOf(args) {
		in.remember(f, io.in, st)
	}
	io.print(io.in)
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
	if ops := operandsOf(args[1:]); len(ops) == 2 {
		if text, ok := in.written(ops[0], st); ok {
			in.remember(ops[1], text, st)
		}
	}
}

// hookInstaller is a tool whose "install" writes git's hooks.
func (in *interp) hookInstaller(args []string, st *state, io stdio) {
	for _, w := range args[1:] {
		if (w == "install" || w == "--install" || w == "uninstall" || w == "init-templatedir" || w == "autoupdate_") && in.req.CommonDir != "" {
			in.effect(Write, in.req.CommonDir+"/hooks", args[0]+" "+w, st)
			return
		}
	}
	in.tool(args, st, io)
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
			text, ok = io.in, io.in != holeVar
		}
		if ok {
			in.makeCode(text, "make", sub, io)
			break
		}
	}
	in.tool(args, st, io)
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

// multiCall is busybox: its first word is the tool.
func (in *interp) multiCall(args []string, st *state, io stdio) {
	if len(args) > 1 {
		in.run(args[1:], st, io, false)
	}
}

// findFiles is find: its actions work on paths below the places it starts at.
func (in *interp) findFiles(args []string, st *state, io stdio) {
	words := args[1:]
	var roots []string
	for len(words) > 0 {
		w := words[0]
		if w == "-H" || w == "-L" || w == "-P" || strings.HasPrefix(w, "-O") {
			words = words[1:]
			continue
		}
		if w == "-D" && len(words) > 1 {
			words = words[2:]
			continue
		}
		if strings.HasPrefix(w, "-") || w == "(" || w == "!" || w == ")" || w == "," {
			break
		}
		roots, words = append(roots, w), words[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	f := &finder{in: in, st: st, io: io, roots: roots}
	f.expression(words)
	if !f.acted {
		f.each(func(p string) { io.print(p + "\n") })
	}
}

// finder walks a find expression. name is what the tests so far say about the
// file's name.
type finder struct {
	in      *interp
	st      *state
	io      stdio
	roots   []string
	name    string
	whole   string // -path
	exact   bool   // -maxdepth 0: only the starting points
	acted   bool
	negated bool
	narrow  bool // a test leaves files out
}

func (f *finder) expression(words []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "!", "-not":
			f.negated = true
			continue
		case "-o", "-or", ",":
			f.name, f.whole = "", ""
		case "-name", "-iname", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-size", "-perm", "-user", "-group", "-atime", "-ctime", "-empty", "-links", "-inum", "-samefile", "-lname", "-newermt", "-prune", "-xtype", "-path", "-wholename", "-ipath":
			f.narrow = true
		case "-type":
			f.narrow = f.narrow || next != "f"
		}
		switch w {
		case "-name", "-iname":
			if !f.negated {
				f.name = asPattern(next)
			}
			i++
		case "-path", "-wholename", "-ipath":
			if !f.negated {
				f.whole = asPattern(next)
			}
			i++
		case "-maxdepth":
			f.exact = next == "0"
			i++
		case "-delete":
			f.acted = true
			f.each(func(p string) { f.in.effect(Remove, p, "find -delete", f.st) })
			f.all(func(p string) { f.in.effect(Remove, p, "find -delete", f.st) })
		case "-exec", "-execdir", "-ok", "-okdir":
			i = f.exec(words, i)
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			f.acted = f.acted || w != "-fls"
			f.in.effect(Write, next, "find "+w, f.st)
			i++
		case "-type", "-size", "-mtime", "-mmin", "-newer", "-user", "-group", "-perm", "-regex", "-iregex", "-mindepth", "-atime", "-ctime", "-amin", "-cmin", "-links", "-inum", "-printf", "-samefile", "-regextype", "-files0-from", "-fstype", "-lname", "-newermt":
			i++
		}
		f.negated = false
	}
}

func (f *finder) exec(words []string, i int) int {
	f.acted = true
	end := i + 1
	for end < len(words) && words[end] != ";" && !(words[end] == "+" && words[end-1] == "{}") {
		end++
	}
	f.each(func(p string) {
		var cmd []string
		for _, w := range words[i+1 : end] {
			cmd = append(cmd, strings.ReplaceAll(w, "{}", p))
		}
		if len(cmd) > 0 {
			f.in.run(cmd, f.st.fork(), f.io, false)
		}
	})
	return end
}

// all calls yield with the worktree's .git when no test leaves it out.
func (f *finder) all(yield func(string)) {
	if f.narrow {
		return
	}
	for _, root := range f.roots {
		if fold(f.in.abs(root, f.st)) == f.in.req.Worktree {
			yield(strings.TrimSuffix(root, "/") + "/.git")
		}
	}
}

// each calls yield with what {} stands for, for each starting point.
func (f *finder) each(yield func(string)) {
	for _, root := range f.roots {
		p := root
		switch {
		case f.exact:
		case f.whole != "" && !strings.HasPrefix(f.whole, holeStar):
			p = f.whole
		case f.name != "":
			p = strings.TrimSuffix(root, "/") + "/" + holeName + "/" + f.name
		default:
			p = strings.TrimSuffix(root, "/") + "/" + holeName
		}
		yield(p)
	}
}

// asPattern marks the wildcards of a quoted pattern.
func asPattern(text string) string {
	f := fieldMaker{glob: true}
	return f.wild(text)
}

func (in *interp) fd(args []string, st *state, io stdio) {
	root := "."
	var operands []string
	for i := 1; i < len(args); i++ {
		w := args[i]
		switch w {
		case "-x", "--exec", "-X", "--exec-batch":
			p := root
			if len(operands) > 1 {
				p = operands[1]
			}
			var cmd []string
			found := false
			for _, c := range args[i+1:] {
				if c == ";" {
					break
				}
				found = found || strings.Contains(c, "{")
				cmd = append(cmd, strings.NewReplacer("{}", p+"/"+holeName, "{/}", holeSeg, "{//}", p+"/"+holeName, "{.}", p+"/"+holeName, "{/.}", holeSeg).Replace(c))
			}
			if !found {
				cmd = append(cmd, p+"/"+holeName)
			}
			if len(cmd) > 0 {
				in.run(cmd, st.fork(), io, false)
			}
			return
		case "-t", "--type", "-e", "--extension", "-E", "--exclude", "-d", "--max-depth", "-j", "--threads", "-S", "--size", "-c", "--color", "--changed-within", "--changed-before", "-o", "--owner", "--base-directory", "--search-path":
			i++
			if (w == "--base-directory" || w == "--search-path") && i < len(args) {
				root = args[i]
			}
		default:
			if !strings.HasPrefix(w, "-") {
				operands = append(operands, w)
			}
		}
	}
	if len(operands) > 1 {
		root = operands[1]
	}
	io.print(root + "/" + holeName + "\n")
}

// xargs runs a command with words from its input.
func (in *interp) xargs(args []string, st *state, io stdio) {
	words := args[1:]
	replace, lines, file := "", false, ""
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		w := words[0]
		words = words[1:]
		name, value, inline := strings.Cut(w, "=")
		take := func() string {
			if inline {
				return value
			}
			if len(words) > 0 {
				value, words = words[0], words[1:]
			}
			return value
		}
		switch {
		case w == "--":
		case w == "-I" || w == "-J" || name == "--replace" && inline:
			replace, lines = take(), true
		case strings.HasPrefix(w, "-I"):
			replace, lines = w[2:], true
		case w == "-i" || w == "--replace":
			replace, lines = "{}", true
		case w == "-0" || w == "--null":
			lines = true
		case w == "-d" || name == "--delimiter":
			take()
			lines = true
		case strings.HasPrefix(w, "-d"):
			lines = true
		case w == "-a" || name == "--arg-file":
			file = take()
		case w == "-n" || w == "-L" || w == "-P" || w == "-s" || w == "-E" || w == "-R" || w == "-S" || name == "--max-args" || name == "--max-lines" || name == "--max-procs" || name == "--max-chars" || name == "--eof":
			take()
		}
		if w == "--" {
			break
		}
	}
	text := io.in
	if file != "" {
		text = in.content(file, st)
	}
	items := xargsItems(text, lines)
	if len(words) == 0 {
		words = []string{"echo"}
	}
	if replace == "" {
		in.run(append(words[:len(words):len(words)], items...), st.fork(), stdio{in: "", out: io.out}, false)
		return
	}
	for i, item := range items {
		if i == maxRounds {
			return
		}
		var cmd []string
		for _, w := range words {
			cmd = append(cmd, strings.ReplaceAll(w, replace, item))
		}
		in.run(cmd, st.fork(), stdio{in: "", out: io.out}, false)
	}
}

func xargsItems(text string, lines bool) []string {
	switch {
	case text == holeVar || text == holeFile || text == "":
		return []string{holeOut}
	case lines:
		return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	}
	items := strings.Fields(text)
	for i := range items {
		items[i] = strings.Trim(items[i], `"'`)
	}
	return items
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
		return
	}
	if len(in.report.Links) < 256 {
		in.report.Links = append(in.report.Links, Link{Path: fold(in.abs(name, st)), Target: source})
	}
}

func (in *interp) sevenZip(args []string, st *state, io stdio) {
	if len(args) < 3 {
		return
	}
	dir := "."
	var ops []string
	for _, w := range args[2:] {
		switch {
		case strings.HasPrefix(w, "-o"):
			dir = w[2:]
		case !strings.HasPrefix(w, "-"):
			ops = append(ops, w)
		}
	}
	switch args[1] {
	case "x", "e":
		in.effect(Write, dir, args[0], st)
	case "a", "u", "d", "rn":
		if len(ops) > 0 {
			in.effect(Write, ops[0], args[0], st)
		}
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
	io.print(strings.TrimRight(template, "X") + holeSeg + "\n")
}

func (in *interp) applyPatch(args []string, st *state, io stdio) {
	text := io.in
	if len(args) > 1 {
		text = args[len(args)-1]
	}
	for _, f := range PatchFiles(text) {
		in.effect(f.Op, f.Path, "apply_patch", st)
	}
}
