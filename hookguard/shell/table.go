package shell

import (
	"strings"
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
//	prefix  the beginning of the names of files that are written
//	use     a directory that the program may write in
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

// rowOf finds a program's row.
func rowOf(name string) (*row, bool) {
	for _, table := range tables {
		for i := range table {
			if hasWord(table[i].names, name, "|") {
				return &table[i], true
			}
		}
	}
	return nil, false
}

// know looks a program up; name may be "tool sub".
func know(name string) (*knowledge, bool) {
	r, ok := rowOf(name)
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
func (k *knowledge) find(name string, inline bool) (option, bool) {
	if o, ok := k.options[name]; ok {
		return o, true
	}
	if !strings.HasPrefix(name, "--") || len(name) < 4 {
		return option{}, false
	}
	found, full := option{}, ""
	for long, o := range k.options {
		// "--backup" alone is no beginning of "--backup-dir": it is likely
		// an option of its own that the row leaves out.
		if strings.HasPrefix(long, name) && (inline || long[len(name)] != '-') && (full == "" || o.kind != "val" && o.kind != "") {
			found, full = o, long
		}
	}
	return found, full != ""
}
