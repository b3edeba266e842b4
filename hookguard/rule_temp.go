package hookguard

import (
	"fmt"
	"strings"

	"lane/hookguard/shell"
)

// tempBlock protects the temporary directories that all users and sessions
// share: names there are guessed, followed as links and read by others.
// Reading them is free.
var tempBlock = &Rule{
	ID:   "lane/temp-block",
	Says: "which is in a shared temporary directory",
	Catch: []Example{
		{Tool: "Write", Text: "/tmp/out.txt"},
		{Tool: "Write", Text: "/private/tmp/out.txt"},
		{Text: "echo x > /tmp/out.txt"},
		{Text: "mkdir -p /var/tmp/build"},
		{Text: "touch /dev/shm/a"},
		{Text: "echo x > /old/tmp/a", Set: func(f *Facts) { f.CallerTmp = "/old/tmp" }},
		{Tool: "Write", Text: "/tmp/other/a", Set: repoInTmp},
	},
	Pass: []Example{
		{Tool: "Read", Text: "/tmp/out.txt"},
		{Text: "cat /tmp/out.txt"},
		{Text: "echo x > \"$TMPDIR/out.txt\""},
		{Text: "echo x > \"${TMPDIR:-/tmp}/out.txt\""},
		{Text: "echo x > /tmp/lane/a", Set: func(f *Facts) { f.Tmp = "/tmp/lane" }},
		{Text: "mkdir -p tmp && touch tmp/a"},
	},
	check: func(g *guard, p place) (string, bool) {
		// A repository that somebody keeps below /tmp is a repository: the way
		// on from its main checkout is the same file in the lane.
		if p.op == shell.Read || g.granted(p) || g.writable(p) || p.must(g.mainCheckout()) {
			return "", false
		}
		dir, shared := g.sharedTemp(p)
		if !shared {
			return "", false
		}
		return g.tempWayOn(p, dir), true
	},
}

// repoInTmp makes an example's repository and worktree lie below /tmp.
func repoInTmp(f *Facts) {
	f.Worktree, f.CommonDir, f.GitDir = "/tmp/wt", "/tmp/repo/.git", "/tmp/repo/.git/worktrees/wt"
}

// sharedTemps are temporary directories by the path people type; the macOS
// twins are what their links resolve to.
var sharedTemps = []string{
	"/tmp", "/var/tmp", "/dev/shm", "/run/shm", "/usr/tmp",
	"/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders",
}

func (g *guard) sharedTemp(p place) (dir string, shared bool) {
	for _, dir := range append(sharedTemps[:len(sharedTemps):len(sharedTemps)], g.facts.CallerTmp) {
		if p.must(dir) {
			return dir, true
		}
	}
	return "", false
}

func (g *guard) tempWayOn(p place, dir string) string {
	if g.facts.Tmp == "" {
		return fmt.Sprintf("Use a directory inside the worktree (%s) for temporary files.", g.facts.Worktree)
	}
	instead := "$TMPDIR"
	if rest, ok := strings.CutPrefix(p.at, dir+"/"); ok && !shell.HasHole(rest) {
		instead = "$TMPDIR/" + rest
	}
	return fmt.Sprintf("Use the lane's own temporary directory instead: %q, where $TMPDIR = %s.", instead, g.facts.Tmp)
}
