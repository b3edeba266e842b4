package dialect

import (
	"strings"
	"testing"
)

// TestToolsOfEachHarness: the shapes that a harness's tools come in besides
// the plain ones, each with a call that is nobody's business.
func TestToolsOfEachHarness(t *testing.T) {
	patch := func(file string) string { return "*** Begin Patch\n*** Add File: " + file + "\n+a\n*** End Patch" }
	for _, c := range []struct {
		what, payload string
		args          string
		denied        bool
	}{
		{"PowerShell writes", claudeLike("PreToolUse", "PowerShell", fields{"command": "if ($a -gt 1) { }\nSet-Content -Path /tmp/x -Value a"}, nil), "claude-code", true},
		{"PowerShell runs git", claudeLike("PreToolUse", "PowerShell", fields{"command": "git config core.hooksPath x"}, nil), "claude-code", true},
		{"PowerShell looks", claudeLike("PreToolUse", "PowerShell", fields{"command": "if ($a -gt 1) { Get-Content /tmp/x }"}, nil), "claude-code", false},
		{"a field that Claude Code ignores", claudeLike("PreToolUse", "Bash", fields{"command": "touch ../x", "cwd": "a/b"}, nil), "claude-code", true},
		{"a directory of Codex's", claudeLike("PreToolUse", "exec_command", fields{"cmd": "touch x", "workdir": "/tmp"}, nil), "codex", true},
		{"a field that Codex ignores", claudeLike("PreToolUse", "exec_command", fields{"cmd": "touch ../x", "cwd": "a/b"}, nil), "codex", true},
		{"a directory below", claudeLike("PreToolUse", "exec_command", fields{"cmd": "touch ../x", "workdir": "a/b"}, nil), "codex", false},
		{"code mode as a whole", claudeLike("PreToolUse", "exec", "const r = await tools.exec_command({cmd: \"touch x\", workdir: \"/tmp\"}); text(r.output)", nil), "codex", true},
		{"code mode as a whole, a patch", claudeLike("PreToolUse", "exec", fields{"code": "await tools.apply_patch(`" + patch("/tmp/x") + "`)"}, nil), "codex", true},
		{"code mode as a whole, inside", claudeLike("PreToolUse", "exec", "const r = await tools.exec_command({cmd: \"ls > out; cat /tmp/x\"}); await tools.apply_patch(`"+patch("x")+"`); text(r.output)", nil), "codex", false},
		{"a directory of Gemini's", claudeLike("BeforeTool", "run_shell_command", fields{"command": "touch ../x", "dir_path": "a"}, nil), "gemini-cli", false},
		{"a field that Gemini ignores", claudeLike("BeforeTool", "run_shell_command", fields{"command": "touch ../x", "cwd": "a"}, nil), "gemini-cli", true},
		{"Copilot's editor looks", copilotCamel("str_replace_editor", fields{"command": "view", "path": "/etc/hosts"}), "copilot", false},
		{"Copilot's editor writes", copilotCamel("str_replace_editor", fields{"command": "create", "path": "/etc/hosts", "file_text": "a"}), "copilot", true},
		{"Copilot's patch as bare text", copilotCamel("apply_patch", patch("/tmp/x")), "copilot", true},
		{"Copilot's patch as bare text, inside", copilotCamel("apply_patch", patch("x")), "copilot", false},
		{"bare text of another tool", copilotCamel("bash", patch("x")), "copilot", true},
		{"bare text that is no patch", copilotCamel("apply_patch", "x"), "copilot", true},
		{"Copilot's PowerShell", copilotCamel("powershell", fields{"command": "if ($a -gt 1) { }; Remove-Item /tmp/x"}), "copilot", true},
		{"Copilot's PowerShell looks", copilotCamel("powershell", fields{"command": "if ($a -gt 1) { Get-ChildItem /tmp }"}), "copilot", false},
		{"VS Code's editor", claudeLike("PreToolUse", "replace_string_in_file", fields{"filePath": "/tmp/x", "oldString": "a", "newString": "b"}, stamp), "copilot", true},
		{"what Antigravity types", antigravityCall("send_command_input", fields{"CommandId": "1", "Input": "touch /tmp/x\n"}), "antigravity", true},
		{"what Antigravity types, inside", antigravityCall("send_command_input", fields{"CommandId": "1", "Input": "touch x\n"}), "antigravity", false},
		{"both commands of Antigravity's", antigravityCall("run_command", fields{"command": "ls", "CommandLine": "touch /tmp/x"}), "antigravity", true},
		{"a workspace as a URI", strings.Replace(antigravityCall("run_command", fields{"CommandLine": "touch x"}), `"`+adaCwd, `"file://`+adaCwd, 1), "antigravity", false},
		{"a workspace as a URI, left", strings.Replace(antigravityCall("run_command", fields{"CommandLine": "touch ../x"}), `"`+adaCwd, `"file://`+adaCwd, 1), "antigravity", true},
	} {
		args := []string{"--harness", c.args}
		if c.args == "antigravity" {
			args = append(args, "--event", "PreToolUse")
		}
		r := hook(t, adaFacts, c.payload, args...)
		if got := r.code == 2 || strings.Contains(r.stdout, `"deny"`); got != c.denied {
			t.Errorf("%s: denied %v, want %v: %+v", c.what, got, c.denied, r)
		}
	}
}
