package dialect

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"lane/hookguard"
)

func init() {
	register(Dialect{
		Name: "antigravity",
		Read: readAntigravity, Write: writeAntigravity,
		CanAsk: func(_ Call, f hookguard.Facts) bool { return !f.Headless && attended() },
		Silent: silentAntigravity, Fail: failAntigravity,
		Tool: antigravityTool, Dirs: []string{"Cwd"},
		Can: Capabilities{
			Measured: "nothing: the program could not be had; by its documentation and others' records",
			Events:   []string{"PreToolUse", "PreInvocation"},
			Silent:   []string{"SessionStart", "PostToolUse", "PostInvocation", "Stop"},
			Deny:     "decision deny with a reason, exit 0",
			Ask:      "force_ask where somebody sits at a terminal, which an earlier \"always allow\" does not silence; else a deny with the way on",
			Tell:     "a hint comes as the reason of the decision; after a tool it is kept for the next PreInvocation",
			Prompt:   "the turn is terminated before the first request; the reason is shown to the user only",
			Failure:  map[Mishap]Outcome{ExitOne: Unknown, ExitTwo: Unknown, ExitTwoSilent: Unknown, Timeout: Unknown, BadOutput: Unknown, Missing: Unknown},
			Note:     "always JSON with exit 0. Its decision allow is the only spelling of no opinion it has, and lifts nothing; auto_approve is never said",
			Differs: []Difference{
				{156, "a summary at SessionStart", "{}: without a team's profile there is nothing to say"},
			},
		},
		Wiring: Wiring{
			Paths:  map[string]string{"user": "~/.gemini/config/hooks.json", "project": ".agents/hooks.json"},
			Root:   "lane",
			Events: []string{"PreToolUse", "PreInvocation"},
			Entry:  antigravityEntry,
			Args:   func(event string) []string { return []string{"--event", event} },
			Note:   "lane has not been tried with a real Antigravity: look that its hook runs, and see whether your version reads hooks from plugins only.",
		},
	})
}

type antigravityPayload struct {
	Conversation loose    `json:"conversationId"`
	Workspaces   []string `json:"workspacePaths"`
	Input        loose    `json:"lastUserInput"`
	Steps        *int     `json:"initialNumSteps"`
	Step         *int     `json:"stepIdx"`
	Invocation   *int     `json:"invocationNum"`
	Execution    *int     `json:"executionNum"`
	Call         *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"toolCall"`
}

var antigravityEvents = map[string]bool{"SessionStart": true, "PreInvocation": true, "PostInvocation": true, "PreToolUse": true, "PostToolUse": true, "Stop": true}

func readAntigravity(payload []byte, event string) (Call, error) {
	var p antigravityPayload
	c := Call{Native: event}
	bad := json.Unmarshal(payload, &p) != nil || len(payload) == 0 || payload[0] == '['
	if event == "" { // for the refusal
		switch {
		case p.Call != nil:
			c.Native = "PreToolUse"
		case p.Invocation != nil:
			c.Native = "PreInvocation"
		}
	}
	switch {
	case bad:
		return c, errNoObject
	case event == "":
		return c, fmt.Errorf("the hook's command line names no --event")
	case !antigravityEvents[event]:
		c.Native = ""
		return c, fmt.Errorf("the event %+q is not known", event)
	}
	c.Event = hookguard.Event{Harness: "antigravity", Kind: event, Cwd: os.Getenv("HOME")}
	if len(p.Workspaces) > 0 {
		c.Cwd = strings.TrimPrefix(p.Workspaces[0], "file://")
	}
	c.Session = string(p.Conversation)
	index := first(p.Step, p.Invocation, p.Execution)
	switch event {
	case "PreInvocation":
		// Only the first call of the model in a turn follows a new prompt.
		if p.Invocation == nil || *p.Invocation == 0 {
			c.Kind, c.Prompt, c.Judged = "UserPromptSubmit", string(p.Input), true
		}
	case "PreToolUse":
		if p.Call == nil || p.Call.Name == "" {
			return c, errNoTool
		}
		c.Judged = true
		c.Tool, c.Input = antigravityTool(p.Call.Name, p.Call.Args)
	}
	if index != "" || event == "SessionStart" {
		// The numbers start anew in every turn; the prompt and where the turn
		// began tell turns apart.
		c.Key = key(c.Session, event, first(p.Steps), string(p.Input), index, c.Tool, string(c.Input))
	}
	return c, nil
}

func first(numbers ...*int) string {
	for _, n := range numbers {
		if n != nil {
			return strconv.Itoa(*n)
		}
	}
	return ""
}

func antigravityTool(name string, input []byte) (string, []byte) {
	input = unquoted(input)
	switch name {
	case "run_command":
		return "Bash", input
	case "send_command_input":
		return "Bash", typed(input, "Input")
	case "write_to_file", "write_file", "create_file":
		return "Write", input
	case "replace_file_content", "edit_file":
		return "Edit", input
	case "multi_replace_file_content":
		return "MultiEdit", input
	case "delete_file":
		return "Delete", input
	case "view_file", "read_file", "view_file_outline":
		return "Read", input
	case "grep_search", "codebase_search":
		return "Grep", input
	case "find_by_name":
		return "Glob", input
	case "list_dir":
		return "LS", input
	case "call_mcp_tool":
		var call struct {
			ServerName, ToolName string
			Arguments            json.RawMessage
		}
		if json.Unmarshal(input, &call) == nil && call.ToolName != "" {
			return "mcp__" + call.ServerName + "__" + call.ToolName, unquoted(call.Arguments)
		}
		return name, input
	}
	if tool, ok := joined(name, "/", "_"); ok {
		return tool, input
	}
	return name, input
}

func writeAntigravity(c Call, v hookguard.Verdict) Answer {
	switch {
	case !speaks(v.Decision):
		return silentAntigravity(c)
	case c.Native == "PreToolUse":
		decision := map[hookguard.Decision]string{hookguard.Deny: "deny", hookguard.Ask: "force_ask", hookguard.Guidance: "allow"}[v.Decision]
		return object(fields{"decision": decision, "reason": text(v)})
	case c.Native == "PreInvocation" && v.Decision == hookguard.Guidance:
		return systemMessage(text(v))
	case c.Native == "PreInvocation":
		return terminate(text(v))
	case c.Native == "SessionStart":
		return systemMessage(text(v))
	}
	// PostToolUse takes no answer: it is told before the next request.
	a := object(fields{})
	a.Keep = text(v)
	return a
}

func silentAntigravity(c Call) Answer {
	switch {
	case c.Native == "PreToolUse":
		return object(fields{"decision": "allow"})
	case c.Native == "PreInvocation" && c.Pending != "":
		return systemMessage(c.Pending)
	}
	return object(fields{})
}

func systemMessage(s string) Answer {
	return object(fields{"injectSteps": []any{fields{"systemMessage": fields{"systemMessage": s}}}})
}

func terminate(s string) Answer {
	return object(fields{"injectSteps": []any{fields{"errorMessage": fields{"userMessage": s}}}, "terminationBehavior": "terminate"})
}

func failAntigravity(event, reason string) Answer {
	switch event {
	case "PreInvocation":
		return terminate(failText(reason))
	case "SessionStart":
		return systemMessage(failText(reason))
	case "PostToolUse", "PostInvocation", "Stop": // after the fact there is nothing to refuse
		return object(fields{})
	}
	return object(fields{"decision": "deny", "reason": failText(reason)})
}

func antigravityEntry(event string, argv []string) any {
	command := struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}{"command", commandLine(argv), wiredTimeout}
	if event == "PreToolUse" { // by tool; the others have no matcher
		return fields{"matcher": ".*", "hooks": []any{command}}
	}
	return command
}
