package sandbox_test

import (
	"testing"

	"lane/sandbox"
)

func TestWiringBelow(t *testing.T) {
	below := sandbox.NewWiringBelow()
	for rel, want := range map[string]string{
		"pkg/.claude/settings.json":             ".claude/settings.json",
		"a/b/.Claude/Settings.JSON":             ".claude/settings.json",
		"pkg/.vscode":                           ".vscode",
		"pkg/.envrc":                            ".envrc",
		"pkg/.hg/hgrc":                          ".hg/hgrc",
		"pkg/.hg/store":                         "",
		"pkg/.config/lane.toml":                 ".config/lane.toml",
		".claude/settings.json":                 "", // the top has rows of its own
		".vscode":                               "",
		"pkg/claude/settings.json":              "",
		"pkg/settings.json":                     "",
		"pkg/x.claude/settings.json":            "",
		"node_modules/x/.vscode":                "",
		"pkg/node_modules/x/.claude/x":          "",
		"vendor/github.com/x/.envrc":            "",
		"pkg/.github/workflows/ci.yml":          "",
		"pkg/.github/mcp.json":                  ".github/mcp.json",
		"pkg/mise/other.toml":                   "",
		"my_node_modules/.envrc":                ".envrc",
		"pkg/.venv/lib/site-packages/.mcp.json": "",
	} {
		row, ok := below.Find(rel)
		if ok != (want != "") || row.Path != want {
			t.Errorf("%s: %q, %v; want %q", rel, row.Path, ok, want)
		}
	}
}
