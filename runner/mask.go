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
// one with a slash about paths from its top; * and ? do not match a slash, **
// stands for any directories, and what a directory's name matches is masked
// with all that is in it. Further names of the same file, and what a link
// names, are masked too.
func surveyMasked(h *Host, req Request, worktree string) error {
	if len(req.Masks) == 0 {
		return nil
	}
	var masks []maskPattern
	for _, text := range req.Masks {
		m, err := parseMask(text, worktree)
		if err != nil {
			return err
		}
		masks = append(masks, m)
	}
	paths := map[string]bool{}
	inodes := map[uint64]bool{}
	met := make([]bool, len(masks))
	for name, stamp := range h.Tree.Files {
		if masked(masks, name, met) {
			inodes[stamp.Ino] = true
			if real, err := filepath.EvalSymlinks(filepath.Join(worktree, name)); err == nil {
				paths[real] = true
			}
		}
	}
	for i, text := range req.Masks[:len(req.Masks)-req.repoMasks] {
		if !met[i] {
			h.Notes = append(h.Notes, "--mask "+quoteUnlessPlain(text)+": the worktree holds nothing of that name, so nothing is masked by it")
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

// maskPattern is one pattern of --mask, by its components.
type maskPattern struct {
	parts []string
	top   bool // from the top of the worktree
	dir   bool // a directory only
}

// parseMask takes a pattern in any spelling of a path of the worktree: what it
// would never match must not pass for a mask.
func parseMask(text, worktree string) (maskPattern, error) {
	bad := func(why string) (maskPattern, error) {
		return maskPattern{}, &UsageError{"mask", "--mask: " + why + ": " + quote(text)}
	}
	rest := text
	if under, ok := strings.CutPrefix(rest, worktree+"/"); ok {
		rest = "/" + under
	}
	m := maskPattern{dir: strings.HasSuffix(rest, "/"), top: strings.Contains(strings.TrimRight(rest, "/"), "/")}
	for _, part := range strings.Split(rest, "/") {
		if part == "" || part == "." {
			continue
		}
		if _, err := path.Match(part, "x"); err != nil {
			return bad("not a pattern")
		}
		if part == ".." {
			return bad("leads out of the worktree, and is about its files")
		}
		m.parts = append(m.parts, part)
	}
	if len(m.parts) == 0 {
		return bad("not a pattern")
	}
	return m, nil
}

// masked says whether a file is masked, by its own name or that of a directory
// it lies in. met notes which patterns did it.
func masked(masks []maskPattern, name string, met []bool) bool {
	parts := strings.Split(name, "/")
	found := false
	for i, m := range masks {
		for n := len(parts); n > 0; n-- {
			if m.dir && n == len(parts) {
				continue
			}
			subject := parts[:n]
			if !m.top {
				subject = parts[n-1 : n]
			}
			if matchParts(m.parts, subject) {
				found, met[i] = true, true
				break
			}
		}
	}
	return found
}

func matchParts(pattern, parts []string) bool {
	for ; len(pattern) > 0; pattern, parts = pattern[1:], parts[1:] {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if matchParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], parts[0]); !ok { // checked before
			return false
		}
	}
	return len(parts) == 0
}
