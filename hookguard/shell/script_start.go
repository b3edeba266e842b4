package shell

import (
	"strconv"
	"strings"
)

// start runs what the script starts.
func (e *evaluator) start(kind, first string, arg func(string) value, plain, args []value, by string) {
	st := e.st
	for _, key := range []string{"cwd", "workdir"} {
		if dir, ok := keyword(args, key); ok && dir.known() {
			st = st.fork()
			st.chdir(dir.text())
		}
	}
	if env, ok := keyword(args, "env"); ok {
		for name, v := range env.named {
			if isTempVar(name) {
				st = st.fork()
				st.vars[name] = variable{values: []string{v.text()}, exported: true}
				e.in.environment(name, st, by)
			}
		}
	}
	saved := e.st
	e.st = st
	defer func() { e.st = saved }()
	n, _ := strconv.Atoi(first)
	switch kind {
	case "code":
		for _, text := range arg(first).all() {
			e.in.code(text, st.fork(), e.io, by)
		}
	case "argv":
		if n < len(plain) {
			e.run(plain[n:], by)
		} else if v := arg(first); v.known() || len(v.list) > 0 {
			e.run([]value{v}, by)
		}
	case "kwargv":
		if v, ok := keyword(args, first); ok {
			e.run([]value{v}, by)
		}
	case "exec":
		if n < len(plain) {
			e.exec(plain[n:], args, by)
		}
	case "self":
		if v := arg(first); v.known() {
			e.in.evaluate(e.lang, v.text(), e.args, by, st, e.io)
		} else if len(plain) > 0 {
			e.in.find(UnknownCode, by, "")
		}
	case "jlrm":
		e.touch("del", arg("0"), by)
	}
}

// run is subprocess.run(x) and system(x): a list is a program with its
// arguments, one text is shell code, several are a program again.
func (e *evaluator) run(list []value, by string) {
	if len(list) == 0 {
		return
	}
	if list[0].named != nil && len(list) > 1 { // Ruby: an environment first
		list = list[1:]
	}
	switch {
	case len(list[0].list) > 0:
		e.in.run(e.words(list[0].list), e.st.fork(), e.io, false)
	case len(list) > 1 && e.lang != langPython && e.lang != langPHP && e.lang != langJulia:
		e.in.run(e.words(list), e.st.fork(), e.io, false)
	default:
		for _, text := range list[0].texts {
			e.in.code(text, e.st.fork(), e.io, by)
		}
	}
}

// exec is execvp(file, list) and spawn(file, list), or all words in a row.
func (e *evaluator) exec(list, args []value, by string) {
	program := list[0].text()
	rest := list[1:]
	words := []string{program}
	if len(rest) > 0 && len(rest[0].list) > 0 {
		inner := e.words(rest[0].list)
		if e.lang == langPython && len(inner) > 0 {
			inner = inner[1:] // argv[0]
		}
		words = append(words, inner...)
	} else if v, ok := keyword(args, "args"); ok {
		words = append(words, e.words(v.list)...)
	} else {
		inner := e.words(rest)
		if e.lang == langPython && strings.Contains(by, "exec") && !strings.Contains(by, "subprocess") && len(inner) > 0 {
			inner = inner[1:]
		}
		words = append(words, inner...)
	}
	if shell, ok := keyword(args, "shell"); ok && (shell.name == "true" || shell.known()) {
		e.in.code(strings.Join(words, " "), e.st.fork(), e.io, by)
		return
	}
	e.in.run(words, e.st.fork(), e.io, false)
}

func (e *evaluator) words(list []value) []string {
	var out []string
	for _, v := range list {
		if len(v.list) > 0 {
			out = append(out, e.words(v.list)...)
			continue
		}
		if v.named == nil {
			out = append(out, v.text())
		}
	}
	if len(out) == 0 {
		return []string{holeVar}
	}
	return out
}
