package seal

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Compare looks again and says what differs from before, a seal of [Take].
// When ctx ends early, what was not compared trips as unreadable: a check
// that did not happen is no clean one.
func Compare(ctx context.Context, before Seal, opt Options) Report {
	after := take(ctx, before.repo, opt, &before)
	r := Report{Tripped: []Change{}, Reported: []Change{}, After: after}
	if ctx.Err() != nil {
		r.add(Change{Path: before.repo.Worktree, Kind: Unreadable, Before: "sealed", After: "not compared: " + ctx.Err().Error()})
		return r
	}
	var l []Change
	l = append(l, diffPlaced(before.marks, after.marks)...)
	if after.worktrees != nil { // the three directories could be opened
		l = append(l, diffConfig(before.config, after.config)...)
		l = append(l, diffBranch(before, after)...)
		l = append(l, diffOthers(before, after)...)
		l = append(l, diffModules(before.modules, after.modules)...)
	}
	for _, c := range l {
		r.add(opt.Journal.explain(c, before.taken))
	}
	r.NotFollowed = slices.Concat(after.config.includes(), after.own.includes())
	r.Incomplete = unique(slices.Concat(before.incomplete, after.incomplete))
	return r
}

func unique(l []string) []string {
	slices.Sort(l)
	return slices.Compact(l)
}

func byPath(a, b Change) int {
	return strings.Compare(a.Path+"\x00"+a.Name, b.Path+"\x00"+b.Name)
}

// diffPlaced compares the marks of all names that were looked at either time.
func diffPlaced(before, after map[string]placed) []Change {
	names := maps.Clone(before)
	maps.Copy(names, after)
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
		case !changed && at.how != stamp && was.form == file && was.nlink != now.nlink:
			kind = HardLink
		case !changed:
			continue
		case now.form == closed:
			kind = Unreadable
		case kind == WiringChanged:
			kind = wiringKind(before, p, was, now)
		}
		c := Change{Path: p, Kind: kind, Before: was.String(), After: now.String()}
		switch {
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
	var out []Change
	whole := ""
	for _, c := range l { // sorted by path, but for names that sort before "/"
		if whole != "" && strings.HasPrefix(c.Path, whole+"/") && (c.Before == Absent || c.After == Absent) {
			continue
		}
		if c.Before == Absent || c.After == Absent {
			whole = c.Path
		}
		out = append(out, c)
	}
	return out
}

func diffMarks(before, after map[string]mark, kind func(string) Kind) []Change {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var l []Change
	for _, p := range slices.Sorted(maps.Keys(names)) {
		if was, now := before[p], after[p]; !was.sameThing(now) {
			l = append(l, Change{Path: p, Kind: kind(p), Before: was.String(), After: now.String()})
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
		l = append(l, Change{Path: path.Join(repo.GitDir, "HEAD"), Kind: Head, Name: "HEAD", Before: refText(before.head), After: refText(after.head)})
	}
	if t := after.refs.tables; t != nil && t.fault != "" {
		l = append(l, Change{Path: path.Join(repo.CommonDir, "reftable"), Kind: Unreadable, Before: "sealed", After: t.fault})
	}
	if repo.HeadRef != "" && before.branch != after.branch {
		was, now := refText(before.branch), refText(after.branch)
		c := Change{Path: after.refs.refPath(repo.HeadRef), Kind: OwnBranch, Name: repo.HeadRef, Before: was, After: now}
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
	for _, m := range slices.Concat(diffRefs(before.refs, after.refs), diffRefs(before.ownRefs, after.ownRefs)) {
		if m.Name == before.repo.HeadRef || m.Name == "HEAD" {
			continue
		}
		c := Change{Path: after.refs.refPath(m.Name), Kind: Ref, Name: m.Name, Before: refText(m.Before), After: refText(m.After)}
		if m.Unread {
			c.Before = "another value, not read"
		}
		l = append(l, c)
	}
	names := maps.Clone(before.worktrees)
	maps.Copy(names, after.worktrees)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, now := before.worktrees[name], after.worktrees[name]
		p := path.Join(before.repo.CommonDir, "worktrees", name)
		if was.dir.form != now.dir.form || was.dir.id != now.dir.id {
			l = append(l, Change{Path: p, Kind: WorktreeEntry, Before: was.dir.String(), After: now.dir.String()})
			continue
		}
		for i, f := range entryFiles {
			if !was.files[i].sameStat(now.files[i]) {
				l = append(l, Change{Path: path.Join(p, f), Kind: WorktreeEntry, Before: was.files[i].String(), After: now.files[i].String()})
			}
		}
	}
	return l
}
