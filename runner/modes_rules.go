package runner

import (
	"slices"
	"strconv"
	"strings"
)

// This file says which sequences a lane's command may send to the user's
// terminal. Of strings and escape sequences only those in a table pass; of
// control sequences all but those in a table, since their answers are numbers
// that come back to the command alone.

// controlsRefused are control sequences by their private marker, intermediate
// and final characters.
var controlsRefused = map[string]string{
	"*y":  "checksum of a part of the screen: it reads what stands there",
	"#y":  "how checksums are made",
	"i":   "prints the screen, or sends all further output to a printer",
	"?i":  "prints the screen, or sends all further output to a printer",
	"?r":  "restores modes that were saved, unseen by lane",
	"?s":  "saves modes for that",
	">t":  "how titles are set and asked for",
	"]":   "Linux console: switches to another console, blanks the screen",
	"q":   "keyboard lights",
	"\"p": "switches to an older terminal, whose sequences are others",
	"$|":  "changes the size of the window",
	"*|":  "changes the size of the window",
	"'z":  "reports of a locator without end",
	"'{":  "reports of a locator without end",
	"'w":  "reports of a locator without end",
	"+T":  "takes lines out of the history",
}

// windowPassed are the window operations (CSI n t) that pass: sizes, and the
// stack of titles. The rest move, hide and resize the user's window; 20 and 21
// have the terminal type the window's title, which the command can set, on its
// input.
var windowPassed = []int{11, 13, 14, 15, 16, 18, 19, 22, 23}

// asks are the control sequences that a terminal answers.
var asks = []string{"n", "?n", "c", ">c", "=c", ">q", "$p", "?$p", "?u", "?m", "x", "t", "?S", "$u", "$w"}

// escapesPassed are escape sequences without intermediate characters.
const escapesPassed = "78=>cDEHMNOZn|}~69"

// commandsPassed are operating system commands by number.
var commandsPassed = map[int]string{
	0: "title and icon name", 1: "icon name", 2: "title",
	4:  "a colour of the palette",
	8:  "a link to the web",
	9:  "progress",
	10: "the colour of text", 11: "the colour of the background", 12: "the colour of the cursor",
	17: "the colour of the selection", 19: "the colour of selected text",
	104: "the palette back", 110: "the colour of text back", 111: "the colour of the background back",
	112: "the colour of the cursor back", 117: "the colour of the selection back", 119: "the colour of selected text back",
	133: "where a prompt begins and ends",
}

// Some that are not in the table, and why: 7 (new windows would start in the
// directory it names), 50 (fonts, and a question), 52 and 5522 (the clipboard:
// writing puts a command line into the next paste, reading sends what was
// copied), 99 and 777 (messages of the desktop), 633 (what VS Code believes
// that was run), 1337 and 5113 (files, the clipboard).

// allowCommand judges an operating system command, without ESC ] and end.
func (s *screen) allowCommand(text []byte) bool {
	for _, r := range string(text) {
		if r < 0x20 || 0x7f <= r && r <= 0x9f || r == '\uFFFD' {
			return false // terminals differ in where it would end
		}
	}
	head, rest, _ := strings.Cut(string(text), ";")
	n, err := strconv.Atoi(head)
	if _, ok := commandsPassed[n]; err != nil || !ok || head != strconv.Itoa(n) {
		return false
	}
	fields := strings.Split(rest, ";")
	switch {
	case n == 8:
		return s.link(rest)
	case n == 9:
		return fields[0] == "4" // 9 with any other is a message of the desktop
	case 4 <= n && n <= 19:
		if strings.Contains(rest, "?") {
			return false // asks for a colour: xterm's answer has no bound
		}
		s.set.colour(n)
	case n >= 104 && n <= 119 && rest == "":
		s.set.colourBack(n)
	}
	return true
}

// link passes links to the web and the end of a link. What a click on another
// kind would start is for the desktop to say.
func (s *screen) link(rest string) bool {
	_, uri, ok := strings.Cut(rest, ";")
	if !ok || uri != "" && !strings.HasPrefix(uri, "https://") && !strings.HasPrefix(uri, "http://") {
		return false
	}
	s.set.linked = uri != ""
	return true
}

// TerminalRow says what of a command's output does not reach the terminal, or,
// of what lane knows by its number alone, what does.
type TerminalRow struct {
	Sequence string
	Passes   bool
	Meaning  string
}

// TerminalRows lists them, sorted.
func TerminalRows() []TerminalRow {
	var rows []TerminalRow
	for key, why := range controlsRefused {
		rows = append(rows, TerminalRow{"CSI " + key, false, why})
	}
	for n, why := range privateRefused {
		rows = append(rows, TerminalRow{"CSI ?" + strconv.Itoa(n) + "h", false, why})
	}
	for n, what := range commandsPassed {
		rows = append(rows, TerminalRow{"OSC " + strconv.Itoa(n), true, what})
	}
	slices.SortFunc(rows, func(a, b TerminalRow) int { return strings.Compare(a.Sequence, b.Sequence) })
	return rows
}

// endEscape judges a whole escape sequence.
func (s *screen) endEscape(dst []byte) []byte {
	body := string(s.seq[1:])
	switch {
	case len(body) == 1:
		if !strings.Contains(escapesPassed, body) {
			return dst
		}
		switch body {
		case "c":
			s.set = modes{} // all is as after switching the terminal on
		case "=", ">":
			s.set.keypad = body == "="
		case "Z":
			s.asked++
		case "n", "|", "}", "~":
			s.set.shifted = true
		}
	case strings.ContainsRune("()*+-./", rune(body[0])):
		// A set of line drawing characters for G0 would show in the shell's
		// prompt; the others come into use by SO only.
		if body[0] == '(' {
			s.set.charset = body != "(B"
		}
	case body == "%G", body == " F", len(body) == 2 && body[0] == '#':
		// UTF-8, seven-bit answers, double height and the like. Not "%@":
		// it leaves UTF-8, and then parts of characters are controls.
	default:
		return dst
	}
	return append(dst, s.seq...)
}

// controlSequence is one in its parts.
type controlSequence struct {
	key    string // marker, intermediates and final character
	params string // between them
}

func splitControl(seq []byte) (controlSequence, bool) {
	var c controlSequence
	body := string(seq[2:])
	final := body[len(body)-1:]
	body = body[:len(body)-1]
	marker := ""
	if body != "" && strings.Contains("<=>?", body[:1]) {
		marker, body = body[:1], body[1:]
	}
	i := strings.IndexFunc(body, func(r rune) bool { return r < 0x30 })
	if i < 0 {
		i = len(body)
	}
	c.params, c.key = body[:i], marker+body[i:]+final
	if strings.ContainsAny(c.params, "<=>?") || strings.ContainsFunc(body[i:], func(r rune) bool { return r >= 0x30 }) {
		return c, false // malformed: terminals differ in what they make of it
	}
	return c, true
}

// numbers are the parameters, 0 for one that is left out.
func (c controlSequence) numbers() ([]int, bool) {
	var list []int
	for f := range strings.SplitSeq(c.params, ";") {
		n := 0
		if f != "" {
			var err error
			if n, err = strconv.Atoi(f); err != nil || n < 0 || n > 99999 {
				return nil, false
			}
		}
		list = append(list, n)
	}
	return list, true
}

// endControl judges a whole control sequence.
func (s *screen) endControl(dst []byte) []byte {
	c, ok := splitControl(s.seq)
	if _, refused := controlsRefused[c.key]; !ok || refused {
		return dst
	}
	numbers, ok := c.numbers()
	switch c.key {
	case "t":
		ok = ok && slices.Contains(windowPassed, numbers[0])
	case "h", "l":
		ok = ok && s.set.setANSI(numbers, c.key == "h")
	case "?h", "?l":
		ok = ok && s.set.setPrivate(numbers, c.key == "?h")
	case ">u", "<u", "=u":
		ok = ok && s.set.setKeyboard(c.key[0], c.params, numbers)
	default:
		// Colours have parameters that are no plain numbers (38:2::1:2:3).
		ok = true
		s.set.note(c, numbers)
	}
	if !ok {
		return dst
	}
	if slices.Contains(asks, c.key) {
		s.asked++
	}
	return append(dst, s.seq...)
}
