package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lane/sandbox"
)

// codexSecrets are the credentials that Codex needs and its shell tool must
// not see.
var codexSecrets = []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"}

// codexPlaceholders are directories that its sandbox mounts on and leaves.
var codexPlaceholders = []string{".agents", ".aws", ".codex"}

func init() {
	register(&Agent{
		Name:    "codex",
		Program: "codex",
		Tested:  []string{"0.171.0"},
		Pass: []Var{
			{"CODEX_API_KEY", "Codex's key"},
			{"CODEX_ACCESS_TOKEN", "an access token for Codex"},
			{"OPENAI_API_KEY", "OpenAI's key"},
			{"OPENAI_BASE_URL", "a gateway or a scripted server"},
		},
		Secrets: codexSecrets,
		Values:  []string{"OPENAI_BASE_URL"},
		Login: Login{
			Env:       codexSecrets,
			File:      "auth.json",
			ConfigEnv: "CODEX_HOME",
			HomeDir:   ".codex",
			Token:     codexToken,
			TokenEnv:  "CODEX_API_KEY",
			Hint:      "set CODEX_API_KEY or OPENAI_API_KEY, or log in once with `codex login --with-api-key`",
		},
		Network: sandbox.NetworkHost,
		Nests:   true,
		// AGENTS.md is read by Codex itself, as text, inside the lane.
		Ignored:      []string{".codex", ".agents", ".mcp.json"},
		Placeholders: codexPlaceholders,
		Launch:       launchCodex,
		NewStream:    func() Stream { return &codexStream{} },
	})
}

// codexToken reads the API key that `codex login` stored. A ChatGPT login
// beside it stays where it is: it works with its refresh token only, and with
// that the lane could mint logins that outlive the run.
func codexToken(file []byte) (string, time.Time, error) {
	var c struct {
		Key string `json:"OPENAI_API_KEY"`
	}
	if err := json.Unmarshal(file, &c); err != nil {
		return "", time.Time{}, errors.New("not a login file of Codex")
	}
	if c.Key == "" {
		return "", time.Time{}, errors.New("no API key in it; a ChatGPT login is not handed into a lane")
	}
	return c.Key, time.Time{}, nil
}

// codexHookTimeout is in seconds.
const codexHookTimeout = 10

// codexHooks are the events for which the guard is asked, by Codex's name and
// by that of its trust records.
var codexHooks = []struct{ name, key string }{{"PreToolUse", "pre_tool_use"}, {"UserPromptSubmit", "user_prompt_submit"}}

func launchCodex(s Spec) (Launch, error) {
	if s.MCP != nil {
		return Launch{}, &SpecError{"mcp-config", "--mcp is not supported with codex: its servers would run outside its own sandbox"}
	}
	if len(s.Tools) > 0 {
		return Launch{}, &SpecError{"tools", "--tools is not supported with codex: it has no such setting"}
	}
	home := filepath.Join(s.StateDir, "codex")
	l := Launch{
		// The user's configuration, the repository's and rules files of both
		// are left out; with a project that is not trusted, nothing below
		// .codex has an effect.
		Argv: []string{s.Exe, "exec", "--json", "--ignore-user-config", "--ignore-rules", "--enable", "hooks"},
		// Codex adds this file to its instructions as the user's own.
		Files: []File{{filepath.Join(home, "AGENTS.md"), 0o444, s.System}},
		Dirs:  []string{home},
		Env: []EnvVar{
			{"CODEX_HOME", home, "the run's own state; nothing of ~/.codex is reachable"},
		},
		HookLog: hookLog(s),
		Notes: []string{
			"codex: what is typed into a shell that runs already (write_stdin) does not pass the guard's hook; the sandbox holds for it all the same",
		},
	}
	if s.Model != "" {
		l.Argv = append(l.Argv, "--model", s.Model)
	}
	set := func(key, value string) { l.Argv = append(l.Argv, "-c", key+"="+value) }
	provider, err := codexProvider(s)
	if err != nil {
		return Launch{}, err
	}
	if provider != "" {
		set("model_provider", `"lane"`)
		set("model_providers.lane", provider)
	}
	set("web_search", `"disabled"`)
	set("check_for_update_on_startup", "false")
	set("shell_environment_policy", `{inherit="all",ignore_default_excludes=true,exclude=`+tomlList(codexSecrets)+`}`)
	if s.NoNesting {
		set("sandbox_mode", `"danger-full-access"`)
		l.Gaps = append(l.Gaps, sandbox.Gap{Name: "agent-credentials",
			Detail: "Codex's own sandbox cannot start under this layer: the commands that it runs are confined by the layer alone and can read its credentials"})
	} else {
		set("default_permissions", `"lane"`)
		set("permissions.lane", codexProfile(s))
		l.Nested = [][]string{codexNested(s)}
	}
	command := hookCommand(s, "codex")
	var trust []string
	for _, h := range codexHooks {
		set("hooks."+h.name, fmt.Sprintf(`[{hooks=[{type="command",command=%s,timeout=%d}]}]`, tomlString(command), codexHookTimeout))
		hash, err := codexTrust(h.key, command)
		if err != nil {
			return Launch{}, err
		}
		trust = append(trust, tomlString("/<session-flags>/config.toml:"+h.key+":0:0")+"={trusted_hash="+tomlString(hash)+"}")
	}
	set("hooks.state", "{"+strings.Join(trust, ",")+"}")
	l.Argv = append(l.Argv, "-") // the prompt comes on standard input
	return l, nil
}

// codexProfile is what Codex's own sandbox lets its commands do: the narrower
// entry wins. "deny" would hide the shared git directory, and git in the
// worktree with it.
func codexProfile(s Spec) string {
	rules := []string{`":root"="read"`, `":workspace_roots"={"."="write"}`}
	add := func(path, access string) { rules = append(rules, tomlString(path)+"="+tomlString(access)) }
	add(s.CommonDir, "read")
	add(s.Tmp, "write")
	if s.OwnGit != "" {
		add(s.OwnGit, "write")
		// Codex closes the worktree's git directory by itself unless it is
		// named.
		add(filepath.Join(s.OwnGit, "worktrees", filepath.Base(s.GitDir)), "write")
	}
	for _, dir := range s.Writes {
		add(dir, "write")
	}
	return "{filesystem={" + strings.Join(rules, ",") + "}}"
}

// codexProvider names the API where it is not Codex's default with Codex's
// own key, "" for that.
func codexProvider(s Spec) (string, error) {
	url := s.Values["OPENAI_BASE_URL"]
	key := strings.TrimPrefix(s.Login, "env ")
	if url == "" {
		if key != "OPENAI_API_KEY" {
			return "", nil
		}
		url = "https://api.openai.com/v1"
	}
	if !slices.Contains(codexSecrets, key) {
		key = "CODEX_API_KEY" // where lane puts what it found in a file
	}
	if strings.Contains(url, "@") {
		return "", &SpecError{"base-url", "OPENAI_BASE_URL holds a login, which everybody could read in Codex's arguments"}
	}
	return fmt.Sprintf(`{name="lane",base_url=%s,wire_api="responses",env_key=%s}`, tomlString(url), tomlString(key)), nil
}

// codexTrust is the hash under which Codex trusts a hook of the command line:
// it runs no other, without a word. It is Codex's own affair and may change
// with a version, which is why a run whose hook left no note is not a success.
func codexTrust(event, command string) (string, error) {
	text, err := jsonPlain(map[string]any{"event_name": event, "hooks": []any{
		map[string]any{"async": false, "command": command, "timeout": codexHookTimeout, "type": "command"}}})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// jsonPlain is compact JSON with sorted keys in which only what must be is
// escaped, as other languages' libraries write it.
func jsonPlain(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// tomlString is s as a basic string of TOML, whose escapes are JSON's.
func tomlString(s string) string {
	text, err := jsonPlain(s)
	if err != nil {
		panic("agent: a string is no JSON: " + err.Error()) // a bug of ours
	}
	return text
}

func tomlList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = tomlString(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// codexNested is a sandbox of the kind that Codex starts for each command.
func codexNested(s Spec) []string {
	return []string{s.Bwrap, "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
		"--bind", s.Worktree, s.Worktree, "--ro-bind", s.CommonDir, s.CommonDir,
		"--unshare-user", "--unshare-pid", "--unshare-net", "--", "/bin/sh", "-c", "exit 0"}
}
