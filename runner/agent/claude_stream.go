package agent

import (
	"encoding/json"
	"io"
	"strings"
)

// claudeStream reads Claude Code's stream-json.
type claudeStream struct {
	out   Outcome
	calls map[string]Call // by tool_use id, until its result arrives
	seen  map[string]bool // tool_use ids already in Denied
}

type claudeEvent struct {
	Type      string             `json:"type"`
	Subtype   string             `json:"subtype"`
	Version   string             `json:"claude_code_version"`
	Model     string             `json:"model"`
	ToolName  string             `json:"tool_name"`
	ToolUseID string             `json:"tool_use_id"`
	Reason    string             `json:"decision_reason"`
	Message   json.RawMessage    `json:"message"`
	Meta      []claudeResultMeta `json:"tool_result_meta"`

	// The final record.
	IsError   bool            `json:"is_error"`
	Result    string          `json:"result"`
	Errors    []string        `json:"errors"`
	NumTurns  int             `json:"num_turns"`
	CostUSD   float64         `json:"total_cost_usd"`
	APIStatus json.RawMessage `json:"api_error_status"`
	Usage     map[string]any  `json:"usage"`
	Denials   []struct {
		ToolName  string          `json:"tool_name"`
		ToolUseID string          `json:"tool_use_id"`
		Input     json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

type claudeResultMeta struct {
	ID   string `json:"id"`
	Kind string `json:"non_execution_kind"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

func (s *claudeStream) Outcome() Outcome { return s.out.closed() }

func (s *claudeStream) Read(r io.Reader, progress func(string)) error {
	s.calls, s.seen = map[string]Call{}, map[string]bool{}
	return eachEvent(r, progress, s.event)
}

func (s *claudeStream) event(e claudeEvent, progress func(string)) {
	switch e.Type {
	case "system":
		if e.Subtype == "init" {
			s.out.Version, s.out.Model = e.Version, e.Model
		}
		if e.Subtype == "permission_denied" {
			s.deny(e.ToolUseID, Call{Tool: e.ToolName, Reason: e.Reason, By: "agent"}, progress)
		}
	case "assistant", "user":
		var m struct {
			Content json.RawMessage `json:"content"`
		}
		var blocks []claudeBlock
		if json.Unmarshal(e.Message, &m) != nil || json.Unmarshal(m.Content, &blocks) != nil {
			return
		}
		for _, b := range blocks {
			s.block(b, e.Meta, progress)
		}
	case "result":
		s.result(e)
	}
}

func (s *claudeStream) block(b claudeBlock, meta []claudeResultMeta, progress func(string)) {
	switch b.Type {
	case "tool_use":
		s.out.ToolCalls++
		c := Call{Tool: b.Name, Target: target(b.Input)}
		s.calls[b.ID] = c
		progress(c.Tool + " " + c.Target)
	case "tool_result":
		call := s.calls[b.ToolUseID]
		if !b.IsError {
			return
		}
		s.out.ToolFails++
		text := contentText(b.Content)
		said, byHook := hookText(text)
		call.Reason = shorten(said, 400)
		call.By = "tool"
		for _, m := range meta {
			if m.ID == b.ToolUseID && m.Kind != "" {
				call.By = "agent"
			}
		}
		switch {
		case byHook:
			call.By = "hook"
			s.out.HookSeen = true
		case strings.Contains(call.Reason, "Read-only file system"), strings.Contains(call.Reason, "EROFS"),
			strings.Contains(call.Reason, "Device or resource busy"), strings.Contains(call.Reason, "EBUSY"):
			call.By = "sandbox"
		}
		if call.By != "tool" {
			s.deny(b.ToolUseID, call, progress)
		}
	}
}

func (s *claudeStream) deny(id string, c Call, progress func(string)) {
	if s.seen[id] {
		return
	}
	if known, ok := s.calls[id]; ok {
		c.Tool, c.Target = known.Tool, known.Target
	}
	s.seen[id] = true
	s.out.deny(c, progress)
}

func (s *claudeStream) result(e claudeEvent) {
	s.out.Ended = true
	s.out.Text, s.out.Turns, s.out.CostUSD = e.Result, e.NumTurns, e.CostUSD
	s.out.Usage = map[string]int64{}
	for _, k := range []string{"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if v, ok := e.Usage[k].(float64); ok {
			s.out.Usage[k] = int64(v)
		}
	}
	for _, d := range e.Denials {
		if !s.seen[d.ToolUseID] && len(s.out.Denied) < MaxDenied {
			s.seen[d.ToolUseID] = true
			s.out.Denied = append(s.out.Denied, Call{d.ToolName, target(d.Input), "the agent's permission rules", "agent"})
		}
	}
	// rc is 0 and subtype "success" for some failures: is_error decides
	// (facts/public-reports.md 71, 73-75).
	if e.IsError || strings.HasPrefix(e.Subtype, "error") {
		s.out.Failed = true
		s.out.Reason = "agent-error"
		s.out.Detail = shorten(strings.Join(append(e.Errors, e.Result), " "), 400)
		if e.Subtype == "error_max_turns" {
			s.out.Reason = "max-turns"
		}
		if len(e.APIStatus) > 0 && string(e.APIStatus) != "null" {
			s.out.Reason = "api-error"
			s.out.Detail = "status " + string(e.APIStatus) + ": " + s.out.Detail
		}
	}
}

// hookText takes a hook's own words out of what Claude Code wraps round them:
// "PreToolUse:Write hook error: [command line]: words".
func hookText(text string) (string, bool) {
	event, rest, ok := strings.Cut(text, " hook error: [")
	if !ok || strings.ContainsAny(event, "\n ") {
		return text, false
	}
	if _, words, ok := strings.Cut(rest, "]: "); ok {
		return words, true
	}
	return rest, true
}

// target is what a tool call is about, for people.
func target(input json.RawMessage) string {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
		Command  string `json:"command"`
		Pattern  string `json:"pattern"`
		Desc     string `json:"description"`
	}
	_ = json.Unmarshal(input, &in) // an input of another shape has no target
	for _, s := range []string{in.File, in.Notebook, in.Path, in.Command, in.Pattern, in.Desc} {
		if s != "" {
			return shorten(s, 200)
		}
	}
	return ""
}

// contentText is the text of a tool result, which is a string or blocks.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &blocks)
	var sb strings.Builder
	for _, b := range blocks {
		sb.WriteString(b.Text)
	}
	return sb.String()
}

// shorten folds white space and cuts s to n bytes at a rune's edge.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
