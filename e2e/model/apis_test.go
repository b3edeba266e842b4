package model

import (
	"strings"
	"testing"
)

// The same script in each API's words: the call goes out under its id, and
// what it came back as is found under it.
func TestOtherAPIs(t *testing.T) {
	for _, c := range []struct {
		name, path, ask, side, answer, call, said string
	}{
		{"responses", "/v1/responses",
			`{"model":"m","tools":[{"name":"exec"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}]}`,
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"title?"}]}]}`,
			`{"model":"m","tools":[{"name":"exec"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]},{"type":"function_call","call_id":"w1","name":"Bash"},{"type":"function_call_output","call_id":"w1","output":"uid=0"}]}`,
			`"arguments":"{\"command\":\"id\"}","call_id":"w1"`, `"text":"done","type":"output_text"`},
		{"chat", "/v1/chat/completions",
			`{"model":"m","stream":true,"tools":[{"type":"function"}],"messages":[{"role":"user","content":"do it"}]}`,
			`{"model":"m","messages":[{"role":"user","content":"title?"}]}`,
			`{"model":"m","tools":[{"type":"function"}],"messages":[{"role":"user","content":"do it"},{"role":"assistant","tool_calls":[{"id":"w1","function":{"name":"Bash"}}]},{"role":"tool","tool_call_id":"w1","content":"uid=0"}]}`,
			`"arguments":"{\"command\":\"id\"}"`, `"content":"done"`},
		{"gemini", "/v1beta/models/m:streamGenerateContent?alt=sse&key=secret",
			`{"tools":[{"functionDeclarations":[{"name":"x"}]}],"contents":[{"role":"user","parts":[{"text":"do it"}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"title?"}]}]}`,
			`{"tools":[{"functionDeclarations":[{"name":"x"}]}],"contents":[{"role":"user","parts":[{"text":"do it"}]},{"role":"model","parts":[{"functionCall":{"id":"w1","name":"Bash"}}]},{"role":"user","parts":[{"functionResponse":{"name":"Bash","response":{"output":"uid=0"}}}]}]}`,
			`"args":{"command":"id"},"id":"w1","name":"Bash"`, `"text":"done"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, Script{Steps: []Step{Use("w1", "Bash", map[string]string{"command": "id"}), {Status: 500}, Text("done")}}, "", 0)
			want := func(body string, status int, text string) {
				t.Helper()
				code, got, err := post(t, r.URL+c.path, body)
				if err != nil || code != status || !strings.Contains(got, text) {
					t.Errorf("got %d %s %v, want %d with %s", code, got, err, status, text)
				}
			}
			want(c.side, 200, "scripted")
			want(c.ask, 200, c.call)
			want(c.answer, 500, "scripted error")
			want(c.answer, 200, c.said)
			want("{", 400, "error")
			if got, ok := r.Result("w1"); !ok || got.Text != "uid=0" || got.Name != "Bash" || got.Kind != "main" {
				t.Errorf("result %+v, %v", got, ok)
			}
			if texts := r.UserText(); len(texts) != 1 || texts[0] != "do it" {
				t.Errorf("user's texts %q", texts)
			}
			if left := r.Unplayed(); len(left) > 0 {
				t.Errorf("not played: %v", left)
			}
			for _, req := range r.Requests() {
				if strings.Contains(req.Path, "secret") {
					t.Errorf("recorded: %s", req.Path)
				}
			}
		})
	}
}

// A call with a text as its input is one of a freeform tool.
func TestFreeformCall(t *testing.T) {
	r := start(t, Script{Steps: []Step{Use("p", "apply_patch", "*** Begin Patch")}}, "", 0)
	_, got, err := post(t, r.URL+"/v1/responses", `{"tools":[{}],"input":[]}`)
	if err != nil || !strings.Contains(got, `"call_id":"p","id":"ctc_1_0","input":"*** Begin Patch"`) {
		t.Errorf("got %s, %v", got, err)
	}
}
