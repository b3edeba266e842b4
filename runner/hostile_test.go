package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A file that a repository may have written: its links out of the worktree,
// FIFOs and sizes must not reach the model, or hang lane.
func TestReadBeneath(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "id_ed25519")
	must(t, os.WriteFile(secret, []byte("KEY"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "plain"), []byte("text"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "docs"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "docs", "real"), []byte("inside"), 0o644))
	must(t, os.Symlink("docs/real", filepath.Join(dir, "in-tree")))
	must(t, os.Symlink(secret, filepath.Join(dir, "escape")))
	must(t, os.Symlink("../../../../../../../.."+secret, filepath.Join(dir, "escape-relative")))
	must(t, os.Symlink(filepath.Dir(secret), filepath.Join(dir, "dir-escape")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "long"), []byte(strings.Repeat("x", 100)), 0o644))

	for name, want := range map[string]string{"plain": "text", "in-tree": "inside"} {
		if b, err := readBeneath(dir, name, 10); err != nil || string(b) != want {
			t.Errorf("%s: got %q, %v; want %q", name, b, err, want)
		}
	}
	for _, name := range []string{"escape", "escape-relative", "dir-escape/id_ed25519"} {
		if b, err := readBeneath(dir, name, 10); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %q, %v; want a refusal", name, b, err)
		}
	}
	done := make(chan error, 1)
	go func() { _, err := readBeneath(dir, "fifo", 10); done <- err }()
	select {
	case err := <-done:
		if !errors.Is(err, errNotRegular) {
			t.Errorf("fifo: got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("fifo: hangs")
	}
	if b, err := readBeneath(dir, "long", 10); !errors.Is(err, errTooLong) || len(b) != 10 {
		t.Errorf("long: got %d bytes, %v", len(b), err)
	}
	if _, err := readBeneath(dir, "docs", 10); !errors.Is(err, errNotRegular) {
		t.Errorf("directory: got %v", err)
	}
}

func TestPrintableDrivesNoTerminal(t *testing.T) {
	in := "a\x1b]52;c;aGk=\x07b\x1b[2Jc\r\x00\x9b31m\u202ed\ne\tf\xff"
	if got, want := printable(in), "a]52;c;aGk=b[2Jc31md\ne\tf\uFFFD"; got != want {
		// 0x9b alone is not valid UTF-8 and becomes the replacement character.
		if want = "a]52;c;aGk=b[2Jc\uFFFD31md\ne\tf\uFFFD"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := printable("\u009b31m"); got != "31m" {
		t.Errorf("C1: got %q", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
