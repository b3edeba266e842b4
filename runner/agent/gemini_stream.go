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

func (s *geminiStream) Outcome() Outcome {
	o := s.out
	if !o.Ended {
		o.Failed, o.Reason, o.Detail = true, "no-result", "the agent ended without its final record"
	}
	return o
}

func (s *geminiStream) Read(r io.Reader, progress func(string)) error {
	s.calls = map[string]Call{}
	if progress == nil {
		progress = func(string) {}
	}
	return eachLine(r, func(line []byte) {
		var e geminiEvent
		if json.Unmarshal(line, &e) == nil {
			s.event(e, progress)
		}
	})
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
	c := s.calls[e.ID]
	text := e.Output + " " + e.Error.Message
	closed := strings.Contains(text, "Read-only file system") || strings.Contains(text, "EROFS") || strings.Contains(text, "Device or resource busy")
	if e.Status != "error" && !closed {
		return
	}
	if e.Status == "error" {
		s.out.ToolFails++
	}
	c.Reason, c.By = shorten(e.Error.Message, 400), "tool"
	switch {
	case strings.Contains(text, "Tool execution blocked:"):
		// The hook's own note tells it in full, and is counted.
		s.out.ToolCalls--
		s.out.ToolFails--
		return
	case closed:
		c.By, c.Reason = "sandbox", shorten(text, 400)
	case e.Error.Type == "policy_violation", strings.Contains(text, "not in workspace"), strings.Contains(text, "must be within"):
		c.By = "agent"
	default:
		return
	}
	if len(s.out.Denied) < maxDenied {
		s.out.Denied = append(s.out.Denied, c)
		progress("denied: " + c.Tool + " " + c.Target + " (" + c.By + ": " + shorten(c.Reason, 160) + ")")
	}
}
