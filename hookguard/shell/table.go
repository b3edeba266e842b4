package shell

import (
	"strings"
	"sync"
)

// row is what is known of one program.
//
// opts lists its options, separated by blanks: names joined by commas, then
// "=kind" when the option takes a value, "~kind" when it takes one only in
// the same word (-iSUFFIX, --color=WHEN), "?mode" when it changes what the
// operands mean. "+kind" takes all remaining words. A name that ends in "="
// is an operand like of=FILE.
//
// args lists the operands' kinds in order; one with "*" takes all that the
// ones after it leave. Further meanings follow, each after "| mode:". The
// word "here" says that the program writes to its working directory, "sub"
// that the first operand is a subcommand with a row of its own ("git add").
type row struct{ names, opts, args string }

// The kinds of a value.
//
//	val     nothing to know
//	in      read
//	out     written (a file, or files in a directory)
//	del     removed
//	move    renamed away
//	hard    given a second name
//	rin     as in, unless it names another host
//	rout    as out, unless it names another host
//	kv      a list of key=value, where a path may follow dest=, path= or file=
//	dir     the directory it works in; relative paths after it start there
//	work    as dir, and it writes there
//	code    shell text that it runs
//	words   joined with blanks: shell text that it runs
//	prog    a program that it starts
//	run     a command: this word and all after it
//	sqlite, psql, vim, ed, expect, py, js, rb, pl, php, awk, lua  code in that language
//	<kind   what standard input holds
//	here    nothing; the program writes to its working directory
type meaning struct {
	kinds []string
	here  bool
	sub   bool
	stdin string // the kind of what is read from standard input
}

type option struct {
	kind     string
	attached bool // the value only ever sits in the same word
	rest     bool
	mode     string
}

// knowledge is a row taken apart.
type knowledge struct {
	options  map[string]option
	keys     []string // operand prefixes: "of="
	meanings map[string]meaning
}

var rowIndex = sync.OnceValue(func() map[string]*row {
	index := make(map[string]*row, 2*len(rows))
	for i := range rows {
		for rest := rows[i].names; rest != ""; {
			var name string
			name, rest, _ = strings.Cut(rest, "|")
			index[name] = &rows[i]
		}
	}
	return index
})

// know looks a program up; name may be "tool sub".
func know(name string) (*knowledge, bool) {
	r, ok := rowIndex()[name]
	if !ok {
		return nil, false
	}
	k := &knowledge{options: map[string]option{}, meanings: map[string]meaning{}}
	k.addOptions(r.opts)
	for i, part := range strings.Split(r.args, "|") {
		mode := ""
		part = strings.TrimSpace(part)
		if i > 0 {
			mode, part, _ = strings.Cut(part, ":")
		}
		k.meanings[mode] = readMeaning(part)
	}
	return k, true
}

func readMeaning(text string) meaning {
	var m meaning
	for _, word := range strings.Fields(text) {
		switch word {
		case "here":
			m.here = true
		case "sub":
			m.sub = true
		case "<code", "<sqlite", "<psql", "<mysql", "<gnuplot", "<expect", "<gdb", "<patch", "<sftp":
			m.stdin = word[1:]
		default:
			m.kinds = append(m.kinds, word)
		}
	}
	return m
}

func (k *knowledge) addOptions(text string) {
	for _, token := range strings.Fields(text) {
		var o option
		token, o.mode, _ = strings.Cut(token, "?")
		names := token
		if i := strings.IndexAny(token, "=~+"); i >= 0 && i+1 < len(token) {
			names, o.kind = token[:i], token[i+1:]
			o.attached, o.rest = token[i] == '~', token[i] == '+'
			if token[i] == '=' && strings.HasPrefix(o.kind, "=") { // "of==out"
				names, o.kind = token[:i+1], o.kind[1:]
			}
		}
		for _, name := range strings.Split(names, ",") {
			k.options[name] = o
			if strings.HasSuffix(name, "=") {
				k.keys = append(k.keys, name)
			}
		}
	}
}

// find looks an option up by its name, an unambiguous beginning of a long one
// included, as getopt does.
func (k *knowledge) find(name string) (option, bool) {
	if o, ok := k.options[name]; ok {
		return o, true
	}
	if !strings.HasPrefix(name, "--") || len(name) < 4 {
		return option{}, false
	}
	found, full := option{}, ""
	for long, o := range k.options {
		// "--backup" is no beginning of "--backup-dir": it is likely an
		// option of its own that the row leaves out.
		if strings.HasPrefix(long, name) && long[len(name)] != '-' && (full == "" || o.kind != "val" && o.kind != "") {
			found, full = o, long
		}
	}
	return found, full != ""
}

// parsed is a command line taken apart by its row.
type parsed struct {
	operands []string
	after    []string // what a "run" operand, or "--", begins
	mode     string
	none     bool // a dry run: nothing is written
	place    bool // an option said where the output goes
}

// sorter walks one command line.
type sorter struct {
	in   *interp
	st   *state
	io   stdio
	tool string
	k    *knowledge
	p    parsed
	todo []func()
}

// tool interprets a program by its table row, or by what its options look
// like when there is none.
func (in *interp) tool(args []string, st *state, io stdio) {
	in.toolAs(args[0], args, st, io)
	in.printTool(args, st, io)
}

// toolAs interprets args by the row called name.
func (in *interp) toolAs(name string, args []string, st *state, io stdio) {
	k, known := know(name)
	if !known {
		in.generic(args, st)
		return
	}
	s := &sorter{in: in, st: st.fork(), io: io, tool: args[0], k: k}
	s.sort(args[1:])
}

// sort reads options and operands in order and applies what they mean.
func (s *sorter) sort(words []string) {
	stop := s.stopsEarly()
	for len(words) > 0 {
		w := words[0]
		switch {
		case w == "--":
			s.p.operands = append(s.p.operands, words[1:]...)
			s.apply()
			return
		case len(w) > 1 && w[0] == '-' && !isNumber(w):
			words = words[s.option(w, words[1:])+1:]
			continue
		case s.key(w):
		default:
			if stop && s.full() {
				s.p.operands = append(s.p.operands, words...)
				s.apply()
				return
			}
			s.p.operands = append(s.p.operands, w)
		}
		words = words[1:]
	}
	s.apply()
}

// stopsEarly reports whether options end at the first operand, because what
// follows is a command of its own.
func (s *sorter) stopsEarly() bool {
	for _, m := range s.k.meanings {
		if m.sub {
			return true
		}
		for _, kind := range m.kinds {
			if kind == "run" || kind == "words" || kind == "ssh" {
				return true
			}
		}
	}
	return false
}

// full reports whether the next operand begins the command.
func (s *sorter) full() bool {
	m := s.k.meanings[s.p.mode]
	if m.sub {
		return true
	}
	n := len(s.p.operands)
	for i, kind := range m.kinds {
		if kind == "run" || kind == "words" || kind == "ssh" {
			return n >= i
		}
	}
	return false
}

func isNumber(w string) bool {
	for _, c := range w[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// key handles operands such as of=FILE.
func (s *sorter) key(w string) bool {
	for _, key := range s.k.keys {
		if value, ok := strings.CutPrefix(w, key); ok {
			s.value(s.k.options[key], key, value)
			return true
		}
	}
	return false
}

// option applies one option word and returns how many further words it took.
func (s *sorter) option(w string, next []string) int {
	name, value, inline := strings.Cut(w, "=")
	if o, ok := s.k.find(name); ok && (inline || strings.HasPrefix(w, "--") || len(w) > 2) {
		return s.take(o, name, value, inline, next)
	}
	if strings.HasPrefix(w, "--") {
		return s.in.genericOption(s.tool, name, value, inline, next, s.st)
	}
	for i := 1; i < len(w); i++ { // -abcVALUE
		letter := "-" + w[i:i+1]
		o, ok := s.k.options[letter]
		switch {
		case !ok && letter == "-o" && i+1 == len(w):
			return s.in.genericOption(s.tool, "-o", "", false, next, s.st)
		case !ok && i == 1 && len(w) > 2:
			// A long name after one dash, as Java, Go and ffmpeg have it.
			if s.in.outputName(strings.TrimLeft(name, "-")) {
				return s.in.genericOption(s.tool, name, value, inline, next, s.st)
			}
		case !ok:
		case o.kind == "" || o.attached && i+1 == len(w):
			s.take(o, letter, "", false, nil)
		default:
			if i+1 < len(w) {
				return s.take(o, letter, strings.TrimPrefix(w[i+1:], "="), true, next)
			}
			return s.take(o, letter, "", false, next)
		}
	}
	return 0
}

// take applies a known option.
func (s *sorter) take(o option, name, value string, inline bool, next []string) int {
	switch o.mode {
	case "":
	case "none":
		s.p.none = true
	default:
		s.p.mode = o.mode
	}
	switch {
	case o.rest:
		if inline {
			next = append([]string{value}, next...)
		}
		words := next
		switch o.kind {
		case "run":
			s.later(func() { s.in.run(words, s.st, s.io, false) }, len(words) > 0)
		case "cmakeE":
			s.later(func() { s.in.cmakeE(words, s.st, s.io) }, true)
		}
		return len(next)
	case o.kind == "":
		return 0
	case inline:
		s.value(o, name, value)
		return 0
	case o.attached || len(next) == 0:
		return 0
	}
	s.value(o, name, next[0])
	if o.kind == "pair" {
		return min(2, len(next))
	}
	return 1
}

func (s *sorter) later(f func(), ok bool) {
	if ok {
		s.todo = append(s.todo, f)
	}
}

// value applies an option's value: where a program works at once, all else
// after the whole line is read.
func (s *sorter) value(o option, name, value string) {
	switch o.kind {
	case "dir":
		s.st.chdir(value)
	case "work":
		s.st.chdir(value)
		s.later(func() { s.in.effect(Write, ".", s.by(name), s.st) }, true)
	case "out", "rout", "kv":
		s.p.place = true
		fallthrough
	default:
		s.later(func() { s.in.apply(o.kind, value, s.by(name), s.st, s.io) }, true)
	}
}

func (s *sorter) by(option string) string {
	return s.tool + " " + strings.TrimSuffix(option, "=")
}

// apply does what the options and operands mean.
func (s *sorter) apply() {
	m, ok := s.k.meanings[s.p.mode]
	if !ok {
		m = s.k.meanings[""]
	}
	if m.sub {
		s.subcommand()
		return
	}
	if s.p.none {
		return
	}
	for _, f := range s.todo {
		f()
	}
	if m.here && !s.p.place {
		s.in.effect(Write, ".", s.tool, s.st)
	}
	s.operands(m.kinds)
	s.intoDirectory(m.kinds)
	if m.stdin != "" && s.io.in != holeVar {
		s.in.apply(m.stdin, s.io.in, s.tool, s.st, s.io)
	}
}

// operands gives each operand its kind.
func (s *sorter) operands(kinds []string) {
	ops := s.p.operands
	for i, kind := range kinds {
		if len(ops) == 0 {
			return
		}
		many := strings.HasSuffix(kind, "*")
		kind = strings.TrimSuffix(kind, "*")
		take := 1
		if many {
			take = max(0, len(ops)-(len(kinds)-i-1))
			if s.p.place && i == len(kinds)-2 && (kinds[i+1] == "out" || kinds[i+1] == "rout") {
				take = len(ops) // -t DIR: every operand is a source
			}
		}
		switch kind {
		case "run":
			s.in.run(ops, s.st, s.io, false)
			return
		case "words":
			s.in.code(strings.Join(ops, " "), s.st, s.io, s.tool)
			return
		case "ssh":
			return // what another machine does is not the lane's
		}
		for _, op := range ops[:take] {
			s.in.apply(kind, op, s.tool, s.st, s.io)
		}
		ops = ops[take:]
	}
}

// intoDirectory names what copies and moves make in a directory: the
// directory's own name says nothing of a ".git" that is put into it.
func (s *sorter) intoDirectory(kinds []string) {
	n := len(s.p.operands)
	if len(kinds) < 2 || n < 2 || s.p.place || kinds[len(kinds)-1] != "out" && kinds[len(kinds)-1] != "rout" {
		return
	}
	target := s.p.operands[n-1]
	if isRemotePath(target) && kinds[len(kinds)-1] == "rout" {
		return
	}
	p := fold(s.in.abs(target, s.st))
	if !strings.HasSuffix(target, "/") && !strings.HasSuffix(target, ".") && n == 2 && p != s.in.req.Worktree && p != s.st.dir {
		return // it may be the copy's own name
	}
	for _, source := range s.p.operands[:n-1] {
		if name := baseName(source); name != "" && !strings.HasSuffix(source, "/.") {
			s.in.effect(Write, strings.TrimSuffix(target, "/")+"/"+name, s.tool, s.st)
		}
	}
}

// baseName is the last component, or nothing when it is not known.
func baseName(p string) string {
	name := strings.TrimRight(p, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if HasHole(name) || name == "." || name == ".." {
		return ""
	}
	return name
}

// subcommand hands the rest of the line to the row "tool sub".
func (s *sorter) subcommand() {
	if len(s.p.operands) == 0 {
		for _, f := range s.todo {
			f()
		}
		return
	}
	name := s.tool + " " + s.p.operands[0]
	k, ok := know(name)
	if !ok { // the tool's own options are all that is known of it
		k = &knowledge{options: map[string]option{}, meanings: map[string]meaning{"": {kinds: []string{"val*"}}}}
	}
	for option, o := range s.k.options {
		if _, own := k.options[option]; !own {
			k.options[option] = o
		}
	}
	next := &sorter{in: s.in, st: s.st, io: s.io, tool: name, k: k, todo: s.todo, p: parsed{none: s.p.none, place: s.p.place}}
	next.sort(s.p.operands[1:])
}

// apply is what one value of a kind means.
func (in *interp) apply(kind, value, by string, st *state, io stdio) {
	switch kind {
	case "val", "prog", "here", "pair":
	case "in":
		if value != "-" {
			in.effect(Read, value, by, st)
		}
	case "out":
		if i := strings.Index(value, "=/"); i > 0 && !strings.Contains(value[:i], "/") { // json=/path
			value = value[i+1:]
		}
		if value != "-" {
			in.effect(Write, value, by, st)
		}
	case "del", "move":
		in.effect(Remove, value, by, st)
	case "hard":
		in.effect(HardLink, value, by, st)
	case "rin":
		if !isRemotePath(value) && value != "-" {
			in.effect(Read, value, by, st)
		}
	case "url":
		rest, _, _ := strings.Cut(value, "?")
		if _, rest, ok := strings.Cut(rest, "://"); ok {
			in.effect(Write, baseName(strings.TrimSuffix(rest, "/")), by, st)
		}
	case "rout":
		if !isRemotePath(value) && value != "-" {
			in.effect(Write, value, by, st)
		}
	case "kv":
		in.keyed(value, by, st)
	case "code":
		in.code(value, st.fork(), io, by)
	case "netcode":
		in.remoteShell(strings.Fields(value))
		in.code(value, st.fork(), io, by)
	default:
		in.language(kind, value, nil, by, st, io)
	}
}

// keyed finds the paths of "type=local,dest=PATH" and "html:DIR", or takes
// the whole as one.
func (in *interp) keyed(value, by string, st *state) {
	found := false
	for _, part := range strings.Split(value, ",") {
		i := strings.IndexAny(part, "=:")
		if i <= 0 {
			continue
		}
		switch part[:i] {
		case "dest", "path", "file", "dst", "dir", "html", "xml", "json", "lcov", "annotate", "markdown", "term", "cyclonedx-json", "spdx-json", "sarif", "table", "text", "filename":
			found = true
			in.effect(Write, part[i+1:], by, st)
		case "type":
			found = true
		}
	}
	if !found {
		in.effect(Write, value, by, st)
	}
}

// isRemotePath reports whether a name is of another host or a service: a
// colon before the first slash.
func isRemotePath(name string) bool {
	colon := strings.IndexByte(name, ':')
	slash := strings.IndexByte(name, '/')
	return colon > 0 && (slash < 0 || colon < slash)
}
