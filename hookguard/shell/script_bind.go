package shell

import (
	"strings"
)

// imports reads module aliases: import a as b, from m import f as g,
// import {a as b} from 'm'.
func (e *evaluator) imports(word string) bool {
	start := e.pos
	var names []token
	for e.pos < len(e.toks) && e.peek().kind != tokLine && !e.is(";") {
		names = append(names, e.peek())
		e.pos++
	}
	module := ""
	for i, t := range names {
		if t.kind == tokText {
			module = moduleName(t.text)
		}
		if word == "from" && i == 1 {
			module = t.text
			for j := i + 1; j+1 < len(names) && names[j].text == "."; j += 2 {
				module += "." + names[j+1].text
			}
		}
	}
	for i := 1; i < len(names); i++ {
		t := names[i]
		if t.kind != tokName || t.text == "import" || t.text == "from" || t.text == "as" || t.text == "type" {
			continue
		}
		alias := i > 1 && names[i-1].text == "as"
		switch {
		case alias && word == "import" && e.lang == langPython:
			e.names[t.text] = dottedBefore(names, i-1)
		case alias && names[i-2].kind == tokName:
			e.names[t.text] = module + "." + names[i-2].text
		case alias:
			e.names[t.text] = module // import * as fs
		case module != "" && word == "from" && i > 2:
			e.names[t.text] = module + "." + t.text
		case module != "" && word == "import" && e.lang != langPython:
			if names[i-1].text == "{" || names[i-1].text == "," {
				e.names[t.text] = module + "." + t.text
			} else {
				e.names[t.text] = module
			}
		}
	}
	if e.lang == langPython && len(e.in.files) > 0 {
		e.modules(word, module, names)
	}
	return e.pos > start
}

// modules runs those modules that the call wrote.
func (e *evaluator) modules(word, module string, names []token) {
	if word == "from" {
		e.in.imported(module, nil, e.st, e.io)
		return
	}
	for i := 1; i < len(names); i++ {
		if before := names[i-1].text; before == "import" || before == "," {
			name := names[i].text
			for j := i + 1; j+1 < len(names) && names[j].text == "."; j += 2 {
				name += "." + names[j+1].text
			}
			e.in.imported(name, nil, e.st, e.io)
		}
	}
}

func dottedBefore(names []token, i int) string {
	name := names[i-1].text
	for j := i - 2; j > 0 && names[j].text == "."; j -= 2 {
		name = names[j-1].text + "." + name
	}
	return name
}

func moduleName(s string) string {
	s = strings.TrimPrefix(s, "node:")
	return strings.ReplaceAll(s, "/", ".")
}

// destructured is {a, b: c} = require('m').
func (e *evaluator) destructured() bool {
	if !e.is("{") {
		return false
	}
	close := e.matching(e.pos)
	if close < 0 || close+1 >= len(e.toks) || e.toks[close+1].text != "=" {
		return false
	}
	pairs := map[string]string{}
	for i := e.pos + 1; i < close; i++ {
		if e.toks[i].kind != tokName {
			continue
		}
		if e.toks[i+1].text == ":" && i+2 < close {
			pairs[e.toks[i+2].text] = e.toks[i].text
			i += 2
		} else {
			pairs[e.toks[i].text] = e.toks[i].text
		}
	}
	e.pos = close + 2
	from := e.expression(0)
	for local, name := range pairs {
		if from.name != "" {
			e.names[local] = from.name + "." + name
		} else if v, ok := from.named[name]; ok {
			e.vars[local] = v
		}
	}
	return true
}

// matching is the index of the bracket that closes the one at i.
func (e *evaluator) matching(i int) int {
	depth := 0
	for ; i < len(e.toks); i++ {
		if e.toks[i].kind != tokPunct {
			continue
		}
		switch e.toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// assignment is NAME = expression, with sigils, types and compound operators.
func (e *evaluator) assignment() bool {
	i, many := 0, false
	for e.at(i).kind == tokPunct && (e.at(i).text == "$" || e.at(i).text == "@" || e.at(i).text == "%" || e.at(i).text == "(") {
		i++
	}
	if e.at(i).kind != tokName {
		return false
	}
	name := e.at(i).text
	j := i + 1
	for e.at(j).kind == tokPunct && e.at(j).text == "." && e.at(j+1).kind == tokName { // self.x = …
		name += "." + e.at(j+1).text
		j += 2
	}
	if e.at(j).text == "," && e.lang != langPerl && e.several() {
		return true
	}
	if e.at(j).text == ")" || e.at(j).text == "," && e.lang == langPerl {
		many = true
		for e.at(j).text != ")" && e.at(j).kind != tokEnd && e.at(j).kind != tokLine {
			j++
		}
		j++
	}
	if e.at(j).text == ":" && e.at(j+1).kind == tokName && e.at(j+2).text == "=" { // x: str = …
		j += 2
	}
	op := e.at(j)
	if op.kind != tokPunct {
		return false
	}
	switch op.text {
	case "=", ":=", "||=", "??=", "<-", "//=":
	case "+=", ".=", "/=":
		e.pos += j + 1
		e.vars[name] = joinTexts(e.vars[name], e.expression(0), map[string]string{"/=": "/"}[op.text])
		return true
	default:
		return false
	}
	e.pos += j + 1
	if variable, ok := strings.CutPrefix(name, "process.env."); ok {
		e.setEnvironment(textValue(variable), e.expression(0), e.by)
		return true
	}
	if e.arrow(name) {
		return true
	}
	v := e.expression(0)
	if name == "tempfile.tempdir" {
		e.touch("out", v, e.by+" "+name)
	}
	if v.name != "" && !v.known() {
		e.names[name] = v.name
	}
	if many && len(v.list) > 0 { // my ($x) = @list
		v = v.list[0]
	}
	e.vars[name] = v
	return true
}

// several is a, b = x, y, or a, b = list.
func (e *evaluator) several() bool {
	var names []string
	i := 0
	for e.at(i).kind == tokName {
		names = append(names, e.at(i).text)
		if e.at(i+1).text != "," {
			break
		}
		i += 2
	}
	if e.at(i+1).text != "=" || e.at(i+1).kind != tokPunct || len(names) < 2 {
		return false
	}
	e.pos += i + 2
	values := []value{e.expression(0)}
	for e.accept(",") {
		values = append(values, e.expression(0))
	}
	if len(values) == 1 {
		values = values[0].list
	}
	for n, name := range names {
		delete(e.vars, name)
		if n < len(values) {
			e.vars[name] = values[n]
		}
	}
	return true
}

// forLoop binds the loop's variable to the list it walks.
func (e *evaluator) forLoop() bool {
	e.pos++
	e.accept("(")
	for e.is("const") || e.is("let") || e.is("var") || e.is("my") || e.is("$") {
		e.pos++
	}
	if e.peek().kind != tokName {
		return true
	}
	name := e.peek().text
	next := e.at(1).text
	switch {
	case next == "in" || next == "of":
		e.pos += 2
		e.bind(name, e.expression(0))
	case e.lang == langPerl && (next == "(" || next == "@"):
		e.pos++
		e.bind(name, e.expression(0))
	case e.lang == langPHP: // foreach (LIST as $x)
		list := e.expression(0)
		if e.accept("as") {
			e.accept("$")
			e.bind(e.peek().text, list)
		}
	}
	return true
}

func (e *evaluator) bind(name string, list value) {
	e.vars[name] = value{texts: list.all()}
	if len(e.vars[name].texts) > maxRounds {
		panic(errLimit)
	}
}
