package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lane/gitdiscover"
)

// What a run has closed is looked into all the same, and closed again: tools
// close the directories of their caches, and that is nobody's fault.
func TestClosedDirectoriesAreLookedIntoAndClosedAgain(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "locked/file")
	put(t, dir, "closed/sub/file")
	put(t, dir, "closed/sub/.git/config")
	put(t, dir, "open/file")
	modes := map[string]os.FileMode{"locked": 0o555, "closed/sub/.git": 0, "closed/sub": 0o111, "closed": 0, "open": 0o755, ".": 0o111}
	for _, name := range []string{"locked", "closed/sub/.git", "closed/sub", "closed", "open", "."} {
		must(t, os.Chmod(filepath.Join(dir, name), modes[name]))
	}
	t.Cleanup(func() {
		for _, name := range []string{".", "closed", "closed/sub", "closed/sub/.git", "locked"} {
			_ = os.Chmod(filepath.Join(dir, name), 0o755)
		}
	})
	open, err := openWorktree(repoAt(t, dir))
	must(t, err)
	defer open.root.Close()
	tree := readTreeOpening(dir, nil, Tree{}, open)
	if tree.Cut != "" || !tree.has("closed/sub/file") || !tree.has("locked/file") || len(tree.Repositories) != 1 {
		t.Errorf("not looked into: %+v", tree)
	}
	var opened []string
	for _, d := range open.dirs {
		opened = append(opened, d.name)
	}
	slices.Sort(opened)
	if want := []string{".", "closed", "closed/sub", "closed/sub/.git", "locked"}; !slices.Equal(opened, want) {
		t.Errorf("opened %q, want %q", opened, want)
	}
	must(t, os.Remove(filepath.Join(dir, "locked", "file"))) // it can be taken away
	must(t, open.closeAgain())
	must(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"locked", "closed", "closed/sub", "closed/sub/.git", "open"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != modes[name] {
			t.Errorf("%s is left as %v, %v; want %v", name, info.Mode(), err, modes[name])
		}
		must(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
}

func TestOpenWorktreeTakesNoOther(t *testing.T) {
	dir := t.TempDir()
	repo := repoAt(t, dir)
	must(t, os.Rename(dir, dir+".old"))
	must(t, os.Mkdir(dir, 0o755))
	if _, err := openWorktree(repo); err == nil {
		t.Error("another directory was taken for the worktree")
	}
	must(t, os.Remove(dir))
	must(t, os.Rename(dir+".old", dir))
}

func repoAt(t *testing.T, dir string) gitdiscover.Repo {
	t.Helper()
	id := place("", dir).Chain[0]
	return gitdiscover.Repo{Worktree: dir, IDs: map[string]gitdiscover.FileID{"worktree": {Dev: id.Dev, Ino: id.Ino}}}
}
