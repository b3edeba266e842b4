package shell

import "strings"

// awk takes a program as its first operand, and values for its variables.
func (in *interp) awk(args []string, st *state, io stdio) {
	vars := map[string]value{}
	var programs, ops []string
	place := false
	words := args[1:]
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		w := words[0]
		words = words[1:]
		take := func() string {
			if len(words) == 0 {
				return ""
			}
			v := words[0]
			words = words[1:]
			return v
		}
		name, value, inline := strings.Cut(w, "=")
		switch {
		case w == "--":
			ops, words = words, nil
		case w == "-v" || w == "--assign":
			if n, v, ok := cutAssign(take()); ok {
				vars[n] = textValue(v)
			}
		case strings.HasPrefix(w, "-v"):
			if n, v, ok := cutAssign(w[2:]); ok {
				vars[n] = textValue(v)
			}
		case w == "-f" || w == "--file":
			programs = append(programs, in.content(take(), st))
		case w == "-e" || w == "--source":
			programs = append(programs, take())
		case w == "-i" || w == "--include":
			place = strings.HasPrefix(take(), "inplace") || place
		case w == "-F" || w == "-l" || w == "-E":
			take()
		case strings.HasPrefix(w, "-o") || strings.HasPrefix(w, "-d") || strings.HasPrefix(w, "-p") && !strings.HasPrefix(w, "-posix"):
			if len(w) > 2 && looksLikePath(w[2:]) {
				in.effect(Write, w[2:], "awk", st)
			}
		case inline && (name == "--dump-variables" || name == "--profile" || name == "--pretty-print" || name == "--debug"):
			in.effect(Write, value, "awk "+name, st)
		}
	}
	ops = append(ops, words...)
	if len(programs) == 0 && len(ops) > 0 {
		programs, ops = ops[:1], ops[1:]
	}
	for _, op := range ops {
		if n, v, ok := cutAssign(op); ok {
			vars[n] = textValue(v)
		}
	}
	for _, p := range programs {
		in.awkProgram(p, vars, args[0], st, io)
	}
	if place {
		for _, f := range ops {
			in.effect(Write, f, "awk -i inplace", st)
		}
	}
	in.filter(args, st, io)
}

func (in *interp) awkProgram(code string, vars map[string]value, by string, st *state, io stdio) {
	if in.parsed += len(code); in.parsed > maxSource {
		panic(errLimit)
	}
	e := &evaluator{in: in, st: st.fork(), io: io, lang: langAwk, by: by, toks: lex(unglob(code), langAwk),
		vars: vars, names: map[string]string{}, funcs: map[string]function{}}
	e.block(len(e.toks))
}

// awkPrint is print … > file, print … | command.
func (e *evaluator) awkPrint() {
	e.pos++
	printed := holeOut
	for e.pos < len(e.toks) {
		t := e.peek()
		if t.kind == tokLine || e.is(";") || e.is("}") {
			return
		}
		if t.kind == tokPunct && (t.text == ">" || t.text == ">>" || t.text == "|") {
			e.pos++
			v := e.expression(4)
			for _, text := range v.texts {
				if t.text == "|" {
					e.in.code(text, e.st.fork(), stdio{in: given(printed), out: e.io.out}, e.by+" |")
				} else {
					e.in.effect(Write, text, e.by+" print >", e.st)
				}
			}
			return
		}
		before := e.pos
		if v := e.expression(0); v.known() {
			printed = v.text() + "\n"
		}
		if e.pos == before {
			e.pos++
		}
	}
}
