package shell

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (in *interp) stmts(list []*syntax.Stmt, st *state, io stdio) {
	for _, s := range list {
		in.stmt(s, st, io)
	}
}

// stmt runs one statement: its redirections first, as the shell does.
func (in *interp) stmt(s *syntax.Stmt, st *state, io stdio) {
	in.step()
	if s.Background || s.Coprocess || s.Disown {
		st = st.fork()
	}
	io, done := in.redirects(s.Redirs, st, io)
	defer done()
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && in.connects(s.Redirs, st) {
		in.remoteShell(in.fieldsOf(call.Args[0], st))
	}
	if s.Cmd != nil {
		in.command(s.Cmd, st, io)
	} else if len(s.Redirs) > 0 {
		io.print("") // "> file" alone
	}
}

// connects reports whether a redirection opens a network connection, or uses
// a descriptor that is one.
func (in *interp) connects(list []*syntax.Redirect, st *state) bool {
	for _, r := range list {
		if r.Word == nil || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc {
			continue
		}
		name := in.target(r.Word, st)
		if isNetwork(name) {
			in.sockets[fd(r, 0)] = true
			return true
		}
		if in.sockets[name] {
			return true
		}
	}
	return false
}

func isNetwork(name string) bool {
	return strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/")
}

func (in *interp) command(cmd syntax.Command, st *state, io stdio) {
	if in.nested++; in.nested > maxNesting*4 {
		panic(errLimit)
	}
	defer func() { in.nested-- }()
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		in.call(c, st, io)
	case *syntax.BinaryCmd:
		in.binary(c, st, io)
	case *syntax.Block:
		in.stmts(c.Stmts, st, io)
	case *syntax.Subshell:
		in.stmts(c.Stmts, st.fork(), io)
	case *syntax.IfClause:
		in.ifClause(c, st, io)
	case *syntax.WhileClause:
		in.while(c, st, io)
	case *syntax.ForClause:
		in.forClause(c, st, io)
	case *syntax.CaseClause:
		in.caseClause(c, st, io)
	case *syntax.FuncDecl:
		in.funcDecl(c, st, io)
	case *syntax.DeclClause:
		in.declare(c, st)
	case *syntax.ArithmCmd:
		in.arith(c.X, st)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			in.arith(x, st)
		}
	case *syntax.TestClause:
		in.testExpr(c.X, st)
	case *syntax.TimeClause:
		in.timed(c, st, io)
	case *syntax.CoprocClause:
		if c.Stmt != nil {
			in.stmt(c.Stmt, st.fork(), io)
		}
	}
}

// timed is the reserved word; before an option it is the program.
func (in *interp) timed(c *syntax.TimeClause, st *state, io stdio) {
	if c.Stmt == nil {
		return
	}
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && strings.HasPrefix(call.Args[0].Lit(), "-") {
		in.run(append([]string{"time"}, in.fields(call.Args, st)...), st, io, false)
		return
	}
	in.stmt(c.Stmt, st, io)
}

func (in *interp) binary(c *syntax.BinaryCmd, st *state, io stdio) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		var left bytes.Buffer
		in.stmt(c.X, st.fork(), stdio{in: given(io.text()), out: &left})
		// The last part runs in the shell itself in zsh and with lastpipe:
		// then what it assigns lasts.
		right := st.fork()
		in.stmt(c.Y, right, stdio{in: given(left.String()), out: io.out})
		if in.req.Zsh {
			st.join(right)
		}
	case syntax.AndStmt:
		in.stmt(c.X, st, io)
		in.maybe(st, func(branch *state) { in.stmt(c.Y, branch, io) })
	default: // ||
		in.stmt(c.X, st, io)
		in.maybe(st, func(branch *state) { in.stmt(c.Y, branch, io) })
	}
}

// maybe runs a part that the command's own outcome decides on.
func (in *interp) maybe(st *state, run func(*state)) {
	branch := st.fork()
	run(branch)
	st.join(branch)
}

func (in *interp) ifClause(c *syntax.IfClause, st *state, io stdio) {
	for ; c != nil; c = c.Else {
		in.stmts(c.Cond, st, io)
		then := c.Then
		in.maybe(st, func(branch *state) { in.stmts(then, branch, io) })
	}
}

// while runs as long as its rounds take lines of a known input, else twice,
// so that what one round assigns reaches the next.
func (in *interp) while(c *syntax.WhileClause, st *state, io stdio) {
	for round, idle := 0, 0; round < maxRounds && idle < 2; round++ {
		before := io.text()
		if round > 0 && before == "" {
			return
		}
		in.stmts(c.Cond, st, io)
		in.stmts(c.Do, st, io)
		if io.text() == before {
			idle++
		}
	}
}

// maxRounds bounds the items of a loop that are tried one by one. More of them
// are not skipped: nobody may hide one behind the others.
const maxRounds = 1024

func (in *interp) forClause(c *syntax.ForClause, st *state, io stdio) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items []string
		if l.InPos.IsValid() {
			items = in.fields(l.Items, st)
		} else {
			items = in.positional(st)
		}
		if c.Select {
			items = append(items, holeVar)
		}
		for i, item := range items {
			if i == maxRounds {
				panic(errLimit)
			}
			in.step()
			st.set(l.Name.Value, item)
			if isTempVar(l.Name.Value) {
				in.environment(l.Name.Value, st, "for")
			}
			in.stmts(c.Do, st, io)
		}
	case *syntax.CStyleLoop:
		in.arith(l.Init, st)
		in.arith(l.Cond, st)
		for range 2 {
			in.stmts(c.Do, st, io)
			in.arith(l.Post, st)
		}
	default:
		in.stmts(c.Do, st, io)
	}
}

func (in *interp) caseClause(c *syntax.CaseClause, st *state, io stdio) {
	in.single(c.Word, st)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			in.single(p, st)
		}
		in.maybe(st, func(branch *state) { in.stmts(item.Stmts, branch, io) })
	}
}

func (in *interp) funcDecl(c *syntax.FuncDecl, st *state, io stdio) {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	if len(names) == 0 && c.Body != nil { // zsh: an anonymous function runs at once
		in.stmt(c.Body, st, io)
	}
	for _, n := range names {
		st.funcs[n.Value] = c.Body
		if n.Value == "command_not_found_handle" || n.Value == "command_not_found_handler" {
			in.invoke(c.Body, []string{holeVar}, st.fork(), io)
		}
	}
}

// invoke runs a function's body with arguments.
func (in *interp) invoke(body *syntax.Stmt, args []string, st *state, io stdio) {
	if body == nil {
		return
	}
	outer := st.params
	st.params = append([]string{}, args...)
	st.enter()
	in.stmt(body, st, io)
	st.leave()
	st.params = outer
}

// declare is declare, typeset, local, export, readonly and nameref.
func (in *interp) declare(c *syntax.DeclClause, st *state) {
	local := c.Variant.Value != "export" && c.Variant.Value != "readonly"
	export := c.Variant.Value == "export"
	ref := c.Variant.Value == "nameref"
	for _, a := range c.Args {
		if a.Naked && a.Name == nil && a.Value != nil {
			for _, opt := range in.fieldsOf(a.Value, st) {
				in.declareOption(opt, c.Variant.Value, st, &local, &export, &ref)
			}
			continue
		}
		if a.Name == nil {
			continue
		}
		if local {
			st.local(a.Name.Value)
		}
		if !a.Naked {
			in.assign(a, st, false)
		}
		name := a.Name.Value
		v := st.vars[name]
		if ref && len(v.values) == 1 && v.values[0] != name {
			v = variable{ref: v.values[0]}
		}
		v.exported = v.exported || export
		if !a.Naked || st.vars[name].values != nil || st.vars[name].list != nil {
			st.vars[name] = v
		}
		switch {
		case export:
			in.environment(name, st, c.Variant.Value)
		case isTempVar(name) && c.Variant.Value == "export": // -n takes it out of the environment
			in.find(TempMoved, "export -n", name)
		}
	}
}

func (in *interp) declareOption(opt, variant string, st *state, local, export, ref *bool) {
	if name, value, ok := cutAssign(opt); ok { // a name that an expansion made
		if *local {
			st.local(name)
		}
		st.set(name, value)
		return
	}
	if len(opt) < 2 || opt[0] != '-' {
		return
	}
	for _, flag := range opt[1:] {
		switch flag {
		case 'g':
			*local = false
		case 'x':
			*export = true
		case 'n':
			if variant == "export" {
				*export = false
			} else {
				*ref = true
			}
		}
	}
}

func (in *interp) testExpr(x syntax.TestExpr, st *state) {
	switch x := x.(type) {
	case *syntax.Word:
		in.single(x, st)
	case *syntax.ParenTest:
		in.testExpr(x.X, st)
	case *syntax.UnaryTest:
		in.testExpr(x.X, st)
	case *syntax.BinaryTest:
		in.testExpr(x.X, st)
		in.testExpr(x.Y, st)
	}
}
