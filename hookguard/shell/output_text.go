package shell

import (
	"strconv"
	"strings"
)

// passThrough prints the content of the named files, or standard input.
func (in *interp) passThrough(args []string, st *state, io stdio) {
	files := filesOf(args)
	for i := 0; i < len(files); i++ { // head -n 5
		if _, err := strconv.Atoi(strings.TrimLeft(files[i], "+-")); err == nil && files[i] != "-" {
			files = append(files[:i:i], files[i+1:]...)
			i--
		}
	}
	if len(files) == 0 {
		in.printInput(io)
		return
	}
	for _, f := range files {
		if f == "-" || f == "/dev/stdin" {
			in.printInput(io)
		} else {
			io.print(in.content(f, st))
		}
	}
}

func (in *interp) printInput(io stdio) {
	if io.text() == holeInput {
		io.print(holeOut)
		return
	}
	io.print(io.text())
}

// filter is a program that prints parts of what it reads.
func (in *interp) filter(args []string, st *state, io stdio) {
	if io.out == nil {
		return
	}
	if (args[0] == "sed" || args[0] == "gsed") && len(filesOf(args)) == 1 && in.printSed(filesOf(args)[0], io) {
		return
	}
	text := io.text()
	switch {
	case strings.Contains(text, holeNet):
		io.print(holeNet)
	case text == holeInput && len(filesOf(args)) > 1 && args[0] == "sed": // lines of a file
		io.print(holeFile)
	case strings.Contains(text, holeOut), text == holeInput, text == holeFile:
		io.print(holeOut)
	case strings.Contains(text, holeName):
		io.print(text[:strings.Index(text, holeName)] + holeName + "\n")
	case !strings.ContainsAny(text, "/~$`"):
		io.print(holeSeg + "\n")
	default:
		io.print(holeOut)
	}
}

// printSed applies a single substitution of plain text.
func (in *interp) printSed(script string, io stdio) bool {
	if len(script) < 4 || script[0] != 's' || HasHole(io.text()) {
		return false
	}
	parts := strings.Split(script[1:], script[1:2])
	if len(parts) != 4 || strings.ContainsAny(parts[1], `.*[]^$\+?(){}|`) || strings.ContainsAny(parts[2], `\&`) {
		return false
	}
	n := 1
	if strings.Contains(parts[3], "g") {
		n = -1
	}
	lines := strings.SplitAfter(io.text(), "\n")
	for i := range lines {
		lines[i] = strings.Replace(lines[i], parts[1], parts[2], n)
	}
	io.print(strings.Join(lines, ""))
	return true
}

// printGrep lists files with -l; otherwise it prints lines of its input.
func (in *interp) printGrep(args []string, st *state, io stdio) {
	list, recursive := false, args[0] == "rg" || args[0] == "ag" || args[0] == "ack"
	for _, a := range args[1:] {
		if a == "--files-with-matches" || a == "--files" || a == "--files-without-match" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "lL") {
			list = true
		}
		recursive = recursive || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "rR") || a == "--recursive"
	}
	files := filesOf(args)
	if !list {
		if len(files) > 1 {
			io.print(holeFile)
		} else if io.text() == holeInput {
			io.print(holeOut)
		} else {
			io.print(io.text())
		}
		return
	}
	if len(files) > 0 && !contains(args, "--files") {
		files = files[1:]
	}
	if len(files) == 0 {
		io.print(holeName + "\n")
	}
	for _, f := range files {
		if recursive {
			f = strings.TrimSuffix(f, "/") + "/" + holeName
		}
		io.print(f + "\n")
	}
}

func (in *interp) printTr(args []string, st *state, io stdio) {
	sets := filesOf(args)
	deletes := false
	for _, a := range args[1:] {
		deletes = deletes || strings.HasPrefix(a, "-") && strings.Contains(a, "d")
	}
	if HasHole(io.text()) || len(sets) == 0 {
		in.filter(args, st, io)
		return
	}
	from := trSet(unglob(sets[0]))
	to := ""
	if len(sets) > 1 {
		to = trSet(unglob(sets[1]))
	}
	io.print(strings.Map(func(r rune) rune {
		i := strings.IndexRune(from, r)
		switch {
		case i < 0:
			return r
		case deletes || to == "":
			return -1
		case i < len(to):
			return rune(to[i])
		}
		return rune(to[len(to)-1])
	}, io.text()))
}

// trSet expands ranges and classes of tr.
func trSet(s string) string {
	s = ansiC(s)
	s = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:space:]", " \t\n", "[:digit:]", "0-9").Replace(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (in *interp) printBase64(args []string, st *state, io stdio) {
	decodes := false
	for _, a := range args[1:] {
		decodes = decodes || a == "-d" || a == "-D" || a == "--decode" || a == "-di" || a == "-id"
	}
	if args[0] == "openssl" && len(args) > 1 && args[1] == "rand" {
		io.print(holeSeg + "\n")
		return
	}
	text := io.text()
	if files := filesOf(args); len(files) > 0 && args[0] != "openssl" {
		text = in.content(files[0], st)
	}
	switch {
	case decodes && !HasHole(text) && args[0] != "base32":
		io.print(decode64(text))
	case decodes:
		io.print(holeNet)
	default:
		io.print(holeSeg + "\n")
	}
}

func (in *interp) printXxd(args []string, _ *state, io stdio) {
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-r") || a == "--revert" {
			if HasHole(io.text()) {
				io.print(holeNet)
			} else {
				io.print(decodeHex(io.text()))
			}
			return
		}
	}
	io.print(holeSeg + "\n")
}
