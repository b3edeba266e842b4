package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// member is one member of a JSON object, or one element of a list, with its
// place in the text.
type member struct {
	key      string
	from, to int // the value
	keyFrom  int // the key's quote; of an element the value
}

// plain is the text with its comments as spaces, every other byte in its
// place. Where the harness reads no comments they stay, and are an error to
// whoever parses them.
func plain(text []byte, comments bool) []byte {
	if !comments {
		return text
	}
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '*':
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return out // it stays, and cannot be parsed
			}
			for end += i + 4; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return out
}

var errNoJSON = errors.New("it cannot be parsed as JSON")

// members lists the members of the one JSON object that text is. Anything
// that is not exactly that (two values, a name twice) is an error: the file
// would not mean to its reader what it means to us.
func members(text []byte, comments bool) ([]member, error) {
	text = plain(text, comments)
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var list []member
	seen := map[string]bool{}
	for dec.More() {
		keyFrom := skipTo(text, int(dec.InputOffset()), '"')
		key, err := dec.Token()
		name, isName := key.(string)
		if err != nil || !isName {
			return nil, errNoJSON
		}
		if seen[name] {
			return nil, fmt.Errorf("it has the key %q twice", name)
		}
		seen[name] = true
		value, err := decode(dec)
		if err != nil {
			return nil, err
		}
		value.key, value.keyFrom = name, keyFrom
		list = append(list, value)
	}
	return list, ended(dec)
}

// elements lists the elements of the one JSON list that text is.
func elements(text []byte, comments bool) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(plain(text, comments)))
	open, err := dec.Token()
	if err != nil || open != json.Delim('[') {
		return nil, errors.New("it is not a JSON list")
	}
	var list []member
	for dec.More() {
		value, err := decode(dec)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, ended(dec)
}

func decode(dec *json.Decoder) (member, error) {
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return member{}, errNoJSON
	}
	to := int(dec.InputOffset())
	return member{from: to - len(value), to: to, keyFrom: to - len(value)}, nil
}

func ended(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return errNoJSON
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is something after its JSON value")
	}
	return nil
}

func skipTo(text []byte, i int, c byte) int {
	for i < len(text) && text[i] != c {
		i++
	}
	return i
}

// setMember replaces the value of a key, adds the key at the end, or with a
// nil value removes it. All other bytes stay. depth is how far the object's
// members are indented.
func setMember(text []byte, key string, value []byte, depth int, comments bool) ([]byte, error) {
	list, err := members(text, comments)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		if m.key != key {
			continue
		}
		if value != nil {
			return splice(text, m.from, m.to, value), nil
		}
		return cutElement(text, list, i, comments), nil
	}
	if value == nil {
		return text, nil
	}
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	pad := "\n" + strings.Repeat("  ", depth)
	if len(list) == 0 {
		bare := plain(text, comments)
		open, end := bytes.IndexByte(bare, '{')+1, bytes.LastIndexByte(bare, '}')
		inside := slices.Clip(bytes.TrimRight(text[open:end], " \t\r\n")) // a comment stays
		return splice(text, open, end, append(inside, pad+string(name)+": "+string(value)+"\n"+strings.Repeat("  ", depth-1)...)), nil
	}
	last := list[len(list)-1].to
	return splice(text, last, last, []byte(","+pad+string(name)+": "+string(value))), nil
}

// appendElement adds an element to the end of a list.
func appendElement(list, value []byte, comments bool) ([]byte, error) {
	items, err := elements(list, comments)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		bare := plain(list, comments)
		open, end := bytes.IndexByte(bare, '[')+1, bytes.LastIndexByte(bare, ']')
		inside := slices.Clip(bytes.TrimRight(list[open:end], " \t\r\n"))
		return splice(list, open, end, append(inside, "\n      "+string(value)+"\n    "...)), nil
	}
	last := items[len(items)-1].to
	return splice(list, last, last, []byte(",\n      "+string(value))), nil
}

// cutElement removes the i-th member or element with one comma beside it, and
// no comment.
func cutElement(text []byte, list []member, i int, comments bool) []byte {
	bare := plain(text, comments)
	from, to := list[i].keyFrom, list[i].to
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	if i+1 < len(list) {
		to = skipTo(bare, to, ',') + 1
		for to < len(text) && blank(text[to]) {
			to++
		}
		return splice(text, from, to, nil)
	}
	for from > 0 && blank(text[from-1]) {
		from--
	}
	text = splice(text, from, to, nil)
	if i > 0 {
		comma := skipTo(bare, list[i-1].to, ',')
		text = splice(text, comma, comma+1, nil)
	}
	return text
}

func splice(text []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}
