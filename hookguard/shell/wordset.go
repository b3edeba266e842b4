package shell

import "strings"

// wordSet is a set of words, written with blanks between them. A process that
// answers one call searches such a text faster than it would fill a map.
type wordSet string

// has reports whether the word is in the set.
func (s wordSet) has(word string) bool { return hasWord(string(s), word, " \n\t") }

// hasWord searches text for word between separators.
func hasWord(text, word, separators string) bool {
	if word == "" || strings.ContainsAny(word, separators) {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || strings.IndexByte(separators, text[i-1]) >= 0) && (end == len(text) || strings.IndexByte(separators, text[end]) >= 0) {
			return true
		}
		from = i + 1
	}
}
