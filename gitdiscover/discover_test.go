package gitdiscover

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	root, _ := filepath.EvalSymlinks(t.TempDir())
	for _, a := range [][]string{
		{"init", "-q", "-b", "main", root + "/main"},
		{"-C", root + "/main", "-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "--allow-empty", "-m", "x"},
		{"-C", root + "/main", "worktree", "add", "-q", "-b", "wt", root + "/wt"},
	} {
		if out, err := exec.Command("git", a...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", a, err, out)
		}
	}
	os.MkdirAll(root+"/wt/a/b", 0o755)
	for _, d := range []string{"/main", "/wt", "/wt/a/b", "/main/.git", ""} {
		r, err := Discover(root + d)
		t.Logf("%s: %+v %v", d, r, err)
	}
}
