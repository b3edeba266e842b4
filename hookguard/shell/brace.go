package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words one word with braces becomes.
const maxBraces = 256

// braces expands {a,b} and {1..3}, each result as the parts of a word.
func (in *interp) braces(w *syntax.Word) [][]syntax.WordPart {
	plain := true
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			plain = false
		}
	}
	if plain {
		return [][]syntax.WordPart{w.Parts}
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	syntax.SplitBraces(split)
	return in.product(split.Parts)
}

func (in *interp) product(parts []syntax.WordPart) [][]syntax.WordPart {
	results := [][]syntax.WordPart{nil}
	for _, p := range parts {
		choices := [][]syntax.WordPart{{p}}
		if b, ok := p.(*syntax.BraceExp); ok {
			choices = in.braceChoices(b)
		}
		var next [][]syntax.WordPart
		for _, r := range results {
			for _, c := range choices {
				next = append(next, append(r[:len(r):len(r)], c...))
			}
			if len(next) > maxBraces {
				panic(errLimit)
			}
		}
		results = next
	}
	return results
}

func (in *interp) braceChoices(b *syntax.BraceExp) [][]syntax.WordPart {
	var out [][]syntax.WordPart
	if b.Sequence {
		for _, s := range sequence(b.Elems) {
			out = append(out, []syntax.WordPart{&syntax.Lit{Value: s}})
		}
		return out
	}
	for _, e := range b.Elems {
		out = append(out, in.product(e.Parts)...)
		if len(out) > maxBraces {
			panic(errLimit)
		}
	}
	return out
}

// sequence is {a..b}: its first and last elements stand for a long one.
func sequence(elems []*syntax.Word) []string {
	if len(elems) < 2 {
		return []string{""}
	}
	from, to := elems[0].Lit(), elems[1].Lit()
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	letters := false
	if err1 != nil || err2 != nil {
		if len(from) != 1 || len(to) != 1 {
			return []string{"{" + from + ".." + to + "}"}
		}
		a, b, letters = int(from[0]), int(to[0]), true
	}
	step := 1
	if a > b {
		step = -1
	}
	var out []string
	for n := a; ; n += step {
		if letters {
			out = append(out, string(rune(n)))
		} else {
			out = append(out, strconv.Itoa(n))
		}
		if n == b || len(out) == 64 {
			return out
		}
	}
}
