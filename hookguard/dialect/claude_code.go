package dialect

import (
	"encoding/json"
	"errors"
	"fmt"

	"lane/hookguard"
)

func init() {
	register(Dialect{
		Name:  "claude-code",
		Read:  readClaude,
		Write: writeClaude,
		Fail:  failClaude,
		Tool:  func(name string, input []byte) (string, []byte) { return name, input },
		Wire:  wireClaude, Unwire: unwireClaude,
	})
}

// claudePayload is the part of Claude Code's payload the guard reads
// (2.1.332, recorded).
type claudePayload struct {
	Event string          `json:"hook_event_name"`
	Cwd   string          `json:"cwd"`
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
	// Prompt is a string in every recorded payload.
	Prompt string `json:"prompt"`
}

// claudeJudged are the events on which the guard has an opinion. The others
// (SessionStart, PostToolUse, Stop, …) get no output and exit 0.
var claudeJudged = map[string]bool{"PreToolUse": true, "UserPromptSubmit": true, "WorktreeCreate": true}

func readClaude(payload []byte) (hookguard.Event, bool, error) {
	var p claudePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return hookguard.Event{}, false, errors.New("the hook's input is not the JSON object it should be")
	}
	if p.Event == "" {
		return hookguard.Event{}, false, errors.New("the hook's input names no event")
	}
	if p.Event == "PreToolUse" && p.Tool == "" {
		return hookguard.Event{}, false, errors.New("the hook's input names no tool")
	}
	ev := hookguard.Event{Harness: "claude-code", Kind: p.Event, Tool: p.Tool, Input: p.Input, Prompt: p.Prompt, Cwd: p.Cwd}
	return ev, claudeJudged[p.Event], nil
}

// writeClaude answers as measured: a deny is exit 2 with the reason on
// stderr, because Claude Code runs the tool when a JSON answer is cut short
// or has a stray byte beside it. Only an ask and a hint need JSON, and a
// prompt's block, which alone can keep the prompt out of the transcript.
func writeClaude(ev hookguard.Event, v hookguard.Verdict, headless bool) Answer {
	reason := fmt.Sprintf("lane (%s): %s", v.Rule, v.Reason)
	switch v.Decision {
	case hookguard.Deny:
		if ev.Kind == "UserPromptSubmit" {
			// Claude Code 2.1.332 reads suppressOriginalPrompt inside
			// hookSpecificOutput, and repeats the prompt with its secret when it
			// finds it at the top level only, where other versions read it.
			return object(map[string]any{"decision": "block", "reason": reason, "suppressOriginalPrompt": true,
				"hookSpecificOutput": map[string]any{"hookEventName": ev.Kind, "suppressOriginalPrompt": true}})
		}
		return Answer{Stderr: reason + "\n", Exit: 2}
	case hookguard.Ask:
		if headless {
			return Answer{Stderr: reason + " Nobody is there to approve it, so it was not run.\n", Exit: 2}
		}
		return object(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": ev.Kind, "permissionDecision": "ask", "permissionDecisionReason": reason}})
	case hookguard.Guidance:
		return object(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": ev.Kind, "additionalContext": reason}})
	}
	return Answer{}
}

func failClaude(reason string) Answer {
	return Answer{Stderr: "lane: hook failed (" + reason + "); blocking (fail closed). Do not retry the call unchanged.\n", Exit: 2}
}

// object is an answer of one JSON object.
func object(v any) Answer {
	text, err := json.Marshal(v)
	if err != nil {
		return failClaude("the answer could not be written")
	}
	return Answer{Stdout: string(text) + "\n"}
}
