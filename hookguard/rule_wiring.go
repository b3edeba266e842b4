package hookguard

import (
	"strings"

	"lane/hookguard/shell"
	"lane/sandbox"
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
		{Tool: "Write", Text: ".claude/commands/release.md", Set: inRun},
		{Text: "mkdir -p .claude/skills/x", Set: inRun},
		{Tool: "Write", Text: ".github/agents/x.md", Set: inRun},
		{Tool: "Write", Text: "pkg/.claude/commands/release.md", Set: inRun},
		{Tool: "Write", Text: "pkg/.vscode/tasks.json", Set: inRun},
	},
	Pass: []Example{
		{Tool: "Read", Text: ".claude/settings.json"},
		{Tool: "Write", Text: "CLAUDE.md"},
		{Tool: "Write", Text: ".claude/commands/release.md"},
		{Text: "mkdir -p .claude/skills/x && echo hi > .claude/skills/x/SKILL.md"},
		{Tool: "Write", Text: "pkg/.claude/commands/release.md"},
		{Tool: "Write", Text: "pkg/.vscode/tasks.json"},
		{Tool: "Write", Text: ".github/instructions/go.md", Set: inRun},
		{Tool: "Write", Text: "node_modules/x/.vscode/tasks.json", Set: inRun},
		{Tool: "Write", Text: "/home/dev/.codex/worktrees/a/main.go", Set: func(f *Facts) { f.Worktree = "/home/dev/.codex/worktrees/a" }},
		{Tool: "Write", Text: "docs/claude/settings.json"},
		{Tool: "Write", Text: ".github/workflows/ci.yml"},
		{Text: "cat .envrc"},
	},
	check: func(g *guard, p place) (string, bool) {
		if p.op == shell.Read || g.granted(p) || !g.wired(p) {
			return "", false
		}
		return "A lane cannot change its own wiring or another agent's. Say what should change and leave the change to the user, who can make it outside the lane.", true
	},
}

// inRun makes an example one of a run, which has a state directory.
func inRun(f *Facts) { f.State = "/home/dev/.lane/runs/1/state" }

// wired reports whether the place is, lies in, or holds wiring by the table
// that the operating system layer protects by. A directory is touched as a
// whole when it is removed or replaced.
//
// In a run the layer says what is wiring, in directories below too. On its
// own the guard has to guess where an agent will be started: agents and
// direnv read their wiring in nested directories, an editor at the root
// alone, and a nested .vimrc may be what the project is about; texts for the
// agent are the documents they look like.
func (g *guard) wired(p place) bool {
	names := p.names()
	first, root, layered := 0, len(names), false
	if below(p.at, g.facts.Worktree) {
		root = strings.Count(strings.TrimSuffix(g.facts.Worktree, "/"), "/")
		first, layered = root, g.facts.State != ""
	}
	if layered && wiredByLayer(names[root:]) {
		return true
	}
	for _, w := range sandbox.Wiring() {
		want := strings.Split(w.Path, "/")
		for i := first; i < len(names); i++ {
			if layered && i > root && len(names)-i >= len(want) && !shell.HasWildcard(p.at) {
				continue // the layer was asked
			}
			if !layered && prose(names[i:], p.by) {
				continue
			}
			// A plugin's own directory is a product like another, and read
			// only where the plugin is installed.
			anywhere := w.Harness != "editor" && strings.HasPrefix(w.Path, ".") && w.Path != ".claude-plugin"
			if (anywhere || i == root) && matchesWiring(names[i:], want, p.op) {
				return true
			}
		}
	}
	return false
}

// wiredByLayer reports whether a path of the worktree is, or lies in, wiring
// of a directory below the top. The top's own is in the table as it stands.
func wiredByLayer(names []string) bool {
	table := sandbox.NewWiringBelow()
	for i := 2; i <= len(names); i++ {
		if _, ok := table.Find(strings.Join(names[:i], "/")); ok {
			return true
		}
	}
	return false
}

// prose reports whether a path below an agent's directory is a text for the
// agent, which a project keeps under version control like its other texts.
func prose(names []string, by string) bool {
	if len(names) < 2 || by != "mkdir" && (len(names) < 3 || !strings.HasSuffix(names[len(names)-1], ".md")) {
		return false
	}
	switch names[0] + "/" + names[1] {
	case ".claude/commands", ".claude/agents", ".claude/skills", ".claude/output-styles", ".claude/rules",
		".github/agents", ".github/prompts", ".github/skills", ".github/instructions", ".gemini/agents", ".gemini/skills":
		return true
	}
	return false
}

func matchesWiring(names, want []string, op shell.Op) bool {
	for i, w := range want {
		if i == len(names) { // an ancestor of the wiring
			return i > 0 && w != "" && strings.HasPrefix(want[0], ".") && want[0] != ".github" && want[0] != ".config" && (op == shell.Remove || op == shell.Name)
		}
		if !sameName(names[i], w) {
			return false
		}
	}
	// What lies below a wiring file makes a directory of its name, which the
	// layer refuses and quarantine takes away like the file.
	return true
}

// sameName compares a component, which may hold wildcards, to a name. Case
// does not matter: on many disks it does not distinguish files.
func sameName(component, name string) bool {
	if strings.EqualFold(component, name) {
		return true
	}
	return shell.HasWildcard(component) && strings.HasPrefix(component, name[:1]) && shell.Match(component, name)
}
