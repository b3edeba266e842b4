package shell

import (
	"strings"
)

// parsed is a command line taken apart by its row.
type parsed struct {
	operands []string
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
	if dashes.has(args[0]) {
		if _, rest, ok := cutWords(args, "--"); ok {
			in.afterDashes(args, rest, st, io)
		}
	}
	in.printTool(args, st, io)
}

// cutWords is the words before and after the first that is sep.
func cutWords(words []string, sep string) (before, after []string, found bool) {
	for i, w := range words {
		if w == sep {
			return words[:i], words[i+1:], true
		}
	}
	return words, nil, false
}

// toolAs interprets args by the row called name.
func (in *interp) toolAs(name string, args []string, st *state, io stdio) {
	k, known := know(name)
	if !known {
		in.generic(args, st, io)
		return
	}
	if onlyTells(args) {
		return
	}
	s := &sorter{in: in, st: st.fork(), io: io, tool: args[0], k: k}
	s.sort(args[1:])
}

// onlyTells reports whether a program is asked for its version or its help:
// then it does nothing else.
func onlyTells(args []string) bool {
	if len(args) < 2 {
		return false
	}
	switch args[1] {
	case "--version", "--help":
		return true
	case "version", "help", "-version", "-help", "-V", "-v":
		return len(args) == 2
	}
	return false
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
		case stop && len(w) > 1 && w[0] == '-' && isNumber(w): // nice -5 command
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
	if o, ok := s.k.find(name, inline); ok && (inline || strings.HasPrefix(w, "--") || len(w) > 2) {
		return s.take(o, name, value, inline, next)
	}
	if strings.HasPrefix(w, "--") {
		return s.in.genericOption(s.tool, name, value, inline, next, s.st)
	}
	for i := 1; i < len(w); i++ { // -abcVALUE
		letter := "-" + w[i:i+1]
		o, ok := s.k.options[letter]
		switch {
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
