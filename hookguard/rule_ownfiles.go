package hookguard

import "lane/hookguard/shell"

// ownFiles protects lane's own directory: plans, records and settings of
// every run. The agent has nothing to read there either; what its run keeps
// for it (TMPDIR, its git directory) is named in the facts and exempt.
var ownFiles = &Rule{
	ID:   "lane/own-files",
	Says: "which belongs to lane itself",
	Catch: []Example{
		{Tool: "Write", Text: "/home/dev/.lane/config.toml"},
		{Tool: "Read", Text: "~/.lane/runs/1/plan/plan.json"},
		{Text: "rm -rf ~/.lane/runs"},
		{Tool: "Read", Text: "/state/lane/runs/2/state/x", Set: func(f *Facts) { f.LaneHome, f.State = "/state/lane", "/state/lane/runs/1/state" }},
		{Tool: "Write", Text: "/state/lane/runs/1/state/x", Set: func(f *Facts) { f.LaneHome, f.State = "/state/lane", "/state/lane/runs/1/state" }},
		{Text: "echo {} > $HOME/.lane/facts.json"},
	},
	Pass: []Example{
		{Tool: "Write", Text: "docs/.lane/notes.md"},
		{Text: "ls ~/.lanes"},
		{Tool: "Read", Text: "/state/lane/runs/1/state/home/tool-results/1.txt", Set: func(f *Facts) { f.LaneHome, f.State = "/state/lane", "/state/lane/runs/1/state" }},
		{Text: "echo x > $TMPDIR/a", Set: func(f *Facts) { f.LaneHome, f.Tmp = "/state/lane", "/state/lane/runs/1/state/tmp" }},
	},
	check: func(g *guard, p place) (string, bool) {
		if g.granted(p) || !p.must(g.facts.LaneHome) {
			return "", false
		}
		// The agent's own home is in the state: it reads there what it kept.
		if p.op == shell.Read && p.must(g.facts.State) {
			return "", false
		}
		return "Nothing of a run's plan or record is for the agent. Leave it alone, and tell the user if the task seems to need it.", true
	},
}

// granted reports whether the place lies in a directory the run gave the
// agent for itself.
func (g *guard) granted(p place) bool {
	return p.must(g.facts.Tmp) || p.must(g.facts.OwnGit)
}
