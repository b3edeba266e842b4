package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The probe tries the layer for real and says which program it used.
func TestProbe(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		p := requireBwrap(t)
		if !p.OK || p.Path == "" || p.Version == "" || p.Reason != "" {
			t.Error(toJSON(p))
		}
	})
}

// A bwrap that is first in PATH is not asked and not run.
func TestProbeIgnoresPATH(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		requireBwrap(t)
		dir := worldReadable(t)
		fake := filepath.Join(dir, "bwrap")
		write(t, fake, "#!/bin/sh\ntouch "+dir+"/ran\necho bubblewrap 9.9.9\n")
		must(t, os.Chmod(fake, 0o755))
		must(t, os.Chmod(dir, 0o777))
		t.Setenv("PATH", dir)
		p := bwrap{}.Probe(t.Context())
		if !p.OK || strings.HasPrefix(p.Path, dir) {
			t.Error(toJSON(p))
		}
		if _, err := os.Lstat(dir + "/ran"); err == nil {
			t.Error("the fake ran")
		}
	})
}

// Only a program that nobody but root can change is run.
func TestUnsafeBwrap(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		dir := worldReadable(t)
		bin := func(name string, mode os.FileMode) string {
			path := filepath.Join(dir, name, "bwrap")
			write(t, path, "#!/bin/sh\ntouch "+dir+"/ran\n")
			must(t, os.Chmod(path, mode))
			return path
		}
		link := filepath.Join(dir, "link")
		must(t, os.Symlink(bin("target", 0o777), link))
		cases := map[string]string{
			"group-writable":  bin("group", 0o775),
			"world-writable":  bin("world", 0o757),
			"not executable":  bin("plain", 0o644),
			"a directory":     dir,
			"relative":        "bwrap",
			"link to a bad":   link,
			"below a bad dir": bin("open", 0o755),
		}
		must(t, os.Chmod(filepath.Join(dir, "open"), 0o777))
		if os.Geteuid() == 0 {
			path := bin("owned", 0o755)
			must(t, os.Chown(path, 1001, 1001))
			cases["another owner"] = path
			path = bin("dirowned", 0o755)
			must(t, os.Chown(filepath.Dir(path), 1001, 1001))
			cases["another owner above"] = path
		} else {
			cases["the user's own"] = bin("own", 0o755)
		}
		for name, path := range cases {
			p := bwrap{}.ProbeFor(t.Context(), Need{BwrapPath: path, UID: os.Geteuid()})
			if p.OK || p.Reason != "unsafe-bwrap" || p.Hint == "" {
				t.Errorf("%s: %s", name, toJSON(p))
			}
		}
		p := bwrap{}.ProbeFor(t.Context(), Need{BwrapPath: dir + "/none"})
		if p.OK || p.Reason != "missing-bwrap" {
			t.Errorf("missing: %s", toJSON(p))
		}
		if _, err := os.Lstat(dir + "/ran"); err == nil {
			t.Error("an unsafe bwrap was run")
		}
	})
}

// The setting that refuses is named, the certain ones first.
func TestBlocker(t *testing.T) {
	const userns, maxns, clone, apparmor = "No permissions to create new namespace", "/proc/sys/user/max_user_namespaces",
		"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	for _, c := range []struct {
		word, output string
		settings     map[string]string
		root         bool
	}{
		{"max_user_namespaces", userns, map[string]string{maxns: "0", apparmor: "1"}, false},
		{"max_user_namespaces", "No space left on device", nil, false},
		{"unprivileged_userns_clone", userns, map[string]string{clone: "0", maxns: "100"}, false},
		{"apparmor", "loopback: Failed RTM_NEWADDR: Operation not permitted", map[string]string{apparmor: "1"}, false},
		{"apparmor", "setting up uid map: Permission denied", map[string]string{apparmor: "1"}, false},
		{"proc-masked", "Can't mount proc on /newroot/proc: Operation not permitted", map[string]string{"seccomp": "2"}, false},
		{"seccomp", userns, map[string]string{"seccomp": "2", apparmor: "1"}, true},
		{"unknown", userns, nil, false},
	} {
		word, hint := blocker(c.output, c.root, func(name string) string { return c.settings[name] })
		if word != c.word || hint == "" {
			t.Errorf("%q %v: %s (%s), want %s", c.output, c.settings, word, hint, c.word)
		}
	}
}

func TestVersionAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"0.8.0": true, "0.8": true, "0.11.0": true, "1.0.0": true, "0.7.9": false, "0.4.1": false, "": false, "x.y": false, "8": false,
	} {
		if versionAtLeast(version, 0, 8) != want {
			t.Errorf("%q: want %v", version, want)
		}
	}
}
