package hookguard

import (
	"encoding/json"
	"strings"
	"testing"
)

// toolCall judges one file tool call, with options and links.
func toolCall(tool, path string, set func(*Facts), links LinkMap) Verdict {
	input, _ := json.Marshal(map[string]string{"file_path": path})
	return rawCall(tool, string(input), "/wt/proj", set, links)
}

func rawCall(tool, input, cwd string, set func(*Facts), links LinkMap) Verdict {
	facts := exampleFacts
	if set != nil {
		set(&facts)
	}
	return JudgeOn(links, Event{Harness: "claude-code", Kind: "PreToolUse", Tool: tool, Input: json.RawMessage(input), Cwd: cwd}, facts)
}

func denied(t *testing.T, what string, v Verdict, rule string) {
	t.Helper()
	if v.Decision != Deny || v.Rule != rule {
		t.Errorf("%s: %s %s %q, want deny by %s", what, v.Decision, v.Rule, v.Reason, rule)
	}
}

func passed(t *testing.T, what string, v Verdict) {
	t.Helper()
	if v.Decision != None {
		t.Errorf("%s: %s %s %q, want no opinion", what, v.Decision, v.Rule, v.Reason)
	}
}

func options(deny, allow []string, reads bool) func(*Facts) {
	return func(f *Facts) { f.DenyGlobs, f.AllowOutside, f.GuardReads = deny, allow, reads }
}

// The tests below are named after the rows of the checklist they hold.

func TestRow180OutsideRoot(t *testing.T) {
	for _, tool := range []string{"Write", "Edit", "MultiEdit"} {
		denied(t, tool, toolCall(tool, "/etc/passwd", nil, nil), "lane/outside")
		passed(t, tool, toolCall(tool, "/wt/proj/a", nil, nil))
	}
}

func TestRow181GitSegment(t *testing.T) {
	for _, p := range []string{".git", ".git/config", "a/.git/hooks/x", "vendor/lib/.git", "deep/er/.git/x"} {
		denied(t, p, toolCall("Write", p, nil, nil), "lane/git-dir")
	}
}

func TestRow182DenyGlobs(t *testing.T) {
	denied(t, "match", toolCall("Write", "a/b.lock", options([]string{"**/*.lock"}, nil, false), nil), "lane/deny-globs")
	passed(t, "default", toolCall("Write", "a/b.lock", nil, nil))
}

func TestRow183AllowOutside(t *testing.T) {
	set := options([]string{"*.lock", "/opt/out/no/**"}, []string{"/opt/out", "~/notes", "/tmp/shared"}, false)
	passed(t, "listed", toolCall("Write", "/opt/out/a", set, nil))
	passed(t, "home", toolCall("Write", "~/notes/a", set, nil))
	passed(t, "a temporary directory the user listed", toolCall("Write", "/tmp/shared/a", set, nil))
	denied(t, "beside it", toolCall("Write", "/opt/out-evil/a", set, nil), "lane/outside")
	denied(t, ".git still applies", toolCall("Write", "/opt/out/.git/config", set, nil), "lane/git-dir")
	denied(t, "globs still apply", toolCall("Write", "/opt/out/a.lock", set, nil), "lane/deny-globs")
	denied(t, "globs by the absolute path", toolCall("Write", "/opt/out/no/a", set, nil), "lane/deny-globs")
	denied(t, "default none", toolCall("Write", "/opt/out/a", nil, nil), "lane/outside")
}

func TestRow184GuardReads(t *testing.T) {
	set := options([]string{"secrets/**"}, nil, true)
	denied(t, "outside", toolCall("Read", "/etc/passwd", set, nil), "lane/outside")
	denied(t, "glob", toolCall("Read", "secrets/a", set, nil), "lane/deny-globs")
	passed(t, ".git stays readable", toolCall("Read", ".git/HEAD", set, nil))
	passed(t, "inside", toolCall("Read", "a", set, nil))
	passed(t, "off by default", toolCall("Read", "/etc/passwd", options([]string{"secrets/**"}, nil, false), nil))
}

func TestRow185Order(t *testing.T) {
	set := options([]string{"**"}, nil, false)
	denied(t, "outside before .git and globs", toolCall("Write", "/opt/a", set, nil), "lane/outside")
	denied(t, ".git before globs", toolCall("Write", ".git/x", set, nil), "lane/git-dir")
	denied(t, "globs last", toolCall("Write", "a", set, nil), "lane/deny-globs")
}

func TestRow186RootIsTheWorktree(t *testing.T) {
	set := func(f *Facts) { f.Worktree = "/home/dev/plain" }
	v := rawCall("Write", `{"file_path":"a"}`, "/home/dev/plain", set, nil)
	passed(t, "the session's directory as root", v)
	denied(t, "outside of it", rawCall("Write", `{"file_path":"../a"}`, "/home/dev/plain", set, nil), "lane/outside")
}

func TestRow187RelativeToCwd(t *testing.T) {
	passed(t, "inside", rawCall("Write", `{"file_path":"../src/a"}`, "/wt/proj/pkg", nil, nil))
	denied(t, "outside", rawCall("Write", `{"file_path":"../../x"}`, "/wt/proj/pkg", nil, nil), "lane/outside")
}

func TestRow188Folding(t *testing.T) {
	for _, p := range []string{"./a/../../x", "/wt/proj/src/../../../etc/passwd", "../../../../../../etc/passwd"} {
		denied(t, p, toolCall("Write", p, nil, nil), "lane/outside")
	}
	passed(t, "a/../b", toolCall("Write", "a/../b", nil, nil))
	v := toolCall("Write", "../../../../../../etc/passwd", nil, nil)
	if !strings.Contains(v.Reason, "(/etc/passwd)") {
		t.Errorf("never above the root: %q", v.Reason)
	}
}

func TestRow189Home(t *testing.T) {
	denied(t, "~", toolCall("Write", "~", nil, nil), "lane/outside")
	v := toolCall("Write", "~/x", nil, nil)
	denied(t, "~/x", v, "lane/outside")
	if !strings.Contains(v.Reason, "/home/dev/x") {
		t.Errorf("the reason does not name the resolved path: %q", v.Reason)
	}
}

func TestRow190OtherUsersHome(t *testing.T) {
	denied(t, "~user", toolCall("Write", "~root/x", nil, nil), "lane/outside")
	passed(t, "a backup's name", toolCall("Write", "a~", nil, nil))
}

func TestRow191ByComponent(t *testing.T) {
	denied(t, "/wt/proj-evil", toolCall("Write", "/wt/proj-evil/a", nil, nil), "lane/outside")
	denied(t, "/tmpfoo", toolCall("Write", "/tmpfoo/x", options(nil, []string{"/tmp"}, false), nil), "lane/outside")
	denied(t, "/tmp/../etc/x", toolCall("Write", "/tmp/../etc/x", options(nil, []string{"/tmp"}, false), nil), "lane/outside")
}

func TestRow192RootSlash(t *testing.T) {
	set := func(f *Facts) { f.Worktree = "/" }
	passed(t, "everything is inside", toolCall("Write", "/etc/passwd", set, nil))
}

func TestRow193To197Globs(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a*c", "abc", true}, {"a*c", "a/c", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"a?c", "a/c", false},
		{"a/**/c", "a/c", true}, {"a/**/c", "a/b/c", true}, {"a/**/c", "a/b/b/c", true}, {"**/c", "c", true},
		{"a.c", "abc", false}, {"a+c", "aac", false}, {"a(c)", "a(c)", true}, {"a$", "a$", true}, {"a^|b", "a^|b", true},
		{"*.lock", "x/y/a.lock", true}, {"infra/", "infra/a", true}, {"infra", "x/infra/a", true}, {"x/infra", "infra/a", false},
		{"src/?.ts", "src/a.ts", true}, {"src/?.ts", "src/ab.ts", false}, {"src/?.ts", "src/a.tsx", false},
		{"docs/*.md", "docs/x/a.md", false}, {"docs/*.md", "docs/a.md", true}, {"infra/**", "my-infra/x", false}, {"infra/**", "infra/x/y", true},
		{"*.lock", "lockfile.txt", false}, {"/wt/proj/a", "a", true}, {"/a", "a", false},
		{"[ab].c", "a.c", true}, {"[ab].c", "c.c", false}, {"[!ab].c", "c.c", true}, {"[a-c].c", "b.c", true}, {"[", "[", true},
		{"*.{js,ts}", "x/a.ts", true}, {"*.{js,ts}", "a.tsx", false}, {"{a,b}/{c,d}", "b/c", true}, {"{a}", "{a}", true}, {"{a,b", "{a,b", true},
		{"proj", "a", false},
	} {
		v := toolCall("Write", c.path, options([]string{c.pattern}, nil, false), nil)
		if (v.Decision == Deny) != c.want {
			t.Errorf("%q on %q: %s, want deny %v", c.pattern, c.path, v.Decision, c.want)
		}
	}
}

// TestGlobList: one string holds patterns between commas, a list holds any.
func TestGlobList(t *testing.T) {
	var f Facts
	if err := json.Unmarshal([]byte(`{"deny_globs":"*.lock, infra/","allow_outside":["/a,b"]}`), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.DenyGlobs) != 2 || f.DenyGlobs[1] != "infra/" || f.AllowOutside[0] != "/a,b" {
		t.Errorf("%q %q", f.DenyGlobs, f.AllowOutside)
	}
	if err := json.Unmarshal([]byte(`{"deny_globs":7}`), &f); err == nil {
		t.Error("a number is no list")
	}
}

func TestRow198NotGit(t *testing.T) {
	for _, p := range []string{".github/workflows/a.yml", ".gitignore", ".gitattributes", "x.git/a", "git/a", ".gitlab-ci.yml"} {
		passed(t, p, toolCall("Write", p, nil, nil))
	}
}

func TestRow199Reason(t *testing.T) {
	v := toolCall("Edit", "../x", nil, nil)
	for _, part := range []string{"Edit", `"../x"`, "/wt/x", "outside the worktree", "/wt/proj", "allow_outside", "do not retry"} {
		if !strings.Contains(v.Reason, part) {
			t.Errorf("the reason lacks %q: %q", part, v.Reason)
		}
	}
	v = toolCall("Write", "/tmp/a/b", nil, nil)
	if !strings.Contains(v.Reason, "$TMPDIR/a/b") || !strings.Contains(v.Reason, "/wt/.lane/tmp") {
		t.Errorf("the reason does not name the lane's TMPDIR: %q", v.Reason)
	}
	v = toolCall("Write", "/srv/repo/src/a.go", nil, nil)
	if !strings.Contains(v.Reason, "/wt/proj/src/a.go") {
		t.Errorf("the reason does not name the same file in the lane: %q", v.Reason)
	}
	v = toolCall("Write", "/srv/repo/.git/config", nil, nil)
	if !strings.Contains(v.Reason, "git commit") {
		t.Errorf("the reason does not say what git is for: %q", v.Reason)
	}
}

func TestRow200OtherTools(t *testing.T) {
	for _, tool := range []string{"TodoWrite", "WebFetch", "Task", "BashOutput", "Glob"} {
		passed(t, tool, rawCall(tool, `{"file_path":"/etc/x","url":"https://e.com"}`, "/wt/proj", nil, nil))
	}
	passed(t, "Read", toolCall("Read", "/etc/passwd", nil, nil))
}

func TestRow201WriteWithoutPath(t *testing.T) {
	for _, input := range []string{`{}`, `{"file_path":7}`, `{"file_path":""}`, `null`, `[]`, `"x"`, ``} {
		denied(t, input, rawCall("Write", input, "/wt/proj", nil, nil), "lane/no-path")
	}
	denied(t, "Bash", rawCall("Bash", `{"command":7}`, "/wt/proj", nil, nil), "lane/no-path")
	denied(t, "a patch without files", rawCall("apply_patch", `{"command":"x"}`, "/wt/proj", nil, nil), "lane/no-path")
}

func TestRow204CaseVariant(t *testing.T) {
	denied(t, "another case", toolCall("Write", "/WT/proj/a", nil, nil), "lane/outside")
	denied(t, ".Git", toolCall("Write", ".Git/config", nil, nil), "lane/git-dir")
}

func TestRow205Links(t *testing.T) {
	links := LinkMap{"/wt/proj/out": "/srv/other", "/wt/proj/hooks": "/srv/repo/.git/hooks", "/wt/proj/in": "sub/dir", "/wt/proj/up": "..", "/wt/proj/loop": "loop", "/wt/proj/t": "/tmp"}
	denied(t, "out", toolCall("Write", "out/a", nil, links), "lane/outside")
	denied(t, "hooks", toolCall("Write", "hooks/pre-commit", nil, links), "lane/shared-git")
	denied(t, "temp", toolCall("Write", "t/a", nil, links), "lane/temp-block")
	denied(t, "a link before ..", toolCall("Write", "out/../a", nil, links), "lane/outside")
	denied(t, "up", toolCall("Write", "up/a", nil, links), "lane/outside")
	denied(t, "loop", toolCall("Write", "loop/a", nil, links), "lane/outside")
	passed(t, "in", toolCall("Write", "in/../a", nil, links))
	passed(t, "removing a link is no write through it", rawCall("Bash", `{"command":"rm out"}`, "/wt/proj", nil, links))
	denied(t, "below a link", rawCall("Bash", `{"command":"rm -rf out/x"}`, "/wt/proj", nil, links), "lane/outside")
	denied(t, "the end of a link chain is the file", toolCall("Write", "a", nil, LinkMap{"/wt/proj/a": "b", "/wt/proj/b": "/etc/x"}), "lane/outside")
}

func TestRow206Bash(t *testing.T) {
	for _, command := range []string{"echo x > /etc/y", "cp a /etc/y", "sed -i s/a/b/ /etc/y", "bash -c 'echo x > /etc/y'"} {
		input, _ := json.Marshal(map[string]string{"command": command})
		denied(t, command, rawCall("Bash", string(input), "/wt/proj", nil, nil), "lane/outside")
	}
}

func TestRow207NotebookAndMCP(t *testing.T) {
	denied(t, "NotebookEdit", rawCall("NotebookEdit", `{"notebook_path":"/etc/n.ipynb"}`, "/wt/proj", nil, nil), "lane/outside")
	denied(t, "one of several", rawCall("mcp__fs__write_files", `{"files":[{"path":"a"},{"path":"/etc/x"}]}`, "/wt/proj", nil, nil), "lane/outside")
	denied(t, "a URI", rawCall("mcp__fs__create_file", `{"uri":"file:///etc/x"}`, "/wt/proj", nil, nil), "lane/outside")
	denied(t, "a command", rawCall("mcp__shell__execute", `{"command":"touch /tmp/x"}`, "/wt/proj", nil, nil), "lane/temp-block")
	passed(t, "reading", rawCall("mcp__fs__read_text_file", `{"path":"/etc/x"}`, "/wt/proj", nil, nil))
	passed(t, "the source of a copy", rawCall("mcp__fs__copy_file", `{"source":"/etc/x","destination":"x"}`, "/wt/proj", nil, nil))
	denied(t, "the source of a move", rawCall("mcp__fs__move_file", `{"source":"/etc/x","destination":"x"}`, "/wt/proj", nil, nil), "lane/outside")
	passed(t, "a forge's file", rawCall("mcp__github__create_or_update_file", `{"owner":"a","repo":"b","path":"/x"}`, "/wt/proj", nil, nil))
	patch := `{"command":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+*** Add File: /etc/no\n*** Add File: b\n+x\n*** Update File: c\n*** Move to: ../d\n*** End Patch"}`
	denied(t, "a patch that moves a file out", rawCall("apply_patch", patch, "/wt/proj", nil, nil), "lane/outside")
	passed(t, "a patch inside", rawCall("apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+*** Add File: /etc/no\n*** End Patch"}`, "/wt/proj", nil, nil))
}

// TestRow209ReadsLinksOnly is the import rule: nothing here opens a file.
// Rows 202, 203, 208 and 210 are held where they live: the failing guard and
// the installed wiring in package dialect, the real agent in e2e.
func TestRow209ReadsLinksOnly(t *testing.T) {
	asked := 0
	links := countingLinks{&asked}
	JudgeOn(links, Event{Kind: "PreToolUse", Tool: "Write", Input: json.RawMessage(`{"file_path":"a/b/c"}`), Cwd: "/wt/proj"}, exampleFacts)
	if asked == 0 {
		t.Error("links were not asked")
	}
}

type countingLinks struct{ n *int }

func (c countingLinks) Readlink(string) (string, bool) { *c.n++; return "", false }
