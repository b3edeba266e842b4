package shell

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// action finds what a function does by its dotted name.
func (e *evaluator) action(name string) (string, bool) {
	if method, ok := strings.CutPrefix(name, "."); ok {
		a, found := actions["."+method]
		return a, found
	}
	if a, ok := actions[e.lang+":"+name]; ok {
		return a, true
	}
	if !strings.Contains(name, ".") {
		if langs, limited := bareOnly[name]; limited && !strings.Contains(" "+langs+" ", " "+e.lang+" ") {
			return "", false
		}
		a, ok := actions[name]
		return a, ok
	}
	if a, ok := actions[name]; ok {
		return a, true
	}
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	module := strings.Join(parts[:len(parts)-1], ".")
	if jsFS[module] || strings.HasSuffix(module, ".fs") || strings.HasSuffix(module, "fs.promises") || module == "fs.default" || module == "promises" {
		if a, ok := actions["fs."+last]; ok {
			return a, true
		}
	}
	if len(parts) > 2 {
		if a, ok := actions[parts[len(parts)-2]+"."+last]; ok {
			return a, true
		}
	}
	a, ok := actions["."+last]
	return a, ok
}

// call applies a function to its arguments.
func (e *evaluator) call(f value, args []value) value {
	e.in.step()
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
	if object.made {
		return object
	}
	if v, ok := e.pureMethod(object, method, args); ok {
		return v
	}
	if object.isDir {
		if meaning, ok := actions["path."+method]; ok {
			return e.act(meaning, "Path."+method, object, args)
		}
	}
	if meaning, ok := actions["."+method]; ok {
		return e.act(meaning, method, object, args)
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
		if a.named == nil {
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
	plain := positional(args)
	arg := func(ref string) value {
		if ref == "self" {
			return self
		}
		n, err := strconv.Atoi(ref)
		if err == nil && n < len(plain) {
			return plain[n]
		}
		return unknown
	}
	by := e.by + " " + name
	result := unknown
	for _, word := range strings.Fields(meaning) {
		kind, refs, _ := strings.Cut(word, ":")
		first, second, _ := strings.Cut(refs, ",")
		switch kind {
		case "out", "del", "hard", "name", "in", "outpath", "outdir":
			e.touch(kind, arg(first), by)
		case "outall", "delall":
			for _, a := range plain {
				e.touch(strings.TrimSuffix(kind, "all"), a, by)
			}
		case "open":
			result = e.open(arg(first), second, plain, args, by)
		case "osopen", "denoopen":
			e.flagOpen(arg(first), arg(second), args, by)
			result = value{made: true}
		case "link":
			for _, at := range arg(second).all() {
				e.in.link(true, arg(first).text(), at, by, e.st)
			}
		case "dir":
			if v := arg(first); v.known() {
				e.st.chdir(v.text())
			}
		case "env":
			e.setEnvironment(arg(first), arg(second), by)
		case "unenv":
			if isTempVar(arg(first).text()) {
				e.in.find(TempMoved, by, arg(first).text())
			}
		case "putenv":
			if name, v, ok := cutAssign(arg("0").text()); ok {
				e.setEnvironment(textValue(name), textValue(v), by)
			}
		case "kw":
			if v, ok := keyword(args, refs); ok {
				e.touch("out", v, by)
			}
		case "inplace":
			if v, ok := keyword(args, "inplace"); ok && v.name != "False" {
				e.touch("out", arg(first), by)
			}
		case "tempdir", "rubytemp":
			result = e.temporary(args, plain, kind, by)
		default:
			e.start(kind, first, arg, plain, args, by)
			result = textValue(holeOut)
		}
	}
	return result
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
	if e.lang == langPerl && strings.HasPrefix(e.by, "perl") { // open(FH, ">", path), open(FH, ">path")
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

// start runs what the script starts.
func (e *evaluator) start(kind, first string, arg func(string) value, plain, args []value, by string) {
	st := e.st
	if dir, ok := keyword(args, "cwd"); ok && dir.known() {
		st = st.fork()
		st.chdir(dir.text())
	}
	saved := e.st
	e.st = st
	defer func() { e.st = saved }()
	n, _ := strconv.Atoi(first)
	switch kind {
	case "code":
		for _, text := range arg(first).all() {
			e.in.code(text, st.fork(), e.io, by)
		}
	case "argv":
		if n < len(plain) {
			e.run(plain[n:], by)
		}
	case "kwargv":
		if v, ok := keyword(args, first); ok {
			e.run([]value{v}, by)
		}
	case "exec":
		if n < len(plain) {
			e.exec(plain[n:], args, by)
		}
	case "self":
		if v := arg(first); v.known() {
			e.in.evaluate(e.lang, v.text(), e.args, by, st, e.io)
		} else if len(plain) > 0 {
			e.in.find(UnknownCode, by, "")
		}
	case "jlrm":
		e.touch("del", arg("0"), by)
	}
}

// run is subprocess.run(x) and system(x): a list is a program with its
// arguments, one text is shell code, several are a program again.
func (e *evaluator) run(list []value, by string) {
	if len(list) == 0 {
		return
	}
	if list[0].named != nil && len(list) > 1 { // Ruby: an environment first
		list = list[1:]
	}
	switch {
	case len(list[0].list) > 0:
		e.in.run(e.words(list[0].list), e.st.fork(), e.io, false)
	case len(list) > 1 && e.lang != langPython && e.lang != langPHP && e.lang != langJulia:
		e.in.run(e.words(list), e.st.fork(), e.io, false)
	default:
		for _, text := range list[0].texts {
			e.in.code(text, e.st.fork(), e.io, by)
		}
	}
}

// exec is execvp(file, list) and spawn(file, list), or all words in a row.
func (e *evaluator) exec(list, args []value, by string) {
	program := list[0].text()
	rest := list[1:]
	words := []string{program}
	if len(rest) > 0 && len(rest[0].list) > 0 {
		inner := e.words(rest[0].list)
		if e.lang == langPython && len(inner) > 0 {
			inner = inner[1:] // argv[0]
		}
		words = append(words, inner...)
	} else if v, ok := keyword(args, "args"); ok {
		words = append(words, e.words(v.list)...)
	} else {
		inner := e.words(rest)
		if e.lang == langPython && strings.Contains(by, "exec") && !strings.Contains(by, "subprocess") && len(inner) > 0 {
			inner = inner[1:]
		}
		words = append(words, inner...)
	}
	if shell, ok := keyword(args, "shell"); ok && (shell.name == "true" || shell.known()) {
		e.in.code(strings.Join(words, " "), e.st.fork(), e.io, by)
		return
	}
	e.in.run(words, e.st.fork(), e.io, false)
}

func (e *evaluator) words(list []value) []string {
	var out []string
	for _, v := range list {
		if len(v.list) > 0 {
			out = append(out, e.words(v.list)...)
			continue
		}
		if v.named == nil {
			out = append(out, v.text())
		}
	}
	if len(out) == 0 {
		return []string{holeVar}
	}
	return out
}

// constant is a name whose value is known without a call.
func (e *evaluator) constant(name string) (value, bool) {
	switch name {
	case "os.sep", "path.sep", "File.SEPARATOR", "os.path.sep":
		return textValue("/"), true
	case "os.curdir":
		return textValue("."), true
	case "os.pardir":
		return textValue(".."), true
	case "os.devnull":
		return textValue("/dev/null"), true
	case "tempfile.tempdir":
		return e.tempDir(), true
	case "process.env.HOME", "process.env.TMPDIR", "process.env.USER", "process.env.PWD", "process.env.TMP":
		return e.environment(textValue(name[len("process.env."):])), true
	case "import.meta.dirname":
		return textValue(e.st.dir), true
	}
	if v, ok := strings.CutPrefix(name, "process.env."); ok {
		return e.environment(textValue(v)), true
	}
	return unknown, false
}

// pure are functions that only compute.
func (e *evaluator) pure(name string, args []value) (value, bool) {
	plain := positional(args)
	first := unknown
	if len(plain) > 0 {
		first = plain[0]
	}
	switch name {
	case "require", "__import__", "importlib.import_module", "import_module", "import":
		if first.known() {
			return value{name: moduleName(first.text())}, true
		}
	case "getattr":
		if len(plain) > 1 && plain[1].known() {
			return value{name: strings.TrimPrefix(first.name+"."+plain[1].text(), ".")}, true
		}
	case "os.path.join", "path.join", "path.resolve", "File.join", "posixpath.join", "path.posix.join", "file.path", "joinpath", "catfile", "File.Spec.catfile", "filepath.Join", "File.expand_path":
		return e.join(name, plain), true
	case "Path", "pathlib.Path", "PosixPath", "PurePath", "Pathname", "Pathname.new", "Path.new", "path", "URL", "pathlib.PosixPath", "anyio.Path", "upath.UPath":
		if len(plain) == 0 {
			return value{texts: []string{"."}, isDir: true}, true
		}
		v := e.join("path.join", plain)
		v.isDir = true
		for i, t := range v.texts {
			v.texts[i] = strings.TrimPrefix(t, "file://")
		}
		return v, true
	case "Path.home", "pathlib.Path.home", "os.homedir", "Dir.home", "homedir":
		return value{texts: []string{e.in.req.Vars["HOME"]}, isDir: true}, true
	case "Path.cwd", "pathlib.Path.cwd", "os.getcwd", "process.cwd", "Dir.pwd", "getcwd", "Dir.getwd", "cwd", "pwd", "Deno.cwd", "getwd":
		return value{texts: []string{e.st.dir}, isDir: strings.Contains(name, "Path")}, true
	case "tempfile.gettempdir", "os.tmpdir", "Dir.tmpdir", "sys_get_temp_dir", "tmpdir", "tempdir", "gettempdir":
		return e.tempDir(), true
	case "os.path.expanduser", "os.path.expandvars", "path.expand", "expanduser":
		return e.expand(first), true
	case "os.path.abspath", "os.path.realpath", "os.path.normpath", "File.realpath", "File.absolute_path", "realpath", "normalizePath", "abspath", "path.normalize", "fileURLToPath", "os.fspath", "fspath", "url.fileURLToPath":
		return value{texts: first.texts, isDir: false}, true
	case "os.path.dirname", "path.dirname", "File.dirname", "dirname":
		return mapTexts(first, path.Dir), true
	case "os.path.basename", "path.basename", "File.basename", "basename":
		return mapTexts(first, path.Base), true
	case "os.environ.get", "os.getenv", "getenv", "ENV.fetch", "Deno.env.get", "os.environ.fetch", "Sys.getenv":
		if v, set := e.in.lookup(first.text(), e.st); set {
			return textValue(v), true
		}
		if len(plain) > 1 {
			return plain[1], true
		}
		return unknown, true
	case "str", "String", "bytes", "bytearray", "print_r", "repr", "shlex.quote", "escapeshellarg", "Array", "list", "tuple", "sorted", "set", "iter", "reversed_", "JSON.parse_", "paste0", "String.raw", "unescape_":
		if name == "bytes" && len(first.list) > 0 {
			return textValue(characters(first.list)), true
		}
		if name == "paste0" {
			return e.concat(plain), true
		}
		return first, true
	case "chr", "String.fromCharCode", "String.fromCodePoint", "string.char", "intToUtf8":
		return textValue(characters(plain)), true
	case "map":
		if len(plain) == 2 && plain[0].name == "chr" {
			return value{list: eachCharacter(plain[1].list)}, true
		}
	case "base64.b64decode", "atob", "base64_decode", "Base64.decode64", "decode_base64", "b64decode", "MIME.Base64.decode_base64", "base64.standard_b64decode", "base64.urlsafe_b64decode", "Base64.strict_decode64":
		return mapTexts(first, decode64), true
	case "bytes.fromhex", "binascii.unhexlify", "unhexlify", "hex2bin", "bytearray.fromhex":
		return mapTexts(first, decodeHex), true
	case "Buffer.from":
		if len(plain) > 1 && plain[1].text() == "base64" {
			return mapTexts(first, decode64), true
		}
		if len(plain) > 1 && plain[1].text() == "hex" {
			return mapTexts(first, decodeHex), true
		}
		if len(first.list) > 0 {
			return textValue(characters(first.list)), true
		}
		return first, true
	case "decodeURIComponent", "decodeURI", "urllib.parse.unquote", "unquote", "urldecode", "unescape", "CGI.unescape", "rawurldecode":
		return mapTexts(first, func(s string) string {
			if d, err := url.PathUnescape(s); err == nil {
				return d
			}
			return s
		}), true
	case "codecs.decode":
		return mapTexts(first, rot13), true
	case "strrev", "reversed", "reverse", "string.reverse":
		return mapTexts(first, reverse), true
	case "sprintf", "format", "string.format", "util.format", "Kernel.sprintf":
		if len(plain) > 0 {
			return formatPercent(first, value{list: plain[1:]}), true
		}
	case "implode", "join":
		if len(plain) == 2 {
			sep, list := plain[0], plain[1]
			return joinList(list, sep.text()), true
		}
	}
	return unknown, false
}

func (e *evaluator) concat(plain []value) value {
	out := textValue("")
	for _, v := range plain {
		out = joinTexts(out, v, "")
	}
	return out
}

func (e *evaluator) join(name string, plain []value) value {
	if len(plain) == 0 {
		return unknown
	}
	out := plain[0]
	if name == "File.expand_path" {
		out = e.expand(out)
		if len(plain) > 1 && !strings.HasPrefix(out.text(), "/") {
			return joinPaths(plain[1], out)
		}
		return out
	}
	if len(plain) == 1 && len(out.list) > 0 {
		plain = out.list
		out = plain[0]
	}
	for _, p := range plain[1:] {
		switch {
		case name == "path.join" || name == "path.posix.join" || name == "File.join" || name == "file.path": // an absolute part does not win
			if p.known() {
				p = mapTexts(p, func(s string) string { return strings.TrimPrefix(s, "/") })
			}
			out = joinTexts(out, p, "/")
		default:
			out = joinPaths(out, p)
		}
	}
	return value{texts: out.texts}
}

// expand is a leading "~" and the variables of a path.
func (e *evaluator) expand(v value) value {
	return value{isDir: v.isDir, texts: mapTexts(v, func(s string) string {
		if s == "~" || strings.HasPrefix(s, "~/") {
			s = e.in.req.Vars["HOME"] + s[1:]
		} else if strings.HasPrefix(s, "~") {
			name, rest, _ := strings.Cut(s[1:], "/")
			if home, ok := e.in.tilde(name, e.st); ok {
				s = home + "/" + rest
			}
		}
		for _, name := range []string{"HOME", "TMPDIR", "USER", "PWD"} {
			if val, set := e.in.lookup(name, e.st); set {
				s = strings.NewReplacer("$"+name, val, "${"+name+"}", val).Replace(s)
			}
		}
		return s
	}).texts}
}

// pureMethod are methods that only compute.
func (e *evaluator) pureMethod(object value, method string, args []value) (value, bool) {
	plain := positional(args)
	switch method {
	case "join":
		if len(object.list) > 0 { // ['a','b'].join('/')
			sep := ","
			if e.lang == langRuby {
				sep = ""
			}
			if len(plain) > 0 {
				sep = plain[0].text()
			}
			return joinList(object, sep), true
		}
		if len(plain) == 1 && object.known() && !object.isDir { // '/'.join([...])
			return joinList(plain[0], object.text()), true
		}
		if object.known() && len(plain) > 0 { // Pathname#join
			return joinPaths(object, plain[0]), true
		}
	case "joinpath":
		v := e.join("joinpath", append([]value{object}, plain...))
		v.isDir = true
		return v, true
	case "split":
		if object.known() && !HasHole(object.text()) {
			sep := " "
			if len(plain) > 0 {
				sep = plain[0].text()
			}
			return value{list: splitText(object.text(), sep)}, true
		}
	case "reverse":
		if len(object.list) > 0 {
			list := append([]value(nil), object.list...)
			for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
				list[i], list[j] = list[j], list[i]
			}
			return value{list: list}, true
		}
		return mapTexts(object, reverse), true
	case "concat", "append", "push":
		if object.known() {
			return e.concat(append([]value{object}, plain...)), true
		}
	case "format":
		return braces(object, args), true
	case "replace", "replaceAll", "gsub", "sub", "tr":
		if object.isDir {
			return unknown, false
		}
		if len(plain) >= 2 && plain[0].known() && plain[1].known() {
			return mapTexts(object, func(s string) string { return strings.ReplaceAll(s, plain[0].text(), plain[1].text()) }), true
		}
		return object, true
	case "repeat":
		if n, err := strconv.Atoi(plain0(plain)); err == nil && n < 64 {
			return mapTexts(object, func(s string) string { return strings.Repeat(s, n) }), true
		}
	case "read", "read_text", "readlines", "readline", "read_bytes", "readFileSync":
		if object.made {
			return object, true
		}
		return textValue(holeFile), true
	}
	v := e.method(object, method, plain)
	return v, v.known() || len(v.list) > 0
}

func plain0(plain []value) string {
	if len(plain) == 0 {
		return ""
	}
	return plain[0].text()
}

// method are the simple ones of a text.
func (e *evaluator) method(object value, name string, _ []value) value {
	switch name {
	case "decode", "encode", "toString", "to_s", "strip", "trim", "chomp", "rstrip", "lstrip", "trimEnd", "valueOf", "freeze", "dup", "as_posix", "resolve", "absolute", "expand_path", "realpath", "to_path", "slice", "toLocaleString", "normalize", "cleanpath", "b":
		if name == "expand_path" {
			object = e.expand(object)
		}
		return object
	case "expanduser":
		return e.expand(object)
	case "upper", "toUpperCase", "upcase":
		return mapTexts(object, strings.ToUpper)
	case "lower", "toLowerCase", "downcase":
		return mapTexts(object, strings.ToLower)
	case "unpack1", "unpack":
		return mapTexts(object, decode64)
	case "pack":
		return textValue(characters(object.list))
	case "with_name", "with_suffix":
		return value{texts: mapTexts(object, path.Dir).texts, isDir: object.isDir}
	case "dirname":
		return value{texts: mapTexts(object, path.Dir).texts, isDir: object.isDir}
	case "chars", "bytes":
		return object
	}
	return unknown
}

func mapTexts(v value, f func(string) string) value {
	out := value{isDir: v.isDir}
	for _, t := range v.texts {
		out.texts = append(out.texts, f(t))
	}
	return out
}

func joinList(list value, sep string) value {
	if len(list.list) == 0 {
		return list
	}
	out := list.list[0]
	for _, v := range list.list[1:] {
		out = joinTexts(out, v, sep)
	}
	return value{texts: out.texts}
}

func splitText(s, sep string) []value {
	var out []value
	for i, part := range strings.Split(s, sep) {
		if i == 256 {
			break
		}
		out = append(out, textValue(part))
	}
	return out
}

// braces is '{}/{x}'.format(…).
func braces(f value, args []value) value {
	if !f.known() {
		return unknown
	}
	out, s, next := textValue(""), f.texts[0], 0
	plain := positional(args)
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return joinTexts(out, textValue(s), "")
		}
		part := hole(s[i:])
		key := strings.Trim(part, "{}")
		key, _, _ = strings.Cut(key, ":")
		v := unknown
		if n, err := strconv.Atoi(key); err == nil && n < len(plain) {
			v = plain[n]
		} else if named, ok := keyword(args, key); ok {
			v = named
		} else if key == "" && next < len(plain) {
			v = plain[next]
			next++
		}
		out = joinTexts(joinTexts(out, textValue(s[:i]), ""), v, "")
		s = s[i+len(part):]
	}
}

func characters(list []value) string {
	var b strings.Builder
	for _, v := range list {
		if len(v.list) > 0 {
			b.WriteString(characters(v.list))
			continue
		}
		if n, err := strconv.ParseInt(v.text(), 0, 32); err == nil {
			writeCode(&b, n, false)
		}
	}
	return b.String()
}

func eachCharacter(list []value) []value {
	var out []value
	for _, v := range list {
		out = append(out, textValue(characters([]value{v})))
	}
	return out
}

func decode64(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == ' ' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, s)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if data, err := enc.DecodeString(s); err == nil {
			return strings.ReplaceAll(string(data), "\x00", "")
		}
	}
	return holeNet
}

func decodeHex(s string) string {
	if data, err := hex.DecodeString(strings.Join(strings.Fields(s), "")); err == nil {
		return strings.ReplaceAll(string(data), "\x00", "")
	}
	return holeNet
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}
