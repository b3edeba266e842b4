package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// The hook's own program is used only when it is the one that was built with
// lane; in every other case lane itself answers.
func TestHookProgramIsTheOneBuiltWithLane(t *testing.T) {
	defer func(was string) { hookSum = was }(hookSum)
	dir := t.TempDir()
	lane, beside := filepath.Join(dir, "lane"), filepath.Join(dir, "lane-hook")
	want := func(what, program string) {
		t.Helper()
		if got := HookProgram(lane); got != program {
			t.Errorf("%s: %s, want %s", what, got, program)
		}
	}
	write := func(text string, mode os.FileMode) {
		t.Helper()
		os.Remove(beside) // it is made anew, with its mode
		if err := os.WriteFile(beside, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc"
	hookSum = sum
	want("none there", lane)
	write("abc", 0o755)
	want("the right one", beside)
	write("abd", 0o755)
	want("another build's", lane)
	write("abc", 0o644)
	want("not executable", lane)
	write("abc", 0o755)
	hookSum = ""
	want("a build without one", lane)
	hookSum = sum
	if err := os.Rename(beside, beside+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(beside+"-away", beside); err != nil {
		t.Fatal(err)
	}
	want("a link", lane)
}
