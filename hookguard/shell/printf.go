package shell

import (
	"strconv"
	"strings"
)

// printf formats as the shell does, as far as its arguments are known.
func (in *interp) printf(args []string, st *state, io stdio) {
	words := args[1:]
	target := ""
	if len(words) > 2 && words[0] == "-v" {
		target, words = words[1], words[2:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	text := format(words[0], words[1:])
	if target != "" {
		in.assignScalar(target, text, st)
		return
	}
	io.print(text)
}

// format applies a printf format until its arguments are used up.
func format(f string, args []string) string {
	var b strings.Builder
	for round := 0; round == 0 || len(args) > 0 && round < 256; round++ {
		used := false
		for i := 0; i < len(f); i++ {
			if f[i] == '\\' && i+1 < len(f) {
				end := escapeEnd(f, i)
				b.WriteString(ansiC(f[i:end]))
				i = end - 1
				continue
			}
			if f[i] != '%' || i+1 >= len(f) {
				b.WriteByte(f[i])
				continue
			}
			j := i + 1
			for j < len(f) && strings.IndexByte("#-+ 0123456789.*'", f[j]) >= 0 {
				j++
			}
			if j == len(f) {
				break
			}
			i = j
			if f[j] == '%' {
				b.WriteByte('%')
				continue
			}
			arg := ""
			if len(args) > 0 {
				arg, args, used = args[0], args[1:], true
			}
			b.WriteString(convert(f[j], arg))
		}
		if b.Len() > maxValue {
			panic(errLimit)
		}
		if !used {
			break
		}
	}
	return b.String()
}

func convert(verb byte, arg string) string {
	switch verb {
	case 'b':
		return ansiC(arg)
	case 's', 'q':
		return unglob(arg)
	case 'c':
		if arg == "" || HasHole(arg) {
			return arg
		}
		return arg[:1]
	case 'd', 'i', 'u':
		if n, err := strconv.ParseInt(arg, 0, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case 'x', 'o', 'X':
		if n, err := strconv.ParseInt(arg, 0, 64); err == nil {
			return strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8}[verb])
		}
	}
	return holeSeg
}

// escapeEnd is where the backslash escape that starts at i ends.
func escapeEnd(s string, i int) int {
	end := i + 2
	switch s[i+1] {
	case 'x':
		_, n := digits(s[i+2:], 16, 2)
		end += n
	case 'u':
		_, n := digits(s[i+2:], 16, 4)
		end += n
	case 'U':
		_, n := digits(s[i+2:], 16, 8)
		end += n
	case '0', '1', '2', '3', '4', '5', '6', '7':
		_, n := digits(s[i+1:], 8, 3)
		end = i + 1 + n
	}
	return min(end, len(s))
}
