package hookguard

import (
	"encoding/json"
	"testing"
)

// TestTypedLater: where a harness types into running programs without asking,
// starting one that runs what is typed is asked; given its input at once, or
// in another harness, it is nobody's business.
func TestTypedLater(t *testing.T) {
	judge := func(command string, unseen bool) Verdict {
		input, _ := json.Marshal(map[string]string{"command": command})
		return JudgeOn(LinkMap{}, Event{Kind: "PreToolUse", Tool: "Bash", Input: input, Cwd: "/wt/proj", Unseen: unseen}, exampleFacts)
	}
	for _, command := range []string{"bash", "bash --norc", "bash -i", "sh -s", "python3", "python3 -i", "node", "cd sub && bash", "FOO=1 exec bash", "timeout 9 bash", "nohup sh", "irb"} {
		if v := judge(command, true); v.Decision != Ask || v.Rule != typedLater.ID {
			t.Errorf("%s: %s %s", command, v.Decision, v.Rule)
		}
		if v := judge(command, false); v.Decision != None {
			t.Errorf("%s, seen: %s %s", command, v.Decision, v.Rule)
		}
	}
	for _, command := range []string{"bash -c true", "bash build.sh", "bash <<'X'\ntrue\nX", "echo true | sh", "sh < build.sh", "python3 --version", "python3 -c 'print(1)'", "python3 -m pytest", "node -e 1", "node server.js", "ruby -v", "bash --version", "make", "cat", "python3 <<'X'\nprint(1)\nX", "sed -i s/a/b/ f", "perl -pi -e s/a/b/ f"} {
		if v := judge(command, true); v.Decision != None {
			t.Errorf("%s: %s %s", command, v.Decision, v.Rule)
		}
	}
}
