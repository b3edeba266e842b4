package runner

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// modes are what a command has set in a terminal and not set back. The zero
// value is a terminal as it was found.
type modes struct {
	private map[int]bool // DEC private modes that differ from their default, and how they are
	ansi    map[int]bool // inserting, and a new line for a line feed
	// keyboard are the flags pushed for the kitty keyboard protocol, on the
	// main and on the alternate screen, which have a stack each.
	keyboard    [2][]string
	keyboardSet bool // flags were set without a push
	otherKeys   bool // xterm's modifyOtherKeys
	cursor      bool // the cursor's shape
	margins     bool
	attributes  bool // colours and the like of text
	keypad      bool
	charset     bool
	shifted     bool
	linked      bool
	palette     bool
	colours     []int // operating system commands 10 to 19
}

// maxModes bounds what is remembered. What could not be undone is not passed.
const maxModes = 64

// onByDefault are private modes that a terminal starts with; every other one
// is off.
var onByDefault = []int{7, 8, 25}

// privateRefused are private modes that do not pass.
var privateRefused = map[int]string{
	2:    "a VT52, whose sequences are others",
	1001: "mouse highlighting: the terminal waits for an answer of the program's",
}

// alternate are the private modes that show the other screen.
var alternate = []int{47, 1047, 1049}

func (m *modes) setPrivate(numbers []int, on bool) bool {
	for _, n := range numbers {
		if _, refused := privateRefused[n]; refused || len(m.private)+len(numbers) > maxModes {
			return false
		}
	}
	for _, n := range numbers {
		switch {
		case n == 12: // blinking goes with the shape, whose default is the user's
			m.cursor = true
		case on == slices.Contains(onByDefault, n):
			delete(m.private, n)
		case m.private == nil:
			m.private = map[int]bool{n: on}
		default:
			m.private[n] = on
		}
	}
	return true
}

func (m *modes) setANSI(numbers []int, on bool) bool {
	for _, n := range numbers {
		if n != 4 && n != 20 {
			return false // 2 locks the keyboard, 12 shows passwords
		}
	}
	for _, n := range numbers {
		if !on {
			delete(m.ansi, n)
			continue
		}
		if m.ansi == nil {
			m.ansi = map[int]bool{}
		}
		m.ansi[n] = true
	}
	return true
}

// screenNow is 1 while the alternate screen is shown.
func (m *modes) screenNow() int {
	for _, n := range alternate {
		if m.private[n] {
			return 1
		}
	}
	return 0
}

// setKeyboard follows the stack of the kitty keyboard protocol. More is never
// taken from it than the command has put there: below lie the user's own.
func (m *modes) setKeyboard(marker byte, params string, numbers []int) bool {
	stack := &m.keyboard[m.screenNow()]
	switch marker {
	case '>':
		if len(*stack) >= maxModes {
			return false
		}
		*stack = append(*stack, params)
	case '<':
		n := max(numbers[0], 1)
		if n > len(*stack) {
			return false
		}
		*stack = (*stack)[:len(*stack)-n]
	case '=':
		m.keyboardSet = numbers[0] != 0
	}
	return true
}

// note remembers what other control sequences set.
func (m *modes) note(c controlSequence, numbers []int) {
	plain := c.params == "" || c.params == "0"
	switch c.key {
	case "m":
		m.attributes = !plain
	case ">m", ">n":
		if len(numbers) > 0 && numbers[0] == 4 {
			m.otherKeys = c.key == ">n" || len(numbers) > 1 && numbers[1] != 0
		}
	case " q":
		m.cursor = !plain
	case "r":
		m.margins = c.params != ""
	case "!p": // a soft reset
		m.attributes, m.margins, m.keypad, m.charset, m.shifted = false, false, false, false, false
	}
}

func (m *modes) colour(n int) {
	switch {
	case n == 4:
		m.palette = true
	case !slices.Contains(m.colours, n):
		m.colours = append(m.colours, n)
	}
}

func (m *modes) colourBack(n int) {
	if n == 104 {
		m.palette = false
		return
	}
	m.colours = slices.DeleteFunc(m.colours, func(c int) bool { return c == n-100 })
}

// undo sets everything back. The order matters: what the keys send first,
// should the rest not get through; then what belongs to the alternate screen,
// before it is left; then what belongs to the main one.
func (m *modes) undo() string {
	var b strings.Builder
	now := m.screenNow()
	pop := func(at int) {
		if n := len(m.keyboard[at]); n > 0 {
			fmt.Fprintf(&b, "\x1b[<%du", n)
		}
	}
	pop(now)
	b.WriteString(m.undoPrivate(false))
	if now == 1 {
		b.WriteString(m.undoPrivate(true))
		pop(0)
	}
	if m.margins {
		b.WriteString("\x1b7\x1b[r\x1b8") // setting margins moves the cursor
	}
	for _, n := range slices.Sorted(maps.Keys(m.ansi)) {
		fmt.Fprintf(&b, "\x1b[%dl", n)
	}
	for _, s := range []struct {
		set  bool
		back string
	}{
		{m.keyboardSet, "\x1b[=0u"},
		{m.otherKeys, "\x1b[>4m"},
		{m.keypad, "\x1b>"},
		{m.shifted, "\x0f"},
		{m.charset, "\x1b(B"},
		{m.linked, "\x1b]8;;" + stringEnd},
		{m.palette, "\x1b]104" + stringEnd},
		{m.cursor, "\x1b[0 q"},
		{m.attributes, "\x1b[0m"},
	} {
		if s.set {
			b.WriteString(s.back)
		}
	}
	for _, n := range m.colours {
		b.WriteString("\x1b]" + strconv.Itoa(100+n) + stringEnd)
	}
	return b.String()
}

// undoPrivate sets private modes back: those that show the alternate screen,
// or all others.
func (m *modes) undoPrivate(screens bool) string {
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(m.private)) {
		if slices.Contains(alternate, n) != screens {
			continue
		}
		fmt.Fprintf(&b, "\x1b[?%d%c", n, letter(!m.private[n]))
	}
	return b.String()
}

// again sets what undo has set back, for a command that goes on after it was
// stopped: it does not know that it was.
func (m *modes) again() string {
	var b strings.Builder
	for _, flags := range m.keyboard[0] {
		b.WriteString("\x1b[>" + flags + "u")
	}
	for _, screens := range []bool{true, false} {
		for _, n := range slices.Sorted(maps.Keys(m.private)) {
			if slices.Contains(alternate, n) == screens {
				fmt.Fprintf(&b, "\x1b[?%d%c", n, letter(m.private[n]))
			}
		}
	}
	if m.screenNow() == 1 {
		for _, flags := range m.keyboard[1] {
			b.WriteString("\x1b[>" + flags + "u")
		}
	}
	if m.keypad {
		b.WriteString("\x1b=")
	}
	if m.otherKeys {
		b.WriteString("\x1b[>4;2m")
	}
	return b.String()
}

// letter ends the sequence that sets a mode, or sets it back.
func letter(on bool) byte {
	if on {
		return 'h'
	}
	return 'l'
}
