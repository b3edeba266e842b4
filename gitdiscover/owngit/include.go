package owngit

import (
	"path/filepath"
	"strconv"
	"strings"
)

// holds evaluates the condition of an includeIf in the file at path. An
// unknown condition is false, as in git.
func (r *configReader) holds(condition, path string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	switch kind {
	case "gitdir":
		return r.gitdirMatches(pattern, path, false)
	case "gitdir/i":
		return r.gitdirMatches(pattern, path, true)
	case "onbranch":
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return r.repo.Branch != "" && wildmatch(pattern, r.repo.Branch, false)
	case "hasconfig":
		pattern, ok := strings.CutPrefix(pattern, "remote.*.url:")
		if !ok {
			return false
		}
		for _, u := range r.urls {
			if wildmatch(pattern, u, false) {
				return true
			}
		}
	}
	return false
}

// gitdirMatches asks of the worktree's real git directory. "./" is relative to
// the including file; a pattern without a root matches at any depth; one with
// a final slash, everything below.
func (r *configReader) gitdirMatches(pattern, path string, fold bool) bool {
	pattern, ok := r.expand(pattern)
	if !ok {
		return false
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	literal := "" // what "./" stands for: compared, never read as a pattern
	switch {
	case strings.HasPrefix(pattern, "./"):
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return false
		}
		literal, pattern = strings.TrimSuffix(dir, "/")+"/", pattern[2:]
	case !filepath.IsAbs(pattern):
		pattern = "**/" + pattern
	}
	text := r.repo.GitDir
	if len(text) < len(literal) {
		return false
	}
	head := text[:len(literal)]
	if head != literal && !(fold && strings.EqualFold(head, literal)) {
		return false
	}
	return wildmatch(pattern, text[len(literal):], fold)
}

// wildmatch is git's own matching of a pattern against a whole path: * and ?
// do not match a slash, ** between slashes matches any number of components.
func wildmatch(p, t string, fold bool) bool {
	if fold {
		p, t = strings.ToLower(p), strings.ToLower(t)
	}
	m := matcher{steps: 1_000_000}
	return m.match(p, t, true)
}

// matcher bounds the backtracking of a pattern full of stars.
type matcher struct{ steps int }

// match matches p against t; start says that p begins a path component.
func (m *matcher) match(p, t string, start bool) bool {
	if m.steps--; m.steps < 0 {
		return false
	}
	for p != "" {
		switch c := p[0]; c {
		case '*':
			return m.star(p, t, start)
		case '?':
			if t == "" || t[0] == '/' {
				return false
			}
			p = p[1:]
		case '[':
			n, ok := classMatches(p, t)
			if !ok {
				return false
			}
			p = p[n:]
		default:
			if c == '\\' && len(p) > 1 {
				p = p[1:]
			}
			if t == "" || t[0] != p[0] {
				return false
			}
			p = p[1:]
		}
		start = t[0] == '/'
		t = t[1:]
	}
	return t == ""
}

func (m *matcher) star(p, t string, start bool) bool {
	rest := strings.TrimLeft(p, "*")
	deep := len(p)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/')
	if deep && rest != "" && m.match(rest[1:], t, true) { // **/ may match nothing
		return true
	}
	if deep && rest == "" {
		return true
	}
	for i := 0; ; i++ {
		if m.match(rest, t[i:], false) {
			return true
		}
		if i == len(t) || t[i] == '/' && !deep {
			return false
		}
	}
}

// classMatches matches the bracket expression at the start of p against the
// first byte of t, and returns the expression's length.
func classMatches(p, t string) (n int, ok bool) {
	if t == "" || t[0] == '/' {
		return 0, false
	}
	c, i, found := t[0], 1, false
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	for first := true; ; first = false {
		switch {
		case i >= len(p):
			return 0, false
		case p[i] == ']' && !first:
			return i + 1, found != negated
		case strings.HasPrefix(p[i:], "[:"):
			end := strings.Index(p[i:], ":]")
			if end < 0 {
				return 0, false
			}
			found = found || inClass(p[i+2:i+end], c)
			i += end + 2
			continue
		}
		lo := p[i]
		if lo == '\\' && i+1 < len(p) {
			i++
			lo = p[i]
		}
		hi := lo
		if i++; i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi = p[i+1]
			i += 2
		}
		found = found || lo <= c && c <= hi
	}
}

func inClass(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "xdigit":
		return digit || strings.IndexByte("abcdefABCDEF", c) >= 0
	case "space":
		return strings.IndexByte(" \t\n\v\f\r", c) >= 0
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	}
	return false
}

// quoted prints a path that may hold anything.
func quoted(path string) string { return strconv.QuoteToASCII(path) }
