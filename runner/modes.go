package runner

import "unicode/utf8"

// screen stands between the output of a lane's command and the user's
// terminal: a terminal obeys what is written to it, and answers on its input.
//
// It passes text, and whole control sequences that are known to be harmless
// (modes_rules.go says which, and why the others are not). A sequence is held
// until it is complete, so the terminal never sees the beginning of one that
// is then refused, however the output was cut into reads; what is held is
// bounded. It also remembers what the passed sequences have set in the
// terminal (modes_state.go), so that it can be undone when the command ends
// without having done so, claude-code#84029.
//
// What comes out is valid UTF-8: bytes that are not, and the C1 controls, which
// some terminals take for the beginning of a sequence, come out as U+FFFD.
type screen struct {
	state state
	seq   []byte // the sequence held back, from ESC on
	utf   runeState
	set   modes
	// asked counts sequences that terminals answer on their input.
	asked int
}

// state is where in a sequence the parser is.
type state byte

const (
	ground    state = iota // text
	escape                 // after ESC
	control                // after ESC [
	controlBy              // a control sequence that is not kept, to its end
	command                // after ESC ], an operating system command
	device                 // the head of ESC P, a device control string
	sixel                  // a picture, passed on as it comes
	skipped                // a string that is not kept, to its end
	skippedBy              // the same, and BEL ends it too
)

// Bounds of what is held back; a longer sequence is not kept.
const (
	maxEscape  = 8
	maxControl = 256
	maxCommand = 8 << 10
)

const (
	bel = 0x07
	can = 0x18 // CAN and SUB break a sequence off
	sub = 0x1a
	esc = 0x1b
	del = 0x7f
)

const stringEnd = "\x1b\\"

// feed appends to dst what of src the terminal may see.
func (s *screen) feed(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		if s.state == ground && s.utf.idle() {
			n := plainRun(src[i:])
			dst = append(dst, src[i:i+n]...)
			if i += n; i == len(src) {
				break
			}
		}
		dst = s.byte(dst, src[i])
		i++
	}
	return dst
}

// plainRun is the length of the text at the beginning of b that needs no look
// of its own.
func plainRun(b []byte) int {
	for i, c := range b {
		if (c < 0x20 || c > 0x7e) && c != '\n' && c != '\r' && c != '\t' {
			return i
		}
	}
	return len(b)
}

func (s *screen) byte(dst []byte, b byte) []byte {
	switch s.state {
	case ground:
		return s.text(dst, b)
	case escape, control, controlBy:
		return s.short(dst, b)
	}
	return s.inString(dst, b)
}

// text is a byte outside of any sequence.
func (s *screen) text(dst []byte, b byte) []byte {
	dst, again := s.utf.step(dst, b)
	if !again {
		return dst
	}
	if b >= 0x20 {
		return dst // DEL: a terminal does nothing with it
	}
	return s.single(dst, b)
}

// single is a control character, which terminals obey wherever it stands.
func (s *screen) single(dst []byte, b byte) []byte {
	switch b {
	case esc:
		s.begin(escape)
	case can, sub:
		s.state = ground
	case bel, '\b', '\t', '\n', '\v', '\f', '\r':
		return append(dst, b)
	case 0x0e, 0x0f: // SO, SI: the other character set, and back
		s.set.shifted = b == 0x0e
		return append(dst, b)
	}
	return dst // ENQ asks for the answerback; XON and XOFF steer the line
}

func (s *screen) begin(to state) {
	s.state, s.seq = to, append(s.seq[:0], esc)
}

// short is a byte in an escape sequence or a control sequence.
func (s *screen) short(dst []byte, b byte) []byte {
	switch {
	case b < 0x20:
		return s.single(dst, b)
	case b == del:
		return dst
	case b > del:
		s.state = ground
		return s.text(dst, b)
	}
	if s.state == controlBy {
		if b >= 0x40 {
			s.state = ground
		}
		return dst
	}
	s.seq = append(s.seq, b)
	if s.state == control {
		switch {
		case b >= 0x40:
			s.state = ground
			return s.endControl(dst)
		case len(s.seq) > maxControl:
			s.state = controlBy
		}
		return dst
	}
	switch {
	case len(s.seq) == 2 && s.opens(b):
	case b >= 0x30:
		s.state = ground
		return s.endEscape(dst)
	case len(s.seq) > maxEscape:
		s.state = ground
	}
	return dst
}

// opens says whether ESC b is the beginning of a longer sequence.
func (s *screen) opens(b byte) bool {
	switch b {
	case '[':
		s.state = control
	case ']':
		s.state = command
	case 'P':
		s.state = device
	case 'X', '^', '_', 'k': // SOS, PM, APC, and the title of screen and tmux
		s.state = skipped
	default:
		return false
	}
	return true
}

// inString is a byte in a string: an operating system command, a device
// control string or one that is not kept. The last byte of seq is ESC when
// the byte before was one: ESC \ ends a string, ESC with anything else breaks
// it off.
func (s *screen) inString(dst []byte, b byte) []byte {
	if n := len(s.seq); n > 1 && s.seq[n-1] == esc {
		s.seq = s.seq[:n-1]
		was := s.state
		s.state = ground
		if b == '\\' {
			return s.endString(dst, was, stringEnd)
		}
		if was == sixel {
			dst = append(dst, stringEnd...)
		}
		s.begin(escape)
		return s.byte(dst, b)
	}
	switch {
	case b == esc:
		s.seq = append(s.seq, b)
	case b == can || b == sub:
		if s.state == sixel {
			dst = append(dst, stringEnd...)
		}
		s.state = ground
	case b == bel && (s.state == command || s.state == skippedBy):
		was := s.state
		s.state = ground
		return s.endString(dst, was, "\a")
	case s.state == sixel:
		if 0x20 <= b && b < del || b == '\n' || b == '\r' {
			dst = append(dst, b)
		}
	case s.state == command:
		if s.seq = append(s.seq, b); len(s.seq) > maxCommand {
			s.seq, s.state = s.seq[:2], skippedBy
		}
	case s.state == device:
		return s.deviceHead(dst, b)
	}
	return dst
}

// deviceHead reads the parameters of a device control string up to the letter
// that says what it is. Only pictures pass: the rest are questions about the
// terminal's settings, or change what its keys send.
func (s *screen) deviceHead(dst []byte, b byte) []byte {
	s.seq = append(s.seq, b)
	switch {
	case b == ';' || '0' <= b && b <= '9':
		if len(s.seq) > maxControl {
			s.seq, s.state = s.seq[:2], skipped
		}
	case b == 'q':
		s.state = sixel
		return append(dst, s.seq...)
	default:
		s.seq, s.state = s.seq[:2], skipped
	}
	return dst
}

func (s *screen) endString(dst []byte, was state, terminator string) []byte {
	switch {
	case was == sixel:
		return append(dst, terminator...)
	case was == command && s.allowCommand(s.seq[2:]):
		return append(append(dst, s.seq...), terminator...)
	}
	return dst
}

// finish ends what the output left half done. The screen is as new.
func (s *screen) finish(dst []byte) []byte {
	if s.state == sixel {
		dst = append(dst, stringEnd...)
	}
	s.state, s.seq, s.utf = ground, s.seq[:0], runeState{}
	return dst
}

// runeState holds back the beginning of a character of UTF-8, so that the
// middle of one is not taken for a control, nor a control for the middle of
// one. What comes out is valid UTF-8 without C1 controls.
type runeState struct {
	held [utf8.UTFMax]byte
	n    int
}

func (u *runeState) idle() bool { return u.n == 0 }

const replacement = "\uFFFD"

// step takes one byte. again means that it is a control of ASCII, to be looked
// at on its own.
func (u *runeState) step(dst []byte, b byte) (_ []byte, again bool) {
	if u.n > 0 {
		u.held[u.n] = b
		switch r, size := utf8.DecodeRune(u.held[:u.n+1]); {
		case size == u.n+1:
			u.n = 0
			if r <= 0x9f {
				return append(dst, replacement...), false
			}
			return append(dst, u.held[:size]...), false
		case !utf8.FullRune(u.held[:u.n+1]):
			u.n++
			return dst, false
		}
		// It does not go on: the byte is looked at as the first of its own.
		u.n = 0
		dst = append(dst, replacement...)
	}
	switch u.held[0] = b; {
	case b < 0x20 || b == del:
		return dst, true
	case b < utf8.RuneSelf:
		return append(dst, b), false
	case utf8.FullRune(u.held[:1]): // it begins no character
		return append(dst, replacement...), false
	}
	u.n = 1
	return dst, false
}
