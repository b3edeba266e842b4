package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// geminiRequest is the part of a Gemini request that is looked at.
type geminiRequest struct {
	Tools []struct {
		Functions []json.RawMessage `json:"functionDeclarations"`
	} `json:"tools"`
	Contents []struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"contents"`
}

type geminiPart struct {
	Text string `json:"text"`
	Call *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// gemini plays a step as the Gemini API. A request that offers no tools
// (routing, summaries) consumes no step.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request, raw []byte) {
	var req geminiRequest
	if !s.parse(w, r, raw, &req) {
		return
	}
	tools := 0
	for _, t := range req.Tools {
		tools += len(t.Functions)
	}
	blocks, _, ok := s.answer(w, r, raw, req.userText(), tools)
	if !ok {
		return
	}
	var parts []any
	for _, b := range blocks {
		if b.Type != "tool_use" {
			parts = append(parts, map[string]any{"text": b.Text})
			continue
		}
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": b.ID, "name": b.Name, "args": json.RawMessage(arguments(b))}})
	}
	model := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	model, _, _ = strings.Cut(model, ":")
	answer := map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts}}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  model,
	}
	if strings.Contains(r.URL.Path, ":stream") {
		w.Header().Set("Content-Type", "text/event-stream")
		(&events{w: w}).data(answer)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (req geminiRequest) userText() []string {
	var texts []string
	for _, c := range req.Contents {
		for _, p := range c.Parts {
			if c.Role == "user" && p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
	}
	return texts
}

// results are in the order of the calls: an agent may leave the ids out.
func (req geminiRequest) results() []ToolResult {
	var list []ToolResult
	var calls []string
	for _, c := range req.Contents {
		for _, p := range c.Parts {
			switch {
			case p.Call != nil:
				calls = append(calls, p.Call.ID)
			case p.Response != nil:
				id := p.Response.ID
				if id == "" && len(list) < len(calls) {
					id = calls[len(list)]
				}
				var said struct {
					Error  json.RawMessage `json:"error"`
					Output json.RawMessage `json:"output"`
				}
				r := ToolResult{ID: id, Name: p.Response.Name, Text: string(p.Response.Response)}
				if json.Unmarshal(p.Response.Response, &said) == nil {
					r.Error = len(said.Error) > 0
					var text string
					for _, raw := range []json.RawMessage{said.Error, said.Output} {
						if json.Unmarshal(raw, &text) == nil {
							r.Text = text
							break
						}
					}
				}
				list = append(list, r)
			}
		}
	}
	return list
}
