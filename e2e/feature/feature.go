// Package feature says what becomes of a test that this host cannot run: it is
// skipped by the name of what is missing, and where LANE_MUST lists that name,
// as CI does, it fails. All tests of lane's skip by it, for a skip that nobody
// sees is a test that nobody runs.
package feature

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Must is the variable that lists, separated by commas, what has to be there.
const Must = "LANE_MUST"

// Missing ends a test for want of a feature. groups are names that stand for it
// in the list as well.
func Missing(t testing.TB, name, why string, groups ...string) {
	t.Helper()
	if Asked(os.Getenv(Must), append(groups, name)...) {
		t.Fatalf("feature %q is missing and %s asks for it: %s", name, Must, why)
	}
	t.Skipf("feature %q is missing: %s", name, why)
}

// Runs ends a test for want of a program that runs and ends well.
func Runs(t testing.TB, name string, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		Missing(t, name, err.Error()+": "+string(out))
	}
}

// Bwrap ends a test where bubblewrap cannot make namespaces.
func Bwrap(t testing.TB) {
	t.Helper()
	Runs(t, "bwrap", "bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true")
}

// Asked says whether a list of that form holds one of the names.
func Asked(list string, names ...string) bool {
	for listed := range strings.SplitSeq(list, ",") {
		if slices.Contains(names, listed) {
			return true
		}
	}
	return false
}
