package dialect

import (
	"encoding/json"
	"strconv"
	"strings"

	"lane/hookguard"
)

func init() {
	register(Dialect{
		Name: "gemini-cli",
		Read: readGemini, Write: writeGemini, CanAsk: geminiCanAsk,
		Fail: func(_, reason string) Answer { return refuse(failText(reason)) },
		Tool: geminiTool, Dirs: []string{"dir_path", "directory"},
		Can: Capabilities{
			Measured: "Gemini CLI 0.61.0",
			Events:   []string{"BeforeTool", "BeforeAgent"},
			Silent: []string{"SessionStart", "AfterTool", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection",
				"Notification", "PreCompress", "SessionEnd"},
			Deny:    "decision deny with a reason, exit 0",
			Ask:     "a real ask from 0.36 on and only where somebody sits at a terminal: headless it hangs for ever, also with CI=true. Else a deny with the way on",
			Tell:    "a hint before a call does not reach the model; after it, it does",
			Prompt:  "decision deny: no request is sent",
			Failure: map[Mishap]Outcome{ExitOne: Runs, ExitTwo: Blocks, ExitTwoSilent: Runs, Timeout: Runs, BadOutput: Runs, Missing: Blocks},
			Note:    "no opinion is no output, so that nothing of Gemini's own approval is lifted",
			Differs: []Difference{
				{144, "decision allow for no objection", "no output: the guard never allows"},
				{147, "no profile: the first call denied", "every call is judged"},
				{148, "an ask covered by a rendered ask_user rule gives no decision", "lane renders no rules: the answer stays"},
				{149, "CI=true is enough for a headless run", "it is for this hook; Gemini itself hangs on an ask all the same"},
				{150, "a missing program lets the tool run", "it blocks, by bash's own message"},
			},
		},
		Wiring: Wiring{
			Paths:    map[string]string{"user": "~/.gemini/settings.json", "project": ".gemini/settings.json"},
			Root:     "hooks",
			Events:   []string{"BeforeTool", "BeforeAgent"},
			Entry:    geminiEntry,
			Comments: true,
		},
	})
}

var geminiKinds = map[string]string{
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop",
}

func readGemini(payload []byte, _ string) (Call, error) {
	p, c, err := readPayload("gemini-cli", payload, geminiKinds)
	if err != nil {
		return c, err
	}
	c.Tool, c.Input = geminiTool(p.Tool, p.Input)
	var mcp struct {
		Server string `json:"server_name"`
		Tool   string `json:"tool_name"`
	}
	if len(p.MCP) > 0 && json.Unmarshal(p.MCP, &mcp) == nil && mcp.Tool != "" && c.Tool != "Bash" {
		c.Tool = "mcp__" + mcp.Server + "__" + mcp.Tool
	}
	// Hooks of the user, the project and extensions run at the same time, and
	// there is no id of the call. Without a timestamp nothing tells two calls
	// of the same words apart.
	if len(p.Timestamp) > 0 {
		c.Key = key(string(p.Session), p.Event, string(p.Timestamp), p.Tool, string(p.Input), string(p.Prompt))
	}
	return c, nil
}

func geminiTool(name string, input []byte) (string, []byte) {
	switch name {
	case "run_shell_command":
		return "Bash", input
	case "write_file":
		return "Write", input
	case "replace", "edit":
		return "Edit", input
	case "read_file", "read_many_files":
		return "Read", input
	case "glob":
		return "Glob", input
	case "grep_search", "search_file_content":
		return "Grep", input
	case "list_directory":
		return "LS", input
	case "web_fetch":
		return "WebFetch", input
	case "google_web_search":
		return "WebSearch", input
	case "save_memory":
		return "Memory", input
	case "write_todos":
		return "TodoWrite", input
	}
	if tool, ok := joined(name, "_"); ok {
		return tool, input
	}
	return name, input
}

func geminiCanAsk(c Call, f hookguard.Facts) bool {
	return c.Kind == "PreToolUse" && !f.Headless && atLeast(f.Version, 0, 36) && attended()
}

// atLeast compares the first two numbers of a version; one that is not known
// is not enough.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}

func writeGemini(c Call, v hookguard.Verdict) Answer {
	switch v.Decision {
	case hookguard.Deny:
		return object(fields{"decision": "deny", "reason": text(v)})
	case hookguard.Ask:
		return object(fields{"decision": "ask", "reason": text(v), "systemMessage": text(v)})
	case hookguard.Guidance:
		return object(specific(c.Native, fields{"additionalContext": text(v)}))
	}
	return Answer{}
}

func geminiEntry(_ string, argv []string) any {
	return fields{"hooks": []any{struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"` // milliseconds
	}{"lane", "command", commandLine(argv), wiredTimeout * 1000}}}
}
