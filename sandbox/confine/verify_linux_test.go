package confine

import (
	"os"
	"slices"
	"testing"
)

// Where nothing confines, every canary gets through and is called so, and
// what can be found outside is found under the names that are looked for.
func TestVerifySeesWhatGetsThrough(t *testing.T) {
	own, refused, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	v := &Verify{Name: ".lane-canary-x", Own: own, Refused: []string{refused}, Elsewhere: []string{elsewhere}}
	checks := tryVerify(ChildPlan{Verify: v, Dir: own, Nested: []string{"/bin/sh", "-c", "exit 0"}})
	bad := map[string]bool{}
	for _, c := range checks {
		if !c.OK {
			bad[c.Name] = true
		}
	}
	for _, name := range []string{"verify-create", "verify-mkdir", "verify-link", "verify-by-link", "verify-rename", "verify-nested"} {
		if !bad[name] {
			t.Errorf("%s got through and is not told: %+v", name, checks)
		}
	}
	if bad["verify-own"] {
		t.Error("work of its own was refused")
	}
	for _, dir := range []string{refused, elsewhere} {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) < 2 { // the first rename took what others would move
			t.Fatalf("%v, %v", left, err)
		}
		for _, e := range left {
			if !slices.Contains(v.Canaries(), dir+"/"+e.Name()) {
				t.Errorf("%s would not be looked for outside", e.Name())
			}
		}
	}
	if left, err := os.ReadDir(own); err != nil || len(left) > 0 {
		t.Errorf("left in the worktree: %v, %v", left, err)
	}
}
