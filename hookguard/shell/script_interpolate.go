package shell

import (
	"strings"
)

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
