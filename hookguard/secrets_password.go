package hookguard

import (
	"strings"
)

// passwordNames end the name of what holds a password.
var passwordNames = []string{"password", "passwords", "passwd", "passphrase", "pwd", "wachtwoord", "kennwort", "secret", "clientsecret", "apikey", "authtoken", "accesstoken", "secretkey", "privatetoken"}

// passwords finds name=value, name: value and their like.
func passwords(text string, yield func(from, to int)) {
	for i := 0; i < len(text); i++ {
		if text[i] != '=' && text[i] != ':' {
			continue
		}
		end := i
		for end > 0 && end > i-4 && (text[end-1] == ' ' || text[end-1] == '"' || text[end-1] == '\'' || text[end-1] == ':') {
			end--
		}
		start := end
		for start > 0 && end-start < 64 && (isWordByte(text[start-1]) || text[start-1] == '-' || text[start-1] == '.') {
			start--
		}
		if !passwordName(text[start:end]) {
			continue
		}
		from, to := passwordValue(text, i+1)
		if to > from && passwordLike(text[start:end], text[from:to]) {
			yield(from, to)
		}
		i = max(i, to-1) // what is a value is no name
	}
}

func isWordByte(c byte) bool {
	return c == '_' || digit(c) || upper(c) || c >= 'a' && c <= 'z'
}

func passwordName(name string) bool {
	for _, word := range passwordNames {
		if endsWith(name, word) {
			return true
		}
	}
	return false
}

// endsWith compares without regard to case and to what joins words.
func endsWith(name, word string) bool {
	i := len(name)
	for j := len(word); j > 0; {
		if i == 0 {
			return false
		}
		i--
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.':
		case c|0x20 != word[j-1]:
			return false
		default:
			j--
		}
	}
	return true
}

// passwordValue is the word or the quoted text that follows.
func passwordValue(text string, i int) (from, to int) {
	for n := 0; n < 4 && i < len(text) && (text[i] == ' ' || text[i] == '=' || text[i] == '>'); n++ {
		i++
	}
	if i == len(text) {
		return i, i
	}
	if quote := text[i]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(text[i+1:min(len(text), i+202)], quote)
		if end < 0 || strings.IndexByte(text[i+1:i+1+end], '\n') >= 0 {
			return i, i
		}
		return i + 1, i + 1 + end
	}
	to = i
	for to < len(text) && to < i+200 && strings.IndexByte(" \t\r\n\"'`,;<>(){}", text[to]) < 0 {
		to++
	}
	if to < len(text) && text[to] == '(' { // a call
		return i, i
	}
	return i, to
}

// passwordLike tells a password from a placeholder, an expression, a type or
// a word of prose.
func passwordLike(name, value string) bool {
	lower := strings.ToLower(value)
	if len(value) < 6 || placeholder(lower) {
		return false
	}
	if strings.ContainsAny(value[:1], "$<{[%(*&@/~.") || strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Contains(value, "://") {
		return false
	}
	if strings.Contains(value, "(") || strings.Contains(value, "os.environ") || strings.Contains(value, "process.env") || strings.Contains(lower, "getenv") || strings.HasPrefix(lower, "env.") {
		return false
	}
	classes := classCount(value)
	if strings.Contains(strings.ToLower(name), "pass") || strings.Contains(strings.ToLower(name), "pwd") || strings.Contains(name, "woord") || strings.Contains(name, "kennwort") {
		return classes >= 2 && entropy(value) >= 2.2 && (classes >= 3 || len(value) >= 8 && strings.ContainsAny(value, "0123456789"))
	}
	return len(value) >= 16 && classes >= 2 && entropy(value) >= 3.2 && strings.ContainsAny(value, "0123456789")
}

// placeholders are values that stand for a secret in documents and tests.
var placeholders = []string{"changeme", "change_me", "change-me", "password", "passwd", "example", "placeholder", "your", "xxxx", "****", "secret", "dummy", "sample", "redacted", "removed", "foobar", "insert", "replace", "todo", "null", "none", "undefined", "string", "letmein", "p@ssw0rd", "12345", "test"}

func placeholder(lower string) bool {
	for _, p := range placeholders {
		if strings.Contains(lower, p) {
			return true
		}
	}
	return strings.Trim(lower, lower[:1]) == ""
}

// classCount counts lower case, upper case, digits and other characters.
func classCount(s string) int {
	var lower, up, digits, other int
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			lower = 1
		case upper(c):
			up = 1
		case digit(c):
			digits = 1
		default:
			other = 1
		}
	}
	return lower + up + digits + other
}
