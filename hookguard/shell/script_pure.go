package shell

import (
	"path"
	"strconv"
	"strings"
	"sync"
)

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

// computing is a function that only computes. args are the positional
// arguments, first is the first of them or unknown.
type computing func(e *evaluator, name string, first value, args []value) value

// pureFunctions by their names in all languages, separated by blanks.
var (
	pureFunctions map[string]computing
	pureOnce      sync.Once
)

// purely builds the table at its first use: most commands hold no script.
func purely() map[string]computing {
	pureOnce.Do(fillPure)
	return pureFunctions
}

func fillPure() {
	pureFunctions = map[string]computing{}
	for _, group := range []struct {
		names string
		f     computing
	}{
		{"require __import__ importlib.import_module import_module import", module},
		{"getattr", attributeOf},
		{"os.path.join path.join path.resolve File.join posixpath.join path.posix.join file.path joinpath catfile File.Spec.catfile File.expand_path", func(e *evaluator, name string, _ value, args []value) value { return e.join(name, args) }},
		{"Path pathlib.Path PosixPath PurePath Pathname Pathname.new Path.new path URL pathlib.PosixPath anyio.Path upath.UPath", pathObject},
		{"Path.home pathlib.Path.home os.homedir Dir.home homedir", func(e *evaluator, _ string, _ value, _ []value) value {
			return value{texts: []string{e.in.req.Vars["HOME"]}, isDir: true}
		}},
		{"Path.cwd pathlib.Path.cwd os.getcwd process.cwd Dir.pwd getcwd Dir.getwd cwd pwd Deno.cwd getwd", func(e *evaluator, name string, _ value, _ []value) value {
			return value{texts: []string{e.st.dir}, isDir: strings.Contains(name, "Path")}
		}},
		{"tempfile.gettempdir os.tmpdir Dir.tmpdir sys_get_temp_dir tmpdir tempdir gettempdir", func(e *evaluator, _ string, _ value, _ []value) value { return e.tempDir() }},
		{"os.path.expanduser os.path.expandvars path.expand expanduser", func(e *evaluator, _ string, first value, _ []value) value { return e.expand(first) }},
		{"os.path.abspath os.path.realpath os.path.normpath File.realpath File.absolute_path realpath normalizePath abspath path.normalize fileURLToPath os.fspath fspath url.fileURLToPath", func(_ *evaluator, _ string, first value, _ []value) value { return value{texts: first.texts} }},
		{"os.path.dirname path.dirname File.dirname dirname", texts(path.Dir)},
		{"os.path.basename path.basename File.basename basename", texts(path.Base)},
		{"os.environ.get os.getenv getenv ENV.fetch Deno.env.get os.environ.fetch Sys.getenv", variableOr},
		{"str String bytearray print_r repr shlex.quote escapeshellarg Array list tuple sorted set iter String.raw", func(_ *evaluator, _ string, first value, _ []value) value { return first }},
		{"shlex.split Shellwords.split Shellwords.shellsplit", func(_ *evaluator, _ string, first value, _ []value) value {
			if !first.known() {
				return unknown
			}
			var list []value
			for _, word := range Words(first.text()) {
				list = append(list, textValue(word))
			}
			return value{list: list}
		}},
		{"bytes", func(_ *evaluator, _ string, first value, _ []value) value {
			if len(first.list) > 0 {
				return textValue(characters(first.list))
			}
			return first
		}},
		{"paste0", func(e *evaluator, _ string, _ value, args []value) value { return e.concat(args) }},
		{"chr String.fromCharCode String.fromCodePoint string.char intToUtf8", func(_ *evaluator, _ string, _ value, args []value) value { return textValue(characters(args)) }},
		{"map", mapped},
		{"base64.b64decode atob base64_decode Base64.decode64 decode_base64 b64decode MIME.Base64.decode_base64 base64.standard_b64decode base64.urlsafe_b64decode Base64.strict_decode64", texts(decode64)},
		{"bytes.fromhex binascii.unhexlify unhexlify hex2bin bytearray.fromhex", texts(decodeHex)},
		{"Buffer.from", buffer},
		{"decodeURIComponent decodeURI urllib.parse.unquote unquote urldecode unescape CGI.unescape rawurldecode", texts(decodeURL)},
		{"codecs.decode", texts(rot13)},
		{"strrev reversed reverse string.reverse", texts(reverse)},
		{"sprintf format string.format util.format Kernel.sprintf", func(_ *evaluator, _ string, first value, args []value) value {
			return formatPercent(first, value{list: args[min(1, len(args)):]})
		}},
		{"implode join", func(_ *evaluator, _ string, first value, args []value) value {
			if len(args) != 2 {
				return unknown
			}
			return joinList(args[1], first.text())
		}},
	} {
		for _, name := range strings.Fields(group.names) {
			pureFunctions[name] = group.f
		}
	}
}

// pure are functions that only compute.
func (e *evaluator) pure(name string, args []value) (value, bool) {
	f, ok := purely()[name]
	if !ok {
		return unknown, false
	}
	plain := positional(args)
	first := unknown
	if len(plain) > 0 {
		first = plain[0]
	}
	return f(e, name, first, plain), true
}

// texts makes a function of texts one of values.
func texts(f func(string) string) computing {
	return func(_ *evaluator, _ string, first value, _ []value) value { return mapTexts(first, f) }
}

func module(_ *evaluator, _ string, first value, _ []value) value {
	if !first.known() {
		return unknown
	}
	return value{name: moduleName(first.text())}
}

func attributeOf(_ *evaluator, _ string, first value, args []value) value {
	if len(args) < 2 || !args[1].known() {
		return unknown
	}
	return value{name: strings.TrimPrefix(first.name+"."+args[1].text(), ".")}
}

func pathObject(e *evaluator, _ string, _ value, args []value) value {
	if len(args) == 0 {
		return value{texts: []string{"."}, isDir: true}
	}
	v := mapTexts(e.join("path.join", args), func(s string) string { return strings.TrimPrefix(s, "file://") })
	v.isDir = true
	return v
}

func variableOr(e *evaluator, _ string, first value, args []value) value {
	if v, set := e.in.lookup(first.text(), e.st); set {
		return textValue(v)
	}
	if len(args) > 1 {
		return args[1]
	}
	return unknown
}

func mapped(_ *evaluator, _ string, first value, args []value) value {
	if len(args) == 2 && first.name == "chr" {
		return value{list: eachCharacter(args[1].list)}
	}
	return unknown
}

func buffer(_ *evaluator, _ string, first value, args []value) value {
	encoding := ""
	if len(args) > 1 {
		encoding = args[1].text()
	}
	switch {
	case encoding == "base64":
		return mapTexts(first, decode64)
	case encoding == "hex":
		return mapTexts(first, decodeHex)
	case len(first.list) > 0:
		return textValue(characters(first.list))
	}
	return first
}

func decodeURL(s string) string {
	if d, ok := percentDecoded(s); ok {
		return d
	}
	return s
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

// percentDecoded is s with its %XX as bytes. (net/url would do it as well, and
// bring what every start of the hook would pay for.)
func percentDecoded(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), true
}
