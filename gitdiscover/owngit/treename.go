package owngit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names in a tree that become something else on somebody's disk. Whoever
// checks the commit out may be on a file system that folds case, drops
// invisible characters (HFS+, CVE-2014-9390) or has short names, trailing dots
// and streams (NTFS, CVE-2019-1352); so all of these are asked on every host.

// badName says why a tree or index may not have an entry of that name, "" if
// it may. It is one name, without slashes.
func badName(name string) string {
	switch {
	case name == "":
		return "has an empty name"
	case name == "." || name == "..":
		return "is named " + name
	case len(name) > 4096:
		return "has a name of more than 4096 bytes"
	case strings.ContainsAny(name, "/\x00"):
		return "has a slash or NUL in its name"
	case looksLike(name, "git", "git"):
		return "is named .git, or is taken for it on some file systems"
	}
	return ""
}

// badPath is badName for each part of a path.
func badPath(path string) string {
	if len(path) > 4096 {
		return "is a path of more than 4096 bytes"
	}
	for part := range strings.SplitSeq(path, "/") {
		if why := badName(part); why != "" {
			return why
		}
	}
	return ""
}

// looksLikeModules says whether a name is .gitmodules to some file system.
func looksLikeModules(name string) bool { return looksLike(name, "gitmodules", "gi7eba") }

// looksLike says whether some file system takes name for "." + want. short is
// the start of the hashed NTFS short name, for names that have one.
func looksLike(name, want, short string) bool {
	if hfsName(name) == "."+want {
		return true
	}
	// NTFS takes a backslash for a slash: any part may be the one.
	for part := range strings.SplitSeq(name, `\`) {
		if ntfsLike(part, want, short) {
			return true
		}
	}
	return false
}

// hfsName is a name as HFS+ compares it: without the characters it ignores,
// case folded.
func hfsName(name string) string {
	if !utf8.ValidString(name) {
		return strings.ToLower(name)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// ntfsLike compares as NTFS opens: case folded, a stream's name cut off,
// trailing dots and blanks dropped, and by the short names it may have given.
func ntfsLike(name, want, short string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToLower(strings.TrimRight(name, " ."))
	if name == "."+want {
		return true
	}
	stem, digits, ok := strings.Cut(name, "~")
	if !ok || digits == "" || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" || len(name) > 8 {
		return false
	}
	if want == "git" {
		return stem == "git" && digits == "1"
	}
	// The first four of a kind are the long name's first six letters and a
	// digit; later ones a hash, cut shorter as the number grows.
	if stem == want[:min(6, len(want))] && len(digits) == 1 && digits[0] <= '4' {
		return true
	}
	return stem != "" && strings.HasPrefix(short, stem) && len(name) == 8
}
