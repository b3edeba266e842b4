package runner

import (
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"lane/sandbox"
)

// maxMasked bounds the rows that --mask may make: bubblewrap takes a few
// thousand arguments in all.
const maxMasked = 1000

// surveyMasked finds the files at launch that --mask names: there but empty
// inside. A pattern without a slash is about names anywhere in the worktree,
// one with a slash about paths from its top; * and ? do not match a slash.
// Further names of the same file, and what a link names, are masked too.
func surveyMasked(h *Host, req Request, worktree string) error {
	for _, p := range req.Masks {
		if _, err := path.Match(p, "x"); err != nil || p == "" {
			return &UsageError{"mask", "--mask: not a pattern: " + quote(p)}
		}
	}
	if len(req.Masks) == 0 {
		return nil
	}
	paths := map[string]bool{}
	inodes := map[uint64]bool{}
	for name, stamp := range h.Tree.Files {
		if masked(req.Masks, name) {
			inodes[stamp.Ino] = true
			if real, err := filepath.EvalSymlinks(filepath.Join(worktree, name)); err == nil {
				paths[real] = true
			}
		}
	}
	for name, stamp := range h.Tree.Files {
		if inodes[stamp.Ino] && stamp.Mode&syscall.S_IFMT == syscall.S_IFREG {
			paths[filepath.Join(worktree, name)] = true
		}
	}
	if len(paths) > maxMasked {
		return &UsageError{"mask", "--mask: the patterns name more than 1000 files; name a narrower pattern"}
	}
	for p := range paths {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			h.Masked = append(h.Masked, sandbox.Row{Path: p, Access: sandbox.Hide, File: true, Reason: "asked for with --mask"})
		}
	}
	sort.Slice(h.Masked, func(i, j int) bool { return h.Masked[i].Path < h.Masked[j].Path })
	return nil
}

func masked(patterns []string, name string) bool {
	for _, p := range patterns {
		subject := name
		if !strings.Contains(strings.TrimPrefix(p, "/"), "/") && !strings.HasPrefix(p, "/") {
			subject = path.Base(name)
		}
		if ok, _ := path.Match(strings.TrimPrefix(p, "/"), subject); ok { // checked before
			return true
		}
	}
	return false
}
