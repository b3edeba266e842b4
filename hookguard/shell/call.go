package shell

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// collect runs something and returns what it prints.
func (in *interp) collect(run func(stdio)) string {
	var b bytes.Buffer
	run(stdio{in: given(holeInput), out: &b})
	return b.String()
}

// call runs a simple command, once for each combination of the values its
// variables may have.
func (in *interp) call(c *syntax.CallExpr, st *state, io stdio) {
	var before *state
	if in.several(st) {
		before = st.fork()
	}
	outer := in.wide
	in.wide = map[string]int{}
	in.once(c, st, io)
	if before != nil && len(in.wide) > 0 {
		in.others(c, before, st, io)
	}
	for name := range in.wide {
		delete(in.pick, name)
	}
	in.wide = outer
}

// several reports whether any variable has more than one possible value.
func (in *interp) several(st *state) bool {
	for _, v := range st.vars {
		if len(v.values) > 1 {
			return true
		}
	}
	return false
}

// others runs the command again for the combinations after the first.
func (in *interp) others(c *syntax.CallExpr, before, st *state, io stdio) {
	names, counts := []string{}, []int{}
	for name, n := range in.wide {
		names, counts = append(names, name), append(counts, n)
	}
	for world := 1; world < maxWorlds; world++ {
		rest := world
		for i, name := range names {
			in.pick[name] = rest % counts[i]
			rest /= counts[i]
		}
		if rest > 0 {
			return
		}
		branch := before.fork()
		in.once(c, branch, stdio{in: given(io.text())})
		dir, old := st.dir, st.oldDir
		st.join(branch)
		st.dir, st.oldDir = dir, old
	}
}

func (in *interp) once(c *syntax.CallExpr, st *state, io stdio) {
	in.step()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			in.assign(a, st, false)
		}
		return
	}
	args := in.fields(c.Args, st)
	restore := in.prefixes(c.Assigns, st)
	defer restore()
	if len(args) == 0 {
		return
	}
	if args[0] == holeVar || args[0] == holeBare {
		in.unknownName(c.Args[0])
	}
	if args[0] == "git" && len(c.Assigns) > 0 {
		in.gitLoader(c.Assigns, st)
	}
	in.run(args, st, io, bare(c.Args[0]))
}

// programVars are variables by which a command is usually named.
var programVars = wordSet("CC CXX CPP LD AR PYTHON PYTHON3 PY NODE NPM RUBY PERL JAVA GO CARGO MAKE CMAKE EDITOR VISUAL PAGER BROWSER SHELL SUDO DOCKER KUBECTL GIT CURL BASH PIP VENV_PYTHON PYTHON_BIN NODE_BIN HELM TERRAFORM PHP COMPOSER GRADLE MVN")

// unknownName reports a command whose whole name is an unknown variable. The
// parameters of a script, and the names build systems use, are ordinary.
func (in *interp) unknownName(w *syntax.Word) {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return
	}
	p, ok := parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Index != nil || programVars.has(p.Param.Value) || p.Param.Value == "@" || p.Param.Value == "*" || strings.HasPrefix(p.Param.Value, "_lane_") {
		return
	}
	if p.Param.Value[0] >= '0' && p.Param.Value[0] <= '9' || strings.HasSuffix(p.Param.Value, "_BIN") || strings.HasSuffix(p.Param.Value, "_CMD_PATH") {
		return
	}
	in.find(UnknownCode, "$"+p.Param.Value, "the command's name is not known")
}

// gitLoader looks at what is put before git itself: code loaded into it, or a
// directory of the worktree where git is looked for first.
func (in *interp) gitLoader(list []*syntax.Assign, st *state) {
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		value, _ := in.lookup(a.Name.Value, st)
		switch a.Name.Value {
		case "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES":
			in.find(GitProgram, a.Name.Value+"=", a.Name.Value)
		case "PATH":
			first, _, _ := strings.Cut(value, ":")
			if p := fold(in.abs(first, st)); below(p, in.req.Worktree) && !strings.HasSuffix(p, "/node_modules/.bin") && !strings.HasSuffix(p, "venv/bin") {
				in.find(GitProgram, "PATH=", "PATH")
			}
		}
	}
}

// bare reports whether a command's name is plain source text: only then is it
// looked up among the aliases.
func bare(w *syntax.Word) bool {
	lit := w.Lit()
	return lit != "" && !strings.Contains(lit, `\`)
}

// prefixes sets the variables in front of a command, for its time only.
func (in *interp) prefixes(list []*syntax.Assign, st *state) (restore func()) {
	if len(list) == 0 {
		return func() {}
	}
	type saved struct {
		name string
		v    variable
		had  bool
	}
	var old []saved
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		v, had := st.vars[a.Name.Value]
		old = append(old, saved{a.Name.Value, v, had})
		in.assign(a, st, true)
	}
	return func() {
		for _, s := range old {
			if s.had {
				st.vars[s.name] = s.v
			} else {
				delete(st.vars, s.name)
			}
		}
	}
}

// assign performs one assignment; export marks the variable for the
// environment of commands.
func (in *interp) assign(a *syntax.Assign, st *state, export bool) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		in.assignArray(a, st)
	case a.Index != nil:
		in.assignElement(a, st)
	default:
		value := in.assigned(a.Value, st)
		if a.Append {
			if old, set := in.lookup(name, st); set {
				value = old + value
			}
		}
		in.assignScalar(name, value, st)
	}
	if export {
		v := st.vars[name]
		v.exported = true
		st.vars[name] = v
		in.environment(name, st, name+"=")
	}
}

// assigned expands an assignment's value, where a tilde also counts after a
// colon.
func (in *interp) assigned(w *syntax.Word, st *state) string {
	value := in.single(w, st)
	if strings.Contains(value, ":~/") {
		if home, ok := in.tilde("", st); ok {
			value = strings.ReplaceAll(value, ":~/", ":"+home+"/")
		}
	}
	return value
}

// assignScalar sets a variable; one that is in the environment already is
// looked at again.
func (in *interp) assignScalar(name, value string, st *state) {
	if strings.Contains(name, "[") {
		return
	}
	st.set(name, value)
	if st.vars[st.deref(name)].exported {
		in.environment(name, st, name+"=")
	}
}

func (in *interp) assignArray(a *syntax.Assign, st *state) {
	v := variable{list: []string{}}
	if a.Append {
		v.list = append(v.list, st.vars[a.Name.Value].list...)
	}
	for _, e := range a.Array.Elems {
		if w, ok := e.Index.(*syntax.Word); ok && w != nil {
			if v.keys == nil {
				v.keys = map[string]string{}
			}
			v.keys[in.single(w, st)] = in.single(e.Value, st)
		}
		v.list = append(v.list, in.fieldsOf(e.Value, st)...)
		if len(v.list) > maxFields {
			panic(errLimit)
		}
	}
	if _, err := syntaxNumberKeys(v.keys); err == nil {
		v.keys = nil
	}
	st.vars[st.deref(a.Name.Value)] = v
}

// syntaxNumberKeys says whether the keys of an array literal are all numbers:
// then it is an indexed array, whose list is kept instead.
func syntaxNumberKeys(keys map[string]string) (int, error) {
	for k := range keys {
		for _, c := range k {
			if c < '0' || c > '9' {
				return 0, errLimit
			}
		}
	}
	return len(keys), nil
}

func (in *interp) assignElement(a *syntax.Assign, st *state) {
	name := st.deref(a.Name.Value)
	value := in.assigned(a.Value, st)
	v := st.vars[name]
	if n, ok := in.number(a.Index, st); ok && v.keys == nil && n >= 0 && n < maxFields {
		list := append([]string(nil), v.list...)
		if v.list == nil && len(v.values) > 0 {
			list = append(list, v.values[0])
		}
		for len(list) <= n {
			list = append(list, "")
		}
		list[n] = value
		st.vars[name] = variable{list: list, exported: v.exported}
		return
	}
	keys := map[string]string{}
	for k, old := range v.keys {
		keys[k] = old
	}
	if w, ok := a.Index.(*syntax.Word); ok {
		keys[in.single(w, st)] = value
	}
	st.vars[name] = variable{keys: keys, exported: v.exported}
}

// cutAssign splits "name=value".
func cutAssign(s string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(s, "=")
	name = strings.TrimSuffix(name, "+")
	if !ok || name == "" || !isName(name) {
		return "", "", false
	}
	return name, value, true
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// run dispatches a command by its name: alias, function, builtin, tool.
func (in *interp) run(args []string, st *state, io stdio, plain bool) {
	in.step()
	in.descend()
	defer in.ascend()
	if _, _, ok := cutAssign(args[0]); ok && !plain && len(args) > 1 { // sudo NAME=value command
		in.env(append([]string{"env"}, args...), st, io)
		return
	}
	name := args[0]
	if text, ok := st.aliases[name]; ok && plain {
		delete(st.aliases, name) // an alias is not expanded within itself
		in.code(text+" "+quoteAll(args[1:]), st, io, name)
		if st.aliases == nil {
			st.aliases = map[string]string{}
		}
		st.aliases[name] = text
		return
	}
	if body, ok := st.funcs[name]; ok && plain {
		in.invoke(body, args[1:], st, io)
		return
	}
	if b, ok := builtins[name]; ok {
		b(in, args, st, io)
		return
	}
	in.program(args, st, io)
}

// quoteAll writes words so that a shell reads them back as they are.
func quoteAll(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		pieces(w, func(piece string, hole bool) bool {
			if hole {
				b.WriteString(piece)
			} else {
				b.WriteString("'" + strings.ReplaceAll(piece, "'", `'\''`) + "'")
			}
			return true
		})
		if w == "" {
			b.WriteString("''")
		}
	}
	return b.String()
}
