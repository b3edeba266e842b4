package shell

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads shell text as the harness's shell would. The shell takes the
// end of the text for the end of a here-document that nobody closed.
func (in *interp) parse(src string) (*syntax.File, error) {
	lang := syntax.LangBash
	if in.req.Zsh {
		lang = syntax.LangZsh
	}
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(&timedReader{in: in, text: src}, "")
	if err != nil && strings.Contains(src, "<<") {
		if _, open := withoutDocuments(src); open != "" {
			file, err = syntax.NewParser(syntax.Variant(lang)).Parse(&timedReader{in: in, text: src + "\n" + open + "\n"}, "")
		}
	}
	if errors.Is(err, errLimit) {
		panic(errLimit)
	}
	return file, err
}

// admit counts source text and refuses what would be slow to parse.
func (in *interp) admit(src string) {
	in.parsed += len(src)
	code := src
	if strings.Contains(src, "<<") {
		code, _ = withoutDocuments(src)
	}
	if in.coded += len(code); in.parsed > maxSource || in.coded > maxCode || nesting(code) > maxNesting || expansionNesting(src) > maxNesting {
		panic(errLimit)
	}
}

// withoutDocuments leaves out the text of here-documents, which costs a parser
// next to nothing, and names one that is still open at the end. It looks at
// lines only; what deceives it is caught by the time limit.
func withoutDocuments(src string) (code, tag string) {
	var b strings.Builder
	for line := range strings.Lines(src) {
		word := strings.TrimSpace(line)
		switch {
		case tag != "" && word == tag:
			tag = ""
		case tag != "":
		default:
			b.WriteString(line)
			if _, rest, ok := strings.Cut(line, "<<"); ok && !strings.HasPrefix(rest, "<") {
				rest = strings.TrimLeft(rest, "- \t")
				end := 0
				rest = strings.TrimLeft(rest, `'"\`)
				for end < len(rest) && isNameByte(rest[end]) {
					end++
				}
				tag = rest[:end]
			}
		}
	}
	return b.String(), tag
}

// timedReader hands source to the parser and stops when there is no time left.
type timedReader struct {
	in   *interp
	text string
}

func (r *timedReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	if r.in.parsed > unhurried && busy()-r.in.start > maxTime {
		return 0, errLimit
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// readable replaces the holes of code by words a parser takes, and says
// whether a whole command may hide in one: a hole where a command starts.
func readable(src string) (code string, hidden bool) {
	if !HasHole(src) {
		return src, false
	}
	var b bytes.Buffer
	at := 0
	pieces(src, func(piece string, hole bool) bool {
		at += len(piece)
		switch {
		case !hole:
			b.WriteString(piece)
		case piece == holeStar || piece == holeQuery || piece == holeSet || piece == holeEnd:
			b.WriteByte(piece[1])
		case piece == holeInit:
			b.WriteString("\n")
		default:
			hidden = hidden || startsCommand(b.Bytes()) && !assigns(src[at:])
			b.WriteString("${_lane_" + piece[1:] + "}")
		}
		return true
	})
	return b.String(), hidden
}

// assigns reports whether code goes on as the name of a variable that is set.
func assigns(code string) bool {
	i := 0
	for i < len(code) && isNameByte(code[i]) {
		i++
	}
	return strings.HasPrefix(code[i:], "=")
}

// startsCommand reports whether what follows the code so far is where a
// command's name stands.
func startsCommand(code []byte) bool {
	code = bytes.TrimRight(code, " \t")
	return len(code) == 0 || bytes.IndexByte([]byte(";|&(\n{`!"), code[len(code)-1]) >= 0
}

// nesting is the greatest depth of open brackets in src, or of compound
// commands in fifths of one: their words also occur in prose. It does not know
// quotes: it only has to notice what would make a recursive parser slow.
func nesting(src string) int {
	depth, deepest, words, most := 0, 0, 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '(', '{', '[':
			if depth++; depth > deepest {
				deepest = depth
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		case 'i', 'w', 'u', 'f', 'c', 'd', 'e', 's':
			if i > 0 && isNameByte(src[i-1]) {
				continue
			}
			end := i + 1
			for end < len(src) && end < i+8 && isNameByte(src[end]) {
				end++
			}
			switch src[i:end] {
			case "if", "while", "until", "for", "case", "select":
				words++
				most = max(most, words)
			case "fi", "done", "esac":
				words = max(0, words-1)
			}
		}
	}
	return max(deepest, most/5)
}

// expansionNesting is the greatest depth of "$(" and "${" in src, the text of
// here-documents included.
func expansionNesting(src string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '$':
			if i+1 < len(src) && (src[i+1] == '(' || src[i+1] == '{') {
				depth++
				deepest = max(deepest, depth)
			}
		case ')', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}
