package shell

import (
	"strings"
)

// value is what a script expression is known to be: any of some texts, a
// list, or only a name such as "os.path".
type value struct {
	texts []string // possible values; none means unknown
	list  []value
	name  string           // a dotted name that has no value of its own
	named map[string]value // keyword arguments, object literals
	isDir bool             // a path object: its methods work on the file
	made  bool             // it came from a call that opened a file
	slot  string           // the environment variable that this is
}

var unknown = value{}

func textValue(s string) value { return value{texts: []string{s}} }

func (v value) text() string {
	if len(v.texts) == 0 {
		return holeVar
	}
	return v.texts[0]
}

func (v value) known() bool { return len(v.texts) > 0 }

// all is every text the value may be; a list gives its elements'.
func (v value) all() []string {
	if len(v.list) > 0 {
		var out []string
		for _, item := range v.list {
			out = append(out, item.all()...)
		}
		return out
	}
	return v.texts
}

// joinTexts combines two values as texts, for each pair of possibilities.
func joinTexts(a, b value, between string) value {
	if !a.known() && !b.known() {
		return unknown
	}
	as, bs := a.texts, b.texts
	if !a.known() {
		as = []string{holeVar}
	}
	if !b.known() {
		bs = []string{holeVar}
	}
	var out value
	for _, x := range as {
		for _, y := range bs {
			if len(x)+len(y) > maxValue {
				panic(errLimit)
			}
			if len(out.texts) < maxValues*2 {
				out.texts = append(out.texts, x+between+y)
			}
		}
	}
	return out
}

// function is one the script itself defines.
type function struct {
	params     []string
	start, end int
}

// evaluator walks the tokens of one script. It runs every statement once, in
// the order of the text, whatever conditions guard it.
type evaluator struct {
	in    *interp
	st    *state
	io    stdio
	lang  string
	by    string
	args  []string
	toks  []token
	pos   int
	vars  map[string]value
	names map[string]string // import aliases
	funcs map[string]function
	depth int
}

// script evaluates code of a language.
func (in *interp) evaluate(lang, code string, args []string, by string, st *state, io stdio) {
	in.descend()
	defer in.ascend()
	if in.parsed += len(code); in.parsed > maxSource {
		panic(errLimit)
	}
	code, hidden := codeText(code)
	if hidden {
		in.find(UnknownCode, by, "")
	}
	e := &evaluator{
		in: in, st: st.fork(), io: io, lang: lang, by: by, args: args, toks: lex(code, lang),
		vars: map[string]value{}, names: map[string]string{}, funcs: map[string]function{},
	}
	e.block(len(e.toks))
}

// codeText keeps the holes of script code, which the lexer takes for names,
// and says whether the code begins with foreign text.
func codeText(code string) (string, bool) {
	trimmed := strings.TrimLeft(code, " \t\n")
	return code, Hidden(trimmed) || trimmed == holeVar || trimmed == holeBare
}

func (e *evaluator) peek() token {
	if e.pos < len(e.toks) {
		return e.toks[e.pos]
	}
	return token{kind: tokEnd}
}

func (e *evaluator) at(n int) token {
	if e.pos+n < len(e.toks) && e.pos+n >= 0 {
		return e.toks[e.pos+n]
	}
	return token{kind: tokEnd}
}

func (e *evaluator) is(text string) bool {
	t := e.peek()
	return (t.kind == tokPunct || t.kind == tokName) && t.text == text
}

func (e *evaluator) accept(text string) bool {
	if e.is(text) {
		e.pos++
		return true
	}
	return false
}

// block runs the tokens up to end.
func (e *evaluator) block(end int) {
	for e.pos < end {
		e.in.step()
		before := e.pos
		e.statement(end)
		if e.pos == before {
			e.pos++
		}
	}
}

func (e *evaluator) statement(end int) {
	t := e.peek()
	switch {
	case t.kind == tokLine || t.kind == tokPunct && (t.text == ";" || t.text == "{" || t.text == "}" || t.text == ")" || t.text == ","):
		e.pos++
		return
	case t.kind == tokName && e.keyword(t.text, end):
		return
	}
	if e.assignment() {
		return
	}
	v := e.expression(0)
	if e.lang == langAwk && e.is("|") && e.at(1).text == "getline" {
		e.pos += 2
		for _, text := range v.texts {
			e.in.code(text, e.st.fork(), e.io, e.by+" | getline")
		}
	}
	if e.is("=") && v.slot != "" { // os.environ["X"] = …
		e.pos++
		e.setEnvironment(textValue(v.slot), e.expression(0), e.by)
	}
}

// keyword handles the statements that bind names.
func (e *evaluator) keyword(word string, end int) bool {
	switch word {
	case "import", "from", "use", "require_relative":
		if e.at(1).text == "(" {
			return false
		}
		return e.imports(word)
	case "const", "let", "var", "my", "our", "local":
		e.pos++
		return e.destructured() || e.assignment() || true
	case "for", "foreach":
		return e.forLoop()
	case "def", "function", "sub", "fn", "func":
		return e.define()
	case "print", "printf":
		if e.lang == langAwk {
			e.awkPrint()
			return true
		}
	case "async", "await", "return", "yield", "export", "else", "try", "do", "then", "begin", "not", "new", "global", "throw", "raise", "if", "elif", "while", "unless", "elsif", "with", "end", "finally", "ensure", "public", "static":
		e.pos++
		return true
	case "as": // with open(p) as f
		e.pos += 2
		return true
	}
	return false
}

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
	return e.pos > start
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
	i := 0
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
	if e.at(j).text == ")" {
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
	if v.name != "" && !v.known() {
		e.names[name] = v.name
	}
	e.vars[name] = v
	return true
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
		e.vars[name] = value{texts: e.vars[name].texts[:maxRounds]}
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
		e.pos = close + 1
	}
	f.start = e.pos
	f.end = e.bodyEnd(line, col)
	if name != "" {
		e.funcs[name] = f
	}
	for _, p := range f.params {
		delete(e.vars, p)
	}
	return true
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
func (e *evaluator) bodyEnd(line, col int) int {
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
		if t.line > line && t.kind != tokLine && t.col-len(t.text) <= col-3 && i > 0 && e.toks[i-1].kind == tokLine {
			return i
		}
	}
	return len(e.toks)
}

// user runs a function of the script's own with the arguments of a call.
func (e *evaluator) user(f function, args []value) value {
	if e.depth > 3 {
		return unknown
	}
	useful := false
	for _, a := range args {
		useful = useful || a.known() || len(a.list) > 0
	}
	if !useful {
		return unknown
	}
	pos, saved := e.pos, map[string]value{}
	for i, p := range f.params {
		saved[p] = e.vars[p]
		if i < len(args) {
			e.vars[p] = args[i]
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
