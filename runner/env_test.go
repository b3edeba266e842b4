package runner

import (
	"errors"
	"slices"
	"testing"

	"lane/runner/agent"
)

// Names by which the environment redirects git, loads code or marks a parent
// agent's session (facts/git-directories.md 3, facts/claude-code.md G, D09).
var hostileNames = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH",
	"GIT_TEMPLATE_DIR", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_TRACE", "GIT_ASKPASS", "GIT_REFERENCE_BACKEND", "GIT_AUTHOR_NAME",
	"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "NODE_OPTIONS", "BUN_OPTIONS", "PYTHONSTARTUP", "PERL5OPT",
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SSE_PORT",
	"CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CODE_PLUGIN_DIRS",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "GEMINI_CLI", "COPILOT_AGENT", "AI_AGENT",
	"VSCODE_GIT_IPC_HANDLE", "EDITOR", "VISUAL", "PAGER", "SSH_ASKPASS", "SUDO_ASKPASS", "SHELL", "LANE_HOME", "BASH_FUNC_x%%",
}

func TestHostileNamesNeverPass(t *testing.T) {
	plan := planEnv(hostileNames, claude(t), hostileNames, nil)
	if len(plan.Pass) != 0 {
		t.Errorf("these pass although --env asked for nothing that may: %v", plan.Pass)
	}
	if len(plan.Removed) != len(hostileNames) {
		t.Errorf("removed %d of %d names", len(plan.Removed), len(hostileNames))
	}
	for _, n := range hostileNames {
		if neverPasses(n) == "" && validEnvName(n) {
			continue // CLAUDE_CODE_* that only the allow-list keeps out
		}
		var usage *UsageError
		if err := checkEnvNames([]string{n}); !errors.As(err, &usage) {
			t.Errorf("--env %s: got %v, want a usage error", n, err)
		}
	}
}

func TestWantedNamesPass(t *testing.T) {
	wanted := []string{"TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HTTPS_PROXY", "no_proxy", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL", "MINE"}
	plan := planEnv(append(slices.Clone(wanted), "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OTHER"), claude(t), []string{"MINE"}, nil)
	slices.Sort(wanted)
	if !slices.Equal(plan.Pass, wanted) {
		t.Errorf("passes %v, want %v", plan.Pass, wanted)
	}
	if want := []string{"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "OTHER"}; !slices.Equal(plan.Removed, want) {
		t.Errorf("removed %v, want %v", plan.Removed, want)
	}
	if err := checkEnvNames([]string{"MINE", "GITHUB_TOKEN", "_X"}); err != nil {
		t.Errorf("harmless names are refused: %v", err)
	}
}

func TestWhatLaneSetsIsNotTheCallers(t *testing.T) {
	plan := planEnv([]string{"TERM"}, claude(t), nil, []agent.EnvVar{{Name: "TERM", Value: "dumb"}})
	if len(plan.Pass) != 0 {
		t.Errorf("passes %v although lane sets it", plan.Pass)
	}
	if got := plan.environ(map[string]string{"TERM": "xterm"}); !slices.Equal(got, []string{"TERM=dumb"}) {
		t.Errorf("environment %v", got)
	}
}

func TestEnvTakesNamesOnly(t *testing.T) {
	for _, n := range []string{"A=b", "", "1A", "A-B", "GIT_", "A B"} {
		var usage *UsageError
		if err := checkEnvNames([]string{n}); !errors.As(err, &usage) {
			t.Errorf("--env %q: got %v, want a usage error", n, err)
		}
	}
}
