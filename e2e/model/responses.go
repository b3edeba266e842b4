package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responsesRequest is the part of an OpenAI Responses request that is looked
// at.
type responsesRequest struct {
	Model string            `json:"model"`
	Tools []json.RawMessage `json:"tools"`
	Input []responsesItem   `json:"input"`
}

type responsesItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Output  json.RawMessage `json:"output"`
	Content json.RawMessage `json:"content"`
	// Tools are where models that call them from a script are offered them.
	Tools []json.RawMessage `json:"tools"`
}

// responses plays a step as the Responses API, streamed, which is how Codex
// asks. A tool call whose input is a JSON string is one of a freeform tool.
func (s *Server) responses(w http.ResponseWriter, r *http.Request, raw []byte) {
	var req responsesRequest
	if !s.parse(w, r, raw, &req) {
		return
	}
	first, tools := "", len(req.Tools)
	for _, text := range req.userText() {
		first += text
	}
	for _, i := range req.Input {
		tools += len(i.Tools)
	}
	kind, idx, step := s.pick(first, tools)
	seq := s.record(r, raw, kind, idx)
	if !s.late(r, step) || failed(w, step) {
		return
	}
	blocks, _ := s.turn(step)
	e := &events{w: w}
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprintf("resp_scripted_%04d", seq)
	e.send("response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": id}})
	for i, b := range blocks {
		e.send("response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": i, "item": responsesOutput(b, fmt.Sprintf("%d_%d", seq, i))})
	}
	e.send("response.completed", map[string]any{"type": "response.completed", "response": map[string]any{"id": id,
		"usage": map[string]any{"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 10, "output_tokens_details": nil, "total_tokens": 20}}})
}

func responsesOutput(b Block, suffix string) map[string]any {
	if b.Type != "tool_use" {
		return map[string]any{"type": "message", "id": "msg_" + suffix, "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": b.Text}}}
	}
	var text string
	if json.Unmarshal(b.Input, &text) == nil {
		return map[string]any{"type": "custom_tool_call", "id": "ctc_" + suffix, "call_id": b.ID, "name": b.Name, "input": text}
	}
	return map[string]any{"type": "function_call", "id": "fc_" + suffix, "call_id": b.ID, "name": b.Name, "arguments": arguments(b)}
}

// arguments is a call's input as the text that OpenAI's APIs want.
func arguments(b Block) string {
	if len(b.Input) == 0 {
		return "{}"
	}
	return string(b.Input)
}

func (req responsesRequest) userText() []string {
	var texts []string
	for _, i := range req.Input {
		if i.Role != "user" {
			continue
		}
		for _, b := range contentBlocks(i.Content) {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

func (req responsesRequest) results() []ToolResult {
	var list []ToolResult
	names := map[string]string{}
	for _, i := range req.Input {
		switch i.Type {
		case "function_call", "custom_tool_call":
			names[i.CallID] = i.Name
		case "function_call_output", "custom_tool_call_output":
			list = append(list, ToolResult{ID: i.CallID, Name: names[i.CallID], Text: outputText(i.Output)})
		}
	}
	return list
}

// outputText is a tool's output: a string, or content blocks.
func outputText(raw json.RawMessage) string {
	text := ""
	for _, b := range contentBlocks(raw) {
		text += b.Text
	}
	if text == "" {
		text = string(raw)
	}
	return text
}
