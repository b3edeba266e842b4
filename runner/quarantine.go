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
	if slices.Contains(j.Request.Accept, "wiring") {
		return nil, nil
	}
	var held []Held
	for _, w := range sandbox.Wiring() {
		name, ok := findFold(root, w.Path)
		if !ok || j.Host.Tree.has(name) {
			continue
		}
		if err := moveOut(root, name, filepath.Join(j.Plan.RunDir, recordDir, quarantineDir)); err != nil {
			return held, fmt.Errorf("hold back %s: %w", quote(name), err)
		}
		held = append(held, Held{Path: name, Reason: w.Harness + ": " + w.Reason})
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if j.Host.Tree.Dirs[dir] || root.Remove(dir) != nil { // not empty: it holds the agent's work
				break
			}
		}
	}
	return held, nil
}

// holdBackRepositories moves out of the worktree what appeared there and is a
// repository that makes git run something or look elsewhere: the user's next
// `git status` would go into it and obey it.
func holdBackRepositories(root *os.Root, j Job, sweep seal.SweepReport) ([]Held, error) {
	if slices.Contains(j.Request.Accept, "wiring") {
		return nil, nil
	}
	var held []Held
	for _, f := range sweep.Findings {
		if f.Kind != seal.FoundRepository && f.Kind != seal.FoundBare || f.Was != "appeared" || len(f.Runs) == 0 {
			continue
		}
		name := string(f.Path)
		if err := moveOut(root, name, filepath.Join(j.Plan.RunDir, recordDir, quarantineDir)); err != nil {
			return held, fmt.Errorf("hold back %s: %w", quote(name), err)
		}
		held = append(held, Held{Path: name, Reason: "a nested repository that runs or redirects: " + strings.Join(f.Runs, ", ")})
	}
	return held, nil
}

// Held is one thing that was held back.
type Held struct {
	Path   string `json:"path"` // relative to the worktree, and to the run's quarantine
	Reason string `json:"reason"`
}

// findFold finds the entry below root by which name would be reached, its
// components compared without case. It follows no link: where a component is
// one, the link is that entry, so that `.claude -> src` is held back itself.
func findFold(root *os.Root, name string) (string, bool) {
	at := "."
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		next := path.Join(at, part)
		info, err := root.Lstat(next)
		if err != nil {
			entry, ok := entryFold(root, at, part)
			if !ok {
				return "", false
			}
			next = path.Join(at, entry)
			if info, err = root.Lstat(next); err != nil {
				return "", false
			}
		}
		if at = next; info.Mode()&os.ModeSymlink != 0 {
			return at, true
		}
	}
	return at, true
}

// maxFoldEntries bounds the look for other spellings in one directory.
const maxFoldEntries = 100_000

func entryFold(root *os.Root, dir, want string) (string, bool) {
	info, err := root.Lstat(dir)
	if err != nil || !info.IsDir() {
		return "", false
	}
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxFoldEntries) // what could be read is looked at
	for _, n := range names {
		if equalFold(n, want) {
			return n, true
		}
	}
	return "", false
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
	err := os.Rename(filepath.Join(root.Name(), name), target)
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
