package hookguard

import "testing"

// TestUnknownTools: a tool that has no name in the guard is judged by what
// its name and its input say that it does, and no more.
func TestUnknownTools(t *testing.T) {
	for _, c := range []struct{ tool, input, rule string }{
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"/etc/x","old_str":"a","new_str":"b"}`, "lane/outside"},
		{"str_replace_based_edit_tool", `{"command":"insert","path":"/tmp/x","insert_line":1,"insert_text":"a"}`, "lane/temp-block"},
		{"str_replace_based_edit_tool", `{"command":"view","path":"/etc/x"}`, ""},
		{"replace_string_in_file", `{"filePath":"/tmp/x","oldString":"a","newString":"b"}`, "lane/temp-block"},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"/tmp/x","oldString":"a","newString":"b"}]}`, "lane/temp-block"},
		{"edit_notebook_file", `{"filePath":"/tmp/x.ipynb","newCode":"a"}`, "lane/temp-block"},
		{"Update", `{"filePath":"/tmp/x","newCode":"a"}`, "lane/temp-block"},
		{"CreateDirectory", `{"DirectoryPath":"/tmp/x"}`, "lane/temp-block"},
		{"delete_file", `{"path":".git/index"}`, "lane/git-dir"},
		{"MoveFile", `{"source":"a","destination":"../x"}`, "lane/outside"},
		{"picture", `{"prompt":"/tmp/a","output_path":"/tmp/x.png"}`, "lane/temp-block"},
		{"js_repl", `{"code":"require('fs').writeFileSync('/tmp/x','')"}`, "lane/temp-block"},
		{"js_repl", `{"code":"require('fs').readFileSync('/tmp/x')"}`, ""},
		{"Repl", `{"code":"open('/tmp/x','w')","language":"python"}`, "lane/temp-block"},
		{"terminal_exec", `{"cmd":["bash","-lc","touch x"],"workdir":"/tmp"}`, "lane/temp-block"},
		{"mcp__fs__write_files", `{"files":{"/tmp/x":"a","b":"c"}}`, "lane/temp-block"},
		{"mcp__fs__read_files", `{"files":{"/tmp/x":1}}`, ""},
		{"mcp__img__convert", `{"inputPath":"/tmp/a","outputPath":"/tmp/b"}`, "lane/temp-block"},
		{"mcp__img__convert", `{"inputPath":"/tmp/a","outputPath":"b"}`, ""},
		{"mcp__x__extract", `{"archivePath":"/tmp/a.zip","destination":"out"}`, ""},
		{"mcp__x__unzip", `{"zipPath":"a.zip","destination":"/tmp/x"}`, "lane/temp-block"},
		{"mcp__x__convert", `{"input":"/tmp/a","output":"b"}`, ""},
		{"mcp__x__convert", `{"input":"/tmp/a","output":"/tmp/b"}`, "lane/temp-block"},
		{"mcp__x__write_data", `{"filepath":"/tmp/x"}`, "lane/temp-block"},
		{"mcp__x__interact_with_process", `{"pid":1,"input":"touch /tmp/x"}`, "lane/temp-block"},
		{"mcp__x__run_agent", `{"input":"write > /tmp/x"}`, ""},
		{"mcp__x__npm_install", `{"cwd":"/srv/repo"}`, "lane/outside"},
		{"mcp__x__js", `{"code":"require('fs').writeFileSync('/tmp/x','')"}`, "lane/temp-block"},
		{"TaskCreate", `{"subject":"x","path":"/tmp/x","description":"write /tmp/x"}`, ""},
		{"LSP", `{"operation":"hover","filePath":"/etc/x","line":1}`, ""},
		{"SendMessage", `{"to":"/tmp/x","message":"hi"}`, ""},
		{"create_file", `{"filePath":"src/a.go","content":"see /tmp/x"}`, ""},
		{"search", `{"path":"/tmp","text":"write"}`, ""},
	} {
		v := rawCall(c.tool, c.input, "/wt/proj", nil, nil)
		if c.rule == "" {
			passed(t, c.tool+c.input, v)
		} else {
			denied(t, c.tool+c.input, v, c.rule)
		}
	}
}

// TestFieldsThatHide: what a harness ignores must not stand for what it runs.
func TestFieldsThatHide(t *testing.T) {
	call := func(tool, input, cwd string, dirs []string) Verdict {
		return JudgeOn(LinkMap{}, Event{Kind: "PreToolUse", Tool: tool, Input: []byte(input), Cwd: cwd, Dirs: dirs}, exampleFacts)
	}
	none := []string{}
	for _, c := range []struct {
		tool, input, cwd string
		dirs             []string
		rule             string
	}{
		{"Bash", `{"command":"ls","CommandLine":"touch /tmp/x"}`, "/wt/proj", none, "lane/temp-block"},
		{"Bash", `{"command":"touch /tmp/x","args":["a"]}`, "/wt/proj", none, "lane/temp-block"},
		{"Bash", `{"command":"touch","args":["/tmp/x"]}`, "/wt/proj", none, "lane/temp-block"},
		{"Bash", `{"command":"touch ../x","cwd":"a/b"}`, "/wt/proj", none, "lane/outside"},
		{"Bash", `{"command":"touch ../x","workdir":"a/b","cwd":"/"}`, "/wt/proj", []string{"workdir"}, ""},
		{"Bash", `{"command":"touch ../x","cwd":"a/b"}`, "/wt/proj", nil, ""},
		{"Bash", `{"command":"touch x"}`, "../..", none, "lane/outside"},
		{"Bash", `{"command":"touch x"}`, "sub", none, ""},
		{"Write", `{"file_path":"x"}`, "..", nil, "lane/outside"},
		{"Write", `{"file_path":"x"}`, ".", nil, ""},
		{"Write", `{"file_path":" /tmp/x"}`, "/wt/proj", nil, "lane/temp-block"},
		{"Write", `{"file_path":"\t../x\n"}`, "/wt/proj", nil, "lane/outside"},
		{"Write", `{"file_path":" a b "}`, "/wt/proj", nil, ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: /tmp/x\n+a\n*** End Patch","command":"*** Begin Patch\n*** Add File: x\n+a\n*** End Patch"}`, "/wt/proj", nil, "lane/temp-block"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: x\n+a\n*** End Patch","workdir":"/tmp"}`, "/wt/proj", nil, "lane/temp-block"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: x\n+a\n*** End Patch","workdir":"sub"}`, "/wt/proj", nil, ""},
	} {
		v := call(c.tool, c.input, c.cwd, c.dirs)
		if c.rule == "" {
			passed(t, c.tool+c.input, v)
		} else {
			denied(t, c.tool+c.input+" in "+c.cwd, v, c.rule)
		}
	}
}
