package hookguard

import (
	"fmt"
	"strings"

	"lane/hookguard/shell"
)

// outside keeps writes in the worktree. It does not object to devices, nor to
// the directories the user listed under allow_outside.
var outside = &Rule{
	ID:   "lane/outside",
	Says: "which is outside the worktree",
	Catch: []Example{
		{Tool: "Write", Text: "/etc/hosts"},
		{Tool: "Write", Text: "../other/a.txt"},
		{Tool: "Write", Text: "/wt/proj-evil/a"},
		{Tool: "Write", Text: "~/notes.md"},
		{Tool: "Write", Text: "~root/.profile"},
		{Text: "echo x > ../a"},
		{Text: "cp a.txt /srv/repo/src/a.txt"},
		{Tool: "Write", Text: "/tmp/repo/src/a.txt", Set: repoInTmp},
		{Text: "touch /tmp/repo/$name", Set: repoInTmp},
		{Tool: "Read", Text: "/etc/passwd", Set: func(f *Facts) { f.GuardReads = true }},
	},
	Pass: []Example{
		{Tool: "Write", Text: "src/a.go"},
		{Tool: "Write", Text: "/wt/proj/a/../b"},
		{Tool: "Read", Text: "/etc/passwd"},
		{Text: "make > /dev/null 2>&1"},
		{Text: "cd sub && touch ../a"},
		{Tool: "Write", Text: "/opt/out/a", Set: func(f *Facts) { f.AllowOutside = StringList{"/opt/out"} }},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Use || p.op == shell.Read && !g.facts.GuardReads {
			return "", false
		}
		if p.loops {
			return "The path has too many symbolic links to say where it leads.", true
		}
		if strings.HasPrefix(p.given, "~") && p.given != "~" && !strings.HasPrefix(p.given, "~/") && p.by != "" && g.tilde(p) {
			return g.outsideWayOn(p), true
		}
		if !strings.HasPrefix(p.at, "/") || g.writable(p) || g.possiblyWritable(p) {
			return "", false
		}
		return g.outsideWayOn(p), true
	},
}

// tilde reports whether a file tool was given another user's home: no file
// tool expands it, but the agent meant to leave the worktree.
func (g *guard) tilde(p place) bool {
	name, _, _ := strings.Cut(p.given[1:], "/")
	return name != "" && strings.HasPrefix(p.abs, p.cwd+"/~") && isUserName(name)
}

func isUserName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '+' {
			return false
		}
	}
	return true
}

// roots are the directories a call may write.
func (g *guard) roots() []string {
	return append([]string{g.facts.Worktree, g.facts.Tmp, g.facts.OwnGit}, g.facts.AllowOutside...)
}

func (g *guard) writable(p place) bool {
	for _, dir := range g.roots() {
		if p.must(dir) {
			return true
		}
	}
	return isDevice(p)
}

// possiblyWritable is for a path that is known in part only.
func (g *guard) possiblyWritable(p place) bool {
	for _, dir := range g.roots() {
		if p.may(dir) {
			return true
		}
	}
	return false
}

// isDevice reports whether writing the path reaches no file system: the
// standard streams, terminals and the like. Disks are not among them.
func isDevice(p place) bool {
	if p.op == shell.Remove || p.op == shell.Name {
		return false
	}
	switch p.at {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/console":
		return true
	}
	return p.must("/dev/fd") || p.must("/dev/pts") || p.must("/dev/tcp") || p.must("/dev/udp") ||
		strings.HasPrefix(p.fixed, "/proc/self/fd/") || strings.HasPrefix(p.fixed, "/proc/thread-self/fd/")
}

func (g *guard) outsideWayOn(p place) string {
	if lane := g.inLane(p.at); lane != "" && !shell.HasHole(lane) {
		return fmt.Sprintf("It is in the main checkout; your copy of the same file is %s.", lane)
	}
	return fmt.Sprintf("Stay inside the worktree (%s). If the user really wants this path, they can open its directory (lane run --write DIR, or the setting allow_outside); do not retry before.", g.facts.Worktree)
}
