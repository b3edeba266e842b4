package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSixthAgent: an agent that lane knows nothing of takes the two files of
// e2e/sixth, laid over the source, and nothing else.
func TestSixthAgent(t *testing.T) {
	need(t, "git", "bwrap", "go")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, os.Getuid())
	bin := filepath.Join(filepath.Dir(s.home), "bin")
	lane, program := filepath.Join(bin, "lane"), filepath.Join(bin, "sixth")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", "e2e/sixth/overlay.json", "-o", lane, "./cmd/lane")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := install("sixth/program.sh", program); err != nil {
		t.Fatal(err)
	}

	out, err := s.command(lane, "run", "--json", "--writer", "sixth", "--writer-bin", program, "--", "a prompt").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Status, Text, Reason string
		Changed              []string
		Calls                int `json:"tool_calls"`
		Denied               []struct{ By, Tool, Target string }
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := got
	want.Status, want.Text, want.Reason, want.Changed, want.Calls = "done", "did it", "", []string{"made"}, 2
	want.Denied = []struct{ By, Tool, Target string }{{"hook", "Bash", "echo x >/tmp/elsewhere"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if b, err := os.ReadFile(filepath.Join(s.lane, "made")); err != nil || string(b) != "a prompt\n" {
		t.Errorf("made: %q, %v", b, err)
	}
}
