package hookguard

import (
	"strings"

	"lane/hookguard/shell"
)

// wiring protects the files that make an agent or an editor run programs: a
// lane that could write them would disarm itself, or whoever opens the
// worktree next.
var wiring = &Rule{
	ID:   "lane/wiring",
	Says: "which is wiring: a file that makes an agent, an editor or a shell run programs",
	Catch: []Example{
		{Tool: "Write", Text: ".claude/settings.json"},
		{Tool: "Edit", Text: "/wt/proj/.mcp.json"},
		{Tool: "Write", Text: ".codex/config.toml"},
		{Tool: "Write", Text: ".vscode/tasks.json"},
		{Text: "echo 'export A=1' >> .envrc"},
		{Text: "rm -rf .claude"},
	},
	Pass: []Example{
		{Tool: "Read", Text: ".claude/settings.json"},
		{Tool: "Write", Text: "CLAUDE.md"},
		{Tool: "Write", Text: "docs/claude/settings.json"},
		{Tool: "Write", Text: ".github/workflows/ci.yml"},
		{Text: "cat .envrc"},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Read || g.granted(p) || !wired(p) {
			return "", false
		}
		return "A lane cannot change its own wiring or another agent's. Say what should change and leave the change to the user, who can make it outside the lane.", true
	},
}

// wiringPaths are matched at any depth, by whole components; a name with a
// slash at its end covers the directory and all below it.
var wiringPaths = []struct{ path, reason string }{
	{".claude/settings.json", "Claude Code: hooks, permissions, environment"},
	{".claude/settings.local.json", "Claude Code: hooks, permissions, environment"},
	{".claude/hooks/", "Claude Code: programs that hooks run"},
	{".mcp.json", "Claude Code: programs started as servers"},
	{".codex/", "Codex: hooks, servers, rules"},
	{".gemini/settings.json", "Gemini CLI: hooks, servers"},
	{".gemini/hooks/", "Gemini CLI: programs that hooks run"},
	{".github/hooks/", "Copilot: hooks"},
	{".github/copilot/", "Copilot: settings and servers"},
	{".copilot/", "Copilot: settings and servers"},
	{".agents/", "Antigravity and others: hooks, servers"},
	{".cursor/", "Cursor: hooks, servers"},
	{".envrc", "direnv: shell code on entering the directory"},
	{".vscode/", "VS Code: tasks and settings that run programs"},
	{".idea/", "JetBrains: run configurations"},
	{".config/lane.toml", "lane: the repository's own policy"},
}

// wired reports whether the place is, lies in, or holds wiring. A directory
// is touched as a whole when it is removed or replaced.
func wired(p place) bool {
	names := p.names()
	for _, w := range wiringPaths {
		want := strings.Split(strings.TrimSuffix(w.path, "/"), "/")
		for i := range names {
			if matchesWiring(names[i:], want, strings.HasSuffix(w.path, "/"), p.op) {
				return true
			}
		}
	}
	return false
}

func matchesWiring(names, want []string, whole bool, op shell.Op) bool {
	for i, w := range want {
		if i == len(names) { // an ancestor of the wiring
			return i > 0 && (op == shell.Remove || op == shell.Name)
		}
		if !sameName(names[i], w) {
			return false
		}
	}
	return whole || len(names) == len(want)
}

// sameName compares a component, which may hold wildcards, to a name. Case
// does not matter: on many disks it does not distinguish files.
func sameName(component, name string) bool {
	if strings.EqualFold(component, name) {
		return true
	}
	return shell.HasWildcard(component) && strings.HasPrefix(component, name[:1]) && shell.Match(component, name)
}
