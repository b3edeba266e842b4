package shell

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

func characters(list []value) string {
	var b strings.Builder
	for _, v := range list {
		if len(v.list) > 0 {
			b.WriteString(characters(v.list))
			continue
		}
		if n, err := strconv.ParseInt(v.text(), 0, 32); err == nil {
			writeCode(&b, n, false)
		}
	}
	return b.String()
}

func eachCharacter(list []value) []value {
	var out []value
	for _, v := range list {
		out = append(out, textValue(characters([]value{v})))
	}
	return out
}

func decode64(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == ' ' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, s)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if data, err := enc.DecodeString(s); err == nil {
			return strings.ReplaceAll(string(data), "\x00", "")
		}
	}
	return holeNet
}

func decodeHex(s string) string {
	if data, err := hex.DecodeString(strings.Join(strings.Fields(s), "")); err == nil {
		return strings.ReplaceAll(string(data), "\x00", "")
	}
	return holeNet
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}
