package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Script says what the model answers, in no particular API's words.
//
//	{"steps": [
//	   {"content": [{"type": "tool_use", "id": "w1", "name": "Bash", "input": {"command": "id"}}]},
//	   {"content": [{"type": "text", "text": "done"}]}],
//	 "agents": [{"match": "SUBTASK", "steps": [...]}]}
//
// Steps are for the main conversation. A request whose first user message
// contains an agent's Match is answered from that agent's Steps instead, which
// is how subagents get a script of their own. A request that offers no tools
// (titles, summaries, quota probes) never consumes a step.
type Script struct {
	Steps  []Step  `json:"steps"`
	Agents []Agent `json:"agents,omitempty"`
	// Reply, if set, answers instead of Steps: a model that reads its prompt.
	// Of the Anthropic API only.
	Reply func(Turn) Step `json:"-"`
}

// Turn is what a Reply is asked.
type Turn struct {
	Model  string // as the agent named it
	Prompt string // the raw JSON of the first user message
	N      int    // of this request, counted from 0 for each conversation
}

// Agent is a script for the conversations whose first user message has Match.
type Agent struct {
	Match string `json:"match"`
	Steps []Step `json:"steps"`
}

// Step is one assistant turn or, with Status set, one HTTP error.
type Step struct {
	Content    []Block         `json:"content,omitempty"`
	StopReason string          `json:"stop_reason,omitempty"` // default: tool_use if any block is one, else end_turn
	DelayMS    int             `json:"delay_ms,omitempty"`    // wait before answering
	Status     int             `json:"status,omitempty"`      // answer with this HTTP status and Error
	Error      json.RawMessage `json:"error,omitempty"`       // default: an api_error in the API's own shape
	Break      Break           `json:"break,omitempty"`       // how the stream is spoiled
}

// Block is one content block of an assistant turn.
type Block struct {
	Type  string          `json:"type"` // text or tool_use
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"` // tool_use: made up when empty; name it to find its result again
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// Break is a way in which a streamed answer goes wrong. A step that is broken
// breaks only when the agent asked for a stream.
type Break string

const (
	// BreakCut closes the connection in the middle of the first block.
	BreakCut Break = "cut"
	// BreakGarbage sends an event whose data is not JSON.
	BreakGarbage Break = "garbage"
	// BreakUnfinished ends the body properly, but without the closing events.
	BreakUnfinished Break = "unfinished"
	// BreakSilence sends the first event and then nothing until the client
	// goes away or the server ends.
	BreakSilence Break = "silence"
)

var breaks = []Break{"", BreakCut, BreakGarbage, BreakUnfinished, BreakSilence}

// Text is the step that says s and ends the turn.
func Text(s string) Step {
	return Step{Content: []Block{{Type: "text", Text: s}}}
}

// Use is the step that calls one tool. An input that cannot be JSON is a
// mistake in the caller's source, hence the panic.
func Use(id, name string, input any) Step {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("model: input of %q: %v", name, err))
	}
	return Step{Content: []Block{{Type: "tool_use", ID: id, Name: name, Input: raw}}}
}

// Parse reads a script and refuses what it would otherwise silently not play:
// unknown fields, unknown block types, a tool call without a name, two calls
// with one id. A test whose script says nothing must not pass.
func Parse(b []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parse script: %w", err)
	}
	if dec.More() {
		return Script{}, fmt.Errorf("parse script: more than one JSON value")
	}
	return s, s.check()
}

func (s Script) check() error {
	ids := map[string]bool{}
	check := func(where string, steps []Step) error {
		for i, step := range steps {
			if !slices.Contains(breaks, step.Break) {
				return fmt.Errorf("%s step %d: unknown break %q", where, i, step.Break)
			}
			for _, b := range step.Content {
				switch {
				case b.Type == "text":
				case b.Type != "tool_use":
					return fmt.Errorf("%s step %d: unknown block type %q", where, i, b.Type)
				case b.Name == "":
					return fmt.Errorf("%s step %d: tool_use without a name", where, i)
				case b.ID != "" && ids[b.ID]:
					return fmt.Errorf("%s step %d: second tool_use with id %q", where, i, b.ID)
				default:
					ids[b.ID] = true
				}
			}
		}
		return nil
	}
	if err := check("main", s.Steps); err != nil {
		return err
	}
	for _, a := range s.Agents {
		if a.Match == "" {
			return fmt.Errorf("agent without a match")
		}
		if err := check("agent "+a.Match, a.Steps); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes only the fields that the block's type has: clients
// validate them.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Type == "tool_use" {
		input := b.Input
		if len(input) == 0 {
			input = json.RawMessage("{}")
		}
		return json.Marshal(struct {
			Type  string          `json:"type"`
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}{b.Type, b.ID, b.Name, input})
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{b.Type, b.Text})
}
