package attack_test

import (
	"strings"
	"testing"

	"lane/e2e/attack"
)

// The corpus that other launchers were measured with is in here, whole.
const corpus = `hook-literal hook-symlink hook-proc config-hardlink config-lock-rename hooks-dir-swap gitfile-repoint commondir-repoint
config-worktree ref-other object-delete sibling-worktree home-rc home-new home-chmod tmp-shared shm-shared wt-dir-swap read-ssh read-env
read-proc-env fd-leak unix-docker unix-agent unix-bus unix-abstract tcp-loopback udp-out signal-outside ptrace-outside tiocsti userns
io-uring core-pattern orphan orphan-nopipe agent-settings-new home-claude hang-kill9 hang-term hang-child-kill9 hang-child-term
ok-write ok-git-status ok-commit ok-tmp ok-tmp-hard ok-devnull ok-go-build ok-self-kill ok-unixpair ok-tty ok-exit-code`

func TestTableIsComplete(t *testing.T) {
	for _, id := range strings.Fields(corpus) {
		if _, ok := attack.Find(id); !ok {
			t.Errorf("%s of the corpus is not in the table", id)
		}
	}
	for id := range expected {
		if _, ok := attack.Find(id); !ok {
			t.Errorf("an outcome is expected of %s, which is not in the table", id)
		}
	}
	for _, id := range core {
		if _, ok := attack.Find(id); !ok {
			t.Errorf("%s is to be tried in other places and is not in the table", id)
		}
	}
	seen := map[string]bool{}
	for _, a := range attack.All() {
		switch {
		case seen[a.ID]:
			t.Errorf("two attacks are called %s", a.ID)
		case a.Claim == "" || a.What == "":
			t.Errorf("%s does not say what it claims or what is tried", a.ID)
		case a.Plain.By != attack.Anyone && a.Plain.Why == "":
			t.Errorf("%s does not get through for everybody and does not say why", a.ID)
		case (a.Kind == attack.Kill) != (a.Signal != 0):
			t.Errorf("%s: a kill test sends a signal, and nothing else does", a.ID)
		}
		seen[a.ID] = true
	}
}
