package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chatRequest is the part of an OpenAI chat completions request that is looked
// at.
type chatRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []chatMessage     `json:"messages"`
}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// chat plays a step as the chat completions API, which is how Copilot asks a
// provider of the user's own.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, raw []byte) {
	var req chatRequest
	if !s.parse(w, r, raw, &req) {
		return
	}
	blocks, seq, ok := s.answer(w, r, raw, req.userText(), len(req.Tools))
	if !ok {
		return
	}
	msg, reason := chatTurn(blocks)
	out := map[string]any{"id": fmt.Sprintf("chatcmpl-scripted-%04d", seq), "created": 1, "model": req.Model}
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	if !req.Stream {
		out["object"], out["usage"] = "chat.completion", usage
		out["choices"] = []any{map[string]any{"index": 0, "message": msg, "finish_reason": reason}}
		writeJSON(w, http.StatusOK, out)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	e := &events{w: w}
	out["object"] = "chat.completion.chunk"
	out["choices"] = []any{map[string]any{"index": 0, "delta": msg, "finish_reason": nil}}
	e.data(out)
	out["choices"] = []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}
	out["usage"] = usage
	e.data(out)
	e.write("data: [DONE]\n\n")
}

// chatTurn renders a turn as an assistant's message, which is a delta too.
func chatTurn(blocks []Block) (map[string]any, string) {
	msg := map[string]any{"role": "assistant", "content": nil}
	var calls []any
	for i, b := range blocks {
		if b.Type != "tool_use" {
			msg["content"] = b.Text
			continue
		}
		calls = append(calls, map[string]any{"index": i, "id": b.ID, "type": "function",
			"function": map[string]any{"name": b.Name, "arguments": arguments(b)}})
	}
	if len(calls) == 0 {
		return msg, "stop"
	}
	msg["tool_calls"] = calls
	return msg, "tool_calls"
}

func (req chatRequest) userText() []string {
	var texts []string
	for _, m := range req.Messages {
		if m.Role == "user" {
			texts = append(texts, plainText(m.Content))
		}
	}
	return texts
}

func (req chatRequest) results() []ToolResult {
	var list []ToolResult
	names := map[string]string{}
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Function.Name
		}
		if m.Role == "tool" {
			list = append(list, ToolResult{ID: m.CallID, Name: names[m.CallID], Text: outputText(m.Content)})
		}
	}
	return list
}
