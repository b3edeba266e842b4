package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"lane/hookguard"
)

func init() {
	register(Dialect{
		Name: "claude-code",
		Whose: func(payload []byte) string {
			if isCopilots(payload) {
				return "copilot"
			}
			return ""
		},
		Read: readClaude, Write: writeClaude,
		CanAsk: func(_ Call, f hookguard.Facts) bool { return !f.Headless },
		Fail:   func(_, reason string) Answer { return refuse(failText(reason)) },
		Tool:   claudeTool,
		Dirs:   []string{}, // Bash runs where the session is
		Can: Capabilities{
			Measured: "Claude Code 2.1.332",
			Events:   []string{"PreToolUse", "UserPromptSubmit", "WorktreeCreate"},
			Silent:   []string{"SessionStart", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "SubagentStart", "SubagentStop", "Stop", "SessionEnd"},
			Deny:     "exit 2 with the reason on stderr: truncated or decorated JSON lets the tool run",
			Ask:      "a real ask; a deny with the way on in a lane, where nobody is asked",
			Tell:     "a hint reaches the model beside the call's result",
			Prompt:   "blocked, and the prompt itself is left out of the message",
			Failure:  map[Mishap]Outcome{ExitOne: Runs, ExitTwo: Blocks, ExitTwoSilent: Blocks, Timeout: Runs, BadOutput: Runs, Missing: Runs},
			Note:     `with onFailure "block", which lane wires, exit 1, timeout and a missing program block as well; bad output never does`,
			Differs: []Difference{
				{33, "suppressOriginalPrompt beside decision", "it is read inside hookSpecificOutput; lane gives both"},
				{35, "deny as a JSON object", "deny by exit 2 and stderr, which nothing can garble into a pass"},
			},
		},
		Wiring: Wiring{
			Paths:  map[string]string{"user": "~/.claude/settings.json", "project": ".claude/settings.json", "local": ".claude/settings.local.json"},
			Root:   "hooks",
			Events: []string{"PreToolUse", "UserPromptSubmit"},
			Entry:  claudeEntry,
		},
	})
}

// claudePayload is the part of Claude Code's payload the guard reads. Codex
// and Gemini CLI send the same fields.
type claudePayload struct {
	Event      string          `json:"hook_event_name"`
	Session    loose           `json:"session_id"`
	Turn       loose           `json:"turn_id"`
	Transcript loose           `json:"transcript_path"`
	Timestamp  json.RawMessage `json:"timestamp"`
	Cwd        string          `json:"cwd"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	ToolUse    loose           `json:"tool_use_id"`
	Source     loose           `json:"source"`
	Prompt     loose           `json:"prompt"`
	MCP        json.RawMessage `json:"mcp_context"`
}

// loose is a text that the guard can do without: of another type in some
// version to come it is that JSON, and no reason to refuse every call.
type loose string

// UnmarshalJSON takes any value.
func (l *loose) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	*l = loose(s)
	return nil
}

var (
	errNoObject = errors.New("the hook's input is not the JSON object it should be")
	errNoEvent  = errors.New("the hook's input names no event")
	errNoTool   = errors.New("the hook's input names no tool")
	errNoCwd    = errors.New("the hook's input names no working directory")
)

// readPayload reads the shape that Claude Code began. kinds maps the
// harness's names of events to the guard's.
func readPayload(harness string, payload []byte, kinds map[string]string) (claudePayload, Call, error) {
	var p claudePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return p, Call{}, errNoObject
	}
	kind, known := kinds[p.Event]
	if !known {
		kind = p.Event
	}
	c := Call{Native: p.Event, Session: string(p.Session),
		Event: hookguard.Event{Harness: harness, Kind: kind, Tool: p.Tool, Input: p.Input, Prompt: string(p.Prompt), Cwd: p.Cwd}}
	c.Judged = kind == "PreToolUse" || kind == "UserPromptSubmit" || kind == "WorktreeCreate"
	switch {
	case p.Event == "":
		return p, c, errNoEvent
	case kind == "PreToolUse" && p.Tool == "":
		return p, c, errNoTool
	}
	return p, c, nil
}

func readClaude(payload []byte, _ string) (Call, error) {
	p, c, err := readPayload("claude-code", payload, nil)
	if err == nil {
		c.Tool, c.Input = claudeTool(p.Tool, p.Input)
	}
	return c, err
}

func claudeTool(name string, input []byte) (string, []byte) {
	if name == "PowerShell" {
		return "Bash", powershell(input)
	}
	return name, input
}

// isCopilots reports whether a payload in Claude Code's shape is Copilot's,
// which runs the hooks of .claude/settings.json too: it has a timestamp and
// no transcript where Claude Code keeps them.
func isCopilots(payload []byte) bool {
	var p claudePayload
	if !bytes.Contains(payload, []byte(`"timestamp"`)) || json.Unmarshal(payload, &p) != nil || len(p.Timestamp) == 0 {
		return false
	}
	transcript := string(p.Transcript)
	project := filepath.Dir(transcript)
	return transcript == "" || !strings.HasSuffix(transcript, ".jsonl") || filepath.Base(filepath.Dir(project)) != "projects"
}

// writeClaude answers as measured: a deny is exit 2 with the reason on
// stderr, because Claude Code runs the tool when a JSON answer is cut short
// or has a stray byte beside it. Only an ask and a hint need JSON, and a
// prompt's block, which alone can keep the prompt out of the transcript.
func writeClaude(c Call, v hookguard.Verdict) Answer {
	switch v.Decision {
	case hookguard.Deny:
		switch c.Kind {
		case "UserPromptSubmit":
			// Claude Code 2.1.332 reads suppressOriginalPrompt inside
			// hookSpecificOutput, and repeats the prompt with its secret when it
			// finds it at the top level only, where other versions read it.
			out := specific(c.Native, fields{"suppressOriginalPrompt": true})
			out["decision"], out["reason"], out["suppressOriginalPrompt"] = "block", text(v), true
			return object(out)
		case "PostToolUse": // the tool ran; its result is what can be withheld
			return object(fields{"decision": "block", "reason": text(v)})
		}
		return refuse(text(v))
	case hookguard.Ask:
		return object(specific(c.Native, fields{"permissionDecision": "ask", "permissionDecisionReason": text(v)}))
	case hookguard.Guidance:
		return object(specific(c.Native, fields{"additionalContext": text(v)}))
	}
	return Answer{}
}

// claudeEntry is the hook in exec form: no shell reads it. Without
// "onFailure" a hook that is missing, hangs or crashes would let the call
// through.
func claudeEntry(_ string, argv []string) any {
	return fields{"hooks": []any{struct {
		Type      string   `json:"type"`
		Command   string   `json:"command"`
		Args      []string `json:"args"`
		Timeout   int      `json:"timeout"`
		OnFailure string   `json:"onFailure"`
	}{"command", argv[0], argv[1:], wiredTimeout, "block"}}}
}
