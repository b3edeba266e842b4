package agent

import "encoding/json"

// The types below hold the settings in the order they are written. Every key
// was measured with the real program: many spellings that look right do
// nothing, silently (facts/claude-code.md B, D, E).
type (
	settingsFile struct {
		Sandbox     settingsSandbox     `json:"sandbox"`
		Permissions settingsPermissions `json:"permissions"`
		// false beats a repository's true: flag over local over project.
		DisableAllHooks bool                      `json:"disableAllHooks"`
		Hooks           map[string][]settingsHook `json:"hooks"`
	}
	settingsSandbox struct {
		Enabled                   bool                `json:"enabled"`
		FailIfUnavailable         bool                `json:"failIfUnavailable"`
		AutoAllowBashIfSandboxed  bool                `json:"autoAllowBashIfSandboxed"`
		AllowUnsandboxedCommands  bool                `json:"allowUnsandboxedCommands"`
		ExcludedCommands          []string            `json:"excludedCommands"`
		EnableWeakerNestedSandbox bool                `json:"enableWeakerNestedSandbox,omitempty"`
		Filesystem                settingsFilesystem  `json:"filesystem"`
		Credentials               settingsCredentials `json:"credentials"`
	}
	settingsFilesystem struct {
		DenyWrite  []string `json:"denyWrite"`
		AllowWrite []string `json:"allowWrite"`
	}
	settingsCredentials struct {
		EnvVars []settingsEnvVar `json:"envVars"`
	}
	settingsEnvVar struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
	}
	settingsPermissions struct {
		Allow                        []string `json:"allow"`
		Deny                         []string `json:"deny"`
		DisableBypassPermissionsMode string   `json:"disableBypassPermissionsMode"`
	}
	settingsHook struct {
		Hooks []settingsCommand `json:"hooks"`
	}
	settingsCommand struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		// Args makes it the exec form: no shell stands between.
		Args    []string `json:"args"`
		Timeout int      `json:"timeout"` // seconds
		// Without "block" a hook that crashes, is missing or times out lets
		// the call through.
		OnFailure string `json:"onFailure"`
	}
)

// hookTimeout is Claude's own limit, in seconds; the hook answers by itself
// well before it.
const hookTimeout = 10

// claudeHooks are the events for which the guard is asked. WorktreeCreate
// fails always: its worktree and branch would lie outside the lane.
var claudeHooks = []string{"PreToolUse", "UserPromptSubmit", "WorktreeCreate"}

func claudeSettings(s Spec, servers []string) (string, error) {
	hook := []settingsHook{{Hooks: []settingsCommand{{
		Type: "command", Command: s.Lane,
		Args:    []string{"hook", "--harness", "claude-code", "--plan", s.PlanFile},
		Timeout: hookTimeout, OnFailure: "block",
	}}}}
	hooks := map[string][]settingsHook{}
	for _, event := range claudeHooks {
		hooks[event] = hook
	}
	allowWrite := []string{s.Tmp}
	if s.OwnGit != "" {
		allowWrite = append(allowWrite, s.OwnGit)
	}
	allowWrite = append(allowWrite, s.Writes...)
	allow := []string{"Bash", "Edit(/" + s.Worktree + "/**)", "Edit(/" + s.Tmp + "/**)"}
	for _, dir := range s.Writes {
		allow = append(allow, "Edit(/"+dir+"/**)")
	}
	for _, name := range servers {
		allow = append(allow, "mcp__"+name)
	}
	var secrets []settingsEnvVar
	for _, name := range claudeSecrets {
		secrets = append(secrets, settingsEnvVar{name, "deny"})
	}
	b, err := json.MarshalIndent(settingsFile{
		Sandbox: settingsSandbox{
			Enabled: !s.NoNesting, FailIfUnavailable: !s.NoNesting, AutoAllowBashIfSandboxed: !s.NoNesting,
			AllowUnsandboxedCommands: false, ExcludedCommands: []string{},
			EnableWeakerNestedSandbox: s.Root && !s.NoNesting,
			Filesystem:                settingsFilesystem{DenyWrite: []string{s.CommonDir}, AllowWrite: allowWrite},
			Credentials:               settingsCredentials{EnvVars: secrets},
		},
		Permissions: settingsPermissions{
			Allow: allow,
			// Two slashes make a path absolute; one would be relative to the
			// settings file. EnterWorktree and isolation:worktree leave the
			// lane, in every permission mode (facts/claude-code.md A4).
			Deny:                         []string{"Edit(/" + s.CommonDir + "/**)", "EnterWorktree", "ExitWorktree", "Agent(isolation:worktree)"},
			DisableBypassPermissionsMode: "disable",
		},
		Hooks: hooks,
	}, "", "  ")
	if err != nil {
		return "", err
	}
	return string(b) + "\n", nil
}
