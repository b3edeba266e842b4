package hookguard

import (
	"path"
	"strings"

	"lane/hookguard/shell"
)

// guard is one judgement's surroundings.
type guard struct {
	facts  Facts
	links  Links
	unseen bool // what is typed later reaches no hook
}

// Judge says what the guard thinks of a tool call. It reads symbolic links of
// the host and nothing else. Events that are no tool call and no prompt get
// None.
func Judge(ev Event, facts Facts) Verdict { return JudgeOn(HostLinks{}, ev, facts) }

// JudgeOn is Judge with another file system's links, for tests and for rows
// that describe one.
func JudgeOn(links Links, ev Event, facts Facts) Verdict {
	g := newGuard(links, facts)
	switch ev.Kind {
	case "PreToolUse":
		return redact(strictest(g.hits(ev)))
	case "UserPromptSubmit":
		return judgePrompt(ev.Prompt)
	case "WorktreeCreate":
		return worktreeTool.verdict(Deny, "The harness wants to create a git worktree, "+worktreeTool.Says+".")
	}
	return Verdict{Decision: None}
}

// newGuard cleans the facts' paths and follows their links, as those of a call
// are followed: then comparing by component is comparing by text.
func newGuard(links Links, f Facts) *guard {
	for _, p := range []*string{&f.Worktree, &f.GitDir, &f.CommonDir, &f.Tmp, &f.Home, &f.LaneHome, &f.State, &f.OwnGit, &f.CallerTmp} {
		*p = realDir(links, *p)
	}
	outside := make(StringList, 0, len(f.AllowOutside))
	for _, dir := range f.AllowOutside {
		if dir == "~" || strings.HasPrefix(dir, "~/") {
			dir = f.Home + dir[1:]
		}
		if dir = realDir(links, dir); dir != "" {
			outside = append(outside, dir)
		}
	}
	f.AllowOutside = outside
	return &guard{facts: f, links: links}
}

// realDir is an absolute path with its links followed; of another it is "".
func realDir(links Links, p string) string {
	if !strings.HasPrefix(p, "/") {
		return ""
	}
	at, ok := resolve(links, path.Clean(p), "", true)
	if !ok {
		return path.Clean(p)
	}
	return at
}

// hits collects what every rule has against the call.
func (g *guard) hits(ev Event) []Verdict {
	if !strings.HasPrefix(ev.Cwd, "/") { // "" too
		ev.Cwd = path.Join(g.facts.Worktree, ev.Cwd)
	}
	g.unseen = ev.Unseen
	call := g.read(ev)
	var out []Verdict
	out = append(out, call.verdicts...)
	for _, t := range call.touches {
		if v := g.judgeTouch(t); v.Decision != None {
			out = append(out, v)
		}
	}
	return out
}

// rank orders decisions by strictness.
func rank(d Decision) int {
	switch d {
	case Deny:
		return 3
	case Ask:
		return 2
	case Guidance:
		return 1
	}
	return 0
}

// strictest returns the first of the strictest verdicts.
func strictest(list []Verdict) Verdict {
	best := Verdict{Decision: None}
	for _, v := range list {
		if rank(v.Decision) > rank(best.Decision) {
			best = v
		}
	}
	return best
}

// Rule is one thing the guard can object to.
type Rule struct {
	ID   string
	Says string // completes "which is …" or "which …" in the reason
	// Catch and Pass are commands and paths that show where the rule ends.
	Catch, Pass []Example
	// check returns the reason's second half when the place breaks the rule.
	check func(g *guard, p place) (wayOn string, broken bool)
}

// Example is a tool call in short: a shell command, or a tool with its path.
type Example struct {
	Tool string // "" is Bash
	Text string
	Set  func(*Facts) // changes the example's facts
}

// pathRules in the order they are asked. Own files and wiring come first:
// they are what the guard itself stands on. The shared .git precedes the
// outside rule, which covers it too, because it has its own way on. A shared
// temporary directory is outside as well; the rule that names $TMPDIR answers
// for it.
func pathRules() []*Rule {
	return []*Rule{ownFiles, wiring, sharedGit, gitSegment, tempBlock, outside, denyGlobs}
}

func (r *Rule) verdict(d Decision, reason string) Verdict {
	return Verdict{Decision: d, Rule: r.ID, Reason: reason}
}

// hides reports whether only another command's output says where the path
// leads: nothing before it is inside a directory the call may write.
func (g *guard) hides(p place) bool {
	return shell.Hidden(p.at[len(p.fixed):]) && !g.writable(p)
}

// judgeTouch asks the path rules in their order.
func (g *guard) judgeTouch(t touch) Verdict {
	p := g.locate(t)
	if p.op == shell.Remove && shell.Vanishing(p.at) {
		return hiddenPath.verdict(Ask, p.subject()+", which is the root directory when the variable is empty. Quote the variable, or use ${NAME:?}.")
	}
	for _, r := range pathRules() {
		if wayOn, broken := r.check(g, p); broken {
			return r.verdict(Deny, p.subject()+", "+r.Says+". "+wayOn)
		}
	}
	if p.op != shell.Read && p.op != shell.Use && g.hides(p) {
		return hiddenPath.verdict(Ask, p.subject()+", "+hiddenPath.Says+". "+hiddenWayOn)
	}
	return Verdict{Decision: None}
}
