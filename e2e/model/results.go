package model

import (
	"encoding/json"
	"strings"
)

// ToolResult is what one tool call came back as: the agent's word for what
// happened. It is evidence of what the agent was told, not of what is on disk.
type ToolResult struct {
	ID    string // the call's id, from the script or made up
	Name  string // the tool
	Kind  string // the conversation: main or agent:MATCH
	Text  string
	Error bool // the agent marked it as an error
}

// ToolResults returns the results that came back so far, each call once, in
// the order of their first appearance.
func (s *Server) ToolResults() []ToolResult {
	var out []ToolResult
	seen := map[string]bool{}
	for _, req := range s.Requests() {
		var body messageRequest
		if json.Unmarshal(req.Body, &body) != nil {
			continue
		}
		names := map[string]string{}
		for _, m := range body.Messages {
			for _, b := range contentBlocks(m.Content) {
				switch {
				case b.Type == "tool_use":
					names[b.ID] = b.Name
				case b.Type == "tool_result" && !seen[b.ToolUseID]:
					seen[b.ToolUseID] = true
					out = append(out, ToolResult{ID: b.ToolUseID, Name: names[b.ToolUseID], Kind: req.Kind,
						Text: plainText(b.Content), Error: b.IsError})
				}
			}
		}
	}
	return out
}

// Result returns the result of one call.
func (s *Server) Result(id string) (ToolResult, bool) {
	for _, r := range s.ToolResults() {
		if r.ID == id {
			return r, true
		}
	}
	return ToolResult{}, false
}

// UserText returns what the user's turns of the main conversation say, each
// text block once: the prompt, and what the agent adds to it.
func (s *Server) UserText() []string {
	var out []string
	seen := map[string]bool{}
	for _, req := range s.Requests() {
		var body messageRequest
		if req.Kind != "main" || json.Unmarshal(req.Body, &body) != nil {
			continue
		}
		for _, m := range body.Messages {
			if m.Role != "user" {
				continue
			}
			for _, b := range contentBlocks(m.Content) {
				if b.Type == "text" && !seen[b.Text] {
					seen[b.Text] = true
					out = append(out, b.Text)
				}
			}
		}
	}
	return out
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// contentBlocks reads a message's content, which the API lets be a plain
// string or a list of blocks.
func contentBlocks(raw json.RawMessage) []contentBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []contentBlock{{Type: "text", Text: text}}
	}
	var blocks []contentBlock
	if json.Unmarshal(raw, &blocks) != nil {
		return nil
	}
	return blocks
}

func plainText(raw json.RawMessage) string {
	var parts []string
	for _, b := range contentBlocks(raw) {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}
