package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"lane/hookguard/shell"
)

// Wiring is how the guard gets into a harness's settings for use without a
// lane. Everything else in the file stays as it is, to the byte, comments
// too where the harness reads them.
type Wiring struct {
	// Paths are the settings files by scope (user, project, …): below "~", the
	// user's home, or below the project.
	Paths map[string]string
	// Root is the member of the file whose members are the events.
	Root   string
	Events []string
	// Entry is one element of an event's list that runs argv.
	Entry func(event string, argv []string) any
	// Args are added to the command for an event; nil adds none.
	Args func(event string) []string
	// Fresh is what a file that lane makes starts as; "" is an empty object.
	Fresh string
	// Empty is the one member that a file of lane's own keeps when the guard
	// is gone, whereupon the file is of no use.
	Empty string
	// Comments says that the harness reads comments in the file.
	Comments bool
	// Note is told after an installation.
	Note string
}

// wiredTimeout is the harness's own limit in seconds, well over Deadline.
const wiredTimeout = 10

// SettingsPath is the settings file of a harness for a scope.
func SettingsPath(harness, scope, home, project string) (string, error) {
	d, ok := Lookup(harness)
	if !ok || d.Wiring.Entry == nil {
		return "", fmt.Errorf("no settings of harness %q are known", harness)
	}
	name, ok := d.Wiring.Paths[scope]
	if !ok {
		var scopes []string
		for _, s := range []string{"user", "project", "local"} {
			if d.Wiring.Paths[s] != "" {
				scopes = append(scopes, s)
			}
		}
		return "", fmt.Errorf("%s has no settings of scope %q: it has %s", harness, scope, strings.Join(scopes, ", "))
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(home, rest), nil
	}
	return filepath.Join(project, name), nil
}

// wire adds the guard's hooks. A hook of lane's that says the same already is
// left where it stands; another one is replaced.
func (w Wiring) wire(harness string, settings []byte, lane, facts string) ([]byte, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		settings = []byte("{}\n")
		if w.Fresh != "" {
			settings = []byte(w.Fresh)
		}
	}
	for _, event := range w.Events {
		argv := []string{lane, "hook", "--harness", harness}
		if w.Args != nil {
			argv = append(argv, w.Args(event)...)
		}
		if facts != "" {
			argv = append(argv, "--facts", facts)
		} else {
			argv = append(argv, "--session")
		}
		want, err := json.Marshal(w.Entry(event, argv))
		if err != nil {
			return nil, err
		}
		if settings, err = w.change(settings, event, want); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// unwire removes them, and what is empty without them.
func (w Wiring) unwire(settings []byte) ([]byte, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return settings, nil
	}
	root, err := w.root(settings)
	if err != nil || root == nil {
		return settings, err
	}
	list, err := members(root, w.Comments)
	if err != nil {
		return nil, fmt.Errorf("its %q: %w", w.Root, err)
	}
	for _, m := range list {
		if settings, err = w.change(settings, m.key, nil); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// root is the text of the member that holds the events, or nil.
func (w Wiring) root(settings []byte) ([]byte, error) {
	list, err := members(settings, w.Comments)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.key == w.Root {
			return settings[m.from:m.to], nil
		}
	}
	return nil, nil
}

// change makes want the one hook of lane's for an event, or with nil removes
// what there is. An event, and the root, that held nothing else go with it.
func (w Wiring) change(settings []byte, event string, want []byte) ([]byte, error) {
	root, err := w.root(settings)
	if err != nil {
		return nil, err
	}
	before := root
	if root == nil {
		root = []byte("{}")
	}
	events, err := members(root, w.Comments)
	if err != nil {
		return nil, fmt.Errorf("its %q: %w", w.Root, err)
	}
	var list []byte
	for _, m := range events {
		if m.key == event {
			list = root[m.from:m.to]
		}
	}
	next, changed, err := w.changeList(list, want)
	if err != nil || !changed {
		return settings, err
	}
	if root, err = setMember(root, event, next, 2, w.Comments); err != nil {
		return nil, err
	}
	left, err := members(root, w.Comments)
	if err != nil {
		return nil, err
	}
	if len(left) == 0 && before != nil {
		root = nil
	}
	return setMember(settings, w.Root, root, 1, w.Comments)
}

// changeList edits the list of one event. nil is an event that is not there.
func (w Wiring) changeList(list, want []byte) (next []byte, changed bool, err error) {
	if list == nil {
		if want == nil {
			return nil, false, nil
		}
		return append(append([]byte("[\n      "), indented(want, 3)...), "\n    ]"...), true, nil
	}
	items, err := elements(list, w.Comments)
	if err != nil && want == nil {
		return list, false, nil // "enabled" and the like: nothing of ours in it
	}
	if err != nil {
		return nil, false, fmt.Errorf("its %q: the hooks of an event are no list", w.Root)
	}
	there := false
	for i := len(items) - 1; i >= 0; i-- { // from the end: places stay
		item := list[items[i].from:items[i].to]
		left, ours, err := w.withoutLane(item)
		switch {
		// Where the harness may not read the file, no guard is put; there is
		// none to remove either.
		case err != nil && want != nil:
			return nil, false, err
		case !ours:
		case !there && want != nil && sameJSON(plain(item, w.Comments), want):
			there = true
		case left != nil:
			list, changed = splice(list, items[i].from, items[i].to, left), true
		default:
			list, changed = cutElement(list, items, i, w.Comments), true
			if items, err = elements(list, w.Comments); err != nil {
				return nil, false, err
			}
		}
	}
	if want != nil && !there {
		if list, err = appendElement(list, indented(want, 3), w.Comments); err != nil {
			return nil, false, err
		}
		return list, true, nil
	}
	if items, err = elements(list, w.Comments); err != nil {
		return nil, false, err
	}
	if len(items) == 0 && changed {
		return nil, true, nil // the event goes with its last hook
	}
	return list, changed, nil
}

// withoutLane looks for the guard's commands in an element: a command, or a
// group of them. left is what remains of a group with others in it.
func (w Wiring) withoutLane(item []byte) (left []byte, ours bool, err error) {
	var entry struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	bare := plain(item, w.Comments)
	if err := json.Unmarshal(bare, &entry); err != nil {
		return nil, false, fmt.Errorf("one of its hooks is not as the harness has them")
	}
	if entry.Hooks == nil {
		return nil, isLaneHook(bare), nil
	}
	list, err := members(item, w.Comments)
	if err != nil {
		return nil, false, err
	}
	for _, m := range list {
		if m.key != "hooks" {
			continue
		}
		hooks := item[m.from:m.to]
		commands, err := elements(hooks, w.Comments)
		if err != nil {
			return nil, false, fmt.Errorf("one of its hooks is not as the harness has them")
		}
		kept := 0
		for i := len(commands) - 1; i >= 0; i-- {
			if isLaneHook(plain(hooks[commands[i].from:commands[i].to], w.Comments)) {
				hooks, ours = cutElement(hooks, commands, i, w.Comments), true
				if commands, err = elements(hooks, w.Comments); err != nil {
					return nil, false, err
				}
			} else {
				kept++
			}
		}
		if !ours || kept == 0 {
			return nil, ours, nil
		}
		return splice(item, m.from, m.to, hooks), true, nil
	}
	return nil, false, nil
}

// isLaneHook tells the guard's own command from others by its words, whether
// a shell reads them or not.
func isLaneHook(raw []byte) bool {
	var c struct {
		Command, Bash string
		Args          []string
	}
	if json.Unmarshal(raw, &c) != nil {
		return false
	}
	words := append([]string{c.Command}, c.Args...)
	if len(c.Args) == 0 {
		words = shell.Words(c.Command + c.Bash)
	}
	return len(words) > 3 && filepath.Base(words[0]) != "" && words[1] == "hook" && words[2] == "--harness"
}

// commandLine is argv for a shell, quoted where it needs to be.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,") != "" {
			words[i] = shell.Quote([]string{w})
		}
	}
	return strings.Join(words, " ")
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func indented(value []byte, depth int) []byte {
	var b bytes.Buffer
	if json.Indent(&b, value, strings.Repeat("  ", depth), "  ") != nil {
		return value
	}
	return b.Bytes()
}
