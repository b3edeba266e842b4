package shell

import (
	"strings"
)

// expression reads one expression and returns what is known of its value.
// Lower operators bind weaker; level 0 takes everything.
func (e *evaluator) expression(level int) value {
	e.tick()
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
			v.from = t.text
			return v
		}
	}
	switch t.text {
	case "ARGV":
		return e.arguments()
	case "shift":
		if all := e.arguments(); e.lang == langPerl && len(all.list) > 0 {
			return all.list[0]
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
	v := value{named: map[string]value{}, dict: true}
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
