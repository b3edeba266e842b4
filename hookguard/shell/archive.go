package shell

import "strings"

// tarCall is a tar command line taken apart.
type tarCall struct {
	in     *interp
	st     *state // where -C leads
	base   *state // where tar starts: -f is not affected by -C
	io     stdio
	mode   byte // c, x, t, r, u, d, A
	file   string
	stdout bool
	remove bool
	dest   string // --one-top-level
	ops    []string
}

// tarLongs are long options with a value that matters, by what it means.
var tarLongs = map[string]string{
	"--file": "file", "--directory": "dir", "--to-command": "code", "--use-compress-program": "code", "--rsh-command": "code",
	"--checkpoint-action": "checkpoint", "--info-script": "code", "--new-volume-script": "code", "--index-file": "out",
	"--listed-incremental": "out", "--one-top-level": "top", "--exclude": "val", "--exclude-from": "val", "--files-from": "val",
	"--transform": "val", "--xform": "val", "--owner": "val", "--group": "val", "--mode": "val", "--mtime": "val", "--strip-components": "val",
	"--format": "val", "--volno-file": "out", "--newer": "val", "--sort": "val", "--label": "val", "--blocking-factor": "val", "--record-size": "val", "--rmt-command": "code",
}

func (in *interp) tar(args []string, st *state, io stdio) {
	t := &tarCall{in: in, st: st.fork(), base: st, io: io}
	words := args[1:]
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") { // tar xzf FILE: letters, then their values
		words = t.letters(words[0], words[1:], true)
	}
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case w == "--":
			t.ops = append(t.ops, words...)
			words = nil
		case strings.HasPrefix(w, "--"):
			words = t.long(w, words)
		case len(w) > 1 && w[0] == '-':
			words = t.letters(w[1:], words, false)
		default:
			t.ops = append(t.ops, w)
		}
	}
	t.effects()
}

// letters reads a bundle of short options; in the old style all values follow
// the bundle, in the new one a value may sit in it.
func (t *tarCall) letters(bundle string, words []string, old bool) []string {
	for i := 0; i < len(bundle); i++ {
		c := bundle[i]
		if strings.IndexByte("ctxrudA", c) >= 0 && t.mode == 0 {
			t.mode = c
			continue
		}
		if c == 'O' {
			t.stdout = true
		}
		if strings.IndexByte("fCTXIgbFHKLNV", c) < 0 {
			continue
		}
		value := ""
		if !old && i+1 < len(bundle) {
			value, i = bundle[i+1:], len(bundle)
		} else if len(words) > 0 {
			value, words = words[0], words[1:]
		}
		switch c {
		case 'f':
			t.file = value
		case 'C':
			t.st.chdir(value)
		case 'I', 'F':
			t.in.code(value, t.st.fork(), t.io, "tar -"+string(c))
		case 'g':
			t.in.effect(Write, value, "tar -g", t.base)
		}
	}
	return words
}

func (t *tarCall) long(w string, words []string) []string {
	name, value, inline := strings.Cut(w, "=")
	kind, full := "", ""
	for option, k := range tarLongs {
		if option == name || strings.HasPrefix(option, name) && (full == "" || len(option) < len(full)) {
			kind, full = k, option
			if option == name {
				break
			}
		}
	}
	if kind != "" && !inline && full != "--one-top-level" && len(words) > 0 {
		value, words = words[0], words[1:]
	}
	switch kind {
	case "file":
		t.file = value
	case "dir":
		t.st.chdir(value)
	case "code":
		t.in.code(value, t.st.fork(), t.io, "tar "+full)
	case "checkpoint":
		if code, ok := strings.CutPrefix(value, "exec="); ok {
			t.in.code(code, t.st.fork(), t.io, "tar "+full)
		}
	case "out":
		t.in.effect(Write, value, "tar "+full, t.base)
	case "top":
		t.dest = value
	default:
		t.flag(name)
	}
	return words
}

func (t *tarCall) flag(name string) {
	modes := map[string]byte{"--create": 'c', "--extract": 'x', "--get": 'x', "--list": 't', "--append": 'r', "--update": 'u', "--delete": 'r', "--concatenate": 'A', "--catenate": 'A'}
	if m, ok := modes[name]; ok {
		t.mode = m
	}
	t.stdout = t.stdout || name == "--to-stdout"
	t.remove = t.remove || name == "--remove-files"
}

func (t *tarCall) effects() {
	switch t.mode {
	case 'x':
		if t.stdout {
			return
		}
		dir := "."
		if t.dest != "" {
			dir = t.dest
		}
		t.in.effect(Write, dir, "tar -x", t.st)
	case 'c', 'r', 'u', 'A':
		for _, op := range t.ops {
			t.in.effect(Read, op, "tar -"+string(t.mode), t.st)
		}
		if t.file != "" && t.file != "-" && !isRemotePath(t.file) {
			t.in.effect(Write, t.file, "tar -"+string(t.mode), t.base)
		}
		if t.remove {
			for _, op := range t.ops {
				t.in.effect(Remove, op, "tar --remove-files", t.st)
			}
		}
	}
}

// ar and jar take letters first, which say whether the archive is written.
func (in *interp) ar(args []string, st *state, io stdio) {
	if len(args) < 3 || strings.HasPrefix(args[1], "--") {
		in.tool(args, st, io)
		return
	}
	letters, ops := strings.TrimLeft(args[1], "-"), operandsOf(args[2:])
	switch {
	case strings.ContainsAny(letters, "tp") && !strings.ContainsAny(letters, "xcru"):
		return
	case strings.ContainsAny(letters, "x"):
		in.generic(args, st, io) // --output DIR
		in.effect(Write, ".", args[0], st)
	default:
		first := 0
		if head, _, ok := strings.Cut(letters, "f"); args[0] == "jar" && ok { // the manifest and the class in the letters' order
			first = strings.Count(head, "m") + strings.Count(head, "e")
		} else if args[0] != "jar" && strings.ContainsAny(letters, "abi") { // a member's name
			first = 1
		}
		if first < len(ops) {
			in.effect(Write, ops[first], args[0], st)
		}
	}
}
