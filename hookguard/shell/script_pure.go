package shell

import (
	"net/url"
	"path"
	"strings"
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
