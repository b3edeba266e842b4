package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lane/gitdiscover/seal"
	"lane/sandbox"
)

// quarantineDir, below the run's record, holds what was held back.
const quarantineDir = "quarantine"

// holdBack moves wiring that was absent at launch and has appeared out of the
// worktree, before lane returns: the user's next `claude`, editor or shell
// there would obey it (CVE-2026-25725: settings that did not exist at the
// start were not protected). Nothing is lost: it lies in the run's record.
//
// Names are compared as the file systems of other machines would: case does
// not matter.
func holdBack(root *os.Root, j Job) ([]Held, error) {
	if acceptsWiring(j) {
		return nil, nil
	}
	var names []Steered
	for _, w := range sandbox.Wiring() {
		names = append(names, Steered{w.Path, w.Harness + ": " + w.Reason})
	}
	var held []Held
	for _, w := range append(names, j.Host.Steered...) {
		name, ok, err := findFold(root, w.Path)
		if err != nil {
			return held, fmt.Errorf("look for %s: %w", quote(w.Path), err)
		}
		if !ok || j.Host.Tree.has(name) {
			continue
		}
		if err := moveOut(root, name, filepath.Join(j.Plan.RunDir, recordDir, quarantineDir)); err != nil {
			return held, fmt.Errorf("hold back %s: %w", quote(name), err)
		}
		held = append(held, Held{Path: name, Reason: w.Reason})
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if j.Host.Tree.Dirs[dir] || root.Remove(dir) != nil { // not empty: it holds the agent's work
				break
			}
		}
	}
	return held, nil
}

// holdBackFound moves out of the worktree what a sweep found: repositories that
// appeared and make git run something or look elsewhere, for the user's next
// `git status` would go into them and obey them, and wiring in directories
// below, where an agent or an editor may be started as well.
func holdBackFound(root *os.Root, j Job, sweep seal.SweepReport, below sandbox.WiringBelow) ([]Held, error) {
	if acceptsWiring(j) {
		return nil, nil
	}
	var held []Held
	for _, f := range sweep.Findings {
		name := string(f.Path)
		w, wiring := below.Find(name)
		reason := ""
		switch {
		case f.Was != "appeared" || slices.ContainsFunc(held, func(h Held) bool { return strings.HasPrefix(name, h.Path+"/") }):
		case (f.Kind == seal.FoundRepository || f.Kind == seal.FoundBare) && len(f.Runs) > 0:
			reason = "a nested repository that runs or redirects: " + strings.Join(f.Runs, ", ")
		case f.Kind == seal.FoundHook:
			reason = "core.hooksPath: the user's git runs what lies here"
		case f.Kind == seal.FoundWiring && wiring:
			reason = w.Harness + ": " + w.Reason
		}
		if reason == "" {
			continue
		}
		if err := moveOut(root, name, filepath.Join(j.Plan.RunDir, recordDir, quarantineDir)); err != nil {
			return held, fmt.Errorf("hold back %s: %w", quote(name), err)
		}
		held = append(held, Held{Path: name, Reason: reason})
	}
	return held, nil
}

func acceptsWiring(j Job) bool { return slices.Contains(j.Request.Accept, "wiring") }

// Held is one thing that was held back.
type Held struct {
	Path   string `json:"path"` // relative to the worktree, and to the run's quarantine
	Reason string `json:"reason"`
}

// findFold finds the entry below root by which name would be reached, its
// components compared without case. It follows no link: where a component is
// one, the link is that entry, so that `.claude -> src` is held back itself.
func findFold(root *os.Root, name string) (string, bool, error) {
	at := "."
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		entry, ok, err := entryFold(root, at, part)
		if err != nil || !ok {
			return "", false, err
		}
		at = path.Join(at, entry)
		info, err := root.Lstat(at)
		if err != nil {
			return "", false, unlessGone(err)
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return at, true, nil
		}
	}
	return at, true, nil
}

// unlessGone: what is not there is no fault of the look.
func unlessGone(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// entryFold is the entry of dir that want would reach: itself, or another
// spelling of it.
func entryFold(root *os.Root, dir, want string) (string, bool, error) {
	if _, err := root.Lstat(path.Join(dir, want)); err == nil {
		return want, true, nil
	}
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false, unlessGone(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	for _, n := range names {
		if equalFold(n, want) {
			return n, true, nil
		}
	}
	return "", false, nil
}

// equalFold compares ASCII letters without case: every name in the table is
// ASCII.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// moveOut moves one entry to the same relative path below to.
func moveOut(root *os.Root, name, to string) error {
	target := filepath.Join(to, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	err := renameOut(root, name, target)
	if err == nil {
		return nil
	}
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if err := copyOut(root, name, target); err != nil {
		return err
	}
	return root.RemoveAll(name)
}

// renameOut renames by the directory that the entry lies in, not by its path:
// another lane in the same worktree still runs, and may put a link to elsewhere
// where a directory was.
func renameOut(root *os.Root, name, target string) error {
	dir, err := root.OpenFile(path.Dir(name), os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Renameat(int(dir.Fd()), path.Base(name), unix.AT_FDCWD, target)
}

// maxHeld bounds what is copied when the quarantine lies on another file
// system; more than this is no configuration.
const maxHeld = 64 << 20

// copyOut copies regular files and directories; a link is kept as its text,
// anything else is not copied (it holds no bytes).
func copyOut(root *os.Root, name, target string) error {
	left := int64(maxHeld)
	return fs.WalkDir(root.FS(), name, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(name, p)
		if err != nil {
			return err
		}
		out := filepath.Join(target, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(out, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			text, err := root.Readlink(p)
			if err != nil {
				return err
			}
			return os.WriteFile(out+".link", []byte(text), 0o600)
		case d.Type().IsRegular():
			return copyFile(root, p, out, &left)
		}
		return nil
	})
}

func copyFile(root *os.Root, name, target string, left *int64) error {
	in, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, *left))
	*left -= n
	return errors.Join(err, out.Close())
}
