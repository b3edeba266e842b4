package hookguard

import (
	"strings"
	"unicode"

	"lane/hookguard/shell"
)

const gitWayOn = "Git's own files are changed by git commands only, and the shared ones by the user only. Use git add and git commit for your work; leave hooks, configuration and references alone."

// sharedGit protects the repository's common git directory and the worktree's
// own entry in it.
var sharedGit = &Rule{
	ID:   "lane/shared-git",
	Says: "which is in the git directory that all worktrees share",
	Catch: []Example{
		{Tool: "Write", Text: "/srv/repo/.git/hooks/pre-commit"},
		{Tool: "Edit", Text: "/srv/repo/.git/config"},
		{Text: "echo x > /srv/repo/.git/worktrees/proj/HEAD"},
		{Text: "rm -f ../../srv/repo/.git/index.lock"},
		{Text: "echo x > /tmp/repo/.git/config", Set: repoInTmp},
	},
	Pass: []Example{
		{Tool: "Read", Text: "/srv/repo/.git/config"},
		{Text: "cat /srv/repo/.git/HEAD"},
		{Text: "git status"},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Read || g.granted(p) {
			return "", false
		}
		if !p.must(g.facts.CommonDir) && !p.must(g.facts.GitDir) {
			return "", false
		}
		return gitWayOn, true
	},
}

// gitSegment protects every .git anywhere: the worktree's pointer, nested
// repositories, and names that some file systems take for .git.
var gitSegment = &Rule{
	ID:   "lane/git-dir",
	Says: "which is a .git file or directory, or lies in one",
	Catch: []Example{
		{Tool: "Write", Text: ".git"},
		{Tool: "Write", Text: "vendor/lib/.git/config"},
		{Tool: "Write", Text: ".GIT/hooks/pre-commit"},
		{Tool: "Write", Text: "git~1/config"},
		{Text: "rm -rf .git"},
		{Text: "rm -rf \"$PWD\""},
		{Text: "find . -type f -delete"},
		{Text: "cp -r ../other/.git ."},
		{Text: "echo x > .g\u200cit/config"},
	},
	Pass: []Example{
		{Tool: "Write", Text: ".gitignore"},
		{Tool: "Write", Text: ".github/workflows/ci.yml"},
		{Tool: "Write", Text: "a.git/readme"},
		{Text: "cat .git/HEAD"},
		{Text: "echo '*.o' >> .gitignore"},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Read || g.granted(p) {
			return "", false
		}
		if p.op == shell.Remove && p.at == g.facts.Worktree {
			return "It is the worktree itself, and git's pointer lies in it. Remove what is inside instead.", true
		}
		for _, name := range p.names() {
			if isDotGit(name) {
				return gitWayOn, true
			}
		}
		return "", false
	},
}

// isDotGit reports whether a component is .git to some file system: case
// variants, HFS+ with characters it ignores, NTFS short names, trailing dots
// and streams; or a pattern that .git matches.
func isDotGit(name string) bool {
	if sameName(name, ".git") {
		return true
	}
	plain := strings.Map(func(r rune) rune {
		if ignoredByHFS(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	if stream := strings.IndexByte(plain, ':'); stream >= 0 {
		plain = plain[:stream]
	}
	plain = strings.TrimRight(plain, ". ")
	return plain == ".git" || plain == "git~1"
}

// ignoredByHFS are the code points HFS+ drops when it compares names.
func ignoredByHFS(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e ||
		r >= 0x206a && r <= 0x206f || r == 0xfeff
}
