package seal

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// obstacles are what can stand in the place of a file or directory.
var obstacles = map[string]func(s *scene, p string) error{
	"a FIFO":                  func(s *scene, p string) error { return syscall.Mkfifo(p, 0o644) },
	"an empty directory":      func(s *scene, p string) error { return os.Mkdir(p, 0o755) },
	"a link to itself":        func(s *scene, p string) error { return os.Symlink(filepath.Base(p), p) },
	"a link to a FIFO":        func(s *scene, p string) error { return os.Symlink(s.path("fifo"), p) },
	"a link to /dev/zero":     func(s *scene, p string) error { return os.Symlink("/dev/zero", p) },
	"a link to the file tree": func(s *scene, p string) error { return os.Symlink("/usr", p) },
	"a sparse file": func(s *scene, p string) error {
		f, err := os.Create(p)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(1 << 43)
	},
	"garbage": func(s *scene, p string) error {
		return os.WriteFile(p, []byte("[\x00\xff]\n"+strings.Repeat("ref: refs/heads/lane\n", 100)), 0o644)
	},
	"a socket": func(s *scene, p string) error {
		at := s.path("s") // a socket's own path must be short
		l, err := net.Listen("unix", at)
		if err != nil {
			return syscall.Mkfifo(p, 0o644)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		l.Close()
		return os.Rename(at, p)
	},
}

// TestNothingHangs puts every obstacle in every place that is sealed, and
// wants an answer: an error before, a trip after, and a ledger and a sweep
// that end.
func TestNothingHangs(t *testing.T) {
	s := tripScene(t)
	s.write("main/.git/info/attributes", "")
	s.git("main", "config", "core.hooksPath", "tools/hooks")
	s.must(syscall.Mkfifo(s.path("fifo"), 0o644))
	places := []string{"main/.git/refs/heads/lane", "main/.git/refs/heads/main", "main/.git/refs/heads", "main/.git/packed-refs", "main/.git/config", "main/.git/worktrees",
		"main/.git/worktrees/lane", "main/.git/modules", "main/.git/shallow", "main/.git/logs", "main/.git/objects/pack", "main/.git/reftable", "lane/.git", "lane/.claude", "lane/tools", "lane"}
	for _, l := range []struct {
		dir   string
		spots []spot
	}{{"main/.git", sharedSpots}, {"main/.git", mainSpots}, {"main/.git/worktrees/lane", ownSpots}} {
		for _, sp := range l.spots {
			places = append(places, l.dir+"/"+sp.name)
		}
	}
	for _, w := range testWiring {
		places = append(places, "lane/"+w)
	}
	for _, place := range places {
		for what, put := range obstacles {
			s.obstruct(t, place, what, put)
		}
	}
	if r := s.after(func() {}); len(r.Tripped) > 0 {
		t.Errorf("the scene is not as it was: %+v", r.Tripped)
	}
}

func (s *scene) obstruct(t *testing.T, place, what string, put func(s *scene, p string) error) {
	before := s.take()
	p, aside := s.path(place), s.path("aside")
	had := os.Rename(p, aside) == nil
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := put(s, p); err != nil {
		t.Fatalf("%s in the place of %s: %v", what, place, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Take(s.repo, s.opt)
		r := Compare(context.Background(), before, s.opt)
		ReadLedger(context.Background(), before, r.After, LedgerOptions{})
		Sweep(context.Background(), s.lane, SweepOptions{})
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("hangs: %s in the place of %s", what, place)
	}
	s.must(os.RemoveAll(p))
	if had {
		s.must(os.Rename(aside, p))
	}
}

func FuzzPackedRefs(f *testing.F) {
	f.Add([]byte("# pack-refs with: peeled\n1111 refs/heads/a\n^2222\n"), "refs/heads/a")
	f.Add([]byte("\n\n \n^"), "")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		p := packedRefs{data: data}
		for n, id := range p.all() {
			if strings.ContainsAny(id, " \n") || strings.Contains(n, "\n") {
				t.Errorf("%q: %q %q", data, n, id)
			}
		}
		p.lookup(name)
	})
}

// FuzzJudgeKey: any key, any values; and what is shown of them is fit to print.
func FuzzJudgeKey(f *testing.F) {
	f.Add("core.fsmonitor", "x", "y")
	f.Add("remote.a.b.url", "https://u:p@h/", "ext::x")
	f.Add("", ".", "..")
	f.Fuzz(func(t *testing.T, key, was, now string) {
		judgeKey(key, []string{was}, []string{now, was})
		if s := showValues(key, []string{was, now}); !isPlain(s) {
			t.Errorf("%q", s)
		}
		if n := Name(key); !isPlain(n.String()) {
			t.Errorf("%q", n.String())
		}
		if s := shellQuote(key); !isPlain(s) {
			t.Errorf("%q", s)
		}
	})
}
