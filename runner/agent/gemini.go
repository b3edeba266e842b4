package agent

import (
	"encoding/json"
	"path/filepath"

	"lane/sandbox"
)

// geminiSecrets are the credentials that Gemini CLI needs and its shell tool
// must not see.
var geminiSecrets = []string{"GEMINI_API_KEY"}

func init() {
	register(&Agent{
		Name:    "gemini",
		Program: "gemini",
		Tested:  []string{"0.61.0"},
		Pass: []Var{
			{"GEMINI_API_KEY", "Gemini's key"},
			{"GOOGLE_GEMINI_BASE_URL", "a gateway or a scripted server"},
		},
		Secrets: geminiSecrets,
		Values:  []string{"GOOGLE_GEMINI_BASE_URL"},
		// A Google login is not handed over: it works with its refresh token
		// only.
		Login:   Login{Env: geminiSecrets, Hint: "set GEMINI_API_KEY; a Google login is not handed into a lane"},
		Network: sandbox.NetworkHost,
		// GEMINI.md is read by Gemini itself, as text, inside the lane.
		Ignored: []string{".gemini/extensions", ".env"},
		// Without trust in the folder Gemini does not work headless, and with
		// it these count as soon as it reads its settings a second time, which
		// it does after ten seconds.
		Obeyed:    []string{".gemini/settings.json", ".gemini/.env"},
		Launch:    launchGemini,
		NewStream: func() Stream { return &geminiStream{} },
	})
}

// The types below hold Gemini's settings in the order they are written.
type (
	geminiSettings struct {
		Security geminiSecurity          `json:"security"`
		Hooks    map[string][]geminiHook `json:"hooks"`
		Tools    geminiTools             `json:"tools"`
		Advanced geminiAdvanced          `json:"advanced"`
		General  geminiGeneral           `json:"general"`
		Privacy  geminiPrivacy           `json:"privacy"`
	}
	geminiSecurity struct {
		Auth struct {
			SelectedType string `json:"selectedType"`
		} `json:"auth"`
		// Its own sandbox is off: it opens the shared git directory for any
		// command line with git in it, and what else it closes the layer does.
		ToolSandboxing bool `json:"toolSandboxing"`
		Redaction      struct {
			Enabled bool     `json:"enabled"`
			Blocked []string `json:"blocked"`
		} `json:"environmentVariableRedaction"`
	}
	geminiHook struct {
		Hooks []geminiCommand `json:"hooks"`
	}
	geminiCommand struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"` // milliseconds
	}
	geminiTools struct {
		Core    []string `json:"core,omitempty"`
		Exclude []string `json:"exclude"`
	}
	geminiAdvanced struct {
		// A repository's .env could name another server for the key.
		IgnoreLocalEnv bool `json:"ignoreLocalEnv"`
	}
	geminiGeneral struct {
		AutoUpdate   bool `json:"enableAutoUpdate"`
		Notification bool `json:"enableAutoUpdateNotification"`
	}
	geminiPrivacy struct {
		UsageStatistics bool `json:"usageStatisticsEnabled"`
	}
)

// geminiHookTimeout is in milliseconds.
const geminiHookTimeout = 10_000

// geminiHooks are the events for which the guard is asked.
var geminiHooks = []string{"BeforeTool", "BeforeAgent"}

// geminiExcluded are tools that reach the network by themselves; they are
// not offered, as they are not to Claude Code.
var geminiExcluded = []string{"web_fetch", "google_web_search"}

func launchGemini(s Spec) (Launch, error) {
	if s.MCP != nil {
		return Launch{}, &SpecError{"mcp-config", "--mcp is not supported with gemini yet"}
	}
	settings := geminiSettings{Hooks: map[string][]geminiHook{}, Tools: geminiTools{Core: s.Tools, Exclude: geminiExcluded},
		Advanced: geminiAdvanced{IgnoreLocalEnv: true}}
	settings.Security.Auth.SelectedType = "gemini-api-key"
	settings.Security.Redaction.Enabled, settings.Security.Redaction.Blocked = true, geminiSecrets
	hook := []geminiHook{{Hooks: []geminiCommand{{Type: "command", Name: "lane", Command: hookCommand(s, "gemini-cli"), Timeout: geminiHookTimeout}}}}
	for _, event := range geminiHooks {
		settings.Hooks[event] = hook
	}
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return Launch{}, err
	}
	home := filepath.Join(s.StateDir, "gemini")
	own := filepath.Join(home, ".gemini")
	file, memory := filepath.Join(own, "settings.json"), filepath.Join(own, "GEMINI.md")
	l := Launch{
		// In its other approval modes there is no shell tool without somebody
		// to ask, and without --skip-trust there is no yolo.
		Argv:  []string{s.Exe, "--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust", "--extensions", "none"},
		Files: []File{{file, 0o444, string(text) + "\n"}, {memory, 0o444, s.System}},
		Dirs:  []string{own},
		// The directory is Gemini's to write; what it is told is not.
		Rows: []sandbox.Row{
			{Path: file, Access: sandbox.Protect, File: true, Reason: "Gemini's settings, which register the guard's hook"},
			{Path: memory, Access: sandbox.Protect, File: true, Reason: "what Gemini is told of its lane"},
		},
		Env: []EnvVar{
			{"GEMINI_CLI_HOME", home, "the run's own state; nothing of ~/.gemini is reachable"},
			{"GEMINI_CLI_NO_RELAUNCH", "true", "one process less, half of its start-up"},
		},
		HookLog: hookLog(s),
		// In every lane of this agent: what closes it would be a sandbox of its
		// own round its commands.
		Gaps: []sandbox.Gap{{Name: "agent-credentials", Default: true,
			Detail: "Gemini's key is not in the environment of the commands that it runs, but they can read it from Gemini's own process"}},
		Notes: []string{
			"gemini: its own sandbox is off, since it opens the shared git directory for any command line with git in it; the layer confines it alone",
		},
	}
	if s.Values["GOOGLE_GEMINI_BASE_URL"] == "" {
		l.Env = append(l.Env, EnvVar{"GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", "no file of the repository can name another server for the key"})
	}
	if s.Model != "" {
		l.Argv = append(l.Argv, "--model", s.Model)
	}
	for _, dir := range append(append([]string{}, s.Writes...), s.Reads...) {
		l.Argv = append(l.Argv, "--include-directories", dir)
	}
	return l, nil
}
