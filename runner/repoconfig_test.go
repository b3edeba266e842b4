package runner

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lane/gitdiscover"
)

func commitConfig(t *testing.T, text string) gitdiscover.Repo {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	must(t, os.MkdirAll(filepath.Join(dir, ".config"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, repoConfigName), []byte(text), 0o644))
	git("add", ".")
	git("commit", "-qm", "one")
	repo, err := gitdiscover.Discover(dir)
	must(t, err)
	return repo
}

// A repository's own file may tighten, and what is committed counts, not what
// lies in the worktree.
func TestRepoConfigTightens(t *testing.T) {
	repo := commitConfig(t, "mask = ['.env', '*.pem']\ngit = 'read-only'\nhome = 'private'\ntimeout = '10m'\nrequire_changes = true\n")
	must(t, os.WriteFile(filepath.Join(repo.Worktree, repoConfigName), []byte("mask = []\n"), 0o644))
	req, _, err := Tighten(Request{Timeout: time.Hour, Home: HomeReadable, Masks: []string{"x"}, Git: gitOwn}, repo)
	must(t, err)
	if !slices.Equal(req.Masks, []string{"x", ".env", "*.pem"}) || req.Git != gitReadOnly || req.Home != HomePrivate || req.Timeout != 10*time.Minute || !req.RequireChanges {
		t.Errorf("got %+v", req)
	}
	if req, _, err = Tighten(Request{Timeout: time.Minute}, repo); err != nil || req.Timeout != time.Minute {
		t.Errorf("a longer timeout of the repository's counts: %v, %v", req.Timeout, err)
	}
}

func TestRepoConfigNeverLoosens(t *testing.T) {
	for _, text := range []string{
		"git = 'own'\n", "home = 'readable'\n", "require_changes = false\n", "accept = ['hardlinks']\n", "write = ['/etc']\n",
		"network = 'host'\n", "mask = '.env'\n", "timeout = 'soon'\n", "timeout = '-1m'\n", "[x\n",
	} {
		_, _, err := Tighten(Request{}, commitConfig(t, text))
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != "repo-config" {
			t.Errorf("%q: got %v, want a refusal", text, err)
		}
	}
}

func TestRepoConfigThatIsNotCommittedHasNoEffect(t *testing.T) {
	repo := commitConfig(t, "git = 'read-only'\n")
	if req, notes, err := Tighten(Request{}, repo); err != nil || req.Git != gitReadOnly || notes != nil {
		t.Errorf("committed: %v, %v, %v", req.Git, notes, err)
	}
	other := t.TempDir()
	put(t, other, repoConfigName)
	repo.Worktree = other
	repo.HeadRef = "refs/heads/unborn"
	if req, notes, err := Tighten(Request{}, repo); err != nil || req.Git != "" || len(notes) != 1 {
		t.Errorf("not committed: %v, %v, %v", req.Git, notes, err)
	}
}
