package gitdiscover

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// globCharacters are read as pattern syntax by at least one sandbox that gets
// lane's paths as literals: `[1]` in a literal deny became a character class
// there, and the deny silently held nothing
// (github.com/anthropic-experimental/sandbox-runtime/issues/576).
const globCharacters = `*?[]{}!\`

// checkCharacters refuses a path, raw as found in a file or resolved, that a
// sandbox, a settings file or a terminal would take for another one.
//
// A control character wins over the rest: it is the one that must not be
// printed. Blanks, quotes, dollar signs and any letter are fine; lane never
// hands a path to a shell.
func checkCharacters(path, what string) error {
	if i := strings.IndexFunc(path, isControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(path[i:])
		return refuse(ControlCharacter, path, "%s holds %U", what, r)
	}
	if !utf8.ValidString(path) {
		return refuse(InvalidEncoding, path, "%s is not valid UTF-8", what)
	}
	if i := strings.IndexAny(path, globCharacters); i >= 0 {
		return refuse(GlobCharacter, path, "%s holds %s", what, fmt.Sprintf("%q", path[i]))
	}
	return nil
}

// isControl is true for what steers a terminal, ends a line or reorders text:
// C0, DEL, C1, the two Unicode line separators and Unicode's Bidi_Control.
func isControl(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x2028, r == 0x2029:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
