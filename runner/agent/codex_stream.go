package agent

import (
	"io"
	"strings"
)

// codexStream reads the events of `codex exec --json`. They name neither the
// version nor the model, and nothing of a call that a hook refused.
type codexStream struct{ out Outcome }

type codexEvent struct {
	Type    string     `json:"type"`
	Item    codexItem  `json:"item"`
	Usage   codexUsage `json:"usage"`
	Message string     `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
}

type codexUsage struct {
	Input     int64 `json:"input_tokens"`
	Cached    int64 `json:"cached_input_tokens"`
	Written   int64 `json:"cache_write_input_tokens"`
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_output_tokens"`
}

type codexItem struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Command string `json:"command"`
	Output  string `json:"aggregated_output"`
	Status  string `json:"status"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Query   string `json:"query"`
	Message string `json:"message"`
	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
}

func (s *codexStream) Outcome() Outcome { return s.out.closed() }

func (s *codexStream) Read(r io.Reader, progress func(string)) error {
	return eachEvent(r, progress, s.event)
}

func (s *codexStream) event(e codexEvent, progress func(string)) {
	switch e.Type {
	case "item.started":
		if c, ok := e.Item.call(); ok {
			progress(c.Tool + " " + c.Target)
		}
	case "item.completed":
		s.item(e.Item, progress)
	case "turn.completed":
		s.out.Ended, s.out.Failed, s.out.Reason, s.out.Detail = true, false, "", ""
		s.out.Turns++
		s.out.Usage = map[string]int64{"input_tokens": e.Usage.Input, "output_tokens": e.Usage.Output,
			"cache_creation_input_tokens": e.Usage.Written, "cache_read_input_tokens": e.Usage.Cached, "reasoning_output_tokens": e.Usage.Reasoning}
	case "turn.failed":
		s.fail(e.Error.Message)
	case "error":
		// Also said of a connection that is tried again; the end decides.
		s.out.Detail = shorten(e.Message, 400)
	}
}

func (s *codexStream) fail(message string) {
	s.out.Ended, s.out.Failed, s.out.Reason, s.out.Detail = true, true, "agent-error", shorten(message, 400)
	if strings.Contains(message, "unexpected status") || strings.Contains(message, "stream disconnected") {
		s.out.Reason = "api-error"
	}
}

// call is the tool call that an item is, if it is one.
func (i codexItem) call() (Call, bool) {
	switch i.Type {
	case "command_execution":
		return Call{Tool: "Bash", Target: shorten(i.Command, 200)}, true
	case "file_change":
		var paths []string
		for _, c := range i.Changes {
			paths = append(paths, c.Path)
		}
		return Call{Tool: "apply_patch", Target: shorten(strings.Join(paths, " "), 200)}, true
	case "mcp_tool_call":
		return Call{Tool: "mcp__" + i.Server + "__" + i.Tool}, true
	case "web_search":
		return Call{Tool: "web_search", Target: shorten(i.Query, 200)}, true
	}
	return Call{}, false
}

func (s *codexStream) item(i codexItem, progress func(string)) {
	if i.Type == "agent_message" {
		s.out.Text = i.Text
		return
	}
	c, ok := i.call()
	if !ok {
		return
	}
	s.out.ToolCalls++
	if i.Status != "failed" && i.Status != "declined" {
		return
	}
	s.out.ToolFails++
	c.Reason, c.By = shorten(i.Output, 400), "tool"
	switch {
	case i.Status == "declined":
		c.By = "agent"
	case strings.Contains(i.Output, "Read-only file system"), strings.Contains(i.Output, "Device or resource busy"):
		c.By = "sandbox"
	}
	if c.By != "tool" {
		s.out.deny(c, progress)
	}
}
