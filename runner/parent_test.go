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

func TestInLane(t *testing.T) {
	for name, c := range map[string]struct {
		ids, nnp string
		want     bool
	}{
		"a lane of root's":   {"      1000          0          1\n", "1", true},
		"a lane of a user's": {"      1001       1001          1\n", "1", true},
		"the host":           {"         0          0 4294967295\n", "0", false},
		"a pod":              {"         0          0 4294967295\n", "1", false},
		"a container of its own users, with a way to more rights": {"0 100000 65536\n", "0", false},
		"a system that says nothing":                              {"", "1", false},
	} {
		if got := inLane(c.ids, c.nnp); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
