package shell

import (
	"strings"
)

// A text is a value the interpreter knows in part. It is an ordinary string
// in which a NUL byte and the byte after it stand for a hole: a stretch whose
// content is not known. No shell word can hold a NUL, so the two never mix,
// and a text can be joined, cut and compared like any string.
//
// What kind of hole it is says how much is known after all.
const (
	holeVar    = "\x00v" // an unknown variable or parameter; nothing suspicious
	holeOut    = "\x00o" // what a command printed that the interpreter cannot run
	holeNet    = "\x00x" // as holeOut, from the network or a decoder: foreign text
	holeName   = "\x00n" // a file name or relative path that does not climb: a listing
	holeSeg    = "\x00s" // a number, a date, a word without a slash
	holeFile   = "\x00f" // the content of a file that is not known
	holeBare   = "\x00u" // holeVar from an expansion without quotes: it may vanish
	holeParent = "\x00p" // the number of the process that started the shell
	holeInput  = "\x00i" // standard input that nobody has given
	holeInit   = "\x00h" // shell code a tool prints for eval, as documented
	// Wildcards, kept apart so that a rule can ask what they may match.
	holeStar  = "\x00*"
	holeQuery = "\x00?"
	holeSet   = "\x00[" // closed by "\x00]"
	holeEnd   = "\x00]"
)

// HasHole reports whether any part of the text is unknown.
func HasHole(text string) bool { return strings.IndexByte(text, 0) >= 0 }

// Fixed returns the text before its first hole.
func Fixed(text string) string {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return text[:i]
	}
	return text
}

// FromOutput reports whether the text begins with what an unknown command
// printed.
func FromOutput(text string) bool {
	return strings.HasPrefix(text, holeOut) || strings.HasPrefix(text, holeNet)
}

// Hidden reports whether a path begins with what a command printed or a file
// holds: then nobody can say where it leads.
func Hidden(text string) bool { return FromOutput(text) || strings.HasPrefix(text, holeFile) }

// Unknown reports whether the text begins with a hole of any kind.
func Unknown(text string) bool { return strings.HasPrefix(text, "\x00") }

// Everything reports whether a path component stands for all that is in a
// directory: a listing, or a wildcard alone.
func Everything(component string) bool {
	return strings.HasPrefix(component, holeName) || component == holeStar
}

// Anything reports whether a path component has a hole that may hold any
// text, slashes included.
func Anything(component string) bool {
	for _, hole := range []string{holeVar, holeBare, holeOut, holeNet, holeFile, holeInput, holeInit} {
		if strings.Contains(component, hole) {
			return true
		}
	}
	return false
}

// OneName reports whether a path component is certainly one: what it holds
// has no slash.
func OneName(component string) bool {
	return !HasHole(component) || !Anything(component) && !strings.Contains(component, holeName)
}

// Vanishing reports whether a path is an unquoted unknown variable and then
// only slashes or stars, or such a variable after a slash: without a value it
// is the root directory.
func Vanishing(text string) bool {
	if text == "/"+holeBare {
		return true
	}
	rest, ok := strings.CutPrefix(text, holeBare)
	return ok && strings.HasPrefix(rest, "/") && strings.Trim(strings.ReplaceAll(rest, holeStar, ""), "/.") == ""
}

// HasWildcard reports whether the text holds a wildcard that the shell would
// expand.
func HasWildcard(text string) bool {
	return strings.Contains(text, holeStar) || strings.Contains(text, holeQuery) || strings.Contains(text, holeSet)
}

// Quote writes words as one command line.
func Quote(words []string) string { return quoteAll(words) }

// Words takes a plain command apart as Quote put it together: the reverse of
// quoting, no expansion. Text that Quote would not have made gives words too,
// but not those a shell would.
func Words(text string) []string {
	var words []string
	var word []byte
	begun := false
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word, begun = append(word, text[i]), true
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words, word, begun = append(words, string(word)), nil, false
			}
		default:
			word, begun = append(word, c), true
		}
	}
	if begun {
		words = append(words, string(word))
	}
	return words
}

// Show renders a text for people; unknown stretches become "…".
func Show(text string) string {
	if !HasHole(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != 0 {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			break
		}
		switch text[i] {
		case '*', '?', '[', ']':
			b.WriteByte(text[i])
		default:
			b.WriteString("…")
		}
	}
	return b.String()
}

// pieces calls yield for each stretch of the text: known text, or one hole.
func pieces(text string, yield func(piece string, hole bool) bool) {
	for len(text) > 0 {
		i := strings.IndexByte(text, 0)
		switch {
		case i < 0:
			yield(text, false)
			return
		case i > 0:
			if !yield(text[:i], false) {
				return
			}
			text = text[i:]
		}
		n := min(2, len(text))
		if !yield(text[:n], true) {
			return
		}
		text = text[n:]
	}
}

// leadsAnywhere reports whether a path begins with a hole that may hold a
// slash at its front: then it is not relative to any directory.
func leadsAnywhere(p string) bool {
	if len(p) < 2 || p[0] != 0 {
		return false
	}
	switch p[:2] {
	case holeVar, holeBare, holeOut, holeNet, holeFile, holeInput, holeInit:
		return true
	}
	return false
}
