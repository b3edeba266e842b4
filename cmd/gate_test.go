package cmd

import (
	"testing"

	"lane/runner"
)

// What the flags of the gate say together is looked at before anything is
// attacked.
func TestGateFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"live without a model":         {"--live"},
		"a model without live":         {"--model", "haiku"},
		"a bound without live":         {"--max-cost", "1"},
		"repeated without live":        {"--repeat", "2"},
		"repeated never":               {"--live", "--model", "haiku", "--repeat", "0"},
		"live with another writer":     {"--live", "--model", "m", "--writer", "codex"},
		"a receipt without a key":      {"--receipt", "f"},
		"a key that is not there":      {"--sign", "/nowhere/key"},
		"an argument":                  {"more"},
		"a claim that nobody knows of": {"--only", "no-such-claim"},
	} {
		if code := Main(append([]string{"gate"}, args...)); code != runner.ExitUsage {
			t.Errorf("%s: exit %d, want %d", name, code, runner.ExitUsage)
		}
	}
}
