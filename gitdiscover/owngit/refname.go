package owngit

import "strings"

// validRef says whether git would take name for the full name of a ref. The
// same rule holds for what is read of the agent's directory and for what is
// written, so that no name becomes a path to somewhere else.
func validRef(name string) bool {
	if len(name) > 1024 || !strings.HasPrefix(name, "refs/") {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.Contains(name, "..") && !strings.Contains(name, "@{") && !strings.HasSuffix(name, ".")
}

// perWorktree says whether a ref below refs/ belongs to one worktree alone.
func perWorktree(name string) bool {
	for _, p := range []string{"refs/bisect/", "refs/rewritten/", "refs/worktree/"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// copied says whether the lane gets a ref of the repository. The stash is the
// user's own unfinished work, and without its reflog it is one entry of
// several; refs/lane/ is what earlier runs left.
func copied(name string) bool {
	return !perWorktree(name) && name != "refs/stash" && !strings.HasPrefix(name, "refs/lane/")
}
