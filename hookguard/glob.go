package hookguard

import "strings"

// globMatch matches an absolute path (or one below the worktree, written with
// a leading slash) to a pattern of the deny_globs setting:
//
//   - "*" stands for any characters of one component, "?" for one,
//     "**" for any number of components, none included;
//   - "[…]" is a set of characters, "{a,b}" either text;
//   - a pattern without a slash matches at any depth; one with a slash starts
//     at the worktree's root, or at "/" when it starts with one;
//   - a directory that matches covers everything below it.
func globMatch(pattern, p string) bool {
	for _, one := range alternatives(pattern, 0) {
		if globOne(one, p) {
			return true
		}
	}
	return false
}

// maxAlternatives bounds what the braces of one pattern expand to.
const maxAlternatives = 256

// alternatives expands {a,b}; a brace without a partner is itself.
func alternatives(pattern string, depth int) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 || depth > 8 {
		return []string{pattern}
	}
	level, start := 0, open+1
	var parts []string
	for i := open; i < len(pattern); i++ {
		switch pattern[i] {
		case '{':
			level++
		case ',':
			if level == 1 {
				parts = append(parts, pattern[start:i])
				start = i + 1
			}
		case '}':
			if level--; level > 0 {
				continue
			}
			if len(parts) == 0 { // {a}: no choice, the braces are literal
				return prefixed(pattern[:i+1], alternatives(pattern[i+1:], depth+1))
			}
			parts = append(parts, pattern[start:i])
			var out []string
			for _, part := range parts {
				for _, full := range alternatives(part+pattern[i+1:], depth+1) {
					if len(out) == maxAlternatives {
						return out
					}
					out = append(out, pattern[:open]+full)
				}
			}
			return out
		}
	}
	return []string{pattern}
}

func prefixed(prefix string, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = prefix + s
	}
	return out
}

func globOne(pattern, p string) bool {
	if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
		pattern = "**/" + pattern
	}
	pattern = strings.Trim(pattern, "/")
	if pattern == "" {
		return false
	}
	return matchNames(strings.Split(pattern, "/"), strings.Split(strings.Trim(p, "/"), "/"))
}

// matchNames matches component by component. Names left over lie below a
// directory that matched. Only the last "**" ever has to give way, as with
// "*" within a name, so the time is bounded by the product of the lengths.
func matchNames(pattern, names []string) bool {
	i, j := 0, 0
	star, from := -1, 0
	for i < len(pattern) {
		switch {
		case pattern[i] == "**":
			if i == len(pattern)-1 {
				return j < len(names)
			}
			star, from = i, j
			i++
		case j < len(names) && matchName(pattern[i], names[j]):
			i, j = i+1, j+1
		case star >= 0 && from < len(names):
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return true
}

// matchName matches one component.
func matchName(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, from := -1, 0
	for i < len(p) || j < len(n) {
		if i < len(p) {
			if p[i] == '*' {
				star, from = i, j
				i++
				continue
			}
			if j < len(n) {
				if width, ok := matchRune(p[i:], n[j]); ok {
					i, j = i+width, j+1
					continue
				}
			}
		}
		if star < 0 || from >= len(n) {
			return false
		}
		from++
		i, j = star+1, from
	}
	return true
}

// matchRune matches one character and says how much of the pattern it took.
func matchRune(p []rune, c rune) (width int, ok bool) {
	switch p[0] {
	case '?':
		return 1, true
	case '[':
		end := 1
		if end < len(p) && (p[end] == '!' || p[end] == '^') {
			end++
		}
		for end++; end < len(p) && p[end] != ']'; end++ {
		}
		if end >= len(p) {
			return 1, c == '['
		}
		return end + 1, inClass(p[1:end], c)
	}
	return 1, p[0] == c
}

func inClass(set []rune, c rune) bool {
	negated := set[0] == '!' || set[0] == '^'
	if negated {
		set = set[1:]
	}
	found := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			found = found || set[i] <= c && c <= set[i+2]
			i += 2
		} else {
			found = found || set[i] == c
		}
	}
	return found != negated
}
