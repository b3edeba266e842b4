package runner

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

// listed is every name below dir, directories with a slash.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if d.IsDir() {
			rel += "/"
		}
		names = append(names, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(names)
	return names
}

// build makes files below dir: "name/" is a directory, "name=text" a file,
// "name->target" a link.
func build(t *testing.T, dir string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		var err error
		name, text, isFile := strings.Cut(e, "=")
		link, target, isLink := strings.Cut(e, "->")
		switch {
		case isLink:
			err = os.Symlink(target, filepath.Join(dir, link))
		case isFile:
			if err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err == nil {
				err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
			}
		default:
			err = os.MkdirAll(filepath.Join(dir, e), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

var testPlaceholders = []string{".bashrc", ".idea", ".mcp.json", ".claude/agents", ".claude/settings.json", "deep/a/b"}

func TestSweepRemovesOnlyWhatWasAbsentAndIsEmpty(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []string
		want          []string // what is left
	}{
		{"placeholders and the directories made for them", nil,
			[]string{".bashrc=", ".mcp.json=", ".claude/agents=", ".claude/settings.json=", ".idea/", "deep/a/b="}, nil},
		{"empty before as well", []string{".bashrc=", ".idea/"}, []string{".mcp.json="}, []string{".bashrc", ".idea/"}},
		{"work in one", nil, []string{".bashrc=alias", ".mcp.json="}, []string{".bashrc"}},
		{"a directory with work in it", nil, []string{".idea/x.xml=y", ".claude/agents/a.md="}, []string{".claude/", ".claude/agents/", ".claude/agents/a.md", ".idea/", ".idea/x.xml"}},
		{"a directory that was there", []string{".claude/"}, []string{".claude/agents="}, []string{".claude/"}},
		{"a directory that holds work besides", nil, []string{".claude/agents=", ".claude/notes=mine"}, []string{".claude/", ".claude/notes"}},
		{"litter", nil, []string{".claude/.cc-writes/1=x"}, nil},
		{"litter that was there", []string{".claude/.cc-writes/1=x"}, []string{".claude/.cc-writes/2=y"}, []string{".claude/", ".claude/.cc-writes/", ".claude/.cc-writes/1", ".claude/.cc-writes/2"}},
		{"a link in the way", []string{"src/agents=", "src/.cc-writes/1=x"}, []string{".claude->src"}, []string{".claude", "src/", "src/.cc-writes/", "src/.cc-writes/1", "src/agents"}},
		{"a link itself", []string{"empty="}, []string{".bashrc->empty"}, []string{".bashrc", "empty"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			build(t, dir, c.before...)
			seal, err := sealNames(dir, testPlaceholders, []string{".claude/.cc-writes"})
			if err != nil {
				t.Fatal(err)
			}
			build(t, dir, c.after...)
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			removed := seal.sweep(root)
			if got := listed(t, dir); !slices.Equal(got, c.want) {
				t.Errorf("left %q, want %q (removed %q)", got, c.want, removed)
			}
		})
	}
}

func TestSweepLeavesASecondNameAndAnOpenFIFO(t *testing.T) {
	dir := t.TempDir()
	seal, err := sealNames(dir, testPlaceholders, nil)
	if err != nil {
		t.Fatal(err)
	}
	build(t, dir, ".bashrc=")
	if err := os.Link(filepath.Join(dir, ".bashrc"), filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".mcp.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if removed := seal.sweep(root); len(removed) != 0 {
		t.Errorf("removed %q", removed)
	}
}

// killedRun is a lane home with the file of a run whose lane is dead.
func killedRun(t *testing.T, change func(*openRun)) (home, worktree string) {
	t.Helper()
	home, worktree = t.TempDir(), t.TempDir()
	t.Setenv("LANE_HOME", home)
	seal, err := sealNames(worktree, testPlaceholders, []string{".claude/.cc-writes"})
	if err != nil {
		t.Fatal(err)
	}
	res := emptyResult("test")
	res.Run, res.Worktree = "r1", worktree
	o := openRun{Schema: wardenSchema, Run: "r1", RunDir: filepath.Join(home, "runs", "r1"), Record: &res, Seal: seal}
	if err := os.MkdirAll(filepath.Join(o.RunDir, recordDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&o)
	}
	f, err := createOpenRun(home, o)
	if err != nil {
		t.Fatal(err)
	}
	if named, _ := os.ReadDir(filepath.Join(home, openDir)); len(named) != 0 && f.temporary == "" {
		t.Fatalf("it has a name before there is a warden: %v", named)
	}
	must(t, f.publish())
	if got := Recover(); len(got) != 0 {
		t.Fatalf("a run whose lane lives was taken for a dead one: %+v", got)
	}
	f.Close() // the lock goes with it
	return home, worktree
}

func TestRecoverPutsTheWorktreeRightAndSaysSo(t *testing.T) {
	home, worktree := killedRun(t, nil)
	build(t, worktree, ".bashrc=", ".claude/agents=", ".envrc=evil", "work=mine")
	got := Recover()
	if len(got) != 1 || got[0].Failed != "" || !got[0].Kept || len(got[0].Removed) != 2 || len(got[0].Held) != 1 {
		t.Fatalf("got %+v", got)
	}
	if left := listed(t, worktree); !slices.Equal(left, []string{"work"}) {
		t.Errorf("left %q", left)
	}
	r, err := readRecord(filepath.Join(home, "runs", "r1"))
	if err != nil || r.Status != Killed || r.Reason != "lane-killed" || r.Exit != 137 || r.Worktree != worktree || len(r.Held) != 1 {
		t.Errorf("record %+v, %v", r, err)
	}
	held := filepath.Join(home, "runs", "r1", recordDir, quarantineDir, ".envrc")
	if b, err := os.ReadFile(held); err != nil || string(b) != "evil" {
		t.Errorf("quarantine: %q, %v", b, err)
	}
	if again := Recover(); len(again) != 0 {
		t.Errorf("done a second time: %+v", again)
	}
	if left := listed(t, filepath.Join(home, openDir)); len(left) != 0 {
		t.Errorf("open runs left: %q", left)
	}
}

func TestRecoverLeavesAnotherDirectoryAlone(t *testing.T) {
	_, worktree := killedRun(t, func(o *openRun) { o.Seal.Ino++ })
	build(t, worktree, ".bashrc=", ".envrc=x")
	got := Recover()
	if left := listed(t, worktree); len(got) != 1 || !slices.Equal(left, []string{".bashrc", ".envrc"}) {
		t.Errorf("left %q, %+v", left, got)
	}
}

func TestRecoverKeepsAcceptedAndExistingWiring(t *testing.T) {
	_, worktree := killedRun(t, func(o *openRun) { o.Seal.Accept = []string{"wiring"} })
	build(t, worktree, ".envrc=x")
	if got := Recover(); len(got) != 1 || len(got[0].Held) != 0 {
		t.Errorf("accepted: %+v", got)
	}
	_, worktree = killedRun(t, func(o *openRun) {
		tree := Tree{Files: map[string]Stamp{".ENVRC": {}, "unrelated": {}}, Dirs: map[string]bool{".github": true, "src": true}}
		files, dirs := wiringAtLaunch(tree)
		if !slices.Equal(files, []string{".ENVRC"}) || !slices.Equal(dirs, []string{".github"}) {
			t.Errorf("at launch %q, %q", files, dirs)
		}
		o.Seal.Wiring, o.Seal.Dirs = files, dirs
	})
	build(t, worktree, ".ENVRC=x", ".github/hooks/x=y")
	got := Recover()
	if left := listed(t, worktree); len(got) != 1 || !slices.Equal(left, []string{".ENVRC", ".github/"}) {
		t.Errorf("existing: left %q, %+v", left, got)
	}
}

func TestRecoverKeepsARecordThatWasWritten(t *testing.T) {
	home, worktree := killedRun(t, nil)
	dir, err := os.OpenRoot(filepath.Join(home, "runs", "r1", recordDir))
	if err != nil {
		t.Fatal(err)
	}
	res := emptyResult("test")
	res.Status = Done
	finishRecord(&res, dir)
	build(t, worktree, ".bashrc=")
	if got := Recover(); len(got) != 1 || got[0].Kept {
		t.Errorf("got %+v", got)
	}
	if r, err := readRecord(filepath.Join(home, "runs", "r1")); err != nil || r.Status != Done {
		t.Errorf("record %+v, %v", r, err)
	}
}

// A command's run keeps no record, unless something of it has to be kept.
func TestRecoverOfACommand(t *testing.T) {
	home, _ := killedRun(t, func(o *openRun) {
		o.Command, o.Record.Warnings = true, []string{"what the plan said"}
	})
	if got := Recover(); len(got) != 1 || got[0].Kept || got[0].Failed != "" {
		t.Errorf("got %+v", got)
	}
	if left := listed(t, filepath.Join(home, "runs")); len(left) != 0 {
		t.Errorf("left %q", left)
	}
	home, worktree := killedRun(t, func(o *openRun) { o.Command = true })
	build(t, worktree, ".envrc=x")
	if got := Recover(); len(got) != 1 || !got[0].Kept {
		t.Errorf("got %+v", got)
	}
	if _, err := readRecord(filepath.Join(home, "runs", "r1")); err != nil {
		t.Error(err)
	}
	home, _ = killedRun(t, func(o *openRun) {
		o.Command = true
		build(t, o.RunDir, "state/git/objects/pack/pack-1.pack=x")
	})
	if got := Recover(); len(got) != 1 || !got[0].Kept {
		t.Errorf("with commits: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(home, "runs", "r1", "state", "git", "objects", "pack", "pack-1.pack")); err != nil {
		t.Errorf("commits are lost: %v", err)
	}
}

// Lane may be killed, or the machine go off, while the file is written.
func TestRecoverOfATornFile(t *testing.T) {
	for _, content := range []string{"", "{", `{"schema":"lane.open/1","run":"r1"`, "{}\n", `{"run":"other","run_dir":"/"}`} {
		home := t.TempDir()
		t.Setenv("LANE_HOME", home)
		build(t, home, "open/r1.json="+content, "runs/r1/plan/plan.json={}")
		got := Recover()
		if len(got) != 1 || got[0].Failed != "" || !got[0].Kept {
			t.Errorf("%q: %+v", content, got)
		}
		if r, err := readRecord(filepath.Join(home, "runs", "r1")); err != nil || r.Status != Killed {
			t.Errorf("%q: record %+v, %v", content, r, err)
		}
	}
}

func TestRecoverRemovesOldTemporaryFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("LANE_HOME", home)
	build(t, home, "open/.young=", "open/.old=")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(home, "open/.old"), old, old); err != nil {
		t.Fatal(err)
	}
	Recover()
	if left := listed(t, filepath.Join(home, "open")); !slices.Equal(left, []string{".young"}) {
		t.Errorf("left %q", left)
	}
}
