package shell

import (
	"path"
	"strconv"
)

// suffixes applies .name, [index] and (arguments).
func (e *evaluator) suffixes(v value) value {
	for {
		t := e.peek()
		switch {
		case t.kind == tokPunct && (t.text == "." && e.lang != langPerl && e.lang != langPHP || t.text == "->" || t.text == "::" || t.text == "?." || t.text == ":" && e.lang == langLua) && e.at(1).kind == tokName:
			v = e.attribute(v)
		case t.kind == tokPunct && t.text == "?." && e.at(1).text == "(":
			e.pos++
		case t.kind == tokPunct && t.text == "(":
			if t.line != e.at(-1).line && e.lang != langJS {
				return v
			}
			e.callback(v)
			v = e.call(v, e.items(")"))
		case t.text == "{" && e.at(1).text == "|" || t.text == "do" && e.at(1).text == "|":
			e.callback(v)
			return v
		case t.kind == tokPunct && t.text == "[" && t.line == e.at(-1).line, t.kind == tokPunct && t.text == "{" && e.lang == langPerl && v.name != "" && e.at(2).text == "}":
			v = e.index(v)
		case e.lineCall(v, t):
			v = e.call(v, e.lineArgs())
		case t.kind == tokLine && e.at(1).kind == tokPunct && (e.at(1).text == "." || e.at(1).text == "->") && e.at(2).kind == tokName: // a chain over lines
			e.pos++
		default:
			return v
		}
	}
}

// lineCall is a call without brackets: Ruby and Perl.
func (e *evaluator) lineCall(v value, t token) bool {
	if v.name == "" || e.lang != langRuby && e.lang != langPerl && e.lang != langPHP && e.lang != langLua {
		return false
	}
	if t.kind != tokText && t.kind != tokName && !(t.kind == tokPunct && (t.text == "$" || t.text == "@" || t.text == "[" || t.text == "<")) {
		return false
	}
	if t.kind == tokName && (t.text == "do" || t.text == "if" || t.text == "unless" || t.text == "and" || t.text == "or" || t.text == "in" || t.text == "as") {
		return false
	}
	_, ok := e.action(v.name)
	return ok
}

func (e *evaluator) lineArgs() []value {
	var args []value
	for {
		if e.lang == langPerl && (e.is("my") || e.is("our")) {
			e.pos++
		}
		key := ""
		if e.peek().kind == tokName && e.at(1).text == ":" {
			key = e.peek().text
			e.pos += 2
		}
		before := e.pos
		v := e.expression(0)
		if key != "" {
			v = value{named: map[string]value{key: v}}
		}
		args = append(args, v)
		if e.pos == before || !e.accept(",") {
			return args
		}
	}
}

func (e *evaluator) attribute(v value) value {
	e.pos++
	name := e.peek().text
	e.pos++
	if field, ok := v.named[name]; ok {
		return field
	}
	if v.name != "" {
		full := v.name + "." + name
		if known, ok := e.constant(full); ok {
			return known
		}
		if member, ok := e.vars[full]; ok && member.known() {
			return member
		}
		return value{name: full}
	}
	return e.property(v, name)
}

// property is an attribute of a known value: a method called next, or a part.
func (e *evaluator) property(v value, name string) value {
	if !e.is("(") && v.known() {
		switch name {
		case "parent":
			return value{texts: []string{path.Dir(v.texts[0])}, isDir: true}
		case "name":
			return textValue(path.Base(v.texts[0]))
		case "upper", "strip", "to_s", "chomp", "reverse", "downcase", "stripped", "encode", "decode", "freeze":
			return e.method(v, name, nil)
		case "length", "size":
			return unknown
		}
	}
	return value{name: "." + name, list: []value{v}}
}

func (e *evaluator) index(v value) value {
	items := e.items(e.peek().text)
	if len(items) == 0 {
		return unknown
	}
	key := items[0].text()
	switch {
	case v.name == "os.environ" || v.name == "process.env" || v.name == "ENV" || v.name == "_ENV" || v.name == "_SERVER":
		found := e.environment(items[0])
		found.slot = key
		return found
	case v.name == "sys.argv" || v.name == "process.argv" || v.name == "ARGV" || v.name == "argv":
		return e.argument(v.name, key)
	case v.named != nil:
		return v.named[key]
	case v.name != "" && items[0].known(): // object["method"]
		return value{name: v.name + "." + key}
	}
	if n, err := strconv.Atoi(key); err == nil && len(v.list) > 0 {
		if n < 0 {
			n += len(v.list)
		}
		if n >= 0 && n < len(v.list) {
			return v.list[n]
		}
	}
	if v.known() && len(items) == 1 && !HasHole(v.texts[0]) && e.reversed() {
		return textValue(reverse(v.texts[0]))
	}
	return unknown
}

// reversed reports whether the index just read was [::-1].
func (e *evaluator) reversed() bool {
	t := e.toks
	i := e.pos - 1
	return i >= 4 && t[i].text == "]" && t[i-1].text == "1" && t[i-2].text == "-" && (t[i-3].text == "::" || t[i-3].text == ":")
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

func (e *evaluator) arguments() value {
	v := value{name: "ARGV"}
	for _, a := range e.args {
		v.list = append(v.list, textValue(a))
	}
	return v
}

func (e *evaluator) argument(name, key string) value {
	n, err := strconv.Atoi(key)
	if err != nil || e.args == nil {
		return unknown
	}
	switch name {
	case "sys.argv":
		n--
	case "process.argv":
		n -= 2
	}
	if n >= 0 && n < len(e.args) {
		return textValue(e.args[n])
	}
	return unknown
}

func (e *evaluator) environment(name value) value {
	if !name.known() {
		return unknown
	}
	if v, set := e.in.lookup(name.text(), e.st); set {
		return textValue(v)
	}
	return unknown
}
