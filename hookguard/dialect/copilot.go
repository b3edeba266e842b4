package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"lane/hookguard"
)

// The two shapes of Copilot's payloads: its own, and the one that hooks get
// that were registered under PascalCase names, as VS Code sends it.
const (
	formCamel  = "camelCase"
	formPascal = "PascalCase"
)

func init() {
	register(Dialect{
		Name: "copilot",
		Read: readCopilot, Write: writeCopilot,
		CanAsk: func(_ Call, f hookguard.Facts) bool { return !f.Headless },
		Fail:   failCopilot,
		Unreadable: func(event, reason string) Answer {
			a := failCopilot(event, reason)
			a.Stderr, a.Exit = failText(reason)+"\n", exitRefused
			return a
		},
		Tool: copilotTool,
		Dirs: []string{}, // bash runs where the session is
		// Hooks run one after the other, and those of .claude/settings.json too.
		Repeats: true,
		Can: Capabilities{
			Measured: "Copilot CLI 1.0.102",
			Events:   []string{"preToolUse", "userPromptSubmitted"},
			Silent: []string{"sessionStart", "postToolUse", "postToolUseFailure", "permissionRequest", "notification", "errorOccurred",
				"agentStop", "subagentStop", "preCompact", "sessionEnd"},
			Deny:    "permissionDecision deny with a reason, exit 0",
			Ask:     "a real ask; Copilot itself makes it a deny in prompt mode, and a lane does so before",
			Tell:    "a hint reaches the model",
			Prompt:  "decision block: the run ends with exit code 1 and nothing is sent",
			Failure: map[Mishap]Outcome{ExitOne: Blocks, ExitTwo: Blocks, ExitTwoSilent: Blocks, Timeout: Runs, BadOutput: Runs, Missing: Blocks},
			Note:    "of exit 2 the model sees the code only, so that a failure of the guard's own is a JSON deny; exit 2 lets a prompt pass",
			Differs: []Difference{
				{101, "an unreadable payload exits 2", "exit 2 and the JSON deny beside it, which says why"},
				{104, "nothing on a prompt, Copilot drops it", "decision block stops the prompt, in both shapes"},
				{105, "permissionDecision allow", "nothing: the guard never allows"},
				{118, "PascalCase names a server's tool mcp__<server>__<tool>", "it is <server>-<tool> in both shapes"},
			},
		},
		Wiring: Wiring{
			Paths:  map[string]string{"user": "~/.copilot/hooks/lane.json", "project": ".github/hooks/lane.json"},
			Root:   "hooks",
			Events: []string{"preToolUse", "userPromptSubmitted"},
			Entry:  copilotEntry,
			Args:   func(event string) []string { return []string{"--event", event} },
			Fresh:  "{\n  \"version\": 1\n}\n",
			Empty:  "version",
		},
	})
}

// copilotPayload holds both shapes; encoding/json matches without regard to
// case only where the letters are the same.
type copilotPayload struct {
	// PascalCase
	Event    string          `json:"hook_event_name"`
	SessionP loose           `json:"session_id"`
	ToolP    string          `json:"tool_name"`
	InputP   json.RawMessage `json:"tool_input"`
	// camelCase
	Hook      string          `json:"hookName"`
	Session   loose           `json:"sessionId"`
	Tool      string          `json:"toolName"`
	Args      json.RawMessage `json:"toolArgs"`
	Result    json.RawMessage `json:"toolResult"`
	Error     json.RawMessage `json:"error"`
	Source    loose           `json:"source"`
	Initial   *loose          `json:"initialPrompt"`
	StopCause loose           `json:"stopReason"`
	Reason    loose           `json:"reason"`
	// both
	Timestamp json.RawMessage `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Prompt    *loose          `json:"prompt"`
}

var copilotKinds = map[string]string{
	"preToolUse": "PreToolUse", "postToolUse": "PostToolUse", "userPromptSubmitted": "UserPromptSubmit",
	"sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "agentStop": "Stop",
	"postToolUseFailure": "PostToolUseFailure", "permissionRequest": "PermissionRequest", "notification": "Notification",
	"errorOccurred": "ErrorOccurred", "subagentStop": "SubagentStop", "preCompact": "PreCompact",
}

func readCopilot(payload []byte, event string) (Call, error) {
	var p copilotPayload
	c := Call{Native: event, Form: formCamel}
	if json.Unmarshal(payload, &p) != nil || !bytes.HasPrefix(bytes.TrimSpace(payload), []byte("{")) {
		return c, errNoObject
	}
	c.Harness, c.Cwd, c.Session = "copilot", p.Cwd, string(p.Session)
	name, input := p.Tool, p.Args
	switch {
	case p.Hook != "":
		c.Native = p.Hook
	case p.Event != "":
		c.Form, c.Native, c.Session, name, input = formPascal, p.Event, string(p.SessionP), p.ToolP, p.InputP
	case event == "":
		c.Native = p.told()
	}
	c.Kind = c.Native
	if c.Form == formCamel {
		kind, known := copilotKinds[c.Native]
		if !known {
			return c, fmt.Errorf("the event %+q is not known", c.Native)
		}
		c.Kind = kind
	}
	if p.Cwd == "" {
		return c, errNoCwd
	}
	if c.Session == "" {
		c.Session = "cwd:" + p.Cwd
	}
	if p.Prompt != nil {
		c.Prompt = string(*p.Prompt)
	}
	c.Judged = c.Kind == "PreToolUse" || c.Kind == "UserPromptSubmit"
	if c.Kind == "PreToolUse" {
		if name == "" {
			return c, errNoTool
		}
		var args map[string]json.RawMessage
		if input = unquoted(input); name == "apply_patch" {
			input = patchText(input)
		}
		if json.Unmarshal(input, &args) != nil || args == nil {
			return c, fmt.Errorf("the input of the tool is no JSON object")
		}
		c.Tool, c.Input = copilotTool(name, input)
	}
	if len(p.Timestamp) > 0 {
		c.Key = key(c.Session, c.Kind, moment(p.Timestamp), c.Tool, string(c.Input), c.Prompt)
	}
	return c, nil
}

// told is the event of a camelCase payload by its fields, or "".
func (p copilotPayload) told() string {
	switch {
	case len(p.Result) > 0:
		return "postToolUse"
	case p.Tool != "" && len(p.Error) > 0:
		return "postToolUseFailure"
	case p.Tool != "":
		return "preToolUse"
	case p.Prompt != nil:
		return "userPromptSubmitted"
	case p.StopCause != "":
		return "agentStop"
	case p.Source != "" || p.Initial != nil:
		return "sessionStart"
	case p.Reason != "":
		return "sessionEnd"
	}
	return ""
}

func copilotTool(name string, input []byte) (string, []byte) {
	input = unquoted(input)
	switch name {
	case "bash":
		return "Bash", input
	case "powershell", "PowerShell":
		return "Bash", powershell(input)
	case "write_bash", "write_powershell":
		return "Bash", typed(input, "input")
	case "create":
		return "Write", input
	case "edit", "str_replace_editor":
		if looks(input) {
			return "Read", input
		}
		return "Edit", input
	case "view":
		return "Read", input
	case "grep":
		return "Grep", input
	case "glob":
		return "Glob", input
	case "task":
		return "Task", input
	case "read_bash", "list_bash":
		return "TaskOutput", input
	case "stop_bash":
		return "TaskStop", input
	case "apply_patch", "sql", "web_fetch":
		return name, input
	}
	if tool, ok := joined(name, "/", "-"); ok {
		return tool, input
	}
	return name, input
}

// looks reports whether a call of the editor with many acts only looks.
func looks(input []byte) bool {
	var in struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(input, &in) == nil && in.Command == "view"
}

// patchText makes an object of a patch that comes as the bare text the model
// wrote, as Copilot's tools without a schema do. Any other text stays what it
// is, and is refused.
func patchText(input []byte) []byte {
	var text string
	if json.Unmarshal(input, &text) != nil || !strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch") {
		return input
	}
	out, err := json.Marshal(map[string]string{"input": text})
	if err != nil {
		return input
	}
	return out
}

// writeCopilot gives the PascalCase shape the fields twice: VS Code and the
// CLI look for them in different places.
func writeCopilot(c Call, v hookguard.Verdict) Answer {
	decided := fields{}
	switch {
	case !speaks(v.Decision): // none, and what is no decision of the guard's
		return Answer{}
	case v.Decision == hookguard.Guidance, c.Kind == "PostToolUse", c.Kind == "SessionStart":
		decided["additionalContext"] = text(v)
	case c.Kind == "UserPromptSubmit":
		return object(fields{"decision": "block", "reason": text(v)})
	default:
		decided["permissionDecision"] = string(v.Decision)
		decided["permissionDecisionReason"] = text(v)
	}
	if c.Form != formPascal {
		return object(decided)
	}
	out := specific(c.Native, decided)
	for k, x := range decided {
		out[k] = x
	}
	return object(out)
}

// failCopilot blocks by JSON, whose reason the model sees. Where the event is
// not known it blocks a tool and a prompt; where not even the payload could
// be read, exit 2 says so as well, which Copilot takes for a deny whatever is
// printed.
func failCopilot(event, reason string) Answer {
	deny := fields{}
	kind := copilotKinds[event]
	if kind == "" {
		kind = event
	}
	if kind != "UserPromptSubmit" {
		deny["permissionDecision"], deny["permissionDecisionReason"] = "deny", failText(reason)
	}
	if kind != "PreToolUse" {
		deny["decision"], deny["reason"] = "block", failText(reason)
	}
	return object(deny)
}

func copilotEntry(_ string, argv []string) any {
	return struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}{"command", commandLine(argv), wiredTimeout}
}
