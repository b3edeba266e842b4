package agent

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"lane/sandbox"
)

// copilotSecrets are the credentials that Copilot needs and its shell tool
// must not see. GH_TOKEN and GITHUB_TOKEN, which it would take too, are
// usually good for much more than Copilot and do not pass.
var copilotSecrets = []string{"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_HEADERS"}

func init() {
	register(&Agent{
		Name:    "copilot",
		Program: "copilot",
		Tested:  []string{"1.0.102"},
		Pass: []Var{
			{"COPILOT_GITHUB_TOKEN", "a GitHub token for Copilot alone"},
			{"COPILOT_PROVIDER_BASE_URL", "a provider of the user's own, or a scripted server"},
			{"COPILOT_PROVIDER_TYPE", "which API that speaks"},
			{"COPILOT_PROVIDER_WIRE_API", "which API that speaks"},
			{"COPILOT_PROVIDER_API_KEY", "the provider's key"},
			{"COPILOT_PROVIDER_BEARER_TOKEN", "the provider's token"},
			{"COPILOT_PROVIDER_HEADERS", "a gateway's headers"},
			{"COPILOT_PROVIDER_MODEL_ID", "which model a name stands for"},
			{"COPILOT_PROVIDER_WIRE_MODEL", "which model a name stands for"},
			{"COPILOT_MODEL", "the provider's model"},
		},
		Secrets: copilotSecrets,
		Values:  []string{"COPILOT_PROVIDER_BASE_URL"},
		Login: Login{
			Env:  []string{"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_GITHUB_TOKEN"},
			Hint: "set COPILOT_GITHUB_TOKEN, or COPILOT_PROVIDER_BASE_URL, COPILOT_PROVIDER_API_KEY and COPILOT_MODEL for a provider of your own",
		},
		Network: sandbox.NetworkHost,
		// AGENTS.md and .github/copilot-instructions.md are read by Copilot
		// itself, as text, inside the lane. The rest needs trust in the folder.
		Ignored:   []string{".github/hooks", ".github/copilot", ".github/agents", ".github/skills", ".github/mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".vscode/mcp.json"},
		Launch:    launchCopilot,
		NewStream: func() Stream { return &copilotStream{} },
	})
}

// copilotHook is a hook as Copilot reads it.
type copilotHook struct {
	Type    string `json:"type"`
	Bash    string `json:"bash"`
	Timeout int    `json:"timeoutSec"`
}

// copilotHookTimeout is in seconds: when it is over, Copilot runs the tool.
const copilotHookTimeout = 10

// copilotHooks are the events for which the guard is asked. Their payloads do
// not name them.
var copilotHooks = []string{"preToolUse", "userPromptSubmitted"}

func launchCopilot(s Spec) (Launch, error) {
	if s.MCP != nil {
		return Launch{}, &SpecError{"mcp-config", "--mcp is not supported with copilot yet"}
	}
	hooks := map[string][]copilotHook{}
	for _, event := range copilotHooks {
		hooks[event] = []copilotHook{{"command", hookCommand(s, "copilot", "--event", event), copilotHookTimeout}}
	}
	text, err := json.MarshalIndent(struct {
		Version int                      `json:"version"`
		Hooks   map[string][]copilotHook `json:"hooks"`
	}{1, hooks}, "", "  ")
	if err != nil {
		return Launch{}, err
	}
	home := filepath.Join(s.StateDir, "copilot")
	file, instructions := filepath.Join(home, "hooks", "lane.json"), filepath.Join(home, "copilot-instructions.md")
	l := Launch{
		// Neither --allow-all, which drops its checks of paths, nor
		// --trust-folder, with which a repository's settings could switch the
		// hook off.
		Argv: []string{s.Exe, "--output-format", "json", "--allow-all-tools", "--no-ask-user", "--no-color", "--no-auto-update",
			"--disable-builtin-mcps", "--excluded-tools", "web_fetch", "--secret-env-vars=" + strings.Join(copilotSecrets, ",")},
		Files: []File{{file, 0o444, string(text) + "\n"}, {instructions, 0o444, s.System}},
		Dirs:  []string{home, filepath.Dir(file)},
		// The directory is Copilot's to write; what it is told is not.
		Rows: []sandbox.Row{
			{Path: file, Access: sandbox.Protect, File: true, Reason: "Copilot's hooks, which register the guard"},
			{Path: instructions, Access: sandbox.Protect, File: true, Reason: "what Copilot is told of its lane"},
		},
		Env: []EnvVar{
			{"COPILOT_HOME", home, "the run's own state; nothing of ~/.copilot is reachable"},
			{"COPILOT_AUTO_UPDATE", "false", "the version that was checked is the one that runs"},
		},
		HookLog: hookLog(s),
		// In every lane of this agent: what closes it would be a sandbox of its
		// own round its commands.
		Gaps: []sandbox.Gap{{Name: "agent-credentials", Default: true,
			Detail: "Copilot's key is not in the environment of the commands that it runs, but they can read it from Copilot's own process"}},
		Notes: []string{
			"copilot: its own sandbox is off, since it makes the shared git directory writable and does not start inside another; the layer confines it alone",
		},
	}
	if s.Values["COPILOT_PROVIDER_BASE_URL"] != "" {
		l.Env = append(l.Env, EnvVar{"COPILOT_OFFLINE", "true", "a provider of the user's own: nothing is asked of GitHub"})
	}
	if s.Model != "" {
		l.Argv = append(l.Argv, "--model", s.Model)
	}
	if len(s.Tools) > 0 {
		l.Argv = append(l.Argv, "--available-tools", strings.Join(s.Tools, ","))
	}
	if len(s.Writes)+len(s.Reads) > 0 {
		// --add-dir would trust what configures agents in there.
		l.Argv = append(l.Argv, "--allow-all-paths")
	}
	return l, nil
}
