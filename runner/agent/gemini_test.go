package agent

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lane/sandbox"
)

func TestGeminiLaunchGolden(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"user": func(*Spec) {},
		"gateway": func(s *Spec) {
			s.Values, s.Model = map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"}, ""
			s.Tools, s.Writes = []string{"read_file"}, []string{"/data/out"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.Model = "gemini-2.5-pro"
			change(&s)
			l, err := launchGemini(s)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "gemini-"+name, l)
			// What registers the guard is not the agent's to write.
			for _, f := range l.Files {
				if !slices.ContainsFunc(l.Rows, func(r sandbox.Row) bool { return r.Path == f.Path && r.Access == sandbox.Protect }) {
					t.Errorf("%s is not protected", f.Path)
				}
			}
			if slices.Contains(l.Argv, "--sandbox") {
				t.Error("its own sandbox is on")
			}
		})
	}
}

func TestGeminiStream(t *testing.T) {
	b, err := os.ReadFile("testdata/gemini-stream.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := &geminiStream{}
	if err := s.Read(strings.NewReader(string(b)), nil); err != nil {
		t.Fatal(err)
	}
	o := s.Outcome()
	// The call that the hook refused is counted with the hook's own note.
	if !o.Ended || o.Failed || o.Text != "fini" || o.Model != "gemini-2.5-pro" || o.ToolCalls != 3 || o.ToolFails != 2 || o.Usage["input_tokens"] != 50 {
		t.Errorf("got %+v", o)
	}
	if len(o.Denied) != 1 || o.Denied[0].By != "agent" || o.Denied[0].Target != "/repo/x" {
		t.Errorf("denied %+v", o.Denied)
	}
	for text, reason := range map[string]string{
		"": "no-result",
		`{"type":"result","status":"error","error":{"type":"APIError","message":"got status 500"},"stats":{}}`: "api-error",
		`{"type":"result","status":"error","error":{"type":"x","message":"y"},"stats":{}}`:                     "agent-error",
	} {
		s := &geminiStream{}
		if err := s.Read(strings.NewReader(text+"\n"), nil); err != nil {
			t.Fatal(err)
		}
		if o := s.Outcome(); !o.Failed || o.Reason != reason {
			t.Errorf("%s: got %+v", text, o)
		}
	}
}
