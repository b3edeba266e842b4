package hookguard

import (
	"encoding/json"
	"strings"

	"lane/hookguard/shell"
)

// call is a tool call taken apart: what it touches, and what can be said
// about it without looking at a path.
type call struct {
	touches  []touch
	verdicts []Verdict
}

func (c *call) object(v Verdict) { c.verdicts = append(c.verdicts, v) }

// read takes a tool call apart by the tool's canonical name.
func (g *guard) read(ev Event) call {
	var c call
	input := toolInput(ev)
	switch ev.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		g.fileTool(&c, ev, input, shell.Write)
	case "Delete":
		g.fileTool(&c, ev, input, shell.Remove)
	case "Read", "NotebookRead", "Glob", "Grep", "LS":
		g.readTool(&c, ev, input)
	case "apply_patch":
		g.patchTool(&c, ev, input)
	case "Bash":
		g.shellTool(&c, ev, input)
	case "EnterWorktree", "ExitWorktree":
		c.object(worktreeTool.verdict(Deny, ev.Tool+" "+worktreeTool.Says+". "+worktreeWayOn))
	case "Agent", "Task":
		if isolation, _ := input["isolation"].(string); isolation != "" && isolation != "none" {
			c.object(worktreeTool.verdict(Deny, ev.Tool+" with isolation "+worktreeTool.Says+". "+worktreeWayOn))
		}
	default:
		if _, tool, ok := mcpName(ev.Tool); ok {
			g.mcpTool(&c, ev, tool, input)
		} else {
			g.unknownTool(&c, ev, input)
		}
	}
	return c
}

// toolInput is a tool's input as an object. Some harnesses hand it over as a
// string of JSON, or as the one text the tool takes. What is neither has no
// path: see noPath.
func toolInput(ev Event) map[string]any {
	var input map[string]any
	if json.Unmarshal(ev.Input, &input) == nil {
		return input
	}
	var text string
	if json.Unmarshal(ev.Input, &text) != nil {
		return nil
	}
	if json.Unmarshal([]byte(text), &input) == nil {
		return input
	}
	if ev.Tool == "Bash" || ev.Tool == "apply_patch" {
		return map[string]any{"command": text}
	}
	return nil
}

// pathKeys are the names harnesses give the one file a tool works on.
var pathKeys = []string{"file_path", "notebook_path", "path", "filePath", "absolute_path", "TargetFile", "AbsolutePath", "filename", "file"}

func (g *guard) fileTool(c *call, ev Event, input map[string]any, op shell.Op) {
	if strings.Contains(string(ev.Input), `\u0000`) && hasNUL(input) {
		c.object(noPath.verdict(Deny, ev.Tool+" "+noPath.Says+": the path holds a NUL character. "+noPathWayOn))
		return
	}
	named := g.named(ev, input, op)
	c.touches = append(c.touches, named...)
	if len(named) == 0 {
		c.object(noPath.verdict(Deny, ev.Tool+" "+noPath.Says+". "+noPathWayOn))
	}
}

// named are the files that an input names, at its top or with each of its
// edits: some forms of MultiEdit do.
func (g *guard) named(ev Event, input map[string]any, op shell.Op) []touch {
	var out []touch
	for _, key := range pathKeys {
		if given, ok := input[key].(string); ok && given != "" {
			out = append(out, g.fileTouch(op, ev.Tool, given, ev.Cwd))
		}
	}
	for _, key := range []string{"edits", "files", "replacements", "changes", "operations"} {
		list, _ := input[key].([]any)
		for _, item := range list {
			fields, _ := item.(map[string]any)
			for _, k := range pathKeys {
				if given, ok := fields[k].(string); ok && given != "" {
					out = append(out, g.fileTouch(op, ev.Tool, given, ev.Cwd))
				}
			}
		}
	}
	return out
}

// hasNUL reports whether a path of the input holds a NUL, at which the kernel
// would end it.
func hasNUL(input map[string]any) bool {
	for _, key := range pathKeys {
		if s, ok := input[key].(string); ok && strings.IndexByte(s, 0) >= 0 {
			return true
		}
	}
	return false
}

// readTool is judged for lane's own files always, for the rest only with
// guard_reads. A pattern counts by its part before the first wildcard.
func (g *guard) readTool(c *call, ev Event, input map[string]any) {
	keys := pathKeys
	if ev.Tool == "Glob" || ev.Tool == "Grep" || ev.Tool == "LS" {
		keys = append(keys[:len(keys):len(keys)], "dir_path", "directory", "SearchDirectory", "DirectoryPath", "SearchPath")
	}
	for _, key := range keys {
		if given, ok := input[key].(string); ok && given != "" {
			c.touches = append(c.touches, g.fileTouch(shell.Read, ev.Tool, given, ev.Cwd))
		}
	}
	if pattern, ok := input["pattern"].(string); ok && ev.Tool == "Glob" {
		base := pattern
		if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
			base = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
		}
		if base != "" {
			cwd := ev.Cwd
			if dir, ok := input["path"].(string); ok && dir != "" {
				cwd = g.absolute(dir, ev.Cwd)
			}
			c.touches = append(c.touches, g.fileTouch(shell.Read, ev.Tool, base, cwd))
		}
	}
}

// shellTool takes the words of a command apart and judges each effect by the
// same path rules as a file tool's.
func (g *guard) shellTool(c *call, ev Event, input map[string]any) {
	commands := commandTexts(input)
	if len(commands) == 0 {
		c.object(noPath.verdict(Deny, ev.Tool+" "+noPath.Says+". "+noPathWayOn))
		return
	}
	keys := ev.Dirs
	if keys == nil {
		keys = dirKeys
	}
	for _, command := range commands {
		g.command(c, command, g.workdir(ev, input, keys))
	}
}

// dirKeys are the names of the directory that a command runs in.
var dirKeys = []string{"dir_path", "directory", "dir", "workingDirectory", "working_directory", "workdir", "Cwd", "cwd"}

// workdir is the directory that a call names for itself, or the session's.
func (g *guard) workdir(ev Event, input map[string]any, keys []string) string {
	for _, key := range keys {
		if given, ok := input[key].(string); ok && given != "" {
			return g.absolute(given, ev.Cwd)
		}
	}
	return ev.Cwd
}

// commandTexts are the shell texts of a call, each a string or an argument
// list. Which of several fields a harness runs, and whether it reads "args",
// only the harness knows: a field that it ignores must not hide the other.
func commandTexts(input map[string]any) []string {
	var out []string
	for _, key := range []string{"command", "CommandLine", "cmd", "script", "commandLine"} {
		switch v := input[key].(type) {
		case string:
			args, _ := input["args"].([]any)
			if len(args) > 0 {
				out = append(out, shell.Quote(append([]string{v}, texts(args)...)))
			}
			if len(args) == 0 || strings.ContainsAny(v, " \t\n") {
				out = append(out, v)
			}
		case []any:
			words := texts(v)
			if len(words) == 3 && (strings.HasSuffix(words[0], "sh")) && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
				out = append(out, words[2])
			} else {
				out = append(out, shell.Quote(words))
			}
		}
	}
	return out
}

func texts(list []any) []string {
	words := make([]string, 0, len(list))
	for _, w := range list {
		s, _ := w.(string)
		words = append(words, s)
	}
	return words
}

func (g *guard) command(c *call, command, dir string) {
	rep := g.analyze(command, dir)
	for _, e := range rep.Effects {
		c.touches = append(c.touches, touch{op: e.Op, given: e.Given, abs: e.Path, by: e.By, cwd: e.Dir, links: rep.Links[:e.Links]})
	}
	for _, f := range rep.Findings {
		if v, ok := g.judgeFinding(f); ok {
			c.object(v)
		}
	}
}

// analyze interprets a command with what the facts say about its environment.
func (g *guard) analyze(command, dir string) shell.Report {
	vars := map[string]string{"HOME": g.facts.Home, "USER": g.facts.User, "LOGNAME": g.facts.User}
	if g.facts.Tmp != "" {
		vars["TMPDIR"] = g.facts.Tmp
	}
	for name, value := range vars {
		if value == "" {
			delete(vars, name)
		}
	}
	gitDir, common := g.facts.GitDir, g.facts.CommonDir
	if g.facts.OwnGit != "" { // what git finds inside the lane
		gitDir, common = g.facts.OwnGit, g.facts.OwnGit
	}
	return shell.Analyze(shell.Request{
		Command: command, Dir: dir, Vars: vars, Zsh: g.facts.MacOS, Readlink: g.links.Readlink,
		Worktree: g.facts.Worktree, GitDir: gitDir, CommonDir: common,
	})
}
