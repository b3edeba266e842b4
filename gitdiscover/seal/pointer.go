package seal

import (
	"path"
	"strings"
)

// pointerText is what a .git that is no directory leads to.
func pointerText(in *folder, m mark) string {
	switch m.form {
	case link:
		m, _ := in.read(".git", 0)
		return m.String()
	case file:
		if _, data := in.read(".git", maxShown); data != nil {
			return shown(strings.TrimRight(string(data), "\r\n"))
		}
	}
	return m.form.String()
}

// leadsOut says whether a .git that is no directory names a git directory that
// lies elsewhere: another repository of the user's, whose index and branches
// git would then change from here, or the lane's own, where the agent wrote the
// config.
func (s *sweep) leadsOut(in *folder, rel string, m mark) bool {
	if m.form == link {
		_, outside := s.leaves(in, ".git", rel)
		return outside
	}
	if m.form != file {
		return false
	}
	if m.size > maxPointer {
		return true
	}
	_, data := in.read(".git", maxPointer)
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return false // git reads no further
	}
	target, _, _ = strings.Cut(strings.TrimRight(target, "\r\n"), "\x00")
	if !strings.HasPrefix(target, "/") {
		if s.staysInside(target, strings.Split(rel, "/")[:strings.Count(rel, "/")]) {
			return false
		}
		up := strings.TrimLeft(target, "./")
		if strings.Contains(up, "..") {
			return true // by way of a link it may be another place than its text says
		}
		target = path.Join(s.top, path.Dir(rel), target)
		return !s.isRegistered(target, rel)
	}
	if _, inside := below(s.top, target); inside {
		return !s.staysInside(strings.TrimPrefix(target, s.top), nil)
	}
	return !s.isRegistered(target, rel)
}

const maxPointer = 8 << 10

// isRegistered says that the repository itself names the .git file at rel as
// that of the worktree whose git directory target is.
func (s *sweep) isRegistered(target, rel string) bool {
	if s.opt.CommonDir == "" || path.Dir(target) != s.opt.CommonDir+"/worktrees" {
		return false
	}
	d, err := openFolder(target, false)
	if err != nil {
		return false
	}
	defer d.close()
	_, data := d.read("gitdir", maxPointer)
	back := strings.TrimRight(string(data), "\r\n")
	if !path.IsAbs(back) { // worktree.useRelativePaths
		back = path.Join(target, back)
	}
	return back == s.top+"/"+rel
}
