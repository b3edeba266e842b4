package shell

import (
	"strings"
)

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
	text := io.text()
	if file != "" {
		text = in.content(file, st)
	}
	items := xargsItems(text, lines)
	if len(words) == 0 {
		words = []string{"echo"}
	}
	if replace == "" {
		in.run(append(words[:len(words):len(words)], items...), st.fork(), stdio{in: given(""), out: io.out}, false)
		return
	}
	for i, item := range items {
		if i == maxRounds {
			panic(errLimit)
		}
		var cmd []string
		for _, w := range words {
			cmd = append(cmd, strings.ReplaceAll(w, replace, item))
		}
		in.run(cmd, st.fork(), stdio{in: given(""), out: io.out}, false)
	}
}

func xargsItems(text string, lines bool) []string {
	switch {
	case text == holeInput || text == holeFile || text == "":
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
