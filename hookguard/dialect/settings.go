package dialect

import (
	"bytes"
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
	Note          string // what the user has to do besides
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
	return edit(harness, path, func(d Dialect, settings []byte) ([]byte, error) {
		return d.Wiring.wire(harness, settings, lane, facts)
	})
}

// Uninstall plans the removal of what Install wired.
func Uninstall(harness, path string) (SettingsChange, error) {
	return edit(harness, path, func(d Dialect, settings []byte) ([]byte, error) { return d.Wiring.unwire(settings) })
}

func edit(harness, path string, f func(Dialect, []byte) ([]byte, error)) (SettingsChange, error) {
	d, ok := Lookup(harness)
	if !ok || d.Wiring.Entry == nil {
		return SettingsChange{}, fmt.Errorf("no settings of harness %q are known", harness)
	}
	c := SettingsChange{Path: path, Note: d.Wiring.Note}
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
