package shell

import (
	"path"
	"strconv"
	"strings"
)

// grow is list.append(x) and its like, on a list that a variable holds.
func (e *evaluator) grow(object value, method string, args []value) bool {
	if object.known() || len(args) == 0 {
		return false
	}
	switch method {
	case "append", "push", "extend", "insert", "unshift", "concat", "add":
	default:
		return false
	}
	v := e.vars[object.from]
	for _, a := range positional(args) {
		if len(v.list) > maxFields {
			panic(errLimit)
		}
		if len(a.list) > 0 {
			v.list = append(v.list, a.list...)
		} else {
			v.list = append(v.list, a)
		}
	}
	e.vars[object.from] = v
	return true
}

// pureMethod are methods that only compute.
func (e *evaluator) pureMethod(object value, method string, args []value) (value, bool) {
	plain := positional(args)
	switch method {
	case "join":
		return e.joined(object, plain)
	case "joinpath":
		v := e.join("joinpath", append([]value{object}, plain...))
		v.isDir = true
		return v, true
	case "split":
		if object.known() && !HasHole(object.text()) {
			sep := " "
			if len(plain) > 0 {
				sep = plain[0].text()
			}
			return value{list: splitText(object.text(), sep)}, true
		}
	case "reverse":
		return reversed(object), true
	case "concat", "append", "push":
		if object.known() {
			return e.concat(append([]value{object}, plain...)), true
		}
	case "format":
		return braces(object, args), true
	case "replace", "replaceAll", "gsub", "sub", "tr":
		return replaced(object, plain)
	case "repeat":
		if n, err := strconv.Atoi(plain0(plain)); err == nil && n < 64 {
			return mapTexts(object, func(s string) string { return strings.Repeat(s, n) }), true
		}
	case "read", "read_text", "readlines", "readline", "read_bytes", "readFileSync":
		if object.made {
			return object, true
		}
		return textValue(holeFile), true
	}
	v := e.method(object, method, plain)
	return v, v.known() || len(v.list) > 0
}

// joined is ['a', 'b'].join('/'), '/'.join(['a', 'b']) and path.join('x').
func (e *evaluator) joined(object value, plain []value) (value, bool) {
	switch {
	case len(object.list) > 0:
		sep := ","
		if e.lang == langRuby {
			sep = ""
		}
		if len(plain) > 0 {
			sep = plain[0].text()
		}
		return joinList(object, sep), true
	case len(plain) == 1 && object.known() && !object.isDir:
		return joinList(plain[0], object.text()), true
	case object.known() && len(plain) > 0:
		return joinPaths(object, plain[0]), true
	}
	return unknown, false
}

func reversed(object value) value {
	if len(object.list) == 0 {
		return mapTexts(object, reverse)
	}
	list := append([]value(nil), object.list...)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return value{list: list}
}

// replaced is a replacement in a text; of a path object it is a rename.
func replaced(object value, plain []value) (value, bool) {
	if object.isDir {
		return unknown, false
	}
	if len(plain) < 2 || !plain[0].known() || !plain[1].known() {
		return object, true
	}
	return mapTexts(object, func(s string) string {
		out := int64(strings.Count(s, plain[0].text())) * int64(len(plain[1].text()))
		if out > maxValue {
			panic(errLimit)
		}
		return strings.ReplaceAll(s, plain[0].text(), plain[1].text())
	}), true
}

func plain0(plain []value) string {
	if len(plain) == 0 {
		return ""
	}
	return plain[0].text()
}

// method are the simple ones of a text.
func (e *evaluator) method(object value, name string, _ []value) value {
	switch name {
	case "decode", "encode", "toString", "to_s", "strip", "trim", "chomp", "rstrip", "lstrip", "trimEnd", "valueOf", "freeze", "dup", "as_posix", "resolve", "absolute", "expand_path", "realpath", "to_path", "slice", "toLocaleString", "normalize", "cleanpath", "b":
		if name == "expand_path" {
			object = e.expand(object)
		}
		return object
	case "expanduser":
		return e.expand(object)
	case "upper", "toUpperCase", "upcase":
		return mapTexts(object, strings.ToUpper)
	case "lower", "toLowerCase", "downcase":
		return mapTexts(object, strings.ToLower)
	case "unpack1", "unpack":
		return mapTexts(object, decode64)
	case "pack":
		return textValue(characters(object.list))
	case "with_name", "with_suffix":
		return value{texts: mapTexts(object, path.Dir).texts, isDir: object.isDir}
	case "dirname":
		return value{texts: mapTexts(object, path.Dir).texts, isDir: object.isDir}
	case "chars", "bytes":
		return object
	}
	return unknown
}

func mapTexts(v value, f func(string) string) value {
	out := value{isDir: v.isDir}
	for _, t := range v.texts {
		out.texts = append(out.texts, f(t))
	}
	return out
}

func joinList(list value, sep string) value {
	if len(list.list) == 0 {
		return list
	}
	out := list.list[0]
	for _, v := range list.list[1:] {
		out = joinTexts(out, v, sep)
	}
	return value{texts: out.texts}
}

func splitText(s, sep string) []value {
	var out []value
	for i, part := range strings.Split(s, sep) {
		if i == 256 {
			break
		}
		out = append(out, textValue(part))
	}
	return out
}

// braces is '{}/{x}'.format(…).
func braces(f value, args []value) value {
	if !f.known() {
		return unknown
	}
	out, s, next := textValue(""), f.texts[0], 0
	plain := positional(args)
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return joinTexts(out, textValue(s), "")
		}
		part := hole(s[i:])
		key := strings.Trim(part, "{}")
		key, _, _ = strings.Cut(key, ":")
		v := unknown
		if n, err := strconv.Atoi(key); err == nil && n < len(plain) {
			v = plain[n]
		} else if named, ok := keyword(args, key); ok {
			v = named
		} else if key == "" && next < len(plain) {
			v = plain[next]
			next++
		}
		out = joinTexts(joinTexts(out, textValue(s[:i]), ""), v, "")
		s = s[i+len(part):]
	}
}
