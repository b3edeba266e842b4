package shell

import (
	"strconv"
	"strings"
)

func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes the inside of $'…'.
func ansiC(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v"[strings.IndexByte("abeEfnrtv", c)])
		case 'x', 'u', 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n, used := digits(s[i+1:], 16, width)
			if used == 0 {
				b.WriteString(`\` + string(c))
				break
			}
			i += used
			writeCode(&b, n, c == 'x')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 8, 3)
			i += used - 1
			writeCode(&b, n, true)
		case 'c':
			if i++; i < len(s) {
				writeCode(&b, int64(s[i])&0x1f, true)
			}
		default:
			if strings.IndexByte(`\'"?`, c) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// writeCode adds a character by its number. A zero would end a shell string;
// it must not be taken for a hole.
func writeCode(b *strings.Builder, n int64, isByte bool) {
	switch {
	case n == 0:
	case isByte:
		b.WriteByte(byte(n))
	default:
		b.WriteRune(rune(n))
	}
}

func digits(s string, base, limit int) (n int64, used int) {
	for used < limit && used < len(s) {
		d, err := strconv.ParseInt(s[used:used+1], base, 64)
		if err != nil {
			break
		}
		n, used = n*int64(base)+d, used+1
	}
	return n, used
}
