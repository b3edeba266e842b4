package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arith evaluates an arithmetic expression to its digits, or to a hole that
// has no slash in it.
func (in *interp) arith(x syntax.ArithmExpr, st *state) string {
	if n, ok := in.number(x, st); ok {
		return strconv.Itoa(n)
	}
	return holeSeg
}

func (in *interp) number(x syntax.ArithmExpr, st *state) (int, bool) {
	in.step()
	switch x := x.(type) {
	case *syntax.Word:
		if x == nil {
			return 0, false
		}
		return in.numberText(in.single(x, st), st, 0)
	case *syntax.ParenArithm:
		return in.number(x.X, st)
	case *syntax.UnaryArithm:
		return in.unary(x, st)
	case *syntax.BinaryArithm:
		return in.binaryArithm(x, st)
	}
	return 0, false
}

// numberText is a number, or the value of a variable that holds one. Bash
// evaluates such a value again, commands in an index included.
func (in *interp) numberText(s string, st *state, depth int) (int, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 0, 32); err == nil {
		return int(n), true
	}
	if HasHole(s) || depth > 4 || s == "" {
		return 0, s == "" && depth > 0
	}
	if strings.ContainsAny(s, "$`") {
		in.prompt(s, st)
		return 0, false
	}
	if value, set := in.lookup(s, st); set && value != s {
		return in.numberText(value, st, depth+1)
	}
	return 0, false
}

func (in *interp) unary(x *syntax.UnaryArithm, st *state) (int, bool) {
	n, ok := in.number(x.X, st)
	switch x.Op {
	case syntax.Minus:
		n = -n
	case syntax.Inc, syntax.Dec:
		delta := 1
		if x.Op == syntax.Dec {
			delta = -1
		}
		in.assignNumber(x.X, n+delta, ok, st)
		if !x.Post {
			n += delta
		}
	case syntax.BitNegation:
		n = ^n
	case syntax.Not:
		if n == 0 {
			n = 1
		} else {
			n = 0
		}
	}
	return n, ok
}

func (in *interp) assignNumber(x syntax.ArithmExpr, n int, ok bool, st *state) {
	w, isWord := x.(*syntax.Word)
	if !isWord || w.Lit() == "" {
		return
	}
	value := holeSeg
	if ok {
		value = strconv.Itoa(n)
	}
	in.assignScalar(w.Lit(), value, st)
}

func (in *interp) binaryArithm(x *syntax.BinaryArithm, st *state) (int, bool) {
	switch x.Op {
	case syntax.Assgn:
		n, ok := in.number(x.Y, st)
		in.assignNumber(x.X, n, ok, st)
		return n, ok
	case syntax.AddAssgn, syntax.SubAssgn:
		a, ok1 := in.number(x.X, st)
		b, ok2 := in.number(x.Y, st)
		if x.Op == syntax.SubAssgn {
			b = -b
		}
		in.assignNumber(x.X, a+b, ok1 && ok2, st)
		return a + b, ok1 && ok2
	}
	a, ok1 := in.number(x.X, st)
	b, ok2 := in.number(x.Y, st)
	if !ok1 || !ok2 {
		return 0, false
	}
	switch x.Op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 {
			return 0, false
		}
		if x.Op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}
