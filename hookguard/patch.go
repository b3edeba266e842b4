package hookguard

import (
	"lane/hookguard/shell"
)

// patchTool is apply_patch: one call that names any number of files.
func (g *guard) patchTool(c *call, ev Event, input map[string]any) {
	text, dir := "", g.workdir(ev, input, dirKeys)
	for _, key := range []string{"command", "input", "patch", "diff"} {
		switch v := input[key].(type) {
		case string:
			text += v + "\n"
		case []any: // the patch is the last argument
			if words := texts(v); len(words) > 0 {
				text += words[len(words)-1] + "\n"
			}
		}
	}
	files := shell.PatchFiles(text)
	for _, f := range files {
		c.touches = append(c.touches, g.fileTouch(f.Op, ev.Tool, f.Path, dir))
	}
	if len(files) == 0 {
		c.object(noPath.verdict(Deny, ev.Tool+" "+noPath.Says+". "+noPathWayOn))
	}
}

// noPath is a call that must name a file or a command and does not: nothing
// can be said about it, so it does not run.
var noPath = &Rule{
	ID:    "lane/no-path",
	Says:  "names no file and no command that the guard can read",
	Catch: []Example{{Tool: "Write", Text: ""}, {Tool: "Edit", Text: ""}},
	Pass:  []Example{{Tool: "Read", Text: ""}, {Tool: "Write", Text: "a"}},
}

const noPathWayOn = "Give the path or the command as a plain string."

// worktreeTool is the harness's own way out of the worktree.
var worktreeTool = &Rule{
	ID:    "lane/worktree-tool",
	Says:  "would make another worktree or move the session into one",
	Catch: []Example{{Tool: "EnterWorktree", Text: "x"}, {Tool: "ExitWorktree", Text: ""}},
	Pass:  []Example{{Tool: "Task", Text: ""}, {Tool: "TodoWrite", Text: ""}},
}

const worktreeWayOn = "A lane is one worktree. Work here; the user can start another lane for another branch."
