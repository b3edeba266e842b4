package agent

import (
	"encoding/json"
	"io"
	"strings"
)

// copilotStream reads Copilot CLI's JSON lines. They name neither the version
// nor how many tokens were used.
type copilotStream struct {
	out   Outcome
	calls map[string]Call // by toolCallId, until the call is complete
}

type copilotEvent struct {
	Type     string `json:"type"`
	ExitCode *int   `json:"exitCode"`
	Usage    struct {
		Premium float64 `json:"premiumRequests"`
	} `json:"usage"`
	Data struct {
		Model     string          `json:"model"`
		Content   string          `json:"content"`
		CallID    string          `json:"toolCallId"`
		Tool      string          `json:"toolName"`
		Args      json.RawMessage `json:"arguments"`
		Success   bool            `json:"success"`
		ErrorType string          `json:"errorType"`
		Message   string          `json:"message"`
		Error     struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
		Result struct {
			Content string `json:"content"`
		} `json:"result"`
	} `json:"data"`
}

func (s *copilotStream) Outcome() Outcome {
	o := s.out
	if !o.Ended {
		o.Failed, o.Reason = true, "no-result"
		if o.Detail == "" {
			o.Detail = "the agent ended without its final record"
		}
	}
	return o
}

func (s *copilotStream) Read(r io.Reader, progress func(string)) error {
	s.calls = map[string]Call{}
	return eachEvent(r, progress, s.event)
}

func (s *copilotStream) event(e copilotEvent, progress func(string)) {
	d := e.Data
	switch e.Type {
	case "session.tools_updated":
		s.out.Model = d.Model
	case "assistant.turn_start":
		s.out.Turns++
	case "assistant.message":
		if d.Model != "" {
			s.out.Model = d.Model
		}
		s.out.Text = d.Content
	case "tool.execution_start":
		s.out.ToolCalls++
		c := Call{Tool: d.Tool, Target: target(d.Args)}
		s.calls[d.CallID] = c
		progress(c.Tool + " " + c.Target)
	case "tool.execution_complete":
		s.complete(e, progress)
	case "session.error":
		s.out.Failed, s.out.Reason, s.out.Detail = true, "agent-error", shorten(d.Message, 400)
		if d.ErrorType != "" {
			s.out.Reason, s.out.Detail = "api-error", shorten(d.ErrorType+": "+d.Message, 400)
		}
	case "result":
		s.out.Ended = true
		s.out.Usage = map[string]int64{"premium_requests": int64(e.Usage.Premium)}
		if e.ExitCode != nil && *e.ExitCode != 0 && !s.out.Failed {
			s.out.Failed, s.out.Reason = true, "agent-error"
		}
	}
}

func (s *copilotStream) complete(e copilotEvent, progress func(string)) {
	d := e.Data
	text := d.Result.Content + " " + d.Error.Message
	s.out.ended(s.calls[d.CallID], toolEnd{text: text, message: d.Error.Message, failed: !d.Success,
		byHook: strings.Contains(text, "Denied by preToolUse hook"), byAgent: d.Error.Code == "denied"}, progress)
}
