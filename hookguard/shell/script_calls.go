package shell

import (
	"strconv"
	"strings"
)

// action finds what a function does by its dotted name.
func (e *evaluator) action(name string) (string, bool) {
	if method, ok := strings.CutPrefix(name, "."); ok {
		a, found := actions()["."+method]
		return a, found
	}
	if a, ok := actions()[e.lang+":"+name]; ok {
		return a, true
	}
	if !strings.Contains(name, ".") {
		if langs, limited := bareOnly()[name]; limited && !strings.Contains(" "+langs+" ", " "+e.lang+" ") {
			return "", false
		}
		a, ok := actions()[name]
		return a, ok
	}
	if a, ok := actions()[name]; ok {
		return a, true
	}
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	module := strings.Join(parts[:len(parts)-1], ".")
	if jsFS[module] || strings.HasSuffix(module, ".fs") || strings.HasSuffix(module, "fs.promises") || module == "fs.default" || module == "promises" {
		if a, ok := actions()["fs."+last]; ok {
			return a, true
		}
	}
	if len(parts) > 2 {
		if a, ok := actions()[parts[len(parts)-2]+"."+last]; ok {
			return a, true
		}
	}
	a, ok := actions()["."+last]
	return a, ok
}

// call applies a function to its arguments.
func (e *evaluator) call(f value, args []value) value {
	e.tick()
	if strings.HasPrefix(f.name, ".") && len(f.list) == 1 {
		return e.methodCall(f.list[0], f.name[1:], args)
	}
	name := f.name
	if name == "" {
		return unknown
	}
	if own, ok := e.funcs[name]; ok {
		return e.user(own, positional(args))
	}
	if v, ok := e.pure(name, args); ok {
		return v
	}
	if meaning, ok := e.action(name); ok {
		return e.act(meaning, name, unknown, args)
	}
	return unknown
}

// methodCall is object.method(arguments).
func (e *evaluator) methodCall(object value, method string, args []value) value {
	if own, ok := e.funcs[method]; ok && !object.known() {
		return e.user(own, positional(args))
	}
	if object.from != "" && e.grow(object, method, args) {
		return unknown
	}
	if v, ok := e.pureMethod(object, method, args); ok {
		return v
	}
	if object.isDir {
		if meaning, ok := actions()["path."+method]; ok {
			return e.act(meaning, "Path."+method, object, args)
		}
	}
	if meaning, ok := actions()["."+method]; ok {
		return e.act(meaning, method, object, args)
	}
	if object.made {
		return object
	}
	if method == "each" || method == "forEach" || method == "map" {
		return object
	}
	return unknown
}

// positional drops keyword arguments.
func positional(args []value) []value {
	var out []value
	for _, a := range args {
		if a.named == nil || a.dict && len(out) == 0 { // after the others it holds options
			out = append(out, a)
		}
	}
	return out
}

func keyword(args []value, name string) (value, bool) {
	for _, a := range args {
		if v, ok := a.named[name]; ok {
			return v, true
		}
	}
	return unknown, false
}

// act does what the action table says.
func (e *evaluator) act(meaning, name string, self value, args []value) value {
	c := &scriptCall{e: e, by: e.by + " " + name, self: self, args: args, plain: positional(args)}
	result := unknown
	for _, word := range strings.Fields(meaning) {
		kind, refs, _ := strings.Cut(word, ":")
		if v := c.act(kind, refs); v.made || v.known() {
			result = v
		}
	}
	return result
}

// scriptCall is one call of a function that does something.
type scriptCall struct {
	e     *evaluator
	by    string
	self  value
	args  []value
	plain []value // without keyword arguments
}

// arg is an argument by its number, or the object itself.
func (c *scriptCall) arg(ref string) value {
	if ref == "self" {
		return c.self
	}
	n, err := strconv.Atoi(ref)
	if err != nil {
		return unknown
	}
	if n < len(c.plain) {
		return c.plain[n]
	}
	return c.byName(n)
}

// byName is an argument that the call gives by the name it usually has.
func (c *scriptCall) byName(n int) value {
	names := [][]string{{"file", "path", "src", "source", "name", "filename", "args", "cmd", "command"}, {"dst", "dest", "destination", "target", "filename", "f"}}
	if n < len(names) {
		for _, name := range names[n] {
			if v, ok := keyword(c.args, name); ok {
				return v
			}
		}
	}
	return unknown
}

// act does one word of a meaning and returns what the call is known to give.
func (c *scriptCall) act(kind, refs string) value {
	e := c.e
	first, second, _ := strings.Cut(refs, ",")
	switch kind {
	case "none":
	case "out", "del", "hard", "name", "in", "outpath", "outdir":
		e.touch(kind, c.arg(first), c.by)
	case "outall", "delall":
		for _, a := range c.plain {
			e.touch(strings.TrimSuffix(kind, "all"), a, c.by)
		}
	case "open":
		return e.open(c.arg(first), second, c.plain, c.args, c.by)
	case "osopen", "denoopen":
		e.flagOpen(c.arg(first), c.arg(second), c.args, c.by)
		return value{made: true}
	case "link":
		for _, at := range c.arg(second).all() {
			e.in.link(true, c.arg(first).text(), at, c.by, e.st)
		}
	case "dir":
		if v := c.arg(first); v.known() {
			e.st.chdir(v.text())
		}
	case "kw":
		if v, ok := keyword(c.args, refs); ok {
			e.touch("out", v, c.by)
		}
	case "inplace":
		if v, ok := keyword(c.args, "inplace"); ok && v.name != "False" {
			e.touch("out", c.arg(first), c.by)
		}
	case "env", "unenv", "putenv":
		c.environment(kind, c.arg(first), c.arg(second))
	case "tempdir", "rubytemp":
		return e.temporary(c.args, c.plain, kind, c.by)
	case "patch":
		for _, text := range c.arg(first).all() {
			for _, f := range PatchFiles(text) {
				e.in.effect(f.Op, f.Path, c.by, e.st)
			}
		}
	case "pathobject":
		return pathObject(e, "", unknown, c.plain)
	default:
		e.start(kind, first, c.arg, c.plain, c.args, c.by)
		return textValue(holeOut)
	}
	return unknown
}

func (c *scriptCall) environment(kind string, name, v value) {
	switch kind {
	case "env":
		c.e.setEnvironment(name, v, c.by)
	case "unenv":
		if isTempVar(name.text()) {
			c.e.in.find(TempMoved, c.by, name.text())
		}
	default:
		if n, text, ok := cutAssign(c.arg("0").text()); ok {
			c.e.setEnvironment(textValue(n), textValue(text), c.by)
		}
	}
}

// touch reports a path argument, which may have several values.
func (e *evaluator) touch(kind string, v value, by string) {
	if kind == "outdir" && !v.known() {
		v = textValue(".")
	}
	for _, text := range v.all() {
		text = strings.TrimPrefix(text, "file://")
		if strings.Contains(text, "\n") || text == ":memory:" || strings.Contains(text, "://") {
			continue
		}
		switch kind {
		case "outpath":
			if looksLikePath(text) {
				e.in.effect(Write, text, by, e.st)
			}
		case "del":
			e.in.effect(Remove, text, by, e.st)
		case "hard":
			e.in.effect(HardLink, text, by, e.st)
		case "name":
			e.in.effect(Name, text, by, e.st)
		case "in":
			e.in.effect(Read, text, by, e.st)
		default:
			e.in.effect(Write, text, by, e.st)
		}
	}
}

// open writes when its mode says so; without a mode it reads.
func (e *evaluator) open(p value, modeRef string, plain, args []value, by string) value {
	mode := ""
	if n, err := strconv.Atoi(modeRef); err == nil && n < len(plain) {
		mode = plain[n].text()
	}
	for _, key := range []string{"mode", "flag", "flags", "w"} {
		if v, ok := keyword(args, key); ok {
			mode = v.text()
		}
	}
	if e.lang == langPerl { // open(FH, ">", path), open(FH, ">path")
		return e.perlOpen(plain, by)
	}
	if strings.HasPrefix(p.text(), "|") && e.lang == langRuby {
		e.in.code(p.text()[1:], e.st.fork(), e.io, by)
	}
	written := strings.ContainsAny(Fixed(mode), "wax+c") || mode == "n"
	if written {
		e.touch("out", p, by)
	} else {
		if p.known() {
			e.touch("in", p, by)
			if text, ok := e.in.written(p.text(), e.st); ok {
				return value{texts: []string{text}, made: true}
			}
		}
		return value{texts: []string{holeFile}, made: true}
	}
	return value{made: true}
}

func (e *evaluator) perlOpen(plain []value, by string) value {
	if len(plain) < 2 {
		return unknown
	}
	mode := strings.TrimSpace(plain[1].text())
	target := value{texts: []string{strings.TrimLeft(strings.TrimPrefix(mode, "+"), "<>| ")}}
	if len(plain) > 2 {
		target = plain[2]
	}
	switch {
	case strings.HasPrefix(mode, "|-") || strings.HasPrefix(mode, "-|"):
		e.run(plain[2:], by)
	case strings.HasPrefix(mode, "|"), strings.HasSuffix(mode, "|"):
		e.in.code(strings.Trim(mode, "| "), e.st.fork(), e.io, by)
	case strings.HasPrefix(mode, ">"), strings.HasPrefix(mode, "+"):
		if i := strings.IndexByte(target.text(), ':'); len(plain) == 2 && i > 0 {
			target = unknown
		}
		e.touch("out", target, by)
	}
	return value{made: true}
}

// flagOpen is open(2): flags by name.
func (e *evaluator) flagOpen(p, flags value, args []value, by string) {
	named := flags.name + strings.Join(flags.texts, " ")
	_, writes := keyword(args, "write")
	_, creates := keyword(args, "create")
	for _, t := range e.toks[max(0, e.pos-40):min(e.pos, len(e.toks))] {
		named += " " + t.text
	}
	if n, err := strconv.Atoi(flags.text()); err == nil && n&0o103 != 0 { // O_WRONLY, O_RDWR, O_CREAT
		writes = true
	}
	if writes || creates || strings.Contains(named, "O_WR") || strings.Contains(named, "O_RDWR") || strings.Contains(named, "O_CREAT") || strings.Contains(named, "O_APPEND") || strings.Contains(named, "O_TRUNC") {
		e.touch("out", p, by)
	}
}

func (e *evaluator) setEnvironment(name, v value, by string) {
	if !name.known() {
		return
	}
	e.st.vars[name.text()] = variable{values: []string{v.text()}, exported: true}
	e.in.environment(name.text(), e.st, by)
}

// temporary is a temporary file: in TMPDIR, or where dir= says.
func (e *evaluator) temporary(args, plain []value, kind, by string) value {
	dir, ok := keyword(args, "dir")
	if !ok && kind == "rubytemp" && len(plain) > 1 {
		dir, ok = plain[1], true
	}
	if !ok {
		dir = e.tempDir()
	}
	e.touch("out", dir, by)
	v := joinTexts(dir, textValue(holeSeg), "/")
	v.isDir = true
	return v
}

func (e *evaluator) tempDir() value {
	if v, set := e.in.lookup("TMPDIR", e.st); set && v != "" {
		return textValue(v)
	}
	return textValue("/tmp")
}
