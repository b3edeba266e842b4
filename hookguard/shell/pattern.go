package shell

import "strings"

// maxPattern bounds the values that pattern operators are applied to; longer
// ones keep their value.
const maxPattern = 256

// cutSuffix is ${value%pattern} and ${value%%pattern}. Of a value that is not
// wholly known it keeps at least what is certain.
func cutSuffix(value, pattern string, longest bool) string {
	if len(value) > maxPattern {
		return value
	}
	if HasHole(value) {
		if pattern == "/"+holeStar { // the directory: certain up to the last known slash
			return value[:max(0, strings.LastIndexByte(value, '/'))]
		}
		return value
	}
	if longest {
		for i := 0; i <= len(value); i++ {
			if match(pattern, value[i:]) {
				return value[:i]
			}
		}
		return value
	}
	for i := len(value); i >= 0; i-- {
		if match(pattern, value[i:]) {
			return value[:i]
		}
	}
	return value
}

// cutPrefix is ${value#pattern} and ${value##pattern}.
func cutPrefix(value, pattern string, longest bool) string {
	if len(value) > maxPattern {
		return value
	}
	if longest && pattern == holeStar+"/" { // the last component
		name := value[strings.LastIndexByte(value, '/')+1:]
		if Unknown(name) {
			return holeSeg
		}
		return name
	}
	limit := len(Fixed(value))
	if longest {
		for i := limit; i >= 0; i-- {
			if match(pattern, value[:i]) {
				return value[i:]
			}
		}
	} else {
		for i := 0; i <= limit; i++ {
			if match(pattern, value[:i]) {
				return value[i:]
			}
		}
	}
	if limit < len(value) && HasHole(pattern) {
		return value[limit:]
	}
	return value
}

// replace is ${value/old/new}. A pattern with wildcards is replaced only in a
// known value.
func replace(value, old, with string, all bool) string {
	if old == "" {
		return value
	}
	if anchor := old[0]; anchor == '#' || anchor == '%' {
		if anchor == '#' && strings.HasPrefix(value, old[1:]) {
			return with + value[len(old)-1:]
		}
		if anchor == '%' && strings.HasSuffix(value, old[1:]) {
			return value[:len(value)-len(old)+1] + with
		}
		return value
	}
	n := 1
	if all {
		n = -1
	}
	if len(value) > maxPattern || !strings.ContainsAny(old, "*?[") {
		if out := int64(strings.Count(value, old)) * int64(len(with)); out > maxValue {
			panic(errLimit)
		}
		return strings.Replace(value, old, with, n)
	}
	f := fieldMaker{glob: true}
	pattern := f.wild(old)
	var b strings.Builder
	for i := 0; i < len(value); {
		end := -1
		for j := len(value); j > i; j-- {
			if match(pattern, value[i:j]) {
				end = j
				break
			}
		}
		if end < 0 || n == 0 {
			b.WriteByte(value[i])
			i++
			continue
		}
		b.WriteString(with)
		i = end
		n--
	}
	return b.String()
}

// Match reports whether the wildcards of a text, as the interpreter leaves
// them in a path component, can stand for name. Holes of other kinds stand for
// anything.
func Match(component, name string) bool { return match(component, name) }

// match is a shell pattern match; wildcards are holes, all else is literal.
func match(pattern, s string) bool {
	p, i := 0, 0
	star, from := -1, 0
	for i < len(s) || p < len(pattern) {
		if p < len(pattern) {
			if pattern[p] != 0 {
				if i < len(s) && s[i] == pattern[p] {
					p, i = p+1, i+1
					continue
				}
			} else if p+1 < len(pattern) {
				switch pattern[p+1] {
				case '?':
					if i < len(s) {
						p, i = p+2, i+1
						continue
					}
				case '[':
					end := strings.Index(pattern[p:], holeEnd)
					if end > 0 && i < len(s) && inSet(pattern[p+2:p+end], s[i]) {
						p, i = p+end+2, i+1
						continue
					}
				default:
					star, from = p, i
					p += 2
					continue
				}
			}
		}
		if star < 0 || from >= len(s) {
			return false
		}
		from++
		p, i = star+2, from
	}
	return true
}

// inSet is a bracket expression's inside against one byte.
func inSet(set string, c byte) bool {
	negated := len(set) > 0 && (set[0] == '!' || set[0] == '^')
	if negated {
		set = set[1:]
	}
	found := strings.Contains(set, "[:")
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			found = found || set[i] <= c && c <= set[i+2]
			i += 2
			continue
		}
		found = found || set[i] == c
	}
	return found != negated
}
