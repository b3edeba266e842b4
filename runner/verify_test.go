package runner

import (
	"os"
	"testing"

	"lane/sandbox/confine"
)

// A canary that is on the host refuses the lane, stands in the record, and is
// removed.
func TestVerifyLooksOutside(t *testing.T) {
	dir := t.TempDir()
	v := &confine.Verify{Name: ".lane-canary-x", Refused: []string{dir}}
	res := emptyResult("v")
	res.Layers = []LayerResult{{Name: "bwrap", OK: true}}
	if err := verifyOutside(&res, v); err != nil || len(res.Layers[0].Checks) != 1 || !res.Layers[0].Checks[0].OK {
		t.Fatalf("nothing there: %v, %+v", err, res.Layers)
	}
	canary := dir + "/" + v.Name + ".r"
	if err := os.WriteFile(canary, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := asRefusal(verifyOutside(&res, v))
	if r == nil || r.Reason != "verify" || r.Path != canary || res.Layers[0].OK || res.Layers[0].Checks[1].Path != canary {
		t.Errorf("a canary outside: %+v, %+v", r, res.Layers)
	}
	if _, err := os.Lstat(canary); err == nil {
		t.Error("the canary is still there")
	}
	if err := verifyOutside(&res, nil); err != nil {
		t.Error(err)
	}
}
