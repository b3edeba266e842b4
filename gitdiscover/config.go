package gitdiscover

import (
	"bytes"
	"fmt"
	"strings"
)

// ConfigEntry is one variable of a git configuration file, in file order.
type ConfigEntry struct {
	// Key is section.name or section.subsection.name; section and name are
	// lower case, a quoted subsection is kept byte for byte.
	Key string
	// Value is what stands behind "=", unquoted and unescaped.
	Value string
	// HasValue is false for a name alone, which git reads as true.
	HasValue bool
	// Line is where the name stands, from 1.
	Line int
}

// ConfigError says on which line a configuration file stops being one.
type ConfigError struct {
	Line   int
	Detail string
}

func (e *ConfigError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// ParseConfig reads a git configuration file the way git does: sections and
// subsections, case rules, quotes, escapes, continued lines, comments, CRLF and
// a leading byte order mark. The error is a [*ConfigError].
//
// Includes are entries like all others and are not followed. Two things differ
// from the git that is installed on some hosts: white space inside a value is
// kept as it stands (git before 2.45 turned each into a blank), and a file with
// a NUL byte is an error, since git would end the string there.
func ParseConfig(data []byte) ([]ConfigEntry, error) {
	p := &configParser{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, &ConfigError{Line: 1 + bytes.Count(data[:i], []byte("\n")), Detail: "NUL byte"}
	}
	section := ""
	for !p.done() {
		c := p.next()
		switch {
		case isConfigSpace(c):
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			s, err := p.section()
			if err != nil {
				return nil, err
			}
			section = s + "."
		case isAlpha(c):
			if err := p.entry(section, c); err != nil {
				return nil, err
			}
		default:
			return nil, p.fault("unexpected %q", c)
		}
	}
	return p.entries, nil
}

type configParser struct {
	data    []byte
	pos     int
	line    int
	entries []ConfigEntry
}

func (p *configParser) done() bool { return p.pos >= len(p.data) }

// next returns the next byte; CR LF counts as LF, and the end of the file as
// one more LF, so that no rule below needs a case for a missing last newline.
func (p *configParser) next() byte {
	if p.done() {
		return '\n'
	}
	c := p.data[p.pos]
	p.pos++
	if c == '\r' && !p.done() && p.data[p.pos] == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return c
}

func (p *configParser) skipLine() {
	for p.next() != '\n' {
	}
}

func (p *configParser) fault(format string, args ...any) error {
	return &ConfigError{Line: p.line, Detail: fmt.Sprintf(format, args...)}
}

// section reads what follows "[", up to and with "]".
func (p *configParser) section() (string, error) {
	var name strings.Builder
	for {
		atEnd := p.done()
		c := p.next()
		switch {
		case atEnd:
			return "", p.fault("section name without an end")
		case c == ']' && name.Len() == 0:
			return "", p.fault("section without a name")
		case c == ']':
			return name.String(), nil
		case isConfigSpace(c):
			return p.subsection(name.String(), c)
		case isNameByte(c) || c == '.':
			name.WriteByte(lower(c))
		default:
			return "", p.fault("section name holds %q", c)
		}
	}
}

// subsection reads the quoted part of [section "subsection"]; c is the white
// space that ended the section's own name.
func (p *configParser) subsection(section string, c byte) (string, error) {
	for isConfigSpace(c) {
		if c == '\n' {
			return "", p.fault("section name runs over the end of its line")
		}
		c = p.next()
	}
	if c != '"' {
		return "", p.fault("subsection is not quoted")
	}
	var name strings.Builder
	for {
		c := p.next()
		if c == '"' {
			break
		}
		if c == '\\' {
			c = p.next()
		}
		if c == '\n' {
			return "", p.fault("subsection runs over the end of its line")
		}
		name.WriteByte(c)
	}
	if p.next() != ']' {
		return "", p.fault("subsection is not followed by ]")
	}
	return section + "." + name.String(), nil
}

// entry reads one variable whose name starts with first.
func (p *configParser) entry(section string, first byte) error {
	line := p.line
	name := []byte{lower(first)}
	c := p.next()
	for ; isNameByte(c); c = p.next() {
		name = append(name, lower(c))
	}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	e := ConfigEntry{Key: section + string(name), Line: line}
	switch c {
	case '\n':
	case '=':
		v, err := p.value()
		if err != nil {
			return err
		}
		e.Value, e.HasValue = v, true
	default:
		return p.fault("name is followed by %q", c)
	}
	p.entries = append(p.entries, e)
	return nil
}

// value reads what follows "=". White space outside quotes is dropped at both
// ends; keep marks how much of the value is certain to stay.
func (p *configParser) value() (string, error) {
	var v []byte
	keep, quoted := 0, false
	for {
		c := p.next()
		switch {
		case c == '\n' && quoted:
			return "", p.fault("quote without an end")
		case c == '\n':
			return string(v[:keep]), nil
		case isConfigSpace(c) && !quoted:
			if len(v) > 0 {
				v = append(v, c)
			}
			continue // keep stays behind
		case (c == '#' || c == ';') && !quoted:
			p.skipLine()
			return string(v[:keep]), nil
		case c == '"':
			quoted = !quoted
		case c == '\\':
			e := p.next()
			if e == '\n' {
				break // a continued line
			}
			i := strings.IndexByte(`tbn\"`, e)
			if i < 0 {
				return "", p.fault("unknown escape of %q", e)
			}
			v = append(v, "\t\b\n\\\""[i])
		default:
			v = append(v, c)
		}
		keep = len(v)
	}
}

func isConfigSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isAlpha(c byte) bool       { return 'a' <= lower(c) && lower(c) <= 'z' }
func isNameByte(c byte) bool    { return isAlpha(c) || '0' <= c && c <= '9' || c == '-' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
