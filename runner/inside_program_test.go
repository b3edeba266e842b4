package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// The small program is used only when it is the one that was built with lane;
// in every other case lane itself is.
func TestInsideProgramIsTheOneBuiltWithLane(t *testing.T) {
	defer func(was string) { insideID = was }(insideID)
	dir := t.TempDir()
	lane, beside := filepath.Join(dir, "lane"), filepath.Join(dir, "lane-inside")
	want := func(what, program string) {
		t.Helper()
		if got := InsideProgram(lane); got != program {
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
	const sum = "action/content-id"
	insideID = sum
	want("none there", lane)
	write("ELF Go "+sum+" text", 0o755)
	want("the right one", beside)
	write("ELF Go action/other text", 0o755)
	want("another build's", lane)
	write("ELF Go "+sum+" text", 0o644)
	want("not executable", lane)
	write("ELF Go "+sum+" text", 0o755)
	insideID = ""
	want("a build without one", lane)
	insideID = sum
	if err := os.Rename(beside, beside+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(beside+"-away", beside); err != nil {
		t.Fatal(err)
	}
	want("a link", lane)
}
