package runner

import (
	"path/filepath"
	"slices"
	"sort"

	"lane/gitdiscover"
	"lane/runner/agent"
	"lane/sandbox"
)

// rowSet collects rows. For one path the first row given stays, so that
// callers add what matters most first.
type rowSet struct {
	rows []sandbox.Row
	at   map[string]bool
}

func (s *rowSet) add(rows ...sandbox.Row) {
	for _, r := range rows {
		if !s.at[r.Path] {
			s.at[r.Path] = true
			s.rows = append(s.rows, r)
		}
	}
}

// rows is the whole policy of one lane. Order has no meaning for the policy;
// here the first row for a path wins.
func rows(req Request, repo gitdiscover.Repo, h Host, p Plan, launch agent.Launch) []sandbox.Row {
	s := &rowSet{at: map[string]bool{}}
	s.add(sandbox.Row{Path: repo.Worktree, Access: sandbox.Write, Reopen: true, Reason: "the lane's worktree"})
	s.add(protectRows(repo, h, p)...)
	s.add(runRows(h, p)...)
	s.add(launch.Rows...)
	for i, dir := range h.Extra {
		if i < len(req.Reads) {
			s.add(sandbox.Row{Path: dir, Access: sandbox.Read, Reason: "asked for with --read"})
		} else {
			s.add(sandbox.Row{Path: dir, Access: sandbox.Write, Reopen: true, Reason: "asked for with --write"})
		}
	}
	var hidden []sandbox.Row
	if p.Home != HomeReadable {
		hidden = hiddenRows(h)
	}
	s.add(slices.DeleteFunc(baseRows(h), func(r sandbox.Row) bool { return r.Access == sandbox.Hide && hiddenBy(hidden, r.Path) })...)
	s.add(h.Masked...)
	if p.Home == HomeReadable {
		s.add(h.Secrets...)
	} else if h.Home != "" {
		s.add(sandbox.Row{Path: h.Home, Access: sandbox.Private, Size: homeSize, Mode: 0o700,
			Reason: "an empty home directory: logins, keys and settings are not reachable"})
		s.add(h.Toolchains...)
		if len(p.Placeholders) > 0 { // never in place: no sandbox nests there
			s.add(sandbox.Row{Path: filepath.Join(h.Home, ".config", "git", "ignore"), Source: filepath.Join(p.RunDir, planDir, "gitignore"),
				Reopen: true, Access: sandbox.Read, File: true, Reason: "git status leaves out the placeholders of the agent's sandbox"})
		}
	}
	s.add(hidden...)
	// What lies below a private or hidden directory must be shown again at
	// its own place; what is readable anyway needs no row.
	for _, r := range needed(repo, h) {
		if !visible(s.rows, r.Path) {
			s.add(r)
		}
	}
	if !h.inPlace() { // where nothing can be masked, sockets cannot be made
		s.add(sandbox.SocketRows(h.Sockets, sandbox.Policy{Rows: s.rows}, p.RunDir)...)
	}
	sort.SliceStable(s.rows, func(i, j int) bool { return s.rows[i].Path < s.rows[j].Path })
	return s.rows
}

// shownFor is what belongs to a directory of programs: those in PREFIX/bin
// keep their libraries beside it. Where other things lie beside it, in a home
// directory (also another user's, of whoever called sudo), in / and around what
// the lane is about, it is the directory alone.
func shownFor(bin string, repo gitdiscover.Repo, h Host) string {
	prefix := filepath.Dir(bin)
	if filepath.Base(bin) != "bin" || filepath.Base(prefix) == ".local" || slices.Contains([]string{"/", "/home"}, filepath.Dir(prefix)) ||
		h.Home != "" && sandbox.Contains(h.Home, bin) {
		return bin
	}
	for _, p := range append([]string{repo.Worktree, repo.CommonDir, h.Home, h.LaneHome}, repo.Others...) {
		if p != "" && sandbox.Contains(prefix, p) {
			return bin
		}
	}
	return prefix
}

const homeSize = 2 << 30

// visible says whether the rows so far show path as it is on the host.
func visible(rows []sandbox.Row, path string) bool {
	d := sandbox.Policy{Rows: rows}.Decide(path, sandbox.Read)
	return d.Allowed && !d.Own
}

// protectRows are what stays read-only inside the worktree.
func protectRows(repo gitdiscover.Repo, h Host, p Plan) []sandbox.Row {
	rows := []sandbox.Row{pointerRow(repo, p)}
	if !sandbox.Contains(repo.Pointer, repo.CommonDir) && sandbox.Contains(repo.Worktree, repo.CommonDir) {
		rows = append(rows, sandbox.Row{Path: repo.CommonDir, Access: sandbox.Protect, Reason: "the shared git directory"})
	}
	rows = append(rows, h.Tree.Repositories...)
	for _, other := range repo.Others {
		if other != repo.Worktree && sandbox.Contains(repo.Worktree, other) {
			rows = append(rows, sandbox.Row{Path: other, Access: sandbox.Protect, Reason: "another registered worktree"})
		}
	}
	return append(rows, h.Wiring...)
}

// runRows are the run's own directories.
func runRows(h Host, p Plan) []sandbox.Row {
	state, plan := filepath.Join(p.RunDir, stateDir), filepath.Join(p.RunDir, planDir)
	rows := []sandbox.Row{
		{Path: state, Reopen: true, Access: sandbox.Write, Reason: "the run's own state: the agent's configuration and sessions"},
		{Path: plan, Reopen: true, Access: sandbox.Read, Reason: "the sealed plan and the agent's settings"},
		{Path: cacheDir(h.LaneHome, p.Worktree), Reopen: true, Access: sandbox.Write, Reason: "build caches of this worktree's lanes"},
		{Path: h.LaneHome, Access: sandbox.Hide, Reason: "lane's own files: other runs and their records"},
	}
	if p.Tmp == tmpInside {
		rows = append(rows, sandbox.Row{Path: tmpInside, Source: filepath.Join(state, "tmp"), Reopen: true, Access: sandbox.Write, Reason: "the lane's TMPDIR"})
	}
	return rows
}

// baseRows are those of the rows for every lane whose path exists here, at
// the place that it resolves to.
func baseRows(h Host) []sandbox.Row {
	var rows []sandbox.Row
	all := append(sandbox.BaseRows(), sandbox.RunRows()...)
	if h.UID == 0 {
		all = append(all, sandbox.RootSecrets()...)
	}
	for _, r := range all {
		real, ok := h.Exists[r.Path]
		if r.Access == sandbox.Processes && !ok {
			real = r.Path // macOS has none, and every policy says what is there
		} else if !ok {
			continue
		}
		r.Path = real
		// A hidden directory must not take what the lane is about with it:
		// the home directory has a row of its own.
		if r.Access == sandbox.Hide && h.Home != "" && r.Path != h.Home && sandbox.Contains(r.Path, h.Home) {
			continue
		}
		rows = append(rows, r)
	}
	if h.Resolv != "" && h.Resolv != "/etc/resolv.conf" {
		rows = append(rows, sandbox.Row{Path: h.Resolv, Access: sandbox.Read, File: true, Reason: "name resolution"})
	}
	return rows
}

// hiddenRows leave of the host what programs need. A home that is readable is
// the choice to see the rest as well.
func hiddenRows(h Host) []sandbox.Row {
	rows := sandbox.HiddenRows(h.TopDirs)
	for _, r := range sandbox.VarRows() {
		if h.Exists[r.Path] == r.Path {
			rows = append(rows, r)
		}
	}
	return rows
}

// hiddenBy says whether path lies in what the rows hide.
func hiddenBy(rows []sandbox.Row, path string) bool {
	row, _ := sandbox.Policy{Rows: rows}.RowFor(path)
	return row.Access == sandbox.Hide && row.Path != path
}

// needed is what the lane must be able to read.
func needed(repo gitdiscover.Repo, h Host) []sandbox.Row {
	rows := []sandbox.Row{
		{Path: repo.CommonDir, Access: sandbox.Read, Reason: "the shared git directory"},
		{Path: repo.GitDir, Access: sandbox.Read, Reason: "the worktree's git directory"},
		{Path: h.Inside, Access: sandbox.Read, File: true, Reason: "lane itself: the confined child and the hook"},
		{Path: h.Lane, Access: sandbox.Read, File: true, Reason: "lane itself"},
	}
	if h.Layer.Path != "" {
		rows = append(rows, sandbox.Row{Path: h.Layer.Path, Access: sandbox.Read, File: true, Reason: "the agent's own sandbox starts it"})
	}
	for _, alt := range repo.Alternates {
		rows = append(rows, sandbox.Row{Path: alt, Access: sandbox.Read, Reason: "objects that the repository borrows"})
	}
	// The main checkout, so that the agent can read what it was branched
	// from, unless that would show the home directory again.
	for _, other := range repo.Others {
		main := !slices.Contains([]string{"/", h.Home}, other) && filepath.Join(other, ".git") == repo.CommonDir
		if main && !(h.Home != "" && sandbox.Contains(other, h.Home)) {
			rows = append(rows, sandbox.Row{Path: other, Access: sandbox.Read, Reason: "the main checkout"})
		}
	}
	for _, show := range h.Program.Shows {
		file := show == h.Program.Real || show == h.Program.Interpreter
		rows = append(rows, sandbox.Row{Path: show, Access: sandbox.Read, File: file, Reason: "the agent's program"})
	}
	base := baseRows(h)
	for _, e := range h.Path {
		private := slices.ContainsFunc(base, func(r sandbox.Row) bool {
			return r.Access == sandbox.Private && sandbox.Contains(r.Path, e.Real)
		})
		if e.Real != "" && e.Real != h.Home && !private { // in /tmp anybody puts programs
			rows = append(rows, sandbox.Row{Path: shownFor(e.Real, repo, h), Access: sandbox.Read, Reason: "an entry of PATH"})
		}
	}
	for _, c := range h.Certificates {
		rows = append(rows, sandbox.Row{Path: c, Access: sandbox.Read, File: h.CertFiles[c], Reason: "certificates named by the environment"})
	}
	return rows
}
