package runner

import "testing"

func TestParentSandbox(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		nnp     string
		want    string
	}{
		"Codex's":                    {[]string{"A=b", "CODEX_SANDBOX_NETWORK_DISABLED=1"}, "1", "Codex"},
		"Codex's, with network":      {[]string{"CODEX_THREAD_ID=x"}, "1", "Codex"},
		"Claude Code's":              {[]string{"CLAUDECODE=1"}, "1", "Claude Code"},
		"Codex with full access":     {[]string{"CODEX_THREAD_ID=x"}, "0", ""},
		"a pod without an agent":     {[]string{"HOME=/x"}, "1", ""},
		"a system that says nothing": {[]string{"CLAUDECODE=1"}, "", ""},
	} {
		got := ""
		if p := parentSandbox(c.environ, c.nnp); p != nil {
			got = p.name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
