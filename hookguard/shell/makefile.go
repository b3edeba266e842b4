package shell

import "strings"

// makeCode is a makefile, or make --eval: the shell functions and recipes in
// it. Of make's own language it knows variables and "$(shell …)".
func (in *interp) makeCode(text, by string, st *state, io stdio) {
	m := &makefile{in: in, st: st, io: io, by: by, vars: map[string]string{"SHELL": "sh", "MAKE": "make", "CURDIR": st.dir}}
	if head, recipe, ok := strings.Cut(text, ";"); ok && strings.Contains(head, ":") && !strings.Contains(head, "\n") {
		m.recipe(recipe) // "target: ; recipe"
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			m.recipe(recipe)
			continue
		}
		m.assignment(line)
		m.expand(line) // for the shell functions in it
	}
}

// makefile is one makefile as it is read.
type makefile struct {
	in   *interp
	st   *state
	io   stdio
	by   string
	vars map[string]string
}

func (m *makefile) recipe(line string) {
	m.in.leniently(m.expand(strings.TrimLeft(line, " @-+")), m.st.fork(), m.io, m.by)
}

// assignment is NAME = value and its like.
func (m *makefile) assignment(line string) {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "export "), "override ")
	name, value, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(strings.TrimRight(name, ":?+!"))
	if ok && isName(name) {
		value, _, _ = strings.Cut(value, " #")
		m.vars[name] = m.expand(strings.TrimSpace(value))
	}
}

// expand replaces make's variables; unknown ones become holes, and so do the
// automatic ones, which are names of the project's files.
func (m *makefile) expand(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '$' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		i++
		switch c := line[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			inner := bracketed(line[i:])
			i += len(inner) + 1
			b.WriteString(m.reference(inner))
		default: // $@ $< $^ $x
			b.WriteString(holeName)
		}
	}
	if b.Len() > maxValue {
		panic(errLimit)
	}
	return b.String()
}

func (m *makefile) reference(inner string) string {
	if code, ok := strings.CutPrefix(inner, "shell "); ok {
		out := m.in.collect(func(io stdio) { m.in.leniently(m.expand(code), m.st.fork(), io, m.by+" $(shell)") })
		return strings.TrimRight(out, "\n")
	}
	if value, ok := m.vars[inner]; ok {
		return value
	}
	if strings.ContainsAny(inner, " ,@<^*%?+") { // a function, or an automatic variable
		return holeName
	}
	if value, set := m.in.lookup(inner, m.st); set {
		return value
	}
	return holeVar
}

// bracketed is the inside of the bracket that s starts with.
func bracketed(s string) string {
	depth, closing := 0, closer(s[0])
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			depth++
		case closing:
			if depth--; depth == 0 {
				return s[1:i]
			}
		}
	}
	return s[1:]
}
