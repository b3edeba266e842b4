package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// messageRequest is the part of a Messages request that is looked at.
type messageRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []message         `json:"messages"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request, raw []byte) {
	var req messageRequest
	if !s.parse(w, r, raw, &req) {
		return
	}
	kind, idx, step := "main", -1, Step{}
	if s.script.Reply != nil && len(req.Tools) > 0 {
		step = s.script.Reply(req.turn())
	} else {
		kind, idx, step = s.pick(firstUser(req.Messages), len(req.Tools))
	}
	seq := s.record(r, raw, kind, idx)
	if !s.late(r, step) || failed(w, step) {
		return
	}
	blocks, stop := s.turn(step)
	id := fmt.Sprintf("msg_scripted_%04d", seq)
	if req.Stream {
		e := &events{w: w}
		e.play(id, req.Model, blocks, stop, step.Break)
		if step.Break == BreakSilence {
			select {
			case <-r.Context().Done():
			case <-s.done:
			}
		}
		if step.Break == BreakCut {
			// The documented way to make net/http drop the connection
			// without a proper end of the body.
			panic(http.ErrAbortHandler)
		}
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": id, "type": "message", "role": "assistant", "model": req.Model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage(),
	})
}

// turn is which request of a conversation this is: one for each answer that it
// holds already.
func (r messageRequest) turn() Turn {
	t := Turn{Model: r.Model, Prompt: firstUser(r.Messages)}
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			t.N++
		}
	}
	return t
}

// turn gives every tool call an id and the turn its stop reason.
func (s *Server) turn(step Step) ([]Block, string) {
	stop := step.StopReason
	blocks := make([]Block, len(step.Content))
	for i, b := range step.Content {
		if b.Type == "tool_use" {
			if b.ID == "" {
				b.ID = s.callID()
			}
			if stop == "" {
				stop = "tool_use"
			}
		}
		blocks[i] = b
	}
	if stop == "" {
		stop = "end_turn"
	}
	return blocks, stop
}

// events writes the API's server-sent events.
type events struct{ w http.ResponseWriter }

func (e *events) send(event string, data any) { e.raw(event, encoded(data)) }

func (e *events) raw(event string, data []byte) {
	e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", event, data))
}

// data sends one event without a name.
func (e *events) data(v any) { e.write(fmt.Sprintf("data: %s\n\n", encoded(v))) }

func (e *events) write(text string) {
	fmt.Fprint(e.w, text)
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("model: event: %v", err)) // our own values: cannot happen
	}
	return b
}

// play sends one message, up to where how says that it breaks.
func (e *events) play(id, model string, blocks []Block, stop string, how Break) {
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.Header().Set("Cache-Control", "no-cache")
	e.w.WriteHeader(http.StatusOK)
	e.send("message_start", map[string]any{"type": "message_start", "message": map[string]any{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage()}})
	switch how {
	case BreakSilence:
		return
	case BreakGarbage:
		e.raw("content_block_start", []byte(`{"type":"content_block_start","index":`))
		return
	}
	for i, b := range blocks {
		var start, delta any
		if b.Type == "tool_use" {
			input := string(b.Input)
			if input == "" {
				input = "{}"
			}
			start = map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": input}
		} else {
			start = map[string]any{"type": "text", "text": ""}
			delta = map[string]any{"type": "text_delta", "text": b.Text}
		}
		e.send("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start})
		if how == BreakCut {
			return
		}
		e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}
	if how == BreakUnfinished {
		return
	}
	e.send("message_delta", map[string]any{"type": "message_delta",
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": 10}})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}

// firstUser is the raw JSON of the first user message: good enough to search.
func firstUser(messages []message) string {
	for _, m := range messages {
		if m.Role == "user" {
			return string(m.Content)
		}
	}
	return ""
}

func usage() map[string]int {
	return map[string]int{"input_tokens": 10, "output_tokens": 10,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
}

func apiError(kind, msg string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": msg}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone: nobody to tell
}
