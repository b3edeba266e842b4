package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	mainBody = `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"hi"}]}`
	sideBody = `{"model":"m","messages":[{"role":"user","content":"title?"}]}`
	subBody  = `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"text","text":"SUBTASK do"}]}]}`
)

func streamed(body string) string {
	return strings.Replace(body, `{"model"`, `{"stream":true,"model"`, 1)
}

func post(t *testing.T, url, body string) (int, string, error) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func start(t *testing.T, s Script, dir string, idle time.Duration) *Running {
	t.Helper()
	r, err := Start(context.Background(), s, dir, idle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func script() Script {
	return Script{
		Steps: []Step{
			Use("w1", "Bash", map[string]string{"command": "id"}),
			{Status: 529},
			Text("done"),
		},
		Agents: []Agent{{Match: "SUBTASK", Steps: []Step{Text("sub")}}},
	}
}

func TestStepsAreServedInOrderAndSideRequestsConsumeNone(t *testing.T) {
	dir := t.TempDir()
	srv := start(t, script(), dir, 0)
	want := []string{"main step 0", "main step 1", "main step 2", "agent:SUBTASK step 0"}
	if diff := cmp.Diff(want, srv.Unplayed()); diff != "" {
		t.Fatalf("unplayed before (-want +got):\n%s", diff)
	}
	for i, want := range []struct {
		body, has string
		status    int
	}{
		{sideBody, `"text":"{`, 200},
		{mainBody, `"name":"Bash"`, 200},
		{subBody, `"text":"sub"`, 200},
		{mainBody, `scripted error`, 529},
		{mainBody, `"text":"done"`, 200},
		{mainBody, `end of script`, 200},
	} {
		status, body, err := post(t, srv.URL+"/v1/messages?beta=true", want.body)
		if err != nil || status != want.status || !strings.Contains(body, want.has) {
			t.Fatalf("request %d: got %d %s %v, want %d with %s", i, status, body, err, want.status, want.has)
		}
	}
	if left := srv.Unplayed(); len(left) != 0 {
		t.Errorf("unplayed after: %v", left)
	}
	var kinds []string
	for _, r := range srv.Requests() {
		kinds = append(kinds, r.Kind)
	}
	if diff := cmp.Diff([]string{"side", "main", "agent:SUBTASK", "main", "main", "main"}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 6 {
		t.Errorf("recorded %v, %v; want 6 files", files, err)
	}
}

func TestStreamIsOneWholeMessageOrBrokenAsTold(t *testing.T) {
	const whole = "message_start content_block_start content_block_delta content_block_stop message_delta message_stop"
	for _, c := range []struct {
		how     Break
		events  string
		readErr bool
		garbage bool
	}{
		{"", whole, false, false},
		{BreakCut, "message_start content_block_start", true, false},
		{BreakGarbage, "message_start content_block_start", false, true},
		{BreakUnfinished, "message_start content_block_start content_block_delta content_block_stop", false, false},
	} {
		t.Run("break="+string(c.how), func(t *testing.T) {
			step := Use("w1", "Bash", map[string]string{"command": "id"})
			step.Break = c.how
			srv := start(t, Script{Steps: []Step{step}}, "", 0)
			_, body, err := post(t, srv.URL+"/v1/messages", streamed(mainBody))
			if (err != nil) != c.readErr {
				t.Errorf("read error %v, want one: %v", err, c.readErr)
			}
			var names []string
			garbage := false
			for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
				if name, ok := strings.CutPrefix(sc.Text(), "event: "); ok {
					names = append(names, name)
				}
				if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok && !json.Valid([]byte(data)) {
					garbage = true
				}
			}
			if got := strings.Join(names, " "); got != c.events {
				t.Errorf("events %q, want %q", got, c.events)
			}
			if garbage != c.garbage {
				t.Errorf("data that is not JSON: %v, want %v", garbage, c.garbage)
			}
		})
	}
}

func TestSilenceEndsWithTheClientAndWithTheServer(t *testing.T) {
	step := Text("never")
	step.Break = BreakSilence
	srv := start(t, Script{Steps: []Step{step, step}}, "", 0)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/v1/messages", strings.NewReader(streamed(mainBody)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("silent answer ended with %v", err)
	}
	// A second one is still open when the server is told to end.
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = srv.Close()
	}()
	begin := time.Now()
	_, _, _ = post(t, srv.URL+"/v1/messages", streamed(mainBody))
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("an open answer kept the server for %v", took)
	}
}

func TestToolResultsAreReadBackOncePerCall(t *testing.T) {
	srv := start(t, Script{}, "", 0)
	const one = `{"model":"m","tools":[{}],"messages":[{"role":"user","content":"the prompt"},
	  {"role":"assistant","content":[{"type":"tool_use","id":"w1","name":"Bash","input":{}},{"type":"tool_use","id":"w2","name":"Write","input":{}}]},
	  {"role":"user","content":[{"type":"tool_result","tool_use_id":"w1","is_error":true,"content":"no"},
	    {"type":"tool_result","tool_use_id":"w2","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}]}`
	for range 2 { // an agent sends its whole history with every request
		if _, _, err := post(t, srv.URL+"/v1/messages", one); err != nil {
			t.Fatal(err)
		}
	}
	want := []ToolResult{
		{ID: "w1", Name: "Bash", Kind: "main", Text: "no", Error: true},
		{ID: "w2", Name: "Write", Kind: "main", Text: "a\nb"},
	}
	if diff := cmp.Diff(want, srv.ToolResults()); diff != "" {
		t.Errorf("tool results (-want +got):\n%s", diff)
	}
	if _, ok := srv.Result("w3"); ok {
		t.Error("a call that never was has a result")
	}
	if diff := cmp.Diff([]string{"the prompt"}, srv.UserText()); diff != "" {
		t.Errorf("user text (-want +got):\n%s", diff)
	}
}

func TestParseRefusesWhatItWouldNotPlay(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"good", `{"steps":[{"content":[{"type":"text","text":"x"}]}]}`, ""},
		{"unknown field", `{"step":[]}`, "unknown field"},
		{"unknown block", `{"steps":[{"content":[{"type":"image"}]}]}`, "unknown block type"},
		{"nameless call", `{"steps":[{"content":[{"type":"tool_use"}]}]}`, "without a name"},
		{"id twice", `{"steps":[{"content":[{"type":"tool_use","id":"a","name":"B"},{"type":"tool_use","id":"a","name":"B"}]}]}`, "second tool_use"},
		{"unknown break", `{"steps":[{"break":"maybe"}]}`, "unknown break"},
		{"agent for all", `{"agents":[{"match":""}]}`, "without a match"},
		{"agent's steps too", `{"agents":[{"match":"x","steps":[{"break":"maybe"}]}]}`, "agent x step 0"},
		{"two values", `{} {}`, "more than one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.in))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestServerListensOnLoopbackAndEndsWhenIdle(t *testing.T) {
	srv := start(t, Script{}, "", 200*time.Millisecond)
	if !strings.HasPrefix(srv.URL, "http://127.0.0.1:") {
		t.Errorf("URL %s is not on loopback", srv.URL)
	}
	// Requests keep it alive past its idle time.
	for range 4 {
		time.Sleep(100 * time.Millisecond)
		if _, _, err := post(t, srv.URL+"/v1/messages", sideBody); err != nil {
			t.Fatalf("ended while in use: %v", err)
		}
	}
	select {
	case <-srv.Ended():
	case <-time.After(10 * time.Second):
		t.Fatal("still listening long after its idle time")
	}
}

func TestServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	srv, err := Start(ctx, Script{}, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-srv.Ended():
	case <-time.After(10 * time.Second):
		t.Fatal("still listening after its context ended")
	}
}

func TestOtherEndpoints(t *testing.T) {
	ts := httptest.NewServer(NewServer(Script{}, ""))
	defer ts.Close()
	if status, body, _ := post(t, ts.URL+"/v1/messages/count_tokens", mainBody); status != 200 || !strings.Contains(body, "input_tokens") {
		t.Errorf("count_tokens: %d %s", status, body)
	}
	if status, body, _ := post(t, ts.URL+"/api/x", "{}"); status != 404 || !strings.Contains(body, "not_found_error") {
		t.Errorf("unknown endpoint: %d %s", status, body)
	}
	if status, body, _ := post(t, ts.URL+"/v1/messages", "{"); status != 400 || !strings.Contains(body, "invalid_request_error") {
		t.Errorf("bad JSON: %d %s", status, body)
	}
}

func TestNoCredentialIsRecorded(t *testing.T) {
	dir := t.TempDir()
	srv := start(t, Script{}, dir, 0)
	req, err := http.NewRequest(http.MethodPost, srv.URL+"/v1/messages", strings.NewReader(mainBody))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "sk-secret")
	req.Header.Set("Authorization", "Bearer sk-secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	onDisk, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	inMemory, err := json.Marshal(srv.Requests())
	if err != nil {
		t.Fatal(err)
	}
	for where, b := range map[string][]byte{"disk": onDisk, "memory": inMemory} {
		if strings.Contains(string(b), "sk-secret") || !strings.Contains(string(b), "(present)") {
			t.Errorf("credential in %s: %s", where, b)
		}
	}
}
