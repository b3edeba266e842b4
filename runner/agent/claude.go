package agent

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lane/sandbox"
)

// claudeTools is the default tool set. Names outside it (WebFetch, worktree
// tools, …) are not offered to the model at all.
var claudeTools = []string{"Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep", "Agent"}

// claudeSecrets are the credentials that Claude Code itself needs and its
// shell tool must not see (sandbox.credentials of the settings).
var claudeSecrets = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"}

// claudePlaceholders are the mount points that Claude Code's sandbox makes for
// names it denies and that do not exist (facts/claude-code.md C1).
var claudePlaceholders = []string{".bash_profile", ".bashrc", ".profile", ".zprofile", ".zshrc", ".gitconfig", ".gitmodules",
	".mcp.json", ".ripgreprc", ".idea", ".vscode", ".claude/agents", ".claude/commands", ".claude/hooks", ".claude/launch.json",
	".claude/loop.md", ".claude/output-styles", ".claude/routines", ".claude/scheduled_tasks.json", ".claude/settings.json",
	".claude/settings.local.json", ".claude/skills", ".claude/workflows"}

func init() {
	register(&Agent{
		Name:    "claude",
		Program: "claude",
		Tested:  []string{"2.1.332"},
		Pass: []Var{
			{"ANTHROPIC_API_KEY", "Claude's key"},
			{"ANTHROPIC_AUTH_TOKEN", "a gateway's bearer token"},
			{"ANTHROPIC_BASE_URL", "a gateway or a scripted server"},
			{"ANTHROPIC_CUSTOM_HEADERS", "a gateway's headers"},
			{"ANTHROPIC_DEFAULT_OPUS_MODEL", "which model a name stands for"},
			{"ANTHROPIC_DEFAULT_SONNET_MODEL", "which model a name stands for"},
			{"ANTHROPIC_DEFAULT_HAIKU_MODEL", "which model a name stands for"},
			{"CLAUDE_CODE_OAUTH_TOKEN", "Claude's long-lived token"},
			{"CLAUDE_CODE_MAX_RETRIES", "how often the API is tried again"},
		},
		Secrets: claudeSecrets,
		Login: Login{
			Env:       []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
			File:      ".credentials.json",
			ConfigEnv: "CLAUDE_CONFIG_DIR",
			HomeDir:   ".claude",
			Token:     claudeToken,
			TokenEnv:  "CLAUDE_CODE_OAUTH_TOKEN",
			Hint:      "set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN, or log in once with `claude`",
		},
		// Claude Code refuses to start its sandbox without socat.
		Helpers:      []Helper{{"socat", "socat", "Claude Code's own sandbox relays its network through it"}},
		Network:      sandbox.NetworkHost,
		Nests:        true,
		Instructions: []string{"CLAUDE.md", ".claude/CLAUDE.md"},
		Ignored:      []string{".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".claude/agents", ".claude/skills", ".claude/commands", ".claude/hooks"},
		Litter:       []string{".claude/.cc-writes"},
		Placeholders: claudePlaceholders,
		Launch:       launchClaude,
		NewStream:    func() Stream { return &claudeStream{} },
	})
}

// claudeToken reads the access token out of Claude Code's credentials file.
// The refresh token beside it stays where it is: with it the lane could mint
// logins that outlive the run.
func claudeToken(file []byte) (string, time.Time, error) {
	var c struct {
		OAuth struct {
			AccessToken string `json:"accessToken"`
			ExpiresAt   int64  `json:"expiresAt"` // milliseconds
		} `json:"claudeAiOauth"`
	}
	if err := json.Unmarshal(file, &c); err != nil {
		return "", time.Time{}, errors.New("not a credentials file of Claude Code")
	}
	if c.OAuth.AccessToken == "" {
		return "", time.Time{}, errors.New("no access token in it")
	}
	var expires time.Time
	if c.OAuth.ExpiresAt > 0 {
		expires = time.UnixMilli(c.OAuth.ExpiresAt)
	}
	return c.OAuth.AccessToken, expires, nil
}

func launchClaude(s Spec) (Launch, error) {
	tools := s.Tools
	if len(tools) == 0 {
		tools = claudeTools
	}
	servers, err := mcpServers(s.MCP)
	if err != nil {
		return Launch{}, err
	}
	settings, err := claudeSettings(s, servers)
	if err != nil {
		return Launch{}, err
	}
	config := filepath.Join(s.StateDir, "claude")
	settingsFile := filepath.Join(s.PlanDir, "settings.json")
	systemFile := filepath.Join(s.PlanDir, "system-prompt.md")
	l := Launch{
		// --restricted ignores user, project and local settings and confines
		// the file tools to the working directory; --strict-mcp-config is
		// needed besides it against .mcp.json (facts/claude-code.md A5, A6).
		Argv: []string{s.Exe, "-p", "--output-format", "stream-json", "--verbose",
			"--restricted", "--strict-mcp-config", "--permission-mode", "acceptEdits",
			"--tools", strings.Join(tools, ","),
			"--settings", settingsFile, "--append-system-prompt-file", systemFile},
		Files: []File{{settingsFile, 0o444, settings}, {systemFile, 0o444, s.System}},
		Dirs:  []string{config},
		Env: []EnvVar{
			{"CLAUDE_CONFIG_DIR", config, "the run's own state; nothing of ~/.claude is reachable"},
			{"CLAUDE_CODE_TMPDIR", s.Tmp, "Claude's shell tool keeps its files in the lane's TMPDIR"},
			{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1", "no telemetry, no updates"},
			{"DISABLE_AUTOUPDATER", "1", "the version that was checked is the one that runs"},
		},
	}
	if s.Model != "" {
		l.Argv = append(l.Argv, "--model", s.Model)
	}
	if len(servers) > 0 {
		file := filepath.Join(s.PlanDir, "mcp.json")
		l.Files = append(l.Files, File{file, 0o444, string(s.MCP)})
		l.Argv = append(l.Argv, "--mcp-config", file)
	}
	for _, dir := range slices.Concat(s.Writes, s.Reads) {
		l.Argv = append(l.Argv, "--add-dir", dir)
	}
	if s.NoNesting {
		// Measured: sandbox.credentials does nothing without the sandbox.
		l.Gaps = append(l.Gaps, sandbox.Gap{Name: "agent-credentials",
			Detail: "Claude Code's own sandbox, which keeps its credentials from its shell tool, cannot start under this layer: the commands that it runs can read them"})
	} else {
		l.Nested = [][]string{claudeNested(s)}
	}
	return l, nil
}

// claudeNested is a sandbox of the kind that Claude Code starts for each
// shell command: if the kernel refuses it inside the lane, every command of
// the agent would fail, one token at a time (facts/claude-code.md A10, F).
func claudeNested(s Spec) []string {
	argv := []string{s.Bwrap, "--new-session", "--die-with-parent", "--ro-bind", "/", "/",
		"--bind", s.Worktree, s.Worktree, "--ro-bind", s.CommonDir, s.CommonDir,
		"--dev", "/dev", "--unshare-user", "--unshare-pid", "--unshare-net"}
	if s.Root {
		// enableWeakerNestedSandbox: the outer /proc has masked parts when
		// root started it, so a fresh one is refused by the kernel.
		argv = append(argv, "--ro-bind", "/proc", "/proc")
	} else {
		argv = append(argv, "--proc", "/proc")
	}
	return append(argv, "--", "/bin/sh", "-c", "exit 0")
}

// mcpServers returns the names of the servers in an MCP configuration.
func mcpServers(config []byte) ([]string, error) {
	if config == nil {
		return nil, nil
	}
	var c struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, &SpecError{"mcp-config", "not a JSON object: " + err.Error()}
	}
	if len(c.Servers) == 0 {
		return nil, &SpecError{"mcp-config", `no "mcpServers" in it`}
	}
	names := make([]string, 0, len(c.Servers))
	for n := range c.Servers {
		if strings.ContainsFunc(n, func(r rune) bool {
			return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
		}) {
			return nil, &SpecError{"mcp-config", "a server's name may hold letters, digits, '-' and '_' only"}
		}
		names = append(names, n)
	}
	slices.Sort(names)
	return names, nil
}

// SpecError says that something the user handed over cannot be used.
type SpecError struct {
	Reason string // stable word
	Detail string
}

func (e *SpecError) Error() string { return e.Reason + ": " + e.Detail }
