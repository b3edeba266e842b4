package hookguard

import "lane/hookguard/shell"

// Explained is one thing a command would do, with the guard's opinion of it.
type Explained struct {
	By       string   `json:"by"`             // the command or construct that does it
	Does     string   `json:"does"`           // "writes", "removes", "reads", …; "" for what is no path
	Given    string   `json:"given"`          // as the command spells it; "…" stands for what is not known
	Path     string   `json:"path,omitempty"` // where it leads
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule"`
	Reason   string   `json:"reason"`
}

// Explanation is what `lane why run` prints.
type Explanation struct {
	Command  string      `json:"command"`
	Dir      string      `json:"dir"`
	Decision Decision    `json:"decision"` // of the whole command
	Rule     string      `json:"rule"`
	Effects  []Explained `json:"effects"`
}

// Explain interprets a command run in dir and says of each effect what the
// guard thinks of it, and of the whole what Judge would answer.
func Explain(command, dir string, facts Facts) Explanation {
	return ExplainOn(HostLinks{}, command, dir, facts)
}

// ExplainOn is Explain with another file system's links.
func ExplainOn(links Links, command, dir string, facts Facts) Explanation {
	g := newGuard(links, facts)
	if dir == "" {
		dir = g.facts.Worktree
	}
	out := Explanation{Command: command, Dir: dir, Effects: []Explained{}}
	var c call
	g.command(&c, command, dir)
	best := Verdict{Decision: None}
	for _, v := range c.verdicts {
		v = redact(v)
		best = strictest([]Verdict{best, v})
		out.Effects = append(out.Effects, Explained{By: "the command", Decision: v.Decision, Rule: v.Rule, Reason: v.Reason})
	}
	for _, t := range c.touches {
		v := redact(g.judgeTouch(t))
		best = strictest([]Verdict{best, v})
		out.Effects = append(out.Effects, Explained{
			By: t.by, Does: t.op.Verb(), Given: shell.Show(t.given), Path: g.locate(t).show(),
			Decision: v.Decision, Rule: v.Rule, Reason: v.Reason,
		})
	}
	out.Decision, out.Rule = best.Decision, best.Rule
	return out
}
