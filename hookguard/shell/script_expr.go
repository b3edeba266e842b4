package shell

import (
	"path"
	"strconv"
	"strings"
)

// expression reads one expression and returns what is known of its value.
// Lower operators bind weaker; level 0 takes everything.
func (e *evaluator) expression(level int) value {
	e.in.step()
	if e.depth > 40 {
		panic(errLimit)
	}
	e.depth++
	defer func() { e.depth-- }()
	left := e.operand()
	for {
		t := e.peek()
		if t.kind != tokPunct && t.kind != tokName {
			if e.lang == langAwk && t.kind == tokText && level <= 4 { // awk joins what stands side by side
				left = joinTexts(left, e.operand(), "")
				continue
			}
			if t.kind == tokText && left.known() && e.toks[e.pos-1].kind == tokText && e.lang == langPython {
				left = joinTexts(left, e.operand(), "")
				continue
			}
			return left
		}
		op, strength := e.operator(t)
		if strength <= level {
			return left
		}
		e.pos++
		left = e.combine(op, left, strength)
	}
}

// operator gives a token its strength as a binary operator, 0 when it is none.
func (e *evaluator) operator(t token) (string, int) {
	switch t.text {
	case "?":
		return t.text, 1
	case "||", "??", "or", "|":
		if t.text == "|" && e.lang == langAwk {
			return "", 0
		}
		return "||", 2
	case "&&", "and":
		return "&&", 2
	case "==", "!=", "===", "!==", "<", "<=", ">=", "=~", "!~", "<=>", "in", "eq", "ne":
		return "cmp", 3
	case ">":
		if e.lang == langAwk {
			return "", 0
		}
		return "cmp", 3
	case "+":
		return "+", 5
	case ".":
		if e.lang == langPerl || e.lang == langPHP {
			return "+", 5
		}
	case "..":
		if e.lang == langLua {
			return "+", 5
		}
	case "-", "*", "//", "**":
		return "num", 6
	case "/":
		return "/", 6
	case "%":
		if e.lang == langPython || e.lang == langRuby {
			return "%", 6
		}
		return "num", 6
	}
	return "", 0
}

func (e *evaluator) combine(op string, left value, strength int) value {
	switch op {
	case "?":
		yes := e.expression(0)
		if e.accept(":") {
			return value{texts: append(append([]string(nil), yes.texts...), e.expression(0).texts...)}
		}
		return yes
	case "||":
		right := e.expression(strength)
		if left.known() {
			return left
		}
		return right
	case "&&":
		return e.expression(strength)
	case "+":
		right := e.expression(strength)
		if len(left.list) > 0 || len(right.list) > 0 {
			return value{list: append(append([]value(nil), left.list...), right.list...)}
		}
		v := joinTexts(left, right, "")
		return v
	case "/":
		right := e.expression(strength)
		if !left.isDir && !right.known() {
			return unknown
		}
		v := joinPaths(left, right)
		v.isDir = true
		return v
	case "%":
		right := e.expression(strength)
		return formatPercent(left, right)
	}
	e.expression(strength)
	return unknown
}

// joinPaths joins as a path library does: an absolute right side wins.
func joinPaths(left, right value) value {
	if len(right.texts) == 1 && strings.HasPrefix(right.texts[0], "/") {
		return right
	}
	return joinTexts(left, right, "/")
}

func formatPercent(f, args value) value {
	if !f.known() {
		return unknown
	}
	list := args.list
	if len(list) == 0 {
		list = []value{args}
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.text()
	}
	return textValue(format(f.texts[0], texts))
}

// operand reads one operand and what is applied to it: attributes, indices,
// calls.
func (e *evaluator) operand() value {
	for e.is("$") || e.is("@") || e.is("&") || e.is("!") || e.is("-") || e.is("~") || e.is("\\") || e.is("await") || e.is("new") || e.is("not") || e.is("*") || e.is("...") || e.is("**") || (e.is("%") && e.lang == langPerl) {
		if e.is("$") && e.lang == langAwk { // a field
			e.pos++
			e.operand()
			return unknown
		}
		e.pos++
	}
	t := e.peek()
	var v value
	switch t.kind {
	case tokText:
		e.pos++
		v = e.interpolated(t)
	case tokExec:
		e.pos++
		e.in.code(e.interpolated(t).text(), e.st.fork(), e.io, e.by+" `…`")
		v = textValue(holeOut)
	case tokNumber:
		e.pos++
		v = unknown
		if t.text != "" {
			v = textValue(t.text)
		}
	case tokName:
		v = e.nameValue()
	case tokPunct:
		v = e.bracketed(t)
	default:
		return unknown
	}
	return e.suffixes(v)
}

func (e *evaluator) nameValue() value {
	t := e.peek()
	e.pos++
	if HasHole(t.text) {
		return textValue(t.text)
	}
	if v, ok := e.vars[t.text]; ok {
		if v.name == "" && (v.known() || v.list != nil || v.named != nil || v.made) {
			return v
		}
	}
	name := t.text
	if alias, ok := e.names[name]; ok {
		name = alias
	}
	return value{name: name}
}

func (e *evaluator) bracketed(t token) value {
	switch t.text {
	case "(":
		items := e.items(")")
		if len(items) == 1 {
			return items[0]
		}
		return value{list: items}
	case "[":
		return value{list: e.items("]")}
	case "{":
		return e.object()
	}
	return unknown
}

// items reads what stands between brackets. Parts that are no expression are
// run as statements, for the calls in them.
func (e *evaluator) items(closing string) []value {
	close := e.matching(e.pos)
	if close < 0 {
		e.pos = len(e.toks)
		return nil
	}
	e.pos++
	var items []value
	for e.pos < close {
		for e.pos < close && e.peek().kind == tokLine {
			e.pos++
		}
		if e.pos >= close {
			break
		}
		key := ""
		if e.peek().kind == tokName && (e.at(1).text == "=" || e.at(1).text == ":" && e.lang == langRuby) { // keyword argument
			key = e.peek().text
			e.pos += 2
		}
		v := e.expression(0)
		if e.is("=>") && e.lang != langJS { // PHP, Ruby and Perl pairs
			e.pos++
			key = v.text()
			v = e.expression(0)
		}
		if key != "" {
			v = value{named: map[string]value{key: v}}
		}
		items = append(items, v)
		for e.pos < close && !e.is(",") {
			before := e.pos
			if e.is("for") {
				e.comprehension(close, &items)
			} else {
				e.statement(close)
			}
			if e.pos == before {
				e.pos++
			}
			if e.pos < close && e.toks[e.pos-1].text == "," {
				e.pos--
				break
			}
		}
		if e.pos < close {
			e.pos++
		}
	}
	e.pos = close + 1
	return items
}

// comprehension is [f(x) for x in list]: x is bound, and the part before is
// run again.
func (e *evaluator) comprehension(close int, items *[]value) {
	start := e.pos
	if e.at(1).kind != tokName || e.at(2).text != "in" {
		e.pos++
		return
	}
	name := e.at(1).text
	e.pos += 3
	e.bind(name, e.expression(0))
	after := e.pos
	open := start
	for depth := 0; open > 0; open-- {
		t := e.toks[open-1]
		if t.kind == tokPunct && (t.text == ")" || t.text == "]" || t.text == "}") {
			depth++
		}
		if t.kind == tokPunct && (t.text == "(" || t.text == "[" || t.text == "{") {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	e.pos = open
	v := e.expression(0)
	*items = (*items)[:max(0, len(*items)-1)]
	if len(v.texts) > 0 {
		for _, t := range v.texts {
			*items = append(*items, textValue(t))
		}
	} else {
		*items = append(*items, v)
	}
	e.pos = max(after, start)
}

// object reads {a: b, 'c': d}.
func (e *evaluator) object() value {
	close := e.matching(e.pos)
	if close < 0 {
		e.pos = len(e.toks)
		return unknown
	}
	e.pos++
	v := value{named: map[string]value{}}
	for e.pos < close {
		key := e.peek()
		if (key.kind == tokName || key.kind == tokText) && (e.at(1).text == ":" || e.at(1).text == "=>") {
			e.pos += 2
			v.named[key.text] = e.expression(0)
			e.accept(",")
			continue
		}
		before := e.pos
		e.statement(close)
		if e.pos == before {
			e.pos++
		}
	}
	e.pos = close + 1
	return v
}

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

// interpolated is a literal's text with the expressions in it evaluated.
func (e *evaluator) interpolated(t token) value {
	if t.raw || !strings.ContainsAny(t.text, "{$#@") {
		return textValue(t.text)
	}
	opening := map[string]string{langPython: "{", langJS: "${", langRuby: "#{", langPHP: "{", langJulia: "$("}[e.lang]
	out := textValue("")
	s := t.text
	for s != "" {
		i := -1
		if opening != "" {
			i = strings.Index(s, opening)
		}
		dollar := -1
		if e.lang == langPerl || e.lang == langPHP {
			dollar = strings.IndexByte(s, '$')
		}
		switch {
		case dollar >= 0 && (i < 0 || dollar <= i+1):
			out = joinTexts(out, textValue(strings.TrimSuffix(s[:dollar], "{")), "")
			name, next := sigilName(s[dollar+1:])
			out = joinTexts(out, e.sigilValue(name), "")
			s = s[dollar+1+next:]
		case i < 0:
			out = joinTexts(out, textValue(s), "")
			s = ""
		case e.lang == langPython && strings.HasPrefix(s[i:], "{{"):
			out = joinTexts(out, textValue(s[:i+1]), "")
			s = s[i+2:]
		default:
			out = joinTexts(out, textValue(s[:i]), "")
			part := hole(s[i:])
			out = joinTexts(out, e.inner(part[len(opening):max(len(opening), len(part)-1)]), "")
			s = s[i+len(part):]
		}
	}
	return out
}

// inner evaluates the code of an interpolation.
func (e *evaluator) inner(code string) value {
	if e.lang == langPython {
		if i := strings.IndexAny(code, "!:"); i > 0 && !strings.ContainsAny(code, "[('\"") {
			code = code[:i]
		}
	}
	toks, pos := e.toks, e.pos
	e.toks, e.pos = lex(code, e.lang), 0
	v := e.expression(0)
	e.toks, e.pos = toks, pos
	return v
}

func sigilName(s string) (name string, next int) {
	if strings.HasPrefix(s, "{") {
		if i := strings.IndexByte(s, '}'); i > 0 {
			return s[1:i], i + 1
		}
	}
	for next < len(s) && isNameByte(s[next]) {
		next++
	}
	name = s[:next]
	if strings.HasPrefix(s[next:], "{") || strings.HasPrefix(s[next:], "[") {
		if i := strings.IndexAny(s[next:], "}]"); i > 0 {
			return name + "." + strings.Trim(s[next+1:next+i], `'"`), next + i + 1
		}
	}
	if strings.HasPrefix(s[next:], "}") { // PHP's {$x}
		next++
	}
	return name, next
}

func (e *evaluator) sigilValue(name string) value {
	if base, key, ok := strings.Cut(name, "."); ok && (base == "ENV" || base == "_ENV") {
		return e.environment(textValue(key))
	}
	if v, ok := e.vars[name]; ok {
		return v
	}
	return unknown
}
