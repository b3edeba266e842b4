package runner

import (
	"slices"
	"sort"
	"strings"

	"lane/runner/agent"
)

// EnvPlan says which of the caller's variables reach the agent, which do not,
// and which lane sets. It holds no value of the caller's.
type EnvPlan struct {
	Pass    []string       `json:"pass"`
	Removed []string       `json:"removed"`
	Set     []agent.EnvVar `json:"set"`
}

// passed are the caller's variables that reach every agent. It is an
// allow-list: whatever is not named here or by the agent is removed.
var passed = []agent.Var{
	{Name: "CI", Reason: "tools behave for a machine"},
	{Name: "COLORTERM", Reason: "terminal"},
	{Name: "FORCE_COLOR", Reason: "terminal"},
	{Name: "HTTPS_PROXY", Reason: "network"},
	{Name: "HTTP_PROXY", Reason: "network"},
	{Name: "LANG", Reason: "locale"},
	{Name: "LANGUAGE", Reason: "locale"},
	{Name: "LOGNAME", Reason: "who"},
	{Name: "NODE_EXTRA_CA_CERTS", Reason: "a company's certificates"},
	{Name: "NO_COLOR", Reason: "terminal"},
	{Name: "NO_PROXY", Reason: "network"},
	{Name: "SSL_CERT_DIR", Reason: "a company's certificates"},
	{Name: "SSL_CERT_FILE", Reason: "a company's certificates"},
	{Name: "TERM", Reason: "terminal"},
	{Name: "TZ", Reason: "time zone"},
	{Name: "USER", Reason: "who"},
	{Name: "http_proxy", Reason: "network"},
	{Name: "https_proxy", Reason: "network"},
	{Name: "no_proxy", Reason: "network"},
}

// passedPrefix are families of names that pass.
var passedPrefix = []agent.Var{{Name: "LC_", Reason: "locale"}}

// certificateVars name files or directories that must be readable inside.
var certificateVars = []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_DIR", "SSL_CERT_FILE"}

// never are names and prefixes (ending in "*") that no flag can let through.
var never = []agent.Var{
	{Name: "GIT_*", Reason: "it redirects git or runs a program through it"},
	{Name: "LD_*", Reason: "it loads code into every program"},
	{Name: "DYLD_*", Reason: "it loads code into every program"},
	{Name: "GLIBC_TUNABLES", Reason: "it changes the loader"},
	{Name: "BASH_ENV", Reason: "a shell runs the file it names"},
	{Name: "ENV", Reason: "a shell runs the file it names"},
	{Name: "BASH_FUNC_*", Reason: "it replaces commands of a shell"},
	{Name: "SHELLOPTS", Reason: "it changes every shell"},
	{Name: "BASHOPTS", Reason: "it changes every shell"},
	{Name: "PROMPT_COMMAND", Reason: "a shell runs it"},
	{Name: "PS4", Reason: "a shell expands it"},
	{Name: "IFS", Reason: "it changes every shell"},
	{Name: "CDPATH", Reason: "it changes where commands run"},
	{Name: "NODE_OPTIONS", Reason: "it loads code into node"},
	{Name: "BUN_*", Reason: "it loads code into Claude Code"},
	{Name: "PYTHONSTARTUP", Reason: "python runs the file it names"},
	{Name: "PYTHONHOME", Reason: "it replaces python's library"},
	{Name: "PERL5OPT", Reason: "it loads code into perl"},
	{Name: "RUBYOPT", Reason: "it loads code into ruby"},
	{Name: "JAVA_TOOL_OPTIONS", Reason: "it loads code into java"},
	{Name: "_JAVA_OPTIONS", Reason: "it loads code into java"},
	{Name: "CLAUDECODE", Reason: "it marks a parent agent's session"},
	{Name: "CLAUDE_CODE_SSE_PORT", Reason: "it marks a parent agent's session"},
	{Name: "CLAUDE_CODE_ENTRYPOINT", Reason: "it marks a parent agent's session"},
	{Name: "CLAUDE_CODE_SESSION_ID", Reason: "it marks a parent agent's session"},
	{Name: "CLAUDE_CODE_CHILD_SESSION", Reason: "it marks a parent agent's session"},
	{Name: "CLAUDE_CODE_MESSAGING_*", Reason: "it reaches a parent agent's session"},
	{Name: "CLAUDE_CODE_SHELL", Reason: "Claude Code runs it outside its sandbox"},
	{Name: "CLAUDE_CODE_SHELL_PREFIX", Reason: "Claude Code runs it outside its sandbox"},
	{Name: "CLAUDE_CODE_SAFE_MODE", Reason: "it switches the guard off"},
	{Name: "CLAUDE_CODE_SIMPLE", Reason: "it switches the guard off"},
	{Name: "CLAUDE_CODE_PLUGIN_DIRS", Reason: "it loads plugins"},
	{Name: "CLAUDE_ENV_FILE", Reason: "Claude Code's shell runs the file it names"},
	{Name: "CLAUDE_CONFIG_DIR", Reason: "lane sets it for each run"},
	{Name: "CLAUDE_CODE_TMPDIR", Reason: "lane sets it for each run"},
	{Name: "CODEX_*", Reason: "it marks a parent agent's session"},
	{Name: "GEMINI_CLI*", Reason: "it marks a parent agent's session"},
	{Name: "COPILOT_AGENT*", Reason: "it marks a parent agent's session"},
	{Name: "AI_AGENT", Reason: "it marks a parent agent's session"},
	{Name: "VSCODE_GIT_*", Reason: "it reaches the editor's credentials"},
	{Name: "EDITOR", Reason: "git and others run it"},
	{Name: "VISUAL", Reason: "git and others run it"},
	{Name: "PAGER", Reason: "git and others run it"},
	{Name: "LESSOPEN", Reason: "less runs it"},
	{Name: "LESSCLOSE", Reason: "less runs it"},
	{Name: "SSH_ASKPASS", Reason: "ssh and git run it"},
	{Name: "SUDO_ASKPASS", Reason: "sudo runs it"},
	{Name: "SHELL", Reason: "lane sets it: agents start it outside their own sandbox"},
	{Name: "HOME", Reason: "lane sets it"},
	{Name: "PATH", Reason: "lane builds it"},
	{Name: "TMPDIR", Reason: "lane sets it for each run"},
	{Name: "LANE_*", Reason: "it would be read by a lane inside the lane"},
}

// PassedNames are the caller's variables that reach every agent; a name that
// ends in "*" stands for a family.
func PassedNames() []agent.Var {
	list := slices.Clone(passed)
	for _, v := range passedPrefix {
		list = append(list, agent.Var{Name: v.Name + "*", Reason: v.Reason})
	}
	return list
}

// NeverNames are those that no flag lets through.
func NeverNames() []agent.Var { return slices.Clone(never) }

// neverPasses says why a name cannot pass, "" if it can.
func neverPasses(name string) string {
	for _, v := range never {
		if matches(v.Name, name) {
			return v.Reason
		}
	}
	return ""
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// checkEnvNames refuses names that --env must not let through.
func checkEnvNames(names []string) error {
	for _, n := range names {
		switch {
		case strings.Contains(n, "="):
			return &UsageError{"env-value", "--env takes a name, not NAME=VALUE: export the variable and pass --env " + n[:strings.Index(n, "=")]}
		case !validEnvName(n):
			return &UsageError{"env-name", "--env: not a variable's name: " + quote(n)}
		case neverPasses(n) != "":
			return &UsageError{"env-never", "--env " + n + ": this variable never passes into a lane: " + neverPasses(n)}
		}
	}
	return nil
}

func validEnvName(n string) bool {
	if n == "" || n[0] >= '0' && n[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(n, func(r rune) bool {
		return !(r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// planEnv decides about each of the caller's names.
func planEnv(callers []string, a *agent.Agent, extra []string, set []agent.EnvVar) EnvPlan {
	plan := EnvPlan{Pass: []string{}, Removed: []string{}, Set: set}
	isSet := map[string]bool{}
	for _, v := range set {
		isSet[v.Name] = true
	}
	named := func(list []agent.Var, name string) bool {
		return slices.ContainsFunc(list, func(v agent.Var) bool { return v.Name == name })
	}
	for _, name := range callers {
		family := slices.ContainsFunc(passedPrefix, func(v agent.Var) bool { return strings.HasPrefix(name, v.Name) })
		// What an agent needs itself is not a mark of a parent agent.
		own := named(a.Pass, name)
		wanted := named(passed, name) || family || slices.Contains(extra, name)
		if (own || wanted && neverPasses(name) == "") && !isSet[name] {
			plan.Pass = append(plan.Pass, name)
		} else {
			plan.Removed = append(plan.Removed, name)
		}
	}
	sort.Strings(plan.Pass)
	sort.Strings(plan.Removed)
	sort.Slice(plan.Set, func(i, j int) bool { return plan.Set[i].Name < plan.Set[j].Name })
	return plan
}

// environ joins what passes, with the caller's values, and what lane sets.
// Values travel by inheritance only: never in an argv, never in the plan.
func (p EnvPlan) environ(values map[string]string) []string {
	env := make([]string, 0, len(p.Pass)+len(p.Set))
	for _, n := range p.Pass {
		env = append(env, n+"="+values[n])
	}
	for _, v := range p.Set {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}
