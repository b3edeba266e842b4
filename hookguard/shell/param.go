package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// choose picks one of a variable's possible values for this round.
func (in *interp) choose(name string, v variable) string {
	if len(v.values) == 0 {
		return ""
	}
	if len(v.values) == 1 {
		return v.values[0]
	}
	i, chosen := in.pick[name]
	if !chosen {
		in.pick[name] = 0
		in.wide[name] = len(v.values)
	}
	return v.values[i%len(v.values)]
}

// lookup is the value of a parameter as one text. set is false when it is
// not known to have one: then the text is a hole.
func (in *interp) lookup(name string, st *state) (value string, set bool) {
	switch name {
	case "#", "?", "-", "$", "!":
		return holeSeg, true
	case "@", "*":
		return strings.Join(in.positional(st), " "), len(st.params) > 0
	case "0":
		return st.name, true
	case "_lane_v":
		return holeVar, true
	case "_lane_u":
		return holeBare, true
	case "_lane_o", "_lane_x", "_lane_f":
		return holeOut, true
	case "_lane_n":
		return holeName, true
	case "_lane_s", "_lane_p":
		return holeSeg, true
	}
	if n, err := strconv.Atoi(name); err == nil {
		if st.params == nil {
			return holeVar, false
		}
		if n <= len(st.params) {
			return st.params[n-1], true
		}
		return "", false
	}
	v, ok := st.get(name)
	switch {
	case !ok:
		return holeVar, false
	case v.unset:
		return "", false
	case len(v.list) > 0:
		return v.list[0], true
	case v.keys != nil:
		return holeVar, true
	}
	return in.choose(name, v), true
}

func (in *interp) positional(st *state) []string {
	if st.params == nil {
		return []string{holeVar}
	}
	return st.params
}

// isAll reports whether an index is [@] or [*].
func isAll(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	if !ok || w == nil {
		return false
	}
	lit := w.Lit()
	return lit == "@" || lit == "*"
}

// elements are the values of an array, or of the parameters for "@".
func (in *interp) elements(p *syntax.ParamExp, st *state) ([]string, bool) {
	if p.Param == nil {
		return nil, false
	}
	if p.Param.Value == "@" || p.Param.Value == "*" {
		return in.positional(st), true
	}
	if !isAll(p.Index) {
		return nil, false
	}
	v, ok := st.get(p.Param.Value)
	switch {
	case !ok && p.Exp != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull):
		return nil, true
	case !ok:
		return []string{holeVar}, true
	case v.keys != nil:
		var all []string
		for _, value := range v.keys {
			all = append(all, value)
		}
		return all, true
	case v.list != nil:
		return v.list, true
	}
	return []string{in.choose(p.Param.Value, v)}, true
}

// param adds the fields of a parameter expansion.
func (f *fieldMaker) param(p *syntax.ParamExp, quoted bool) {
	if list, ok := f.in.elements(p, f.st); ok && !p.Length && !p.Excl {
		if p.Slice != nil {
			list = f.in.sliceList(list, p, f.st)
		}
		if len(list) == 0 && p.Exp != nil {
			f.value(f.in.operate(p, "", false, f.st), quoted)
			return
		}
		star := quoted && (p.Param.Value == "*" || p.Index != nil && p.Index.(*syntax.Word).Lit() == "*")
		for i, value := range list {
			if i > 0 {
				if star || f.ifs == "" {
					f.add(" ")
				} else {
					f.end()
				}
			}
			if p.Slice == nil {
				value = f.in.operate(p, value, true, f.st)
			}
			f.value(value, quoted)
		}
		return
	}
	f.value(f.in.paramText(p, f.st), quoted)
}

// sliceList is "${@:2}" and "${a[@]:1:2}".
func (in *interp) sliceList(list []string, p *syntax.ParamExp, st *state) []string {
	from, ok := in.number(p.Slice.Offset, st)
	if !ok {
		return list
	}
	if p.Index == nil { // positional parameters count from 1
		from = max(0, from-1)
	}
	if from < 0 {
		from += len(list)
	}
	if from < 0 || from > len(list) {
		return nil
	}
	list = list[from:]
	if p.Slice.Length != nil {
		if n, ok := in.number(p.Slice.Length, st); ok && n >= 0 && n < len(list) {
			list = list[:n]
		}
	}
	return list
}

// paramText is the value of a scalar expansion.
func (in *interp) paramText(p *syntax.ParamExp, st *state) string {
	if p.NestedParam != nil {
		f := fieldMaker{in: in, st: st}
		f.parts([]syntax.WordPart{p.NestedParam}, true)
		return in.operate(p, strings.Join(f.finish(), " "), true, st)
	}
	if p.Param == nil {
		return holeVar
	}
	name := p.Param.Value
	if p.Length || p.Width || p.IsSet || p.Names != 0 {
		if p.Length && p.Index == nil {
			if v, ok := in.lookup(name, st); ok && !HasHole(v) {
				return strconv.Itoa(len([]rune(v)))
			}
		}
		return holeSeg
	}
	value, set := in.lookup(name, st)
	if p.Index != nil {
		value, set = in.element(name, p.Index, st)
	}
	if p.Excl {
		if HasHole(value) || !set {
			return holeVar
		}
		base, index, _ := strings.Cut(value, "[")
		value, set = in.lookup(base, st)
		if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
			if v, ok := st.get(base); ok && n < len(v.list) && n >= 0 {
				value, set = v.list[n], true
			}
		}
	}
	return in.operate(p, value, set, st)
}

// element is one element of an array.
func (in *interp) element(name string, index syntax.ArithmExpr, st *state) (string, bool) {
	v, ok := st.get(name)
	if !ok {
		in.arith(index, st)
		return holeVar, false
	}
	if v.keys != nil {
		if w, isWord := index.(*syntax.Word); isWord {
			if value, found := v.keys[in.single(w, st)]; found {
				return value, true
			}
		}
		return holeVar, true
	}
	n, known := in.number(index, st)
	if !known {
		if len(v.list) > 0 {
			return v.list[0], true
		}
		return in.choose(name, v), true
	}
	if v.list == nil && n == 0 {
		return in.choose(name, v), true
	}
	if n < 0 {
		n += len(v.list)
	}
	if n >= 0 && n < len(v.list) {
		return v.list[n], true
	}
	return "", false
}

// operate applies what follows the name inside ${…}.
func (in *interp) operate(p *syntax.ParamExp, value string, set bool, st *state) string {
	switch {
	case p.Exp != nil:
		return in.expansion(p, value, set, st)
	case p.Slice != nil:
		return in.slice(value, p.Slice, st)
	case p.Repl != nil:
		return replace(value, in.single(p.Repl.Orig, st), in.single(p.Repl.With, st), p.Repl.All)
	}
	return value
}

func (in *interp) expansion(p *syntax.ParamExp, value string, set bool, st *state) string {
	op, w := p.Exp.Op, p.Exp.Word
	empty := !set || value == "" &&
		(op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull || op == syntax.AlternateUnsetOrNull)
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if empty {
			return in.single(w, st)
		}
		return value
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if empty {
			value = in.single(w, st)
			if p.Param != nil {
				in.assignScalar(p.Param.Value, value, st)
			}
		}
		return value
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if empty && set {
			return ""
		}
		return in.single(w, st)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		in.single(w, st)
		return value
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return cutSuffix(value, in.pattern(w, st), op == syntax.RemLargeSuffix)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return cutPrefix(value, in.pattern(w, st), op == syntax.RemLargePrefix)
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		return recase(value, op)
	case syntax.OtherParamOps:
		return in.transform(value, in.single(w, st), st)
	}
	in.single(w, st)
	return value
}

// pattern expands a word that is a pattern: its wildcards stay marked.
func (in *interp) pattern(w *syntax.Word, st *state) string {
	if w == nil {
		return ""
	}
	f := fieldMaker{in: in, st: st, glob: true}
	f.parts(w.Parts, false)
	return strings.Join(f.finish(), " ")
}

func recase(value string, op syntax.ParExpOperator) string {
	var b strings.Builder
	first := true
	pieces(value, func(piece string, hole bool) bool {
		switch {
		case hole:
		case op == syntax.UpperAll:
			piece = strings.ToUpper(piece)
		case op == syntax.LowerAll:
			piece = strings.ToLower(piece)
		case first && op == syntax.UpperFirst:
			piece = strings.ToUpper(piece[:1]) + piece[1:]
		case first && op == syntax.LowerFirst:
			piece = strings.ToLower(piece[:1]) + piece[1:]
		}
		first = false
		b.WriteString(piece)
		return true
	})
	return b.String()
}

// transform is ${x@Q} and its like. @P expands the value as a prompt, which
// runs the commands in it.
func (in *interp) transform(value, op string, st *state) string {
	switch op {
	case "P":
		return in.prompt(value, st)
	case "E":
		return ansiC(value)
	case "U":
		return recase(value, syntax.UpperAll)
	case "L":
		return recase(value, syntax.LowerAll)
	case "u":
		return recase(value, syntax.UpperFirst)
	case "Q":
		return value
	}
	return holeSeg
}

// prompt expands text as a here-document would: that is what runs in a
// prompt string or in arithmetic on a variable that holds "a[$(…)]".
func (in *interp) prompt(value string, st *state) string {
	if !strings.ContainsAny(value, "$`") {
		return value
	}
	src, hidden := readable(value)
	if hidden {
		return value
	}
	in.admit(src)
	w, err := syntax.NewParser().Document(&timedReader{in: in, text: src})
	if err != nil || w == nil {
		return value
	}
	return in.document(w, st)
}

func (in *interp) slice(value string, s *syntax.Slice, st *state) string {
	from, ok := in.number(s.Offset, st)
	fixed := []rune(Fixed(value))
	whole := len(Fixed(value)) == len(value)
	if !ok || (!whole && (from < 0 || from > len(fixed))) {
		return holeSeg
	}
	if from < 0 {
		from = max(0, from+len(fixed))
	}
	from = min(from, len(fixed))
	rest := fixed[from:]
	if s.Length == nil {
		return string(rest) + value[len(Fixed(value)):]
	}
	n, ok := in.number(s.Length, st)
	switch {
	case !ok:
		return holeSeg
	case n < 0:
		n = max(0, len(rest)+n)
	}
	if n > len(rest) {
		if !whole {
			return string(rest) + value[len(Fixed(value)):]
		}
		n = len(rest)
	}
	return string(rest[:n])
}
