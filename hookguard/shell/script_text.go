package shell

import (
	"strings"
)

// literal reads a string, a pattern or a here-document.
func (l *lexer) literal() bool {
	r := l.rest()
	c := r[0]
	switch {
	case l.lang == langPython && l.pythonText(r):
	case (l.lang == langPerl || l.lang == langRuby) && l.quoteLike(r):
	case l.lang == langLua && strings.HasPrefix(r, "[["):
		start := l.pos + 2
		l.skipTo("]]")
		l.add(tokText, l.src[start:max(start, l.pos-2)], true)
	case c == '\'' && l.lang != langAwk:
		l.quoted('\'', l.lang == langRuby || l.lang == langPerl || l.lang == langPHP, true, tokText)
	case c == '"':
		l.quoted('"', false, l.lang == langJS || l.lang == langLua || l.lang == langAwk || l.lang == langR, tokText)
	case c == '`':
		kind := tokExec
		if l.lang == langJS {
			kind = tokText
		}
		l.quoted('`', false, false, kind)
	case c == '/' && l.patternHere():
		l.pattern()
	case strings.HasPrefix(r, "<<") && (l.lang == langRuby || l.lang == langPerl || l.lang == langPHP) && l.document(r):
	default:
		return false
	}
	return true
}

// pythonText reads a Python string with its prefix.
func (l *lexer) pythonText(r string) bool {
	n := 0
	for n < 3 && n < len(r) && strings.IndexByte("rRbBuUfF", r[n]) >= 0 {
		n++
	}
	if n == len(r) || r[n] != '\'' && r[n] != '"' || n > 0 && l.pos > 0 && isNameByte(l.src[l.pos-1]) {
		return false
	}
	prefix := strings.ToLower(r[:n])
	l.pos += n
	quote := r[n : n+1]
	if strings.HasPrefix(r[n:], quote+quote+quote) {
		quote += quote + quote
	}
	l.pos += len(quote)
	start := l.pos
	for l.pos < len(l.src) && !strings.HasPrefix(l.rest(), quote) {
		if l.src[l.pos] == '\\' {
			l.pos++
		}
		if len(quote) == 1 && l.pos < len(l.src) && l.src[l.pos] == '\n' {
			break
		}
		l.pos++
	}
	l.pos = min(l.pos, len(l.src))
	text := l.src[start:l.pos]
	l.line += strings.Count(text, "\n")
	l.pos = min(l.pos+len(quote), len(l.src))
	if !strings.Contains(prefix, "r") {
		text = unescape(text)
	}
	l.add(tokText, text, !strings.Contains(prefix, "f"))
	return true
}

// quoted reads to the closing quote. literal strings keep their backslashes,
// raw ones interpolate nothing.
func (l *lexer) quoted(quote byte, literal, raw bool, kind tokenKind) {
	l.pos++
	start := l.pos
	for l.pos < len(l.src) && l.src[l.pos] != quote {
		if !raw && (strings.HasPrefix(l.rest(), "${") || strings.HasPrefix(l.rest(), "#{")) {
			l.pos += len(hole(l.rest()))
			continue
		}
		if l.src[l.pos] == '\\' {
			l.pos++
		}
		l.pos++
	}
	l.pos = min(l.pos, len(l.src))
	text := l.src[start:l.pos]
	l.line += strings.Count(text, "\n")
	l.pos = min(l.pos+1, len(l.src))
	if literal {
		text = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(text)
	} else {
		text = unescape(text)
	}
	l.add(kind, text, raw)
}

// quoteLike reads Perl's and Ruby's q(), qq(), %w[] and their kin.
func (l *lexer) quoteLike(r string) bool {
	head := ""
	heads := []string{"qq", "qw", "qx", "qr", "q", "tr", "m", "s", "y"}
	if l.lang == langRuby {
		heads = []string{"%w", "%W", "%i", "%q", "%Q", "%x", "%r"}
	}
	for _, h := range heads {
		if strings.HasPrefix(r, h) && len(r) > len(h) {
			head = h
			break
		}
	}
	if head == "" || l.lang == langPerl && l.pos > 0 && (isNameByte(l.src[l.pos-1]) || strings.IndexByte("$@%&>-", l.src[l.pos-1]) >= 0) {
		return false
	}
	open := r[len(head)]
	if isNameByte(open) || open == ' ' || open == '\n' || open == ',' || open == ';' || open == ')' || open == '=' {
		return false
	}
	closing := closer(open)
	end := len(head) + 1
	for depth := 1; end < len(r); end++ {
		if r[end] == '\\' {
			end++
			continue
		}
		if r[end] == closing {
			if depth--; depth == 0 {
				break
			}
		} else if r[end] == open {
			depth++
		}
	}
	end = min(end, len(r))
	text := r[len(head)+1 : end]
	l.pos += min(end+1, len(r))
	l.line += strings.Count(text, "\n")
	switch strings.TrimPrefix(head, "%") {
	case "x", "qx":
		l.add(tokExec, text, false)
	case "w", "W", "qw", "i":
		l.list(strings.Fields(text))
	case "q":
		l.add(tokText, text, true)
	case "qq", "Q":
		l.add(tokText, unescape(text), false)
	case "s", "tr", "y": // a second part follows
		if i := strings.IndexByte(l.rest(), closer(open)); i >= 0 && closing == open {
			l.pos += i + 1
		}
		l.add(tokNumber, "", true)
	default:
		l.add(tokNumber, "", true)
	}
	return true
}

func closer(open byte) byte {
	if i := strings.IndexByte("([{<", open); i >= 0 {
		return ")]}>"[i]
	}
	return open
}

// list writes words as a list literal.
func (l *lexer) list(items []string) {
	l.add(tokPunct, "[", false)
	for i, item := range items {
		if i > 0 {
			l.add(tokPunct, ",", false)
		}
		l.add(tokText, item, true)
	}
	l.add(tokPunct, "]", false)
}

// patternHere reports whether a slash starts a regular expression: after an
// operator, not after a value.
func (l *lexer) patternHere() bool {
	if l.lang == langPython || l.lang == langPHP || l.lang == langLua || l.lang == langR || l.lang == langJulia {
		return false
	}
	if len(l.out) == 0 {
		return true
	}
	switch last := l.out[len(l.out)-1]; last.kind {
	case tokName:
		return last.text == "return" || last.text == "if" || last.text == "and" || last.text == "split" || last.text == "grep" || last.text == "when"
	case tokText, tokNumber, tokExec:
		return false
	case tokPunct:
		return last.text != ")" && last.text != "]" && last.text != "}"
	}
	return true
}

func (l *lexer) pattern() {
	end := l.pos + 1
	for end < len(l.src) && l.src[end] != '/' && l.src[end] != '\n' {
		if l.src[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(l.src) || l.src[end] == '\n' {
		l.add(tokPunct, "/", false)
		l.pos++
		return
	}
	l.pos = end + 1
	for l.pos < len(l.src) && isNameByte(l.src[l.pos]) {
		l.pos++
	}
	l.add(tokNumber, "", true)
}

// document notes a here-document, whose text starts on the next line.
func (l *lexer) document(r string) bool {
	i := 2
	if l.lang == langPHP {
		if !strings.HasPrefix(r, "<<<") {
			return false
		}
		i = 3
	}
	indent := l.lang == langPHP
	for i < len(r) && (r[i] == '~' || r[i] == '-' || r[i] == ' ' && l.lang == langPHP) {
		indent = true
		i++
	}
	quote := byte(0)
	if i < len(r) && (r[i] == '\'' || r[i] == '"') {
		quote = r[i]
		i++
	}
	start := i
	for i < len(r) && isNameByte(r[i]) {
		i++
	}
	if i == start || quote == 0 && (r[start] < 'A' || r[start] > 'Z') {
		return false
	}
	l.docs = append(l.docs, pendingDoc{index: len(l.out), tag: r[start:i], indent: indent})
	if quote != 0 && i < len(r) {
		i++
	}
	l.add(tokText, "", quote == '\'')
	l.pos += i
	return true
}

// documents reads the bodies of the here-documents that start here.
func (l *lexer) documents() {
	for _, d := range l.docs {
		var body strings.Builder
		for l.pos < len(l.src) {
			line, _, _ := strings.Cut(l.rest(), "\n")
			l.pos = min(l.pos+len(line)+1, len(l.src))
			l.line, l.from = l.line+1, l.pos
			if trimmed := strings.TrimRight(line, ";,) "); line == d.tag || d.indent && strings.TrimSpace(trimmed) == d.tag {
				break
			}
			body.WriteString(line + "\n")
		}
		l.out[d.index].text = body.String()
	}
	l.docs = nil
}

// unescape decodes what nearly all languages write alike in a string.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n', 't', 'r':
			b.WriteByte("\n\t\r"[strings.IndexByte("ntr", c)])
		case 'x':
			n, used := digits(s[i+1:], 16, 2)
			if used == 0 && i+1 < len(s) && s[i+1] == '{' {
				n, used = digits(s[i+2:], 16, 6)
				used += 2
			}
			i += used
			writeCode(&b, n, n < 256)
		case 'u', 'U':
			n, used := digits(s[i+1:], 16, 4)
			if used == 0 && i+1 < len(s) && s[i+1] == '{' {
				n, used = digits(s[i+2:], 16, 6)
				used += 2
			}
			i += used
			writeCode(&b, n, false)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 8, 3)
			i += used - 1
			writeCode(&b, n, true)
		case '\n':
		default:
			b.WriteByte(c)
		}
		if i >= len(s) {
			break
		}
	}
	return b.String()
}

// hole is the interpolation that s starts with, to its closing brace.
func hole(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[:i+1]
			}
		}
	}
	return s
}
