package hookguard

import (
	"maps"
	"slices"
	"strings"

	"lane/hookguard/shell"
)

// mcpName splits mcp__server__tool.
func mcpName(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	if !ok {
		return rest, "", true
	}
	return server, tool, true
}

// mcpVerbs are the words in a tool's name that say what it does to a path.
// A tool with none of them is not judged by its paths.
var mcpVerbs = map[string]shell.Op{
	"write": shell.Write, "edit": shell.Write, "create": shell.Write, "append": shell.Write, "save": shell.Write,
	"update": shell.Write, "put": shell.Write, "insert": shell.Write, "replace": shell.Write, "patch": shell.Write,
	"mkdir": shell.Write, "touch": shell.Write, "set": shell.Write, "init": shell.Write, "clone": shell.Write,
	"download": shell.Write, "export": shell.Write, "extract": shell.Write, "copy": shell.Write, "truncate": shell.Write,
	"upload": shell.Read, "modify": shell.Write, "apply": shell.Write, "chmod": shell.Write,
	"add": shell.Write, "commit": shell.Write, "checkout": shell.Write, "reset": shell.Write, "generate": shell.Write,
	"symlink": shell.Write, "link": shell.Write, "unzip": shell.Write, "unpack": shell.Write, "convert": shell.Write, "transcode": shell.Write, "resize": shell.Write, "install": shell.Write,
	"screenshot": shell.Write, "record": shell.Write, "render": shell.Write, "format": shell.Write, "dump": shell.Write,
	"delete": shell.Remove, "remove": shell.Remove, "unlink": shell.Remove, "rmdir": shell.Remove, "trash": shell.Remove,
	"move": shell.Remove, "rename": shell.Remove,
}

// mcpReads are verbs that win over the ones above: read_text_file, list_….
var mcpReads = map[string]bool{"read": true, "list": true, "get": true, "search": true, "find": true, "stat": true, "view": true, "status": true, "diff": true, "log": true, "show": true, "tree": true, "info": true, "query": true}

// mcpPathWords mark an input field as a path of this machine.
var mcpPathWords = []string{"path", "paths", "file", "files", "filename", "dir", "directory", "folder", "destination", "dest", "source", "src", "target", "output", "input", "archive", "filepath", "filepaths", "dirpath", "cwd", "workdir", "location", "uri", "to", "from"}

// mcpSources begin the names of fields that are only read, whatever the tool
// makes of them.
var mcpSources = map[string]bool{"source": true, "sources": true, "src": true, "from": true, "input": true, "in": true, "zip": true, "archive": true, "template": true, "original": true}

// mcpTool judges a server's tool by the paths in its input, if its name says
// that it changes files, and by its command, if it runs one.
func (g *guard) mcpTool(c *call, ev Event, tool string, input map[string]any) {
	words := nameWords(tool)
	op, writes, runs := nameSays(words, input)
	if runs {
		g.mcpCode(c, ev, words, input)
	}
	if isRemote(input) {
		return
	}
	g.mcpPaths(c, ev, op, writes, "", input, 0)
}

// nameSays is what the words of a tool's name say that it does. One editor
// has all its acts in one tool, and looking is one of them.
func nameSays(words []string, input map[string]any) (op shell.Op, writes, runs bool) {
	for _, w := range words {
		if mcpReads[w] {
			return shell.Read, false, runs
		}
		if o, ok := mcpVerbs[w]; ok && !writes {
			op, writes = o, true
		}
		runs = runs || mcpRuns[w]
	}
	if act, _ := input["command"].(string); act == "view" {
		return shell.Read, false, runs
	}
	return op, writes, runs
}

// sessionWords are what a harness's tool changes when it changes no file.
var sessionWords = map[string]bool{"todo": true, "todos": true, "task": true, "plan": true, "cron": true, "team": true, "agent": true, "message": true, "memory": true, "topic": true}

// unknownTool is a harness's tool that has no name here: it is judged as a
// server's tool is, and by what its input looks like.
func (g *guard) unknownTool(c *call, ev Event, input map[string]any) {
	words := nameWords(ev.Tool)
	op, writes, runs := nameSays(words, input)
	for _, w := range words {
		if sessionWords[w] {
			op, writes = shell.Read, false
		}
	}
	if command, ok := input["command"].(string); ok && !runs {
		g.command(c, command, ev.Cwd)
	}
	if runs {
		g.mcpCode(c, ev, words, input)
	}
	if !writes {
		for _, key := range []string{"content", "new_string", "new_source", "file_text", "edits", "patch", "insert_text", "newString", "newText", "newCode", "CodeContent", "ReplacementContent"} {
			if _, ok := input[key]; ok {
				c.touches = append(c.touches, g.named(ev, input, shell.Write)...)
				break
			}
		}
	}
	g.mcpPaths(c, ev, op, writes, "", input, 0)
}

// mcpRuns are words of tools that start programs or evaluate code.
var mcpRuns = map[string]bool{"run": true, "exec": true, "execute": true, "shell": true, "bash": true, "command": true, "terminal": true, "eval": true, "evaluate": true, "code": true, "python": true, "script": true, "spawn": true, "process": true, "repl": true, "ipython": true, "node": true, "javascript": true, "js": true}

// mcpTyped are words of tools that type into what runs already.
var mcpTyped = map[string]bool{"process": true, "terminal": true, "shell": true, "bash": true}

// mcpCode judges a command line, or code in another language.
func (g *guard) mcpCode(c *call, ev Event, words []string, input map[string]any) {
	dir := g.workdir(ev, input, dirKeys)
	if commands := commandTexts(input); len(commands) > 0 {
		for _, command := range commands {
			g.command(c, command, dir)
		}
		return
	}
	code, ok := input["code"].(string)
	if !ok {
		text, _ := input["input"].(string)
		for _, w := range words {
			if mcpTyped[w] && text != "" {
				g.command(c, text, dir)
				return
			}
		}
		return
	}
	language, _ := input["language"].(string)
	interpreter := "python3 -c "
	for _, w := range append(words, strings.ToLower(language)) {
		switch w {
		case "node", "js", "javascript", "typescript", "ts", "browser", "evaluate":
			interpreter = "node -e "
		case "bash", "sh", "shell":
			g.command(c, code, dir)
			return
		case "ruby":
			interpreter = "ruby -e "
		}
	}
	g.command(c, interpreter+shell.Quote([]string{code}), dir)
}

// isRemote reports whether the paths of an input are in a forge's repository.
func isRemote(input map[string]any) bool {
	_, owner := input["owner"]
	_, repo := input["repo"]
	_, project := input["project_id"]
	return owner && repo || project
}

func (g *guard) mcpPaths(c *call, ev Event, op shell.Op, writes bool, key string, value any, depth int) {
	if depth > 6 {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		named := isPathKey(key)                         // files by their names
		for _, k := range slices.Sorted(maps.Keys(v)) { // one reason each time
			item := v[k]
			if named && strings.Contains(k, "/") && !isURL(k) {
				c.touches = append(c.touches, g.fileTouch(op, ev.Tool, k, ev.Cwd))
			}
			g.mcpPaths(c, ev, op, writes, k, item, depth+1)
		}
	case []any:
		for _, item := range v {
			g.mcpPaths(c, ev, op, writes, key, item, depth+1)
		}
	case string:
		if !isPathKey(key) || v == "" || strings.Contains(v, "\n") || isURL(v) {
			return
		}
		o := op
		if namesOutput(key) {
			o = shell.Write // whatever else the tool does
		} else if first := nameWords(key); writes && op == shell.Write && mcpSources[first[0]] {
			o = shell.Read // copied from there
		} else if writes && op == shell.Remove && (first[0] == "destination" || first[0] == "dest" || first[0] == "target" || first[0] == "to") {
			o = shell.Write
		}
		c.touches = append(c.touches, g.fileTouch(o, ev.Tool, v, ev.Cwd))
	}
}

// namesOutput reports whether an input field is where a tool puts what it
// makes: "outputPath", "save_dir".
func namesOutput(key string) bool {
	words := nameWords(key)
	switch words[0] {
	case "output", "out", "save", "download", "destination", "dest":
	default:
		return false
	}
	if len(words) == 1 {
		return false
	}
	switch words[len(words)-1] {
	case "path", "file", "dir", "directory", "folder", "filename":
		return true
	}
	return false
}

func isURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && scheme != "file"
}

func isPathKey(key string) bool {
	for _, w := range nameWords(key) {
		for _, p := range mcpPathWords {
			if w == p {
				return true
			}
		}
	}
	return false
}

// nameWords splits snake_case, kebab-case and camelCase.
func nameWords(name string) []string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == '/':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z':
			flush(i)
			start = i
		}
	}
	flush(len(name))
	if len(words) == 0 {
		return []string{""}
	}
	return words
}
