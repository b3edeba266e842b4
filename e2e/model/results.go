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
		body, ok := conversationOf(req)
		if !ok {
			continue
		}
		for _, r := range body.results() {
			if !seen[r.ID] {
				seen[r.ID], r.Kind = true, req.Kind
				out = append(out, r)
			}
		}
	}
	return out
}

// conversation is a request's body in the words of its API.
type conversation interface {
	userText() []string
	results() []ToolResult
}

func conversationOf(req Request) (conversation, bool) {
	path, _, _ := strings.Cut(req.Path, "?")
	switch {
	case strings.HasSuffix(path, "/responses"):
		return decoded(req, responsesRequest{})
	case strings.HasSuffix(path, "/chat/completions"):
		return decoded(req, chatRequest{})
	case strings.HasSuffix(path, "enerateContent"):
		return decoded(req, geminiRequest{})
	}
	return decoded(req, messageRequest{})
}

func decoded[T conversation](req Request, body T) (conversation, bool) {
	err := json.Unmarshal(req.Body, &body)
	return body, err == nil
}

func (req messageRequest) results() []ToolResult {
	var list []ToolResult
	names := map[string]string{}
	for _, m := range req.Messages {
		for _, b := range contentBlocks(m.Content) {
			switch b.Type {
			case "tool_use":
				names[b.ID] = b.Name
			case "tool_result":
				list = append(list, ToolResult{ID: b.ToolUseID, Name: names[b.ToolUseID], Text: plainText(b.Content), Error: b.IsError})
			}
		}
	}
	return list
}

func (req messageRequest) userText() []string {
	var texts []string
	for _, m := range req.Messages {
		if m.Role != "user" {
			continue
		}
		for _, b := range contentBlocks(m.Content) {
			if b.Type == "text" {
				texts = append(texts, b.Text)
			}
		}
	}
	return texts
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
		body, ok := conversationOf(req)
		if req.Kind != "main" || !ok {
			continue
		}
		for _, text := range body.userText() {
			if !seen[text] {
				seen[text] = true
				out = append(out, text)
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
