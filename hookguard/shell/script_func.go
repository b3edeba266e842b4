package shell

import (
	"strings"
)

// function is one the script itself defines.
type function struct {
	params     []string
	defaults   map[string]value
	start, end int
}

// arrow is NAME = (params) => body, or a lambda: the body runs where it
// stands, and again when the name is called.
func (e *evaluator) arrow(name string) bool {
	i := e.pos
	if i < len(e.toks) && e.toks[i].text == "async" {
		i++
	}
	f := function{}
	switch {
	case i+1 < len(e.toks) && e.toks[i].kind == tokName && e.toks[i+1].text == "=>":
		f.params, f.start = []string{e.toks[i].text}, i+2
	case i < len(e.toks) && e.toks[i].text == "(":
		close := e.matching(i)
		if close < 0 || close+1 >= len(e.toks) || e.toks[close+1].text != "=>" {
			return false
		}
		f.params, f.start = e.paramNames(i+1, close), close+2
	case i < len(e.toks) && e.toks[i].text == "lambda":
		j := i + 1
		for j < len(e.toks) && e.toks[j].text != ":" {
			j++
		}
		f.params, f.start = e.paramNames(i+1, j), j+1
	case i+1 < len(e.toks) && e.toks[i].text == "function":
		j := i + 1
		if e.toks[j].kind == tokName {
			j++
		}
		close := e.matching(j)
		if j >= len(e.toks) || e.toks[j].text != "(" || close < 0 {
			return false
		}
		f.params, f.start = e.paramNames(j+1, close), close+1
	default:
		return false
	}
	f.end = e.arrowEnd(f.start)
	e.funcs[name] = f
	e.pos = f.start
	return true
}

func (e *evaluator) arrowEnd(i int) int {
	if i < len(e.toks) && e.toks[i].text == "{" {
		if close := e.matching(i); close > 0 {
			return close
		}
	}
	for depth := 0; i < len(e.toks); i++ {
		t := e.toks[i]
		switch {
		case t.kind == tokPunct && (t.text == "(" || t.text == "[" || t.text == "{"):
			depth++
		case t.kind == tokPunct && (t.text == ")" || t.text == "]" || t.text == "}"):
			if depth--; depth < 0 {
				return i
			}
		case depth == 0 && (t.kind == tokLine || t.kind == tokPunct && t.text == ";"):
			return i
		}
	}
	return i
}

// callback binds the parameter of a function that a method is given to what
// the method will call it with: the elements of a list, the value of a
// promise.
func (e *evaluator) callback(v value) {
	object := value{}
	switch {
	case strings.HasPrefix(v.name, ".") && len(v.list) == 1:
		object = value{texts: v.list[0].all(), isDir: v.list[0].isDir}
	case strings.HasSuffix(v.name, ".then"):
		object = value{name: strings.TrimSuffix(v.name, ".then")}
	default:
		return
	}
	i := e.pos
	if i < len(e.toks) && (e.toks[i].text == "(" || e.toks[i].text == "{" || e.toks[i].text == "do") {
		i++
	}
	for i < len(e.toks) && (e.toks[i].text == "(" || e.toks[i].text == "|" || e.toks[i].text == "async" || e.toks[i].text == "function") {
		i++
	}
	if i < len(e.toks) && e.toks[i].text == "{" && object.name != "" { // ({a, b}) => …
		for j := i + 1; j < len(e.toks) && e.toks[j].text != "}"; j++ {
			if e.toks[j].kind == tokName {
				e.names[e.toks[j].text] = object.name + "." + e.toks[j].text
			}
		}
		return
	}
	if i+1 >= len(e.toks) || e.toks[i].kind != tokName {
		return
	}
	switch e.toks[i+1].text {
	case "=>", ")", "|", ",":
		name := e.toks[i].text
		delete(e.names, name)
		if object.name != "" {
			e.names[name] = object.name
			delete(e.vars, name)
		} else if object.known() {
			e.vars[name] = object
		}
	}
}

// define notes a function and runs its body once, its parameters unknown.
func (e *evaluator) define() bool {
	col := e.peek().col
	line := e.peek().line
	e.pos++
	name := e.peek().text
	if e.peek().kind == tokName {
		e.pos++
		for e.is(".") && e.at(1).kind == tokName { // def self.x
			name = e.at(1).text
			e.pos += 2
		}
	}
	f := function{}
	if e.is("(") {
		close := e.matching(e.pos)
		if close < 0 {
			return true
		}
		f.params = e.paramNames(e.pos+1, close)
		f.defaults = e.defaults(e.pos+1, close)
		e.pos = close + 1
	}
	if len(f.params) > 0 && (f.params[0] == "self" || f.params[0] == "cls") {
		f.params = f.params[1:]
	}
	f.start = e.pos
	f.end = e.bodyEnd(line, col)
	if name != "" {
		e.funcs[name] = f
	}
	if (name == "__init__" || name == "initialize" || name == "constructor") && e.class != "" {
		e.funcs[e.class] = f
	}
	for _, p := range f.params {
		delete(e.vars, p)
		if v, ok := f.defaults[p]; ok {
			e.vars[p] = v
		}
	}
	return true
}

// defaults are the values of parameters that a call may leave out.
func (e *evaluator) defaults(from, to int) map[string]value {
	out := map[string]value{}
	saved := e.pos
	for i := from; i+2 < to; i++ {
		if e.toks[i].kind == tokName && e.toks[i+1].kind == tokPunct && e.toks[i+1].text == "=" {
			e.pos = i + 2
			out[e.toks[i].text] = e.expression(0)
		}
	}
	e.pos = saved
	return out
}

func (e *evaluator) paramNames(from, to int) []string {
	var names []string
	start := true
	for i := from; i < to; i++ {
		t := e.toks[i]
		if t.kind == tokName && start {
			names = append(names, t.text)
			start = false
		} else if t.kind == tokPunct && t.text == "," {
			start = true
		}
	}
	return names
}

// bodyEnd is where the body of a function that starts at pos ends: at its
// closing brace, or where the indentation returns.
func (e *evaluator) bodyEnd(line, col int32) int {
	for i := e.pos; i < len(e.toks) && i < e.pos+12; i++ {
		if e.toks[i].kind == tokPunct && e.toks[i].text == "{" {
			if close := e.matching(i); close > 0 {
				return close
			}
		}
		if e.toks[i].kind == tokLine {
			break
		}
	}
	for i := e.pos; i < len(e.toks); i++ {
		t := e.toks[i]
		if t.line > line && t.kind != tokLine && t.col <= col && i > 0 && e.toks[i-1].kind == tokLine {
			return i
		}
	}
	return len(e.toks)
}

// user runs a function of the script's own with the arguments of a call.
func (e *evaluator) user(f function, args []value) value {
	if e.calls++; e.depth > 24 || e.calls > 64 {
		return unknown
	}
	pos, saved := e.pos, map[string]value{}
	for i, p := range f.params {
		saved[p] = e.vars[p]
		if i < len(args) {
			e.vars[p] = args[i]
		} else if v, ok := f.defaults[p]; ok {
			e.vars[p] = v
		}
	}
	e.depth++
	e.pos = f.start
	e.block(min(f.end, len(e.toks)))
	e.depth--
	e.pos = pos
	for p, v := range saved {
		e.vars[p] = v
	}
	return unknown
}
