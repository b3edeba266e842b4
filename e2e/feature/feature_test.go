package feature_test

import (
	"testing"

	"lane/e2e/feature"
)

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		list  string
		names []string
		want  bool
	}{
		{"bwrap,agents", []string{"agents"}, true},
		{"bwrap,agents", []string{"git"}, false},
		{"bwrap,agents", []string{"agents", "codex"}, true},
		{"agents-of-others", []string{"agents"}, false},
		{"", []string{"bwrap"}, false},
	} {
		if got := feature.Asked(c.list, c.names...); got != c.want {
			t.Errorf("%q, %q: %v", c.list, c.names, got)
		}
	}
}
