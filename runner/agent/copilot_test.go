package agent

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lane/sandbox"
)

func TestCopilotLaunchGolden(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"user": func(*Spec) {},
		"provider": func(s *Spec) {
			s.Values, s.Model = map[string]string{"COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:9/v1"}, ""
			s.Tools, s.Writes = []string{"view", "edit"}, []string{"/data/out"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.Model = "gpt-4.1"
			change(&s)
			l, err := launchCopilot(s)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "copilot-"+name, l)
			for _, f := range l.Files {
				if !slices.ContainsFunc(l.Rows, func(r sandbox.Row) bool { return r.Path == f.Path && r.Access == sandbox.Protect }) {
					t.Errorf("%s is not protected", f.Path)
				}
			}
			for _, forbidden := range []string{"--allow-all", "--yolo", "--trust-folder", "--sandbox", "--add-dir"} {
				if slices.Contains(l.Argv, forbidden) {
					t.Errorf("argv holds %s", forbidden)
				}
			}
		})
	}
}

func TestCopilotStream(t *testing.T) {
	b, err := os.ReadFile("testdata/copilot-stream.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := &copilotStream{}
	if err := s.Read(strings.NewReader(string(b)), nil); err != nil {
		t.Fatal(err)
	}
	o := s.Outcome()
	// The call that the hook refused is counted with the hook's own note.
	if !o.Ended || o.Failed || o.Text != "fini" || o.Model != "gpt-4.1" || o.ToolCalls != 3 || o.ToolFails != 1 || o.Turns != 2 {
		t.Errorf("got %+v", o)
	}
	if len(o.Denied) != 2 || o.Denied[0].By != "agent" || o.Denied[0].Target != "/x/zz.txt" || o.Denied[1].By != "sandbox" {
		t.Errorf("denied %+v", o.Denied)
	}
	for text, reason := range map[string]string{
		"":                               "no-result",
		`{"type":"result","exitCode":1}`: "agent-error",
		`{"type":"session.error","data":{"errorType":"authentication","message":"no"}}` + "\n" + `{"type":"result","exitCode":1}`: "api-error",
	} {
		s := &copilotStream{}
		if err := s.Read(strings.NewReader(text+"\n"), nil); err != nil {
			t.Fatal(err)
		}
		if o := s.Outcome(); !o.Failed || o.Reason != reason {
			t.Errorf("%s: got %+v", text, o)
		}
	}
}

// A variable that could load code or redirect a program is no agent's to pass,
// whatever its file says; what is printed in the plan is no secret.
func TestAgentsPassNothingDangerous(t *testing.T) {
	for _, name := range Names() {
		a, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range a.Pass {
			for _, prefix := range []string{"GIT_", "LD_", "DYLD_", "BASH", "NODE_", "PYTHON", "PERL", "RUBY", "JAVA", "VSCODE_", "LANE_", "GH_", "GITHUB_"} {
				if strings.HasPrefix(v.Name, prefix) {
					t.Errorf("%s passes %s", name, v.Name)
				}
			}
			if slices.Contains([]string{"ENV", "HOME", "PATH", "SHELL", "TMPDIR", "EDITOR", "PAGER", "IFS"}, v.Name) || strings.HasSuffix(v.Name, "_COMMAND") {
				t.Errorf("%s passes %s", name, v.Name)
			}
			if v.Reason == "" {
				t.Errorf("%s passes %s without a reason", name, v.Name)
			}
		}
		for _, v := range a.Values {
			if slices.Contains(a.Secrets, v) {
				t.Errorf("%s prints %s", name, v)
			}
		}
		for _, v := range a.Login.Env {
			if !slices.Contains(a.Secrets, v) {
				t.Errorf("%s: %s is a credential and not among its secrets", name, v)
			}
		}
	}
}
