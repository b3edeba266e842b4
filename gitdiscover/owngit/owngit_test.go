package owngit

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

//go:embed owngit.go
var source string

// Every reason has a row in the manual's table, and no row is for nothing.
func TestReasonsHaveRows(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "owngit.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Reason" {
			declared++
			value := spec.Values[0].(*ast.BasicLit).Value
			refuse(Reason(value[1:len(value)-1]), "", "")
		}
		return true
	})
	if declared != len(Reasons()) {
		t.Errorf("%d reasons, %d rows", declared, len(Reasons()))
	}
	for _, r := range Reasons() {
		if r.Means == "" || r.Do == "" {
			t.Errorf("%s has no meaning or no remedy", r.Reason)
		}
	}
}

func TestWildmatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a?", "ab", true}, {"a?", "a/", false},
		{"*", "a", true}, {"*", "a/b", false}, {"**", "a/b", true}, {"a/**", "a/b/c", true}, {"a/**", "a", false},
		{"**/b", "b", true}, {"**/b", "a/c/b", true}, {"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true}, {"a/**/b", "ab", false},
		{"a**b", "a/b", false}, {"a**b", "axb", true}, {"[a-c]", "b", true}, {"[!a-c]", "b", false}, {"[!a]", "/", false}, {"[]]", "]", true},
		{"[[:digit:]]", "7", true}, {"[[:digit:]]", "x", false}, {`\*`, "*", true}, {`\*`, "x", false}, {"[", "[", false}, {"", "", true}, {"", "a", false},
		{"**/", "a/", true}, {"/**/x/**", "/a/x/b", true},
	} {
		if got := wildmatch(c.pattern, c.text, false); got != c.want {
			t.Errorf("wildmatch(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
	if !wildmatch("/A/*", "/a/B", true) {
		t.Error("case is not folded")
	}
}
