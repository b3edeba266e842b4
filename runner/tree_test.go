package runner

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestChangedSeesEveryKindOfChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	for _, n := range []string{"same", "content", "mtime-put-back", "mode", "gone", "sub/renamed"} {
		write(n, "one")
	}
	info, err := os.Stat(filepath.Join(dir, "mtime-put-back"))
	must(t, err)
	before := readTree(dir, nil)
	time.Sleep(20 * time.Millisecond) // the file system's clock has ticks
	write("content", "two")
	write("mtime-put-back", "two")
	must(t, os.Chtimes(filepath.Join(dir, "mtime-put-back"), info.ModTime(), info.ModTime()))
	must(t, os.Chmod(filepath.Join(dir, "mode"), 0o755))
	must(t, os.Remove(filepath.Join(dir, "gone")))
	must(t, os.Rename(filepath.Join(dir, "sub/renamed"), filepath.Join(dir, "sub/new")))
	must(t, os.Symlink("same", filepath.Join(dir, "link")))
	write("added", "")

	got := changed(before, readTree(dir, nil))
	want := []string{"added", "content", "gone", "link", "mode", "mtime-put-back", "sub/new", "sub/renamed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if again := changed(readTree(dir, nil), readTree(dir, nil)); len(again) != 0 {
		t.Errorf("two walks of the same tree differ: %v", again)
	}
}

func TestTreeFindsNestedRepositoriesAndEntersNoOtherWorktree(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{".git/x", "a/.git", "b/c", "other/.git", "other/y"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(dir, "b/c/.git"), []byte("gitdir: x"), 0o644))
	tree := readTree(dir, []string{filepath.Join(dir, "other")})
	var got []string
	for _, r := range tree.Repositories {
		got = append(got, r.Path)
	}
	slices.Sort(got)
	if want := []string{filepath.Join(dir, "a/.git"), filepath.Join(dir, "b/c/.git")}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if tree.has("other/y") || tree.has(".git/x") {
		t.Error("the walk entered what it must not")
	}
}

// A link made before the launch is the one hole in a deny by path: only those
// whose other name lies outside count (facts/claude-code.md B).
func TestTreeCountsLinksThatLeaveTheWorktree(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "config"), []byte("x"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644))
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	if tree := readTree(dir, nil); tree.Linked != 0 {
		t.Errorf("links within the worktree count: %d", tree.Linked)
	}
	must(t, os.Link(filepath.Join(outside, "config"), filepath.Join(dir, "prelinked")))
	if tree := readTree(dir, nil); tree.Linked != 1 || tree.FirstLinked != "prelinked" {
		t.Errorf("got %d, %q; want 1, prelinked", tree.Linked, tree.FirstLinked)
	}
}

func TestTreeFollowsAndOpensNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("/", filepath.Join(dir, "root")))
	must(t, os.Symlink(dir, filepath.Join(dir, "loop")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	done := make(chan Tree, 1)
	go func() { done <- readTree(dir, nil) }()
	select {
	case tree := <-done:
		if len(tree.Files) != 3 || tree.Cut != "" {
			t.Errorf("got %v, %q", tree.Files, tree.Cut)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("hangs")
	}
}
