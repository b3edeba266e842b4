package seal

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"lane/gitdiscover"
)

// Compare looks again and says what differs from before, a seal of [Take].
// When ctx ends early, what was not compared trips as unreadable: a check
// that did not happen is no clean one.
func Compare(ctx context.Context, before Seal, opt Options) Report {
	after := take(ctx, before.repo, opt, &before)
	r := Report{Tripped: []Change{}, Reported: []Change{}, After: after}
	if ctx.Err() != nil {
		r.add(Change{Path: Name(before.repo.Worktree), Kind: Unreadable, Before: "sealed", After: "not compared: " + ctx.Err().Error()})
		return r
	}
	var l []Change
	if !after.opened {
		// Nothing else was looked at: what did not open is the only change.
		for p, m := range after.marks {
			if m.form == closed {
				l = append(l, Change{Path: Name(p), Kind: Unreadable, Before: "a directory", After: m.String()})
			}
		}
	} else {
		l = append(l, diffPlaced(before.repo, before.marks, after.marks)...)
		l = append(l, diffConfig(before.config, after.config)...)
		l = append(l, diffBranch(before, after)...)
		l = append(l, diffOthers(before, after)...)
		l = append(l, diffModules(before.modules, after.modules)...)
	}
	moves := opt.Journal.Moves()
	for _, c := range l {
		if c.Kind == WorktreeConfig {
			c.Before, c.After = byKeys(c, diffConfig(before.own, after.own))
		}
		r.add(explain(moves, c, before.taken))
	}
	r.NotFollowed = slices.Concat(after.config.includes(), after.own.includes())
	r.Incomplete = unique(slices.Concat(before.incomplete, after.incomplete))
	return r
}

// byKeys says which keys of config.worktree differ, as far as it parses.
func byKeys(c Change, keys []Change) (before, after string) {
	const most = 5
	var was, now []string
	for i, k := range keys {
		if i == most {
			was, now = append(was, "…"), append(now, "…")
			break
		}
		was, now = append(was, k.Name.String()+" "+k.Before), append(now, k.Name.String()+" "+k.After)
	}
	if was == nil || c.Before == Absent || c.After == Absent {
		was = []string{c.Before}
	}
	if now == nil || c.After == Absent {
		now = []string{c.After}
	}
	return strings.Join(was, "; "), strings.Join(now, "; ")
}

func unique(l []string) []string {
	slices.Sort(l)
	return slices.Compact(l)
}

func byPath(a, b Change) int {
	return strings.Compare(string(a.Path+"\x00"+a.Name), string(b.Path+"\x00"+b.Name))
}

// diffPlaced compares the marks of all names that were looked at either time.
func diffPlaced(repo gitdiscover.Repo, before, after map[string]placed) []Change {
	names := maps.Clone(before)
	maps.Copy(names, after)
	full := filled(before, after)
	var l []Change
	for _, p := range slices.Sorted(maps.Keys(names)) {
		was, now, at := before[p], after[p], names[p]
		kind, changed := at.kind, !was.sameThing(now.mark)
		switch at.how {
		case stamp:
			changed = !was.sameStat(now.mark)
		case standing:
			changed = changed || was.id != now.id
		case shape:
			// To come and to go is the others' business, to become a link or
			// a device is not.
			changed = changed && (now.form == link || now.form == special || now.form == closed)
		}
		switch {
		case at.how == content && (was.form == dir && now.form == absent || was.form == absent && now.form == dir) && !full[p]:
			continue // an empty directory steers nothing
		case !changed && at.how != stamp && was.form == file && was.nlink != now.nlink:
			kind = HardLink
		case !changed:
			continue
		case now.form == closed && tripping[kind]:
			kind = Unreadable
		case kind == WiringChanged:
			kind = wiringKind(before, p, was, now)
		}
		c := Change{Path: Name(p), Kind: kind, Before: was.String(), After: now.String()}
		switch {
		case kind == Head:
			c.Name = Name(HeadName(repo))
		case kind == HardLink:
			c.Before, c.After = fmt.Sprintf("%d names", was.nlink), fmt.Sprintf("%d names", now.nlink)
		case at.how == standing && was.form == now.form && c.Before == c.After:
			c.After += ", another one"
		}
		l = append(l, c)
	}
	return pruned(l)
}

// wiringKind tells a change of wiring that was there from wiring that was not.
// A file that appears in a directory of wiring that was there changes it.
func wiringKind(before map[string]placed, p string, was, now placed) Kind {
	switch {
	case now.form == absent:
		return WiringRemoved
	case was.form == absent:
		if up, ok := before[path.Dir(p)]; ok && up.kind == WiringChanged && up.form != absent {
			return WiringChanged
		}
		return WiringAppeared
	}
	return WiringChanged
}

// pruned leaves out what is in a directory that appeared or went as a whole:
// its own row says it.
func pruned(l []Change) []Change {
	whole := map[string]bool{}
	for _, c := range l {
		if c.Before == Absent || c.After == Absent {
			whole[string(c.Path)] = true
		}
	}
	return slices.DeleteFunc(l, func(c Change) bool {
		for up := path.Dir(string(c.Path)); up != "/" && up != "."; up = path.Dir(up) {
			if whole[up] && (c.Before == Absent || c.After == Absent) {
				return true
			}
		}
		return false
	})
}

// filled are the directories with something in them that is no directory.
func filled(l ...map[string]placed) map[string]bool {
	dirs := map[string]bool{}
	for _, marks := range l {
		for p, m := range marks {
			if m.form == absent || m.form == dir {
				continue
			}
			for up := path.Dir(p); up != "/" && up != "." && !dirs[up]; up = path.Dir(up) {
				dirs[up] = true
			}
		}
	}
	return dirs
}

func diffMarks(before, after map[string]mark, kind func(string) Kind) []Change {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var l []Change
	for _, p := range slices.Sorted(maps.Keys(names)) {
		if was, now := before[p], after[p]; !was.sameThing(now) {
			l = append(l, Change{Path: Name(p), Kind: kind(p), Before: was.String(), After: now.String()})
		}
	}
	return l
}

// diffBranch compares the one branch that only lane may move. HEAD itself is
// among the marks, but for a repository with reftables, where it is a record.
func diffBranch(before, after Seal) []Change {
	repo := before.repo
	var l []Change
	if before.refs.tables != nil && before.head != after.head {
		l = append(l, Change{Path: Name(path.Join(repo.GitDir, "HEAD")), Kind: Head, Name: Name(HeadName(repo)), Before: refText(before.head), After: refText(after.head)})
	}
	for _, r := range []refState{after.refs, after.ownRefs} {
		if r.tables != nil && r.tables.fault != "" {
			l = append(l, Change{Path: Name(r.refPath("reftable")), Kind: Unreadable, Before: "sealed", After: r.tables.fault})
		}
	}
	if repo.HeadRef != "" && before.branch != after.branch {
		was, now := refText(before.branch), refText(after.branch)
		c := Change{Path: Name(after.refs.refPath(repo.HeadRef)), Kind: OwnBranch, Name: Name(repo.HeadRef), Before: was, After: now}
		if now != Absent && isID(after.branch) && (was == Absent || isID(before.branch)) {
			c.Inspect = inspectRange(repo.CommonDir, was, now)
		}
		l = append(l, c)
	}
	return l
}

func refText(v string) string {
	if v == "" {
		return Absent
	}
	return shown(v)
}

// isID says that a ref's value is the id of an object.
func isID(v string) bool {
	if len(v) != 40 && len(v) != 64 {
		return false
	}
	return strings.Trim(v, "0123456789abcdef") == ""
}

// diffOthers compares what belongs to other people and other lanes.
func diffOthers(before, after Seal) []Change {
	var l []Change
	for _, pair := range [][2]refState{{before.refs, after.refs}, {before.ownRefs, after.ownRefs}} {
		for _, m := range diffRefs(pair[0], pair[1]) {
			if string(m.Name) == before.repo.HeadRef || m.Name == "HEAD" {
				continue // judged by diffBranch, or the main worktree's
			}
			c := Change{Path: Name(pair[1].refPath(string(m.Name))), Kind: Ref, Name: m.Name, Before: refText(m.Before), After: refText(m.After)}
			if m.Unread {
				c.Before = "another value, not read"
			}
			l = append(l, c)
		}
	}
	names := maps.Clone(before.worktrees)
	maps.Copy(names, after.worktrees)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, now := before.worktrees[name], after.worktrees[name]
		p := path.Join(before.repo.CommonDir, "worktrees", name)
		if was.dir.form != now.dir.form || was.dir.id != now.dir.id {
			l = append(l, Change{Path: Name(p), Kind: WorktreeEntry, Before: was.dir.String(), After: now.dir.String()})
			continue
		}
		for _, f := range entryFiles {
			if m, ok := now.fresh[f]; ok {
				l = append(l, Change{Path: Name(path.Join(p, f)), Kind: WorktreeEntry, Before: "an older one", After: m.String()})
			}
		}
	}
	return l
}
