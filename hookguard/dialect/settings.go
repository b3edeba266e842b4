package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// SettingsChange is what `lane hook install` and `uninstall` would do to a
// harness's settings file. Nothing is written before Apply.
type SettingsChange struct {
	Path          string
	Before, After []byte // Before is nil when there is no file
}

// Changed reports whether there is anything to do.
func (c SettingsChange) Changed() bool { return !bytes.Equal(c.Before, c.After) }

// Diff shows the change by lines, with a little of what surrounds it.
func (c SettingsChange) Diff() string {
	if !c.Changed() {
		return ""
	}
	old, now := strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(string(c.After), "\n")
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", c.Path, c.Path)
	line := func(mark, text string) {
		if text != "" {
			b.WriteString(mark + strings.TrimSuffix(text, "\n") + "\n")
		}
	}
	for _, l := range old[max(0, head-2):head] {
		line(" ", l)
	}
	for _, l := range old[head : len(old)-tail] {
		line("-", l)
	}
	for _, l := range now[head : len(now)-tail] {
		line("+", l)
	}
	for _, l := range old[len(old)-tail : min(len(old), len(old)-tail+2)] {
		line(" ", l)
	}
	return b.String()
}

// Apply writes the file in one step. A link is followed, so that a settings
// file kept elsewhere stays where it is.
func (c SettingsChange) Apply() error {
	if !c.Changed() {
		return nil
	}
	target := c.Path
	if resolved, err := filepath.EvalSymlinks(target); err == nil {
		target = resolved
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("make the directory of %q: %w", c.Path, err)
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	now, err := os.ReadFile(target)
	if err != nil && !errors.Is(err, os.ErrNotExist) || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("write %q: it changed meanwhile", c.Path)
	}
	file, err := os.CreateTemp(filepath.Dir(target), ".lane-settings-*")
	if err != nil {
		return fmt.Errorf("write %q: %w", c.Path, err)
	}
	defer os.Remove(file.Name()) // gone already when the rename succeeded
	_, err = file.Write(c.After)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", c.Path, err)
	}
	return nil
}

// maxSettings bounds a settings file.
const maxSettings = 4 << 20

// Install plans the wiring of a harness's settings: lane is the absolute path
// of the program, facts the facts file, or "" to take them from the session.
// Everything else in the file stays as it is, to the byte.
func Install(harness, path, lane, facts string) (SettingsChange, error) {
	return edit(harness, path, func(d Dialect, settings []byte) ([]byte, error) { return d.Wire(settings, lane, facts) })
}

// Uninstall plans the removal of what Install wired.
func Uninstall(harness, path string) (SettingsChange, error) {
	return edit(harness, path, func(d Dialect, settings []byte) ([]byte, error) { return d.Unwire(settings) })
}

func edit(harness, path string, f func(Dialect, []byte) ([]byte, error)) (SettingsChange, error) {
	d, ok := Lookup(harness)
	if !ok || d.Wire == nil {
		return SettingsChange{}, fmt.Errorf("no settings of harness %q are known", harness)
	}
	c := SettingsChange{Path: path}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return c, fmt.Errorf("open settings: %w", err)
	default:
		defer file.Close()
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			return c, fmt.Errorf("settings %q are no regular file", path)
		}
		if c.Before, err = io.ReadAll(io.LimitReader(file, maxSettings+1)); err != nil || len(c.Before) > maxSettings {
			return c, fmt.Errorf("settings %q cannot be read", path)
		}
	}
	if c.After, err = f(d, c.Before); err != nil {
		return c, fmt.Errorf("settings %q: %w; nothing was changed", path, err)
	}
	return c, nil
}

// member is one member of a JSON object, with its place in the text.
type member struct {
	key      string
	from, to int // the value
	keyFrom  int // the key's quote
}

// members lists the members of the one JSON object that text is. Anything
// that is not exactly that (comments, two values, a name twice) is an error:
// the file would not mean to its reader what it means to us.
func members(text []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var list []member
	seen := map[string]bool{}
	for dec.More() {
		keyFrom := skipTo(text, int(dec.InputOffset()), '"')
		key, err := dec.Token()
		name, isName := key.(string)
		if err != nil || !isName {
			return nil, errors.New("it cannot be parsed as JSON")
		}
		if seen[name] {
			return nil, fmt.Errorf("it has the key %q twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errors.New("it cannot be parsed as JSON")
		}
		to := int(dec.InputOffset())
		list = append(list, member{key: name, from: to - len(value), to: to, keyFrom: keyFrom})
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("it cannot be parsed as JSON")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is something after its JSON object")
	}
	return list, nil
}

func skipTo(text []byte, i int, c byte) int {
	for i < len(text) && text[i] != c {
		i++
	}
	return i
}

// setMember replaces the value of a key, adds the key at the end, or with a
// nil value removes it. All other bytes stay.
func setMember(text []byte, key string, value []byte) ([]byte, error) {
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		if m.key != key {
			continue
		}
		if value != nil {
			return splice(text, m.from, m.to, value), nil
		}
		from, to := m.keyFrom, m.to
		if i+1 < len(list) {
			to = list[i+1].keyFrom
		} else if i > 0 {
			from = list[i-1].to
		}
		return splice(text, from, to, nil), nil
	}
	if value == nil {
		return text, nil
	}
	name, _ := json.Marshal(key)
	end := bytes.LastIndexByte(text, '}')
	if len(list) == 0 {
		return splice(text, bytes.IndexByte(text, '{')+1, end, []byte("\n  "+string(name)+": "+string(value)+"\n")), nil
	}
	last := list[len(list)-1].to
	return splice(text, last, last, []byte(",\n  "+string(name)+": "+string(value))), nil
}

func splice(text []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}
