package shell

import (
	"path"
	"strings"
)

// interpreters are programs that take code in another language, and which.
var interpreters = map[string]string{
	"python": langPython, "python2": langPython, "python3": langPython, "pypy": langPython, "pypy3": langPython, "ipython": langPython, "ipython3": langPython, "micropython": langPython,
	"python3.8": langPython, "python3.9": langPython, "python3.10": langPython, "python3.11": langPython, "python3.12": langPython, "python3.13": langPython, "python3.14": langPython, "python2.7": langPython,
	"node": langJS, "nodejs": langJS, "deno": langJS, "bun": langJS, "ts-node": langJS, "tsx": langJS, "qjs": langJS, "d8": langJS, "jsc": langJS, "zx": langJS,
	"ruby": langRuby, "jruby": langRuby, "irb": langRuby, "perl": langPerl, "php": langPHP, "lua": langLua, "luajit": langLua, "lua5.3": langLua, "lua5.4": langLua, "lua5.1": langLua,
	"Rscript": langR, "R": langR, "julia": langJulia, "elixir": "ex", "tclsh": "expect", "wish": "expect", "groovy": "groovy", "guile": "elisp", "sbcl": "elisp", "racket": "elisp", "clojure": "elisp", "bb": "elisp", "osascript": "osascript",
	"octave": "ex", "matlab": "ex", "ghc": "ex", "runghc": "ex", "runhaskell": "ex", "ocaml": "ex", "raku": "ex", "rakudo": "ex", "crystal": "ex", "erl": "ex", "pwsh": "pwsh", "powershell": "pwsh", "swipl": "elisp", "scala": "groovy", "kotlin": "groovy",
}

// inlineOptions are the options that hold code, by language.
var inlineOptions = map[string][]string{
	langPython: {"-c"}, langJS: {"-e", "--eval", "-p", "--print", "-pe"}, langRuby: {"-e"}, langPerl: {"-e", "-E"}, langPHP: {"-r", "-B", "-R", "-E"},
	langLua: {"-e"}, langR: {"-e"}, langJulia: {"-e", "-E", "--eval", "--print"},
	"ex": {"-e", "--eval", "-eval"}, "groovy": {"-e"}, "elisp": {"-c", "--eval", "-e", "-g"}, "osascript": {"-e"}, "pwsh": {"-c", "-Command", "-command"}, "expect": {"-c"},
}

// languageOf tells the language of a script by its name.
func languageOf(name string) string {
	switch path.Ext(name) {
	case ".py":
		return langPython
	case ".js", ".mjs", ".cjs", ".ts", ".mts":
		return langJS
	case ".rb":
		return langRuby
	case ".pl", ".pm":
		return langPerl
	case ".php":
		return langPHP
	case ".lua":
		return langLua
	case ".R", ".r":
		return langR
	case ".jl":
		return langJulia
	case ".awk":
		return langAwk
	}
	return ""
}

// interpreter runs python, node and their like: inline code, a script, or
// what they read.
func (in *interp) interpreter(args []string, st *state, io stdio) {
	r := &runtimeCall{in: in, st: st, io: io, tool: args[0], lang: interpreters[args[0]], words: args[1:]}
	if r.subcommand(args) {
		return
	}
	for len(r.words) > 0 && len(r.words[0]) > 1 && r.words[0][0] == '-' && !r.done {
		w := r.words[0]
		r.words = r.words[1:]
		if w == "--" {
			break
		}
		r.option(w)
	}
	if !r.done {
		r.operands()
		if !r.ran && !r.place && len(r.words) == 0 {
			in.typedLater(args, io)
		}
	}
	io.print(holeOut)
}

// runtimeCall is an interpreter's command line.
type runtimeCall struct {
	in         *interp
	st         *state
	io         stdio
	tool, lang string
	words      []string
	ran        bool // inline code was there
	place      bool // files are edited in place
	done       bool // what is left belongs to the code
}

// subcommand handles the runtimes that have them.
func (r *runtimeCall) subcommand(args []string) bool {
	if len(r.words) == 0 || r.tool != "deno" && r.tool != "bun" && r.tool != "tsx" && r.tool != "crystal" || strings.HasPrefix(r.words[0], "-") {
		return false
	}
	if r.in.jsRuntime(args, r.st, r.io) {
		return true
	}
	switch r.words[0] {
	case "eval":
		if len(r.words) > 1 {
			r.in.language(r.lang, r.words[len(r.words)-1], nil, r.tool+" eval", r.st, r.io)
			return true
		}
	case "run":
		r.words = r.words[1:]
	}
	return false
}

func (r *runtimeCall) option(w string) {
	name, value, attached := strings.Cut(w, "=")
	swallows := r.lang == langPython || r.lang == langPHP // all that follows the code are its arguments
	switch {
	case contains(inlineOptions[r.lang], name):
		if !attached {
			if len(r.words) == 0 {
				r.done = true
				return
			}
			value, r.words = r.words[0], r.words[1:]
		}
		r.inline(name, value)
		r.done = swallows
	case w == "-m" && r.lang == langPython:
		r.in.module(r.words, r.st, r.io)
		r.done = true
	case bundles[r.lang] && w[1] != '-':
		r.place = r.place || strings.ContainsRune(letters(w), 'i') && (r.lang == langPerl || r.lang == langRuby)
		var code string
		if code, r.words = bundledCode(w, r.lang, r.words); code != "" {
			r.inline("-e", code)
			r.done = swallows
		} else if len(w) == 2 { // "-W ignore": the next word is no script
			took := r.in.runtimeOption(r.tool, r.lang, w, "", false, r.words, r.st)
			r.words = r.words[min(len(r.words), took):]
		}
	default:
		took := r.in.runtimeOption(r.tool, r.lang, name, value, attached, r.words, r.st)
		r.words = r.words[min(len(r.words), took):]
	}
}

func (r *runtimeCall) inline(option, code string) {
	args := r.words
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	r.ran = true
	r.in.language(r.lang, code, args, r.tool+" "+option, r.st, r.io)
}

// operands are files to edit, a script, or nothing: then the code is read.
func (r *runtimeCall) operands() {
	words := r.words
	switch {
	case r.place:
		if !r.ran && len(words) > 0 {
			words = words[1:]
		}
		for _, f := range words {
			r.in.effect(Write, f, r.tool+" -i", r.st)
		}
	case r.ran:
	case len(words) == 0 || words[0] == "-" || words[0] == "/dev/stdin":
		if text := r.io.text(); text != holeInput && text != holeFile {
			r.in.language(r.lang, text, words, r.tool, r.st, r.io)
		}
	default:
		if text, ok := r.in.written(words[0], r.st); ok {
			r.in.language(r.lang, text, words[1:], r.tool+" "+words[0], r.st, r.io)
		} else if FromOutput(words[0]) {
			r.in.find(UnknownCode, r.tool, "")
		} else {
			r.in.generic(append([]string{r.tool}, words[1:]...), r.st, r.io)
		}
	}
}

// bundles are the languages whose interpreters take -lane and the like.
var bundles = map[string]bool{langPerl: true, langRuby: true, langPython: true, langLua: true, langR: true}

// letters is the part of a bundle before the suffix of -i or the code of -e.
func letters(w string) string {
	for i := 1; i < len(w); i++ {
		if w[i] == 'i' {
			return w[1 : i+1]
		}
		if w[i] == 'e' || w[i] == 'E' || w[i] == 'M' || w[i] == 'I' || w[i] == 'F' {
			return w[1:i]
		}
	}
	return w[1:]
}

// bundledCode finds the -e of a bundle such as -lane or -pi.bak -e.
func bundledCode(w, lang string, words []string) (string, []string) {
	letter := "e"
	if lang == langPython {
		letter = "c"
	}
	i := strings.Index(w[1:], letter)
	if i < 0 || strings.HasPrefix(w, "-M") || strings.HasPrefix(w, "-I") || strings.HasPrefix(w, "-r") || strings.HasPrefix(w, "-W") || strings.HasPrefix(w, "-X") {
		return "", words
	}
	if j := strings.IndexByte(w, 'i'); j > 0 && j < i+1 && w[j+1:j+2] != "e" && !strings.HasSuffix(w, letter) {
		return "", words // -i.orig: the e belongs to the suffix
	}
	if rest := w[i+2:]; rest != "" {
		return rest, words
	}
	if len(words) == 0 {
		return "", words
	}
	return words[0], words[1:]
}

// runtimeOption is any other option of an interpreter; it returns how many
// words it took.
func (in *interp) runtimeOption(tool, lang, name, value string, attached bool, next []string, st *state) int {
	takes := map[string]string{
		langPython: " -W -X --check-hash-based-pycs ", langJS: " -r --require --import --loader --experimental-loader -C --conditions --env-file ",
		langRuby: " -I -r -C -E -F ", langPerl: " -I ", langR: " -f -g ", langPHP: " -c -d -S -t -z ", langLua: " -l ", langJulia: " -L --project -p ",
	}[lang]
	if strings.Contains(takes, " "+name+" ") && !attached {
		if name == "-C" && len(next) > 0 {
			st.chdir(next[0])
		}
		if name == "-X" && len(next) > 0 {
			in.pycache(next[0], tool, st)
		}
		return 1
	}
	plain := strings.TrimLeft(name, "-")
	if lang == langJS && attached && (strings.HasPrefix(plain, "cpu-prof-") || strings.HasPrefix(plain, "heap-prof-") || plain == "diagnostic-dir" || plain == "report-dir" || plain == "report-directory" || plain == "redirect-warnings" || plain == "trace-event-file-pattern" || plain == "test-reporter-destination" || plain == "tls-keylog" || plain == "logfile") {
		in.effect(Write, value, tool+" "+name, st)
	}
	if lang == langPHP && name == "-f" && len(next) > 0 {
		return 0
	}
	return in.genericOption(tool, name, value, attached, next, st)
}

// jsRuntime handles the subcommands of deno and bun that are no script.
func (in *interp) jsRuntime(args []string, st *state, io stdio) bool {
	sub := args[1]
	switch sub {
	case "run", "eval", "repl":
		return false
	}
	if _, ok := rowOf(args[0] + " " + sub); ok || args[0] == "bun" && (sub == "x" || sub == "add" || sub == "install" || sub == "i" || sub == "create" || sub == "test" || sub == "init" || sub == "pm") {
		in.tool(args, st, io)
		return true
	}
	if args[0] == "deno" && (sub == "compile" || sub == "bundle" || sub == "fmt" || sub == "test" || sub == "lint" || sub == "check" || sub == "task" || sub == "install" || sub == "cache" || sub == "doc" || sub == "coverage" || sub == "bench") {
		in.generic(append([]string{"deno " + sub}, args[2:]...), st, io)
		return true
	}
	return false
}

// language runs code that is not shell.
func (in *interp) language(kind, text string, args []string, by string, st *state, io stdio) {
	switch kind {
	case langPython, langJS, langRuby, langPerl, langPHP, langLua, langAwk, langR, langJulia:
		in.evaluate(kind, text, args, by, st, io)
		return
	}
	if f, ok := notation(kind); ok {
		f(in, text, by, st, io)
	}
}
