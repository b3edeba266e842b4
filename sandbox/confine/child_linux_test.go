package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lane/sandbox"
)

// A lane starts, its probes hold, the program runs, and what it wrote stays.
func TestChildRuns(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		o := f.sh(t, `echo made > new.txt; ls -l /proc/self/fd; grep -E '^(Cap|NoNew)' /proc/self/status; exit 7`)
		if o.Code != 7 || o.Second != nil {
			t.Errorf("code %d, second record %+v\n%s", o.Code, o.Second, o.Out)
		}
		if b, err := os.ReadFile(f.Worktree + "/new.txt"); err != nil || string(b) != "made\n" {
			t.Errorf("new.txt: %q, %v", b, err)
		}
		for _, want := range []string{"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1"} {
			if !strings.Contains(o.Out, want) {
				t.Errorf("no %q in\n%s", want, o.Out)
			}
		}
		// 0, 1, 2 and the one that ls itself reads /proc/self/fd with.
		if n := strings.Count(o.Out, " -> "); n != 4 {
			t.Errorf("%d descriptors inside, want 4:\n%s", n, o.Out)
		}
		if len(o.Report.Checks) < 15 {
			t.Errorf("only %d checks: %s", len(o.Report.Checks), toJSON(o.Report))
		}
	})
}

// Each check refuses the lane with its word when what it wants is not so.
func TestChildRefuses(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		must(t, os.Mkdir(f.Worktree+"/closed", 0o555))
		for _, c := range []struct {
			name, reason string
			change       func(*ChildPlan)
		}{
			{"another inode", "path-changed", func(p *ChildPlan) { p.IDs[0].Ino++ }},
			{"gone", "path-changed", func(p *ChildPlan) { p.IDs[0].Path += "x" }},
			{"not writable", "not-writable", func(p *ChildPlan) { p.MustWrite = append(p.MustWrite, f.Common) }},
			{"not openable", "not-writable", func(p *ChildPlan) { p.MustOpen = append(p.MustOpen, f.Worktree+"/.git") }},
			{"writable", "write-got-through", func(p *ChildPlan) { p.MustNotWrite = append(p.MustNotWrite, f.Worktree) }},
			{"missing proves nothing", "write-got-through", func(p *ChildPlan) { p.MustNotWrite = append(p.MustNotWrite, f.Common+"/none") }},
			{"closed by its mode only", "write-got-through", func(p *ChildPlan) { p.MustNotWrite = append(p.MustNotWrite, f.Worktree+"/closed") }},
			{"openable", "write-got-through", func(p *ChildPlan) { p.MustNotOpen = append(p.MustNotOpen, f.Worktree+"/main.go") }},
			{"visible directory", "not-hidden", func(p *ChildPlan) { p.MustBeHidden = append(p.MustBeHidden, f.Worktree) }},
			{"visible file", "not-hidden", func(p *ChildPlan) { p.MustBeHidden = append(p.MustBeHidden, f.Worktree+"/main.go") }},
			{"nested fails", "nested-sandbox-refused", func(p *ChildPlan) { p.Nested = []string{"/bin/false"} }},
			{"unknown table", "seccomp-refused", func(p *ChildPlan) { p.Seccomp = "none" }},
			{"directory", "directory", func(p *ChildPlan) { p.Dir = f.Secret + "/none" }},
			{"version", "bad-plan", func(p *ChildPlan) { p.Version++ }},
			{"relative program", "bad-plan", func(p *ChildPlan) { p.Path = "sh" }},
		} {
			t.Run(c.name, func(t *testing.T) {
				o := f.start(t, c.change, "/bin/sh", "-c", "touch ran")
				if o.Report.OK || o.Report.Reason != c.reason || o.Code != exitRefused {
					t.Errorf("got %q (code %d), want %q: %s", o.Report.Reason, o.Code, c.reason, toJSON(o.Report))
				}
				if _, err := os.Lstat(f.Worktree + "/ran"); err == nil {
					t.Error("the program ran")
				}
			})
		}
	})
}

// A program that cannot be started is told apart from one that ended.
func TestChildExecErrors(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		write(t, f.Worktree+"/text", "no program\n")
		o := f.start(t, nil, f.Worktree+"/none")
		if o.Second == nil || o.Second.Reason != "not-found" || o.Code != 127 {
			t.Errorf("none: %s", toJSON(o))
		}
		o = f.start(t, nil, f.Worktree+"/text")
		if o.Second == nil || o.Second.Reason != "not-executable" || o.Code != 126 {
			t.Errorf("text: %s", toJSON(o))
		}
	})
}

// Nested sandboxes: allowed with Nesting, refused without.
func TestNesting(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		nested := []string{f.Probe.Path, "--unshare-user", "--unshare-pid", "--unshare-net", "--new-session", "--die-with-parent",
			"--ro-bind", "/", "/", "--dev", "/dev", "--", "/bin/true"}
		if os.Geteuid() != 0 {
			nested = append(nested[:len(nested)-2], "--proc", "/proc", "--", "/bin/true")
		}
		change := func(p *ChildPlan) { p.Nested = nested }
		o := f.start(t, change, "/bin/true")
		if o.Report.Reason != "nested-sandbox-refused" {
			t.Errorf("without nesting: %s", toJSON(o.Report))
		}
		f.Policy.Nesting = true
		o = f.start(t, change, "/bin/true")
		if !o.Report.OK || o.Code != 0 {
			t.Errorf("with nesting: %s\n%s", toJSON(o.Report), o.Out)
		}
	})
}

// What is protected, hidden or elsewhere stays as it is, whatever the way.
func TestBwrapHolds(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		before := hostState(t, f.Dir, f.Worktree)
		o := f.sh(t, `
			C="`+f.Common+`" W="`+f.Worktree+`" S="`+f.Secret+`" H="`+f.Home+`"
			try() { if "$@" >/dev/null 2>&1; then echo "THROUGH: $*"; fi; }
			try cp main.go "$C/hooks/post-checkout"
			try rm "$C/config"
			try chmod 777 "$C/config"
			try touch -d @1 "$C/config"
			try ln "$C/config" "$W/cfg"
			try mv .git .git.old
			try rm .git
			try sh -c 'echo x > .git'
			try sh -c 'echo x > .claude/settings.json'
			try rm .claude/settings.json
			try mv .claude .claude2
			try mv "$W" "$W.moved"
			try cat "$S/key"
			try grep -r secret "$S" .env
			try sh -c 'echo x > .env'
			try touch "$S/x" /etc/x /usr/x /x
			try mount -t tmpfs none /mnt
			try mount -o remount,rw /
			try mount -o remount,rw,bind "$C"
			try umount "$C"
			try umount -l .git
			try umount "$S"
			try mknod sda b 8 0
			try mknod null c 1 3
			try unshare -Ur true
			try unshare -m true
			try touch /dev/new
			for f in kernel/core_pattern kernel/panic vm/overcommit_memory fs/file-max; do
				# What it holds already: should this get through, nothing breaks.
				try sh -c 'v=$(cat $1); echo "$v" > $1' - /proc/sys/$f
			done
			try sh -c 'echo h > /proc/sysrq-trigger'
			find /proc -not -path "/proc/[0-9]*" -not -path "/proc/self*" -not -path "/proc/thread-self*" -not -path "/proc/pressure/*" -type f -writable 2>/dev/null |
				while read f; do try sh -c ': >> $1' - "$f"; done
			cat .git; echo here > "$H/.bashrc"; echo t > /tmp/t && echo tmp ok; cat main.go >/dev/null && echo > /dev/null
			ls -A "$S" | wc -l; wc -c < .env`)
		if strings.Contains(o.Out, "THROUGH") {
			t.Errorf("got through:\n%s", o.Out)
		}
		if !strings.Contains(o.Out, "gitdir: ") || !strings.Contains(o.Out, "tmp ok") || !strings.HasSuffix(o.Out, "0\n0\n") {
			t.Errorf("normal work failed:\n%s", o.Out)
		}
		if after := hostState(t, f.Dir, f.Worktree); after != before {
			t.Errorf("host changed:\nbefore\n%s\nafter\n%s", before, after)
		}
		for _, name := range []string{".git", ".claude/settings.json", ".env"} {
			if _, err := os.Lstat(filepath.Join(f.Worktree, name)); err != nil {
				t.Error(err)
			}
		}
	})
}

// hostState lists everything below dir but below skip, with its content.
func hostState(t *testing.T, dir, skip string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == skip {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String())
		if info.Mode().IsRegular() && info.Size() < 4096 {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(content))
		}
		b.WriteString("\n")
		return nil
	}))
	return b.String()
}

// A hidden or protected name is never created on the host: such a row is
// refused before anything is mounted.
func TestMissingPathsRefused(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		reason string
		row    sandbox.Row
	}{
		{"path-missing", sandbox.Row{Path: f.Worktree + "/.mcp.json", Access: sandbox.Protect, File: true}},
		{"path-missing", sandbox.Row{Path: f.Worktree + "/.vscode", Access: sandbox.Hide}},
		{"path-missing", sandbox.Row{Path: f.Home + "/none", Access: sandbox.Read}},
		{"path-kind", sandbox.Row{Path: f.Worktree + "/main.go", Access: sandbox.Protect}},
		{"path-kind", sandbox.Row{Path: f.Worktree + "/.claude", Access: sandbox.Protect, File: true}},
		{"path-symlink", sandbox.Row{Path: f.Worktree + "/link/settings.json", Access: sandbox.Protect, File: true}},
	} {
		must(t, os.RemoveAll(f.Worktree+"/link"))
		must(t, os.Symlink(".claude", f.Worktree+"/link"))
		p := f.Policy
		p.Rows = append(p.Rows[:len(p.Rows):len(p.Rows)], c.row)
		err := CheckPaths(p)
		if pe, ok := err.(*PathError); !ok || pe.Reason != c.reason {
			t.Errorf("%s: got %v, want %s", c.row.Path, err, c.reason)
		}
	}
}

// Without go, nothing is started: not when the parent dies, not on another word.
func TestChildWaitsForGo(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		for _, word := range []string{"", "stop\n", "go", "go go\n"} {
			f.Word = &word
			o := f.start(t, nil, "/bin/sh", "-c", "touch ran")
			if _, err := os.Lstat(f.Worktree + "/ran"); err == nil || o.Code != exitRefused {
				t.Errorf("%q: code %d, ran: %v", word, o.Code, err == nil)
			}
		}
	})
}
