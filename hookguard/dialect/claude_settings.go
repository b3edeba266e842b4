package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
)

// claudeEvents are the events that `lane hook install` wires. WorktreeCreate
// is not among them: outside a lane a user may want worktrees.
var claudeEvents = []string{"PreToolUse", "UserPromptSubmit"}

// claudeTimeout is Claude Code's own limit in seconds, well over Deadline.
const claudeTimeout = 10

// hookCommand is one hook of Claude Code's settings, in exec form: no shell
// reads it.
type hookCommand struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Timeout   int      `json:"timeout,omitempty"`
	OnFailure string   `json:"onFailure,omitempty"`
}

// ClaudeSettingsPath is Claude Code's settings file of a scope: user, project
// or local.
func ClaudeSettingsPath(scope, home, project string) (string, error) {
	switch scope {
	case "user":
		return filepath.Join(home, ".claude", "settings.json"), nil
	case "project":
		return filepath.Join(project, ".claude", "settings.json"), nil
	case "local":
		return filepath.Join(project, ".claude", "settings.local.json"), nil
	}
	return "", errors.New("scope must be user, project or local")
}

// wireClaude adds the guard to Claude Code's settings. Without "onFailure"
// a hook that is missing, hangs or crashes would let the call through.
func wireClaude(settings []byte, lane, facts string) ([]byte, error) {
	args := []string{"hook", "--harness", "claude-code", "--session"}
	if facts != "" {
		args = []string{"hook", "--harness", "claude-code", "--facts", facts}
	}
	group, err := json.Marshal(map[string]any{"hooks": []hookCommand{
		{Type: "command", Command: lane, Args: args, Timeout: claudeTimeout, OnFailure: "block"}}})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(settings)) == 0 {
		settings = []byte("{}\n")
	}
	return changeHooks(settings, func(hooks *orderedObject) error {
		for _, event := range claudeEvents {
			groups, err := hooks.list(event)
			if err != nil {
				return err
			}
			groups, err = withoutLane(groups)
			if err != nil {
				return err
			}
			hooks.set(event, append(groups, group))
		}
		return nil
	})
}

// unwireClaude removes it, and what is empty without it.
func unwireClaude(settings []byte) ([]byte, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return settings, nil
	}
	return changeHooks(settings, func(hooks *orderedObject) error {
		for _, event := range hooks.names() {
			groups, err := hooks.list(event)
			if err != nil {
				return err
			}
			left, err := withoutLane(groups)
			if err != nil {
				return err
			}
			if len(left) != len(groups) || !sameRaw(left, groups) {
				hooks.set(event, left)
			}
		}
		return nil
	})
}

func sameRaw(a, b []json.RawMessage) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// changeHooks edits the object under "hooks". The text is left alone when
// nothing changes in meaning, so that installing twice is installing once.
func changeHooks(settings []byte, change func(*orderedObject) error) ([]byte, error) {
	list, err := members(settings)
	if err != nil {
		return nil, err
	}
	old := []byte("{}")
	had := false
	for _, m := range list {
		if m.key == "hooks" {
			old, had = settings[m.from:m.to], true
		}
	}
	hooks, err := parseOrdered(old)
	if err != nil {
		return nil, errors.New("its hooks are no JSON object")
	}
	if err := change(hooks); err != nil {
		return nil, err
	}
	if len(hooks.keys) == 0 {
		if !had {
			return settings, nil
		}
		return setMember(settings, "hooks", nil)
	}
	next := hooks.text()
	if had && sameJSON(old, next) {
		return settings, nil
	}
	return setMember(settings, "hooks", next)
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// withoutLane drops the guard's commands from a list of hook groups, and
// groups that held nothing else.
func withoutLane(groups []json.RawMessage) ([]json.RawMessage, error) {
	var out []json.RawMessage
	for _, raw := range groups {
		var group struct {
			Hooks []json.RawMessage `json:"hooks"`
		}
		if err := json.Unmarshal(raw, &group); err != nil {
			return nil, errors.New("one of its hooks is not as Claude Code has them")
		}
		var left []json.RawMessage
		for _, command := range group.Hooks {
			if !isLaneHook(command) {
				left = append(left, command)
			}
		}
		if len(left) == len(group.Hooks) {
			out = append(out, raw)
			continue
		}
		if len(left) == 0 {
			continue
		}
		value, err := json.Marshal(left)
		if err != nil {
			return nil, err
		}
		rest, err := setMember(raw, "hooks", value)
		if err != nil {
			return nil, err
		}
		out = append(out, rest)
	}
	return out, nil
}

// isLaneHook tells the guard's own command from others by its words.
func isLaneHook(raw json.RawMessage) bool {
	var c hookCommand
	if json.Unmarshal(raw, &c) != nil || len(c.Args) < 4 {
		return false
	}
	return c.Args[0] == "hook" && c.Args[1] == "--harness" && (c.Args[3] == "--session" || c.Args[3] == "--facts")
}

// orderedObject is a JSON object whose members keep their order and text.
type orderedObject struct {
	keys   []string
	values map[string]json.RawMessage
}

func parseOrdered(text []byte) (*orderedObject, error) {
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	o := &orderedObject{values: map[string]json.RawMessage{}}
	for _, m := range list {
		o.keys = append(o.keys, m.key)
		o.values[m.key] = text[m.from:m.to]
	}
	return o, nil
}

func (o *orderedObject) names() []string { return append([]string(nil), o.keys...) }

func (o *orderedObject) list(key string) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if raw, ok := o.values[key]; ok {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, errors.New("its hooks are not as Claude Code has them")
		}
	}
	return list, nil
}

// set stores a list; an empty one removes the key.
func (o *orderedObject) set(key string, list []json.RawMessage) {
	_, had := o.values[key]
	if len(list) == 0 {
		delete(o.values, key)
		for i, k := range o.keys {
			if k == key {
				o.keys = append(o.keys[:i], o.keys[i+1:]...)
				break
			}
		}
		return
	}
	if !had {
		o.keys = append(o.keys, key)
	}
	raw, _ := json.Marshal(list) // raw messages that were parsed before
	o.values[key] = raw
}

// text is the object, indented to stand at the second level of a file.
func (o *orderedObject) text() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(key)
		b.Write(name)
		b.WriteByte(':')
		b.Write(o.values[key])
	}
	b.WriteByte('}')
	var out bytes.Buffer
	if json.Indent(&out, b.Bytes(), "  ", "  ") != nil {
		return b.Bytes()
	}
	return out.Bytes()
}
