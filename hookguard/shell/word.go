package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fields expands words to a command's arguments.
func (in *interp) fields(words []*syntax.Word, st *state) []string {
	var out []string
	for _, w := range words {
		out = append(out, in.fieldsOf(w, st)...)
		if len(out) > maxFields {
			panic(errLimit)
		}
	}
	return out
}

// fieldsOf expands one word: braces, tilde, parameters, commands, splitting.
// Wildcards stay in the text, as holes that say what they were.
func (in *interp) fieldsOf(w *syntax.Word, st *state) []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, one := range in.braces(w) {
		f := fieldMaker{in: in, st: st, glob: true, ifs: in.ifs(st)}
		f.parts(one, false)
		out = append(out, f.finish()...)
	}
	return out
}

// single expands a word where the shell neither splits nor globs: the value
// of an assignment, the subject of a case.
func (in *interp) single(w *syntax.Word, st *state) string {
	if w == nil {
		return ""
	}
	f := fieldMaker{in: in, st: st}
	f.parts(w.Parts, false)
	return strings.Join(f.finish(), " ")
}

// document expands a here-document: quotes are ordinary characters in it.
func (in *interp) document(w *syntax.Word, st *state) string {
	f := fieldMaker{in: in, st: st, long: true}
	f.parts(w.Parts, true)
	return strings.Join(f.finish(), " ")
}

// ifs is the set of characters that split an unquoted expansion.
func (in *interp) ifs(st *state) string {
	if v, ok := st.vars["IFS"]; ok && len(v.values) == 1 && !HasHole(v.values[0]) && !v.unset {
		return v.values[0]
	}
	return " \t\n"
}

// fieldMaker collects the fields of one word.
type fieldMaker struct {
	in    *interp
	st    *state
	glob  bool   // unquoted wildcards are wildcards
	ifs   string // "" means no splitting
	done  []string
	cur   strings.Builder
	begun bool // cur is a field even when empty
	long  bool // a document
}

func (f *fieldMaker) add(text string) {
	if f.cur.Len()+len(text) > f.limit() {
		panic(errLimit)
	}
	f.cur.WriteString(text)
	f.begun = true
}

// limit is larger where the text of a document is made.
func (f *fieldMaker) limit() int {
	if f.long {
		return maxText
	}
	return maxValue
}

func (f *fieldMaker) end() {
	if f.begun {
		f.done = append(f.done, f.cur.String())
		if len(f.done) > maxFields {
			panic(errLimit)
		}
	}
	f.cur.Reset()
	f.begun = false
}

func (f *fieldMaker) finish() []string {
	f.end()
	return f.done
}

// split adds the value of an unquoted expansion.
func (f *fieldMaker) split(value string) {
	if f.ifs == "" {
		if value != "" {
			f.add(value)
		}
		return
	}
	for i := 0; i < len(value); {
		if value[i] == 0 && i+1 < len(value) {
			if piece := value[i : i+2]; piece == holeVar {
				f.add(holeBare)
			} else {
				f.add(piece)
			}
			i += 2
			continue
		}
		if strings.IndexByte(f.ifs, value[i]) >= 0 {
			f.end()
			i++
			continue
		}
		j := i + 1
		for j < len(value) && value[j] != 0 && strings.IndexByte(f.ifs, value[j]) < 0 {
			j++
		}
		f.add(f.wild(value[i:j]))
		i = j
	}
}

// wild marks the wildcards of unquoted text.
func (f *fieldMaker) wild(s string) string {
	if !f.glob || !strings.ContainsAny(s, "*?[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*':
			b.WriteString(holeStar)
		case '?':
			b.WriteString(holeQuery)
		case '[':
			end := strings.IndexByte(s[i+1:], ']')
			if end <= 0 {
				b.WriteByte('[')
				continue
			}
			b.WriteString(holeSet + s[i+1:i+1+end] + holeEnd)
			i += end + 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func (f *fieldMaker) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			f.literal(p.Value, quoted, i == 0 && !f.begun)
		case *syntax.SglQuoted:
			if p.Dollar {
				f.add(ansiC(p.Value))
			} else {
				f.add(p.Value)
			}
		case *syntax.DblQuoted:
			f.begun = f.begun || !soleAt(p.Parts)
			f.parts(p.Parts, true)
		case *syntax.ParamExp:
			f.param(p, quoted)
		case *syntax.CmdSubst:
			f.value(strings.TrimRight(f.in.capture(p.Stmts, f.st), "\n"), quoted)
		case *syntax.ArithmExp:
			f.value(f.in.arith(p.X, f.st), quoted)
		case *syntax.ProcSubst:
			f.add(f.in.procSubst(p, f.st))
		case *syntax.ExtGlob:
			f.add(holeStar)
		case *syntax.BraceExp: // only when braces were not expanded
			f.add(holeSeg)
		}
	}
}

// soleAt reports whether quoted parts are just "$@", which may be no field.
func soleAt(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && (p.Param != nil && p.Param.Value == "@" || isAll(p.Index))
}

func (f *fieldMaker) value(v string, quoted bool) {
	if quoted {
		f.add(v)
	} else {
		f.split(v)
	}
}

// literal adds source text. In quotes a backslash protects only $ ` " \.
func (f *fieldMaker) literal(s string, quoted, first bool) {
	if quoted {
		f.add(unescapeQuoted(s))
		return
	}
	if name, value, ok := strings.Cut(s, "=~"); ok && first && isName(name) && f.ifs != "" { // x=~/y
		f.add(name + "=")
		s = "~" + value
	}
	if first && strings.HasPrefix(s, "~") {
		name, rest, slash := strings.Cut(s[1:], "/")
		if home, ok := f.in.tilde(name, f.st); ok {
			f.add(home)
			if !slash {
				return
			}
			s = "/" + rest
		}
	}
	if !strings.Contains(s, `\`) {
		f.add(f.wild(s))
		return
	}
	for len(s) > 0 {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i == len(s)-1 {
			f.add(f.wild(strings.TrimSuffix(s, `\`)))
			return
		}
		f.add(f.wild(s[:i]))
		if s[i+1] != '\n' {
			f.add(s[i+1 : i+2])
		}
		s = s[i+2:]
	}
}

// tilde is the directory "~name" stands for.
func (in *interp) tilde(name string, st *state) (string, bool) {
	switch name {
	case "":
		if v, ok := st.get("HOME"); ok && len(v.values) > 0 {
			return in.choose("HOME", v), true
		}
		return in.req.Vars["HOME"], true
	case "+":
		return st.dir, true
	case "-":
		return st.oldDir, true
	case "root":
		return "/root", true
	}
	if strings.ContainsAny(name, "\\\x00*?[$`'\"") {
		return "", false
	}
	if name == in.req.Vars["USER"] {
		return in.req.Vars["HOME"], true
	}
	return "/home/" + name, true
}

// capture is what a command substitution prints.
func (in *interp) capture(stmts []*syntax.Stmt, st *state) string {
	var b strings.Builder
	out := in.collect(func(io stdio) { in.stmts(stmts, st.fork(), io) })
	b.WriteString(out)
	// $(<file) has no command at all.
	if len(stmts) == 1 && stmts[0].Cmd == nil && len(stmts[0].Redirs) == 1 && stmts[0].Redirs[0].Op == syntax.RdrIn {
		return in.content(in.target(stmts[0].Redirs[0].Word, st), st)
	}
	return b.String()
}

func (in *interp) procSubst(p *syntax.ProcSubst, st *state) string {
	n := strconv.Itoa(63 - in.procs%40)
	in.procs++
	if p.Op == syntax.CmdOut { // >(…): something writes to it
		in.stmts(p.Stmts, st.fork(), stdio{in: given(holeInput)})
		return "/dev/fd/" + n
	}
	text := in.collect(func(io stdio) { in.stmts(p.Stmts, st.fork(), io) })
	in.fds[n] = text
	return "/dev/fd/" + n
}
