package shell

import (
	"strings"
)

// sed edits a stream, or files in place with -i; its script can write files
// and run commands.
func (in *interp) sed(args []string, st *state, io stdio) {
	var scripts, ops []string
	place := false
	words := args[1:]
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		name, value, inline := strings.Cut(w, "=")
		take := func() string {
			if !inline && len(words) > 0 {
				value, words = words[0], words[1:]
			}
			return value
		}
		switch {
		case w == "--":
			ops, words = append(ops, words...), nil
		case w == "-e" || name == "--expression":
			scripts = append(scripts, take())
		case w == "-f" || name == "--file":
			scripts = append(scripts, in.content(take(), st))
		case w == "-l" || name == "--line-length":
			take()
		case name == "--in-place" || name == "--in-plac" || name == "--in-pla" || name == "--in-pl" || name == "--in-p" || name == "--in" || name == "--i":
			place = true
		case strings.HasPrefix(w, "--"):
		case len(w) > 1 && w[0] == '-':
			var code bool
			place, code = sedLetters(w[1:], place)
			if code {
				scripts = append(scripts, in.bundled(w, "e", &words))
			}
		default:
			ops = append(ops, w)
		}
	}
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, s := range scripts {
		in.sedScript(unglob(s), st, io)
	}
	if place {
		for _, f := range ops {
			in.effect(Write, f, "sed -i", st)
		}
		return
	}
	in.filter(args, st, io)
}

// sedLetters reads a bundle of short options: after i all else is a suffix.
func sedLetters(bundle string, place bool) (_, code bool) {
	for i := 0; i < len(bundle); i++ {
		switch bundle[i] {
		case 'i':
			return true, code
		case 'I':
			return true, code
		case 'e':
			return place, true
		}
	}
	return place, false
}

// bundled is the value of a letter at the end of a bundle, or the next word.
func (in *interp) bundled(word, letter string, words *[]string) string {
	if _, rest, ok := strings.Cut(word[1:], letter); ok && rest != "" {
		return rest
	}
	if len(*words) == 0 {
		return ""
	}
	value := (*words)[0]
	*words = (*words)[1:]
	return value
}

// sedScript finds the commands that write (w, W, s///w) and run (e, s///e).
// It reads addresses and other commands to know where a command starts: "w"
// inside an expression is no command.
func (in *interp) sedScript(script string, st *state, io stdio) {
	for i := 0; i < len(script); {
		i = sedAddress(script, i)
		if i >= len(script) {
			return
		}
		c := script[i]
		i++
		switch c {
		case 's':
			i = in.sedSubstitute(script, i, st, io)
		case 'y':
			if i < len(script) {
				i = sedDelimited(script, sedDelimited(script, i+1, script[i]), script[i])
			}
		case 'w', 'W':
			name, next := sedLine(script, i)
			in.effect(Write, name, "sed w", st)
			i = next
		case 'e':
			code, next := sedLine(script, i)
			in.code(code, st.fork(), io, "sed e")
			i = next
		case 'r', 'R', 'a', 'i', 'c', 'b', 't', 'T', ':', 'q', 'Q', 'l', 'L':
			for i < len(script) && script[i] != '\n' && !(script[i] == ';' && strings.IndexByte("btTqQlL", c) >= 0) {
				if script[i] == '\\' {
					i++
				}
				i++
			}
		}
	}
}

// sedAddress skips blanks, separators and addresses.
func sedAddress(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case strings.IndexByte(" \t\n;{},!$0123456789~+-IM", c) >= 0:
			i++
		case c == '/':
			i = sedDelimited(s, i+1, '/')
		case c == '\\' && i+1 < len(s):
			i = sedDelimited(s, i+2, s[i+1])
		default:
			return i
		}
	}
	return i
}

// sedDelimited returns the place after the next delimiter that is neither
// escaped nor in a bracket expression.
func sedDelimited(s string, i int, delimiter byte) int {
	for i < len(s) {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return i + 1
		case '[':
			if end := strings.IndexByte(s[min(i+2, len(s)):], ']'); end >= 0 && !strings.Contains(s[i:i+2+end], "\n") && delimiter != ']' {
				if !strings.ContainsRune(s[i:i+2+end], rune(delimiter)) || delimiter == '/' {
					i += 2 + end
				}
			}
		}
		i++
	}
	return len(s)
}

func (in *interp) sedSubstitute(s string, i int, st *state, io stdio) int {
	if i >= len(s) {
		return i
	}
	delimiter := s[i]
	start := sedDelimited(s, i+1, delimiter)
	end := sedReplacement(s, start, delimiter)
	replacement := ""
	if end > start {
		replacement = s[start : end-1]
	}
	for i = end; i < len(s); i++ {
		switch s[i] {
		case 'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		case 'e':
			in.code(replacement, st.fork(), io, "sed s///e")
		case 'w':
			name, next := sedLine(s, i+1)
			in.effect(Write, name, "sed s///w", st)
			return next
		default:
			return i
		}
	}
	return i
}

func sedReplacement(s string, i int, delimiter byte) int {
	for i < len(s) {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return i + 1
		}
		i++
	}
	return len(s)
}

// sedLine is the rest of the line, which is a file name or a command.
func sedLine(s string, i int) (text string, next int) {
	end := strings.IndexByte(s[i:], '\n')
	if end < 0 {
		end = len(s) - i
	}
	return strings.TrimSpace(s[i : i+end]), i + end
}
