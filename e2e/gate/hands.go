package gate

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"lane/e2e/model"
)

// hands are a writer's tools in the words of the acts, which are those of
// Claude Code: the script orders what the agent at hand can do.
type hands struct {
	// env points the agent at the scripted model.
	env func(url, key string) []string
	// model is given to lane run, "" for the agent's own default.
	model string
	// tools translate a call's input; what is not there the agent has no tool
	// for. Claude Code needs none.
	tools map[string]func(in map[string]string) (name string, input any)
	// all says that every tool is there under its own name.
	all bool
	// kernel is the tool by which the kernel is attacked: one beside the
	// agent's own sandbox, where there is such a one.
	kernel string
}

// writers are the agents that the gate can order about.
var writers = map[string]hands{
	"claude": {all: true, kernel: "MCP", env: func(url, key string) []string {
		return []string{"ANTHROPIC_API_KEY=" + key, "ANTHROPIC_BASE_URL=" + url}
	}},
	"codex": {model: "gpt-5.5", kernel: "Bash", env: func(url, key string) []string {
		return []string{"CODEX_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1"}
	}, tools: map[string]func(map[string]string) (string, any){
		"Bash": func(in map[string]string) (string, any) {
			return "exec_command", map[string]string{"cmd": in["command"]}
		},
		"Write": func(in map[string]string) (string, any) {
			return "apply_patch", "*** Begin Patch\n*** Add File: " + in["file_path"] + "\n" + prefixed("+", in["content"]) + "*** End Patch\n"
		},
		"Edit": func(in map[string]string) (string, any) {
			line := lineWith(in["file_path"], in["old_string"])
			return "apply_patch", "*** Begin Patch\n*** Update File: " + in["file_path"] + "\n@@\n-" + line + "\n+" +
				strings.Replace(line, in["old_string"], in["new_string"], 1) + "\n*** End Patch\n"
		},
	}},
	"gemini": {model: "gemini-2.5-pro", kernel: "Bash", env: func(url, key string) []string {
		return []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + url}
	}, tools: map[string]func(map[string]string) (string, any){
		"Bash": func(in map[string]string) (string, any) {
			return "run_shell_command", map[string]string{"command": in["command"]}
		},
		"Write": func(in map[string]string) (string, any) { return "write_file", in },
		"Edit": func(in map[string]string) (string, any) {
			in["instruction"] = "change it"
			return "replace", in
		},
		"Read": func(in map[string]string) (string, any) { return "read_file", in },
	}},
	"copilot": {model: "gpt-4.1", kernel: "Bash", env: func(url, key string) []string {
		return []string{"COPILOT_PROVIDER_API_KEY=" + key, "COPILOT_PROVIDER_BASE_URL=" + url + "/v1"}
	}, tools: map[string]func(map[string]string) (string, any){
		"Bash": func(in map[string]string) (string, any) {
			return "bash", map[string]string{"description": "do", "command": in["command"]}
		},
		"Write": func(in map[string]string) (string, any) {
			return "create", map[string]string{"path": in["file_path"], "file_text": in["content"]}
		},
		"Edit": func(in map[string]string) (string, any) {
			return "edit", map[string]string{"path": in["file_path"], "old_str": in["old_string"], "new_str": in["new_string"]}
		},
		"Read": func(in map[string]string) (string, any) {
			return "view", map[string]string{"path": in["file_path"]}
		},
	}},
}

// Writers are the names of the agents that have a gate.
func Writers() []string {
	var names []string
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lineWith is the first line of a file that holds a text: a patch names whole
// lines. What is not there cannot be patched, nor could it be shown to be.
func lineWith(file, text string) string {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, text) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return text
}

func prefixed(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + line)
	}
	return b.String()
}

// lacks says which tool of an act the agent has not, "" for none.
func (h hands) lacks(a act) string {
	switch {
	case h.all || a.Step == nil:
		return ""
	case a.Sub:
		return "subagent"
	case h.tools[a.Tool] == nil:
		return a.Tool
	}
	return ""
}

// steps translates calls. One before an act that the agent has no tool for is
// left out: its other tools ask for none.
func (h hands) steps(list []model.Step) []model.Step {
	if h.all {
		return list
	}
	var out []model.Step
	for _, step := range list {
		blocks := slices.Clone(step.Content)
		missing := false
		for i, b := range blocks {
			if b.Type != "tool_use" {
				continue
			}
			tool := h.tools[b.Name]
			var in map[string]string
			if tool == nil || json.Unmarshal(b.Input, &in) != nil {
				missing = true
				continue
			}
			name, input := tool(in)
			raw, err := json.Marshal(input)
			if err != nil {
				panic(err) // strings and maps of strings only
			}
			blocks[i].Name, blocks[i].Input = name, raw
		}
		if step.Content = blocks; !missing {
			out = append(out, step)
		}
	}
	return out
}
