package shell

import (
	"strings"
	"unicode/utf8"
)

// The languages a command line can hold code in. The interpreter reads them
// far less well than shell: it follows literals, simple expressions and
// assignments to the calls that are known to touch files or start programs.
const (
	langPython = "py"
	langJS     = "js"
	langRuby   = "rb"
	langPerl   = "pl"
	langPHP    = "php"
	langLua    = "lua"
	langAwk    = "awk"
	langR      = "r"
	langJulia  = "jl"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokText // a string literal
	tokExec // a literal that is run by the shell: backticks, %x(), qx()
	tokNumber
	tokPunct
	tokLine // the end of a line
)

// token is one lexical element. For text, raw is true when nothing in it is
// interpolated.
type token struct {
	text string
	line int32
	col  int32
	kind tokenKind
	raw  bool
}

// maxTokens bounds what is read of one piece of code.
const maxTokens = 60_000

// lexer cuts code into tokens, as alike for all languages as they allow.
type lexer struct {
	src  string
	lang string
	pos  int
	line int
	from int // where the line starts
	col  int // where the token starts in it
	out  []token
	docs []pendingDoc
}

// pendingDoc is a here-document whose body starts on the next line.
type pendingDoc struct {
	index  int
	tag    string
	indent bool
}

func lex(src, lang string) []token {
	l := &lexer{src: src, lang: lang, out: make([]token, 0, min(len(src)/2, maxTokens)+2)}
	for l.pos < len(l.src) {
		if len(l.out) > maxTokens {
			panic(errLimit)
		}
		l.next()
	}
	l.add(tokLine, "", false)
	return l.out
}

func (l *lexer) add(kind tokenKind, text string, raw bool) {
	l.out = append(l.out, token{kind: kind, text: text, raw: raw, line: int32(l.line), col: int32(l.col)})
}

func (l *lexer) rest() string { return l.src[l.pos:] }

func (l *lexer) next() {
	c := l.src[l.pos]
	l.col = l.pos - l.from
	switch {
	case c == '\n':
		l.add(tokLine, "", false)
		l.pos++
		l.line, l.from = l.line+1, l.pos
		l.documents()
	case c == ' ' || c == '\t' || c == '\r':
		l.pos++
	case c == '\\' && strings.HasPrefix(l.rest(), "\\\n"):
		l.pos += 2
	case l.comment():
	case l.literal():
	case isNameByte(c) && (c < '0' || c > '9') || c == 0 || c >= utf8.RuneSelf:
		l.name()
	case c >= '0' && c <= '9':
		start := l.pos
		for l.pos < len(l.src) && (isNameByte(l.src[l.pos]) || l.src[l.pos] == '.' && l.lang != langPHP && l.lang != langPerl && l.lang != langLua) {
			l.pos++
		}
		l.add(tokNumber, l.src[start:l.pos], true)
	default:
		l.punct()
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (l *lexer) comment() bool {
	r := l.rest()
	switch {
	case strings.HasPrefix(r, "#") && l.lang != langJS && l.lang != langLua && !(l.lang == langPerl && l.pos > 0 && l.src[l.pos-1] == '$'):
		l.toLineEnd()
	case strings.HasPrefix(r, "//") && (l.lang == langJS || l.lang == langPHP):
		l.toLineEnd()
	case strings.HasPrefix(r, "/*") && (l.lang == langJS || l.lang == langPHP):
		l.skipTo("*/")
	case strings.HasPrefix(r, "--[[") && l.lang == langLua:
		l.skipTo("]]")
	case strings.HasPrefix(r, "--") && l.lang == langLua:
		l.toLineEnd()
	default:
		return false
	}
	return true
}

func (l *lexer) toLineEnd() {
	if i := strings.IndexByte(l.rest(), '\n'); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.src)
	}
}

func (l *lexer) skipTo(end string) {
	if i := strings.Index(l.rest(), end); i >= 0 {
		l.line += strings.Count(l.src[l.pos:l.pos+i], "\n")
		l.pos += i + len(end)
	} else {
		l.pos = len(l.src)
	}
}

func (l *lexer) name() {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == 0 && l.pos+1 < len(l.src) {
			l.pos += 2
			continue
		}
		if !isNameByte(c) && c < utf8.RuneSelf {
			break
		}
		l.pos++
	}
	l.add(tokName, l.src[start:l.pos], false)
}

// longPunct are the operators of more than one character that matter.
var longPunct = []string{"===", "!==", "**=", "||=", "&&=", "??=", "...", "<=>", "//=", "=>", "->", "::", "==", "!=", "<=", ">=", "+=", "-=", ".=", "*=", "/=", "||", "&&", "??", "?.", ">>", "<<", "**", ":=", "..", "//", "|>", "=~", "!~", "<-", "++", "--"}

func (l *lexer) punct() {
	r := l.rest()
	for _, p := range longPunct {
		if strings.HasPrefix(r, p) {
			l.add(tokPunct, p, false)
			l.pos += len(p)
			return
		}
	}
	l.add(tokPunct, r[:1], false)
	l.pos++
}
