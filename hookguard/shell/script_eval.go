package shell

import (
	"strings"
)

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
	class string // the class whose body is read
	calls int    // of the script's own functions
}

// evaluate reads code of a language.
func (in *interp) evaluate(lang, code string, args []string, by string, st *state, io stdio) {
	in.descend()
	defer in.ascend()
	if in.parsed += len(code); in.parsed > maxSource {
		panic(errLimit)
	}
	if start := strings.TrimLeft(code, " \t\n"); Hidden(start) || start == holeVar || start == holeBare {
		in.find(UnknownCode, by, "")
	}
	e := &evaluator{
		in: in, st: st.fork(), io: io, lang: lang, by: by, args: args, toks: lex(code, lang),
		vars: map[string]value{}, names: map[string]string{}, funcs: map[string]function{},
	}
	e.block(len(e.toks))
}

// tick counts work on scripts, which is cheaper than a shell command's.
func (e *evaluator) tick() {
	if e.in.ticks++; e.in.ticks > maxTicks || e.in.ticks%1024 == 0 && busy()-e.in.start > maxTime {
		panic(errLimit)
	}
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
		e.tick()
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
	case "class":
		e.pos++
		e.class = e.peek().text
		return true
	case "print", "printf":
		if e.lang == langAwk {
			e.awkPrint()
			return true
		}
	case "async", "await", "return", "yield", "export", "else", "try", "do", "then", "begin", "not", "new", "global", "throw", "raise", "if", "elif", "while", "unless", "elsif", "with", "end", "finally", "ensure", "public", "static":
		e.pos++
		return true
	case "del", "delete":
		e.pos++
		from := e.pos
		if v := e.expression(0); isTempVar(v.slot) || e.pos > from+4 && e.toks[from].text == "process" && isTempVar(e.toks[e.pos-1].text) {
			e.in.find(TempMoved, e.by+" "+word, "TMPDIR")
		}
		return true
	case "as": // with open(p) as f
		e.pos += 2
		return true
	}
	return false
}
