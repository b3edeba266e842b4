package agent

import (
	"encoding/json"
	"io"
	"strings"
)

// geminiStream reads Gemini CLI's stream-json. It does not name the version.
type geminiStream struct {
	out   Outcome
	calls map[string]Call // by tool_id, until the result arrives
}

type geminiEvent struct {
	Type    string          `json:"type"`
	Model   string          `json:"model"`
	Role    string          `json:"role"`
	Content string          `json:"content"`
	Delta   bool            `json:"delta"`
	Tool    string          `json:"tool_name"`
	ID      string          `json:"tool_id"`
	Params  json.RawMessage `json:"parameters"`
	Status  string          `json:"status"`
	Output  string          `json:"output"`
	Error   struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Cached int64 `json:"cached"`
	} `json:"stats"`
}

func (s *geminiStream) Outcome() Outcome { return s.out.closed() }

func (s *geminiStream) Read(r io.Reader, progress func(string)) error {
	s.calls = map[string]Call{}
	return eachEvent(r, progress, s.event)
}

func (s *geminiStream) event(e geminiEvent, progress func(string)) {
	switch e.Type {
	case "init":
		s.out.Model = e.Model
	case "message":
		if e.Role == "assistant" {
			s.out.Text += e.Content
		}
	case "tool_use":
		// What it said before a call is not its last word.
		s.out.Text = ""
		s.out.ToolCalls++
		c := Call{Tool: e.Tool, Target: target(e.Params)}
		s.calls[e.ID] = c
		progress(c.Tool + " " + c.Target)
	case "tool_result":
		s.result(e, progress)
	case "error":
		s.out.Detail = shorten(e.Error.Message, 400)
	case "result":
		s.out.Ended = true
		s.out.Turns++
		s.out.Usage = map[string]int64{"input_tokens": e.Stats.Input, "output_tokens": e.Stats.Output, "cache_read_input_tokens": e.Stats.Cached}
		if e.Status != "success" {
			s.out.Failed, s.out.Reason = true, "agent-error"
			if e.Error.Message != "" {
				s.out.Detail = shorten(e.Error.Message, 400)
			}
			if strings.Contains(e.Error.Type, "API") || strings.Contains(s.out.Detail, "got status") {
				s.out.Reason = "api-error"
			}
		}
	}
}

func (s *geminiStream) result(e geminiEvent, progress func(string)) {
	text := e.Output + " " + e.Error.Message
	s.out.ended(s.calls[e.ID], toolEnd{text: text, message: e.Error.Message, failed: e.Status == "error",
		byHook:  strings.Contains(text, "Tool execution blocked:"),
		byAgent: e.Error.Type == "policy_violation" || strings.Contains(text, "not in workspace") || strings.Contains(text, "must be within")}, progress)
}
