package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// Lane's own files lie where nobody else can put others.
func TestLaneHomeIsOnesOwn(t *testing.T) {
	top := t.TempDir()
	ask := func(dir string) error {
		t.Setenv("LANE_HOME", dir)
		_, err := LaneHome()
		return err
	}
	own := filepath.Join(top, "own")
	must(t, os.Mkdir(own, 0o700))
	for _, good := range []string{own, filepath.Join(own, "new"), "/", top} {
		if err := ask(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	other := filepath.Join(top, "other")
	must(t, os.Mkdir(other, 0o755))
	if os.Geteuid() == 0 {
		must(t, os.Chown(other, 1001, 1001))
	} else {
		must(t, os.Chmod(other, 0o777))
	}
	if r := asRefusal(ask(other)); r == nil || r.Reason != "lane-home" || r.Hint == "" {
		t.Errorf("%s is taken: %v", other, r)
	}
	must(t, os.Symlink(other, filepath.Join(top, "link")))
	if ask(filepath.Join(top, "link")) == nil {
		t.Error("it is taken by way of a link")
	}
}
