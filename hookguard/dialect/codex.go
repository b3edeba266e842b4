package dialect

import (
	"encoding/json"

	"lane/hookguard"
)

func init() {
	register(Dialect{
		Name: "codex",
		Read: readCodex, Write: writeCodex,
		// Codex takes an ask for a failed hook and runs the tool.
		CanAsk: func(Call, hookguard.Facts) bool { return false },
		// With text on stderr only: exit 2 alone runs the tool.
		Fail: func(_, reason string) Answer { return refuse(failText(reason)) },
		Tool: codexTool, Unseen: true, Dirs: []string{"workdir"},
		Can: Capabilities{
			Measured: "Codex CLI 0.171.0",
			Events:   []string{"PreToolUse", "UserPromptSubmit"},
			Silent: []string{"SessionStart", "PostToolUse", "PermissionRequest", "PreModelRequest", "PostModelRequest", "SubagentStart",
				"SubagentStop", "PreCompact", "PostCompact", "Interrupt", "Stop", "SessionEnd"},
			Deny:    "permissionDecision deny with a reason, exit 0; an unknown key or a missing reason runs the tool",
			Ask:     "no ask: Codex runs the tool. It is a deny that says how to go on, in every permission mode",
			Tell:    "a hint reaches the model as a developer message",
			Prompt:  "decision block; suppressOriginalPrompt, an unknown key, would send the prompt",
			Failure: map[Mishap]Outcome{ExitOne: Runs, ExitTwo: Blocks, ExitTwoSilent: Runs, Timeout: Runs, BadOutput: Runs, Missing: Runs},
			Unseen: []string{
				"write_stdin reaches no hook: what is typed later into a shell that a call starts is not seen, so starting one is asked",
				"hosted tools such as web search reach no hook",
				"reading is by shell only",
				"a call's workdir comes as the event's cwd, so that with --session it is taken for the session's directory; facts of a file or a plan are not misled",
			},
			Note: "a hook that is not trusted is skipped without a word: lane run must see that it ran",
			Differs: []Difference{
				{120, "seven events", "PreModelRequest and PostModelRequest as well; PermissionRequest comes in exec too"},
				{127, "without a profile the first call is denied, the rest allowed", "every call is judged"},
				{128, "an ask covered by a rendered prompt rule gives no decision", "lane renders no rules into a repository: the deny stays"},
				{132, "exit 2 blocks", "only with text on stderr"},
				{138, "exec-<uuid> for shell and patch, call_<id> for others", "it depends on the model: exec-<uuid> for all in code mode"},
			},
		},
		Wiring: Wiring{
			Paths:  map[string]string{"user": "~/.codex/hooks.json", "project": ".codex/hooks.json"},
			Root:   "hooks",
			Events: []string{"PreToolUse", "UserPromptSubmit"},
			Entry:  codexEntry,
			Note:   "Codex skips a hook that is not trusted without a word: start codex, trust it under /hooks, and look that it runs. A project's hooks are read from the main checkout, of a trusted project, only.",
		},
	})
}

func readCodex(payload []byte, _ string) (Call, error) {
	p, c, err := readPayload("codex", payload, nil)
	if err != nil {
		return c, err
	}
	c.Tool, c.Input = codexTool(p.Tool, p.Input)
	// The user's hooks.json and a plugin run at the same time.
	id := p.ToolUse
	if id == "" {
		id = p.Turn
	}
	if id == "" && p.Event == "SessionStart" {
		id = p.Source
	}
	if id != "" {
		c.Key = key(string(p.Session), p.Event, string(p.Turn), string(id))
	}
	return c, nil
}

func codexTool(name string, input []byte) (string, []byte) {
	switch name {
	case "shell", "exec_command", "local_shell", "shell_command", "container.exec":
		return "Bash", input
	case "exec":
		return "Bash", codeMode(input)
	case "write_stdin":
		return "Bash", typed(input, "chars")
	case "view_image":
		return "Read", input
	case "update_plan":
		return "TodoWrite", input
	case "spawn_agent":
		return "Task", input
	}
	if tool, ok := joined(name); ok {
		return tool, input
	}
	return name, input
}

// codeMode is JavaScript that calls Codex's tools. As measured each of those
// calls reaches the hook by itself; should a version ask for the whole, it is
// read for them.
func codeMode(input []byte) []byte {
	var text string
	if json.Unmarshal(input, &text) != nil {
		var in struct{ Code, Input string }
		if json.Unmarshal(input, &in) != nil || in.Code+in.Input == "" {
			return input
		}
		text = in.Code + "\n" + in.Input
	}
	out, err := json.Marshal(map[string][]string{"command": {"node", "-e", text}})
	if err != nil {
		return input
	}
	return out
}

// writeCodex uses only keys that Codex knows: with any other the hook has
// failed, and the tool runs.
func writeCodex(c Call, v hookguard.Verdict) Answer {
	switch {
	case v.Decision == hookguard.Deny && c.Kind == "PreToolUse":
		return object(specific(c.Native, fields{"permissionDecision": "deny", "permissionDecisionReason": text(v)}))
	case v.Decision == hookguard.Deny && (c.Kind == "UserPromptSubmit" || c.Kind == "PostToolUse"):
		return object(fields{"decision": "block", "reason": text(v)})
	case v.Decision == hookguard.Deny:
		return refuse(text(v))
	case v.Decision == hookguard.Guidance:
		return object(specific(c.Native, fields{"additionalContext": text(v)}))
	}
	return Answer{}
}

func codexEntry(_ string, argv []string) any {
	return fields{"hooks": []any{struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}{"command", commandLine(argv), wiredTimeout}}}
}
