package sandbox

import (
	"path"
	"slices"
	"strings"
)

// WiringRow is a file or directory of a worktree that makes an agent, an
// editor or a shell run code or take orders when a person next uses the
// worktree.
type WiringRow struct {
	// Path is relative to the worktree.
	Path string
	// Dir says that it is a directory, protected as a whole.
	Dir bool
	// Harness is whose wiring it is.
	Harness string
	Reason  string
}

// dependencyDirs hold packages of others, which ship their authors' editor
// settings along. Nobody starts an agent or an editor in them; what is in them
// is code that was fetched, and runs when it is used.
var dependencyDirs = []string{"node_modules", "bower_components", "vendor", "site-packages", ".venv", "venv", ".tox", ".cargo", "Pods"}

// WiringBelow finds wiring in directories below the top of a worktree, where
// an agent, an editor or a shell may be started as well.
type WiringBelow map[string][]WiringRow // by last component, folded

// NewWiringBelow makes it from [Wiring].
func NewWiringBelow() WiringBelow {
	rows := WiringBelow{}
	for _, w := range Wiring() {
		base := strings.ToLower(path.Base(w.Path))
		rows[base] = append(rows[base], w)
	}
	return rows
}

// Find returns the row that rel, relative to the worktree, is an instance of.
// What lies at the top and what lies in packages of others is none.
func (b WiringBelow) Find(rel string) (WiringRow, bool) {
	rows := b[strings.ToLower(path.Base(rel))]
	if len(rows) == 0 {
		return WiringRow{}, false
	}
	for part := range strings.SplitSeq(path.Dir(rel), "/") {
		if slices.Contains(dependencyDirs, part) {
			return WiringRow{}, false
		}
	}
	for _, w := range rows {
		if strings.HasSuffix(strings.ToLower(rel), "/"+strings.ToLower(w.Path)) {
			return w, true
		}
	}
	return WiringRow{}, false
}

// Wiring are the names of every harness: an agent must not write another
// agent's wiring either. What exists at launch is protected; what was absent
// and appeared is taken to quarantine.
//
// Not in the table are files that are instructions to build tools and test
// runners (Makefile, package.json, conftest.py, .husky): to write those is
// the work an agent is for, and what runs them afterwards is not confined
// (SECURITY.md).
func Wiring() []WiringRow {
	return []WiringRow{
		{".claude/settings.json", false, "claude-code", "hooks, environment, permissions and sandbox settings"},
		{".claude/settings.local.json", false, "claude-code", "hooks, environment, permissions and sandbox settings"},
		{".claude/agents", true, "claude-code", "subagents with tools of their own"},
		{".claude/commands", true, "claude-code", "commands that run shell lines when called"},
		{".claude/hooks", true, "claude-code", "programs that the settings name as hooks"},
		{".claude/launch.json", false, "claude-code", "programs that are started for previews"},
		{".claude/loop.md", false, "claude-code", "a prompt that runs unasked"},
		{".claude/mods", true, "claude-code", "code that is loaded into the agent"},
		{".claude/output-styles", true, "claude-code", "replaces the system prompt"},
		{".claude/plugins", true, "claude-code", "code that is loaded into the agent"},
		{".claude/routines", true, "claude-code", "prompts that run unasked"},
		{".claude/scheduled_tasks.json", false, "claude-code", "prompts that run unasked"},
		{".claude/skills", true, "claude-code", "skills with programs and tool grants"},
		{".claude/workflows", true, "claude-code", "programs that steer agents"},
		{".claude-plugin", true, "claude-code", "code that is loaded into the agent"},
		{".mcp.json", false, "claude-code", "servers that are started with the agent"},
		{".codex", true, "codex", "configuration, hooks, rules and servers"},
		{".gemini/settings.json", false, "gemini-cli", "hooks, servers and tool settings"},
		{".gemini/.env", false, "gemini-cli", "environment of the agent"},
		{".gemini/commands", true, "gemini-cli", "commands that run shell lines when called"},
		{".gemini/agents", true, "gemini-cli", "subagents with tools of their own"},
		{".gemini/extensions", true, "gemini-cli", "code that is loaded into the agent"},
		{".gemini/hooks", true, "gemini-cli", "programs that the settings name as hooks"},
		{".gemini/policies", true, "gemini-cli", "what the agent may do unasked"},
		{".gemini/skills", true, "gemini-cli", "skills with programs and tool grants"},
		{".gemini/sandbox.bashrc", false, "gemini-cli", "sourced by the sandbox's shell"},
		{".gemini/sandbox.Dockerfile", false, "gemini-cli", "builds the sandbox"},
		{".geminiignore", false, "gemini-cli", "which files the agent may see"},
		{".github/hooks", true, "copilot", "programs that run as hooks"},
		{".github/copilot", true, "copilot", "settings, servers and hooks"},
		{".github/agents", true, "copilot", "subagents with tools of their own"},
		{".github/prompts", true, "copilot", "commands with tools of their own"},
		{".github/skills", true, "copilot", "skills with programs and tool grants"},
		{".github/mcp.json", false, "copilot", "servers that are started with the agent"},
		{".copilot", true, "copilot", "settings, servers and hooks"},
		{".agents", true, "antigravity", "hooks, rules, skills and workflows"},
		{".agent", true, "antigravity", "rules, skills and workflows"},
		{".antigravity", true, "antigravity", "settings and servers"},
		{".cursor", true, "cursor", "hooks, rules and servers"},
		{".windsurf", true, "windsurf", "rules, workflows and hooks"},
		{".opencode", true, "opencode", "plugins, agents and commands"},
		{"opencode.json", false, "opencode", "servers, permissions and plugins"},
		{"opencode.jsonc", false, "opencode", "servers, permissions and plugins"},
		{".amp", true, "amp", "settings, servers and permissions"},
		{".augment", true, "augment", "rules, servers and commands"},
		{".crush", true, "crush", "servers, commands and permissions"},
		{".crush.json", false, "crush", "servers, commands and permissions"},
		{"crush.json", false, "crush", "servers, commands and permissions"},
		{".factory", true, "factory", "hooks, servers and subagents"},
		{".junie", true, "junie", "rules and servers"},
		{".kilocode", true, "kilocode", "rules, servers and modes"},
		{".trae", true, "trae", "rules and servers"},
		{".kiro", true, "kiro", "hooks and servers"},
		{".qwen", true, "qwen-code", "hooks, servers and tool settings"},
		{".roo", true, "roo", "servers, modes and commands"},
		{".clinerules", true, "cline", "rules, hooks and workflows"},
		{".continue", true, "continue", "servers and configuration"},
		{".aider.conf.yml", false, "aider", "commands that run after an edit"},
		{".vscode", true, "editor", "tasks, launchers, settings and servers that start programs"},
		{".idea", true, "editor", "run configurations and file watchers that start programs"},
		{".fleet", true, "editor", "run configurations that start programs"},
		{".zed", true, "editor", "tasks and settings that start programs"},
		{".helix", true, "editor", "language servers that are started when a file is opened"},
		{".lvimrc", false, "editor", "code that runs when a file is opened"},
		{".nvim.lua", false, "editor", "code that runs when the directory is opened"},
		{".nvimrc", false, "editor", "code that runs when the directory is opened"},
		{".exrc", false, "editor", "code that runs when the directory is opened"},
		{".vimrc", false, "editor", "code that runs when the directory is opened"},
		{".dir-locals.el", false, "editor", "code that runs when a file is opened"},
		{".dir-locals-2.el", false, "editor", "code that runs when a file is opened"},
		{".devcontainer", true, "editor", "commands that run on the host when the directory is opened"},
		{".devcontainer.json", false, "editor", "commands that run on the host when the directory is opened"},
		{".envrc", false, "shell", "runs when a shell enters the directory (direnv)"},
		{".mise.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".mise.local.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{"mise.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{"mise.local.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".mise", true, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".config/mise", true, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".config/mise.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".config/mise.local.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{"mise/config.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".rtx.toml", false, "shell", "hooks and tasks that run when a shell enters the directory"},
		{".autoenv", false, "shell", "runs when a shell enters the directory (autoenv)"},
		{".autoenv.zsh", false, "shell", "runs when a shell enters the directory (zsh-autoenv)"},
		{".hg/hgrc", false, "mercurial", "hooks and programs that hg runs, from many a shell's prompt"},
		{".config/lane.toml", false, "lane", "lane's own settings for this repository"},
	}
}
