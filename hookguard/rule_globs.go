package hookguard

import (
	"fmt"
	"strings"

	"lane/hookguard/shell"
)

// denyGlobs refuses what the user listed under deny_globs.
var denyGlobs = &Rule{
	ID:   "lane/deny-globs",
	Says: "which the user's deny_globs setting refuses",
	Catch: []Example{
		{Tool: "Write", Text: "go.sum", Set: func(f *Facts) { f.DenyGlobs = StringList{"*.sum"} }},
		{Tool: "Write", Text: "infra/a/b.tf", Set: func(f *Facts) { f.DenyGlobs = StringList{"infra/**"} }},
		{Tool: "Write", Text: "a.min.js", Set: func(f *Facts) { f.DenyGlobs = StringList{"*.min.{js,css}"} }},
		{Text: "rm infra/x", Set: func(f *Facts) { f.DenyGlobs = StringList{"infra"} }},
		{Tool: "Read", Text: "secrets/a", Set: func(f *Facts) { f.DenyGlobs, f.GuardReads = StringList{"secrets"}, true }},
	},
	Pass: []Example{
		{Tool: "Write", Text: "go.sum"},
		{Tool: "Write", Text: "my-infra/x", Set: func(f *Facts) { f.DenyGlobs = StringList{"infra/**"} }},
		{Tool: "Read", Text: "secrets/a", Set: func(f *Facts) { f.DenyGlobs = StringList{"secrets"} }},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Read && !g.facts.GuardReads {
			return "", false
		}
		for _, pattern := range g.facts.DenyGlobs {
			if g.globHits(pattern, p) {
				return fmt.Sprintf("The pattern is %q. Only the user can change it.", pattern), true
			}
		}
		return "", false
	},
}

// globHits matches the path as seen from the worktree; outside of it, and
// for a pattern that starts at "/", the absolute path.
func (g *guard) globHits(pattern string, p place) bool {
	if shell.HasHole(p.at) || !strings.HasPrefix(p.at, "/") {
		return false
	}
	if strings.HasPrefix(pattern, "~/") {
		pattern = g.facts.Home + pattern[1:]
	}
	rooted := strings.HasPrefix(pattern, "/")
	if rooted || !below(p.at, g.facts.Worktree) {
		return (rooted || anyDepth(pattern)) && globMatch(pattern, p.at)
	}
	return globMatch(pattern, strings.TrimPrefix(p.at, g.facts.Worktree))
}

// anyDepth reports whether a pattern is not anchored at the worktree's root.
func anyDepth(pattern string) bool {
	return strings.HasPrefix(pattern, "**") || !strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
}
