package hookguard

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"lane/hookguard/shell"
)

// touch is one thing a tool call would do to one path.
type touch struct {
	op    shell.Op
	given string // as the call spells it
	abs   string // absolute, or starting with a hole; not yet resolved
	by    string // what does it, for the reason: "Write", "cp", "a redirection"
	cwd   string
	links []shell.Link // made earlier in the same command
}

// place is a touch with its path resolved.
type place struct {
	touch
	at    string // resolved; may hold holes
	fixed string // at up to its first hole: certain text
	loops bool   // too many links
}

func (g *guard) locate(t touch) place {
	p := place{touch: t, at: t.abs}
	if strings.HasPrefix(t.abs, "/") {
		at, ok := resolve(overlay{g.links, t.links}, t.abs, t.cwd, t.op.Follows())
		p.at, p.loops = at, !ok
	}
	p.fixed = shell.Fixed(p.at)
	return p
}

// must reports whether the place lies at or below dir whatever its holes are.
func (p place) must(dir string) bool {
	if dir == "" || !strings.HasPrefix(p.fixed, dir) && dir != "/" {
		return false
	}
	if p.fixed == p.at {
		return below(p.at, dir)
	}
	return dir == "/" || len(p.fixed) > len(dir) && p.fixed[len(dir)] == '/'
}

// may reports whether some value of the holes puts the place at or below dir.
// What stands for everything in a directory (a listing, a bare "*") is there
// only if that directory is.
func (p place) may(dir string) bool {
	if dir == "" {
		return false
	}
	if p.must(dir) {
		return true
	}
	if p.fixed == p.at {
		return false
	}
	names, want := p.names(), strings.Split(strings.Trim(dir, "/"), "/")
	for i, name := range names {
		if i == len(want) {
			return true
		}
		switch {
		case !shell.HasHole(name):
			if name != want[i] {
				return false
			}
		case shell.Everything(name):
			return false
		case !shell.Match(name, want[i]):
			return shell.Anything(name) && strings.HasPrefix(strings.Join(want[i:], "/")+"/", shell.Fixed(name))
		case shell.Anything(name):
			return true
		}
	}
	return true
}

// names returns the path's components. A component may hold holes.
func (p place) names() []string { return strings.Split(strings.Trim(p.at, "/"), "/") }

// show is the path for people: holes as "…".
func (p place) show() string { return shell.Show(p.at) }

// absolute joins a path as a tool spells it to the directory the call runs
// in. "~" is the user's home; "~other" is not expanded by any file tool and
// is left to rule tilde-user.
func (g *guard) absolute(given, cwd string) string {
	switch {
	case given == "~" || strings.HasPrefix(given, "~/"):
		return g.facts.Home + given[1:]
	case strings.HasPrefix(given, "/"):
		return given
	}
	return cwd + "/" + given
}

// fileTouch is a touch by a file tool, whose path has no holes.
func (g *guard) fileTouch(op shell.Op, tool, given, cwd string) touch {
	given = strings.ReplaceAll(strings.TrimPrefix(trimmed(given), "file://"), "\x00", "")
	return touch{op: op, given: given, abs: g.absolute(given, cwd), by: tool, cwd: cwd}
}

// trimmed is a path without the white space round it, which Claude Code for
// one takes away before it looks whether the path is absolute.
func trimmed(given string) string {
	if plain := strings.TrimFunc(given, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }); plain != "" {
		return plain
	}
	return given
}

// mainCheckout is the directory of the repository's main worktree, or "" if
// it has none that its git directory tells.
func (g *guard) mainCheckout() string {
	if path.Base(g.facts.CommonDir) != ".git" {
		return ""
	}
	return path.Dir(g.facts.CommonDir)
}

// inLane names the file of the worktree that stands for one in the main
// checkout, or "" if p is not in the main checkout.
func (g *guard) inLane(p string) string {
	main := g.mainCheckout()
	if p == main || !below(p, main) || below(p, g.facts.CommonDir) {
		return ""
	}
	return g.facts.Worktree + strings.TrimPrefix(p, main)
}

// subject is the first half of every reason: what was called on what.
func (p place) subject() string {
	given := shell.Show(p.given)
	if p.at == p.given {
		return fmt.Sprintf("%s %s %q", p.by, p.op.Verb(), given)
	}
	return fmt.Sprintf("%s %s %q (%s)", p.by, p.op.Verb(), given, p.show())
}
