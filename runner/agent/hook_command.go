package agent

import (
	"path/filepath"
	"strings"
)

// hookLog is where the guard's hook notes its answers.
func hookLog(s Spec) string { return filepath.Join(s.StateDir, "guard.jsonl") }

// hookCommand is the shell command by which a harness asks the guard. A hook
// that cannot be started, or dies, refuses the call: in these harnesses it
// would let the call through, and only exit code 2 with text beside it is a
// refusal in all of them.
func hookCommand(s Spec, harness string, more ...string) string {
	argv := append([]string{s.Lane, "hook", "--harness", harness, "--plan", s.PlanFile, "--log", hookLog(s)}, more...)
	for i, a := range argv {
		argv[i] = shellQuote(a)
	}
	return strings.Join(argv, " ") + " || { echo 'lane: the guard refused, or could not run' >&2; exit 2; }"
}

// shellQuote makes one word of s for any POSIX shell.
func shellQuote(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+=:,@", r))
	})
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
