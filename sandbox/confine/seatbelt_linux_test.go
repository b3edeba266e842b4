package confine

import (
	"strings"
	"testing"

	"lane/sandbox"
)

// The complete profile, byte by byte. No Mac is needed for it, and none has
// run it.
func TestSeatbeltGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sandbox.Policy)
	}{
		{"exec", func(*sandbox.Policy) {}},
		{"agent", func(p *sandbox.Policy) { p.Network = sandbox.NetworkHost }},
		{"terminal", func(p *sandbox.Policy) { p.Terminal = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plainPolicy()
			c.change(&p)
			profile, err := seatbeltProfile(p.InPlace(true))
			must(t, err)
			golden(t, "seatbelt-"+c.name, profile)
		})
	}
}

// A path is a literal whatever is in its name: it ends no string, no rule and
// no comment, and is never a pattern.
func TestSeatbeltPathsAreLiterals(t *testing.T) {
	for _, name := range []string{`a"b`, `a\`, `a\"b`, `a") (allow default) ("`, "a;b", "a[b]*", "a(b", "ü\u202e", "$(x)", `#"re"`} {
		p := plainPolicy()
		p.Rows = append(p.Rows, sandbox.Row{Path: "/w/" + name, Access: sandbox.Write, Reason: "a path"})
		profile, err := seatbeltProfile(p.InPlace(true))
		must(t, err)
		found := false
		for line := range strings.Lines(profile) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, ";") {
				continue
			}
			paths, rest := literals(t, line)
			for _, path := range paths {
				found = found || path == "/w/"+name
			}
			if strings.Count(rest, "(") != strings.Count(rest, ")") || strings.Contains(rest, "allow default") || strings.Contains(rest, "regex") || strings.Contains(rest, "#") {
				t.Errorf("%q: %s", name, line)
			}
		}
		if !found {
			t.Errorf("%q is not in the profile", name)
		}
	}
	p := plainPolicy()
	p.Rows = append(p.Rows, sandbox.Row{Path: "/w/a\nb", Access: sandbox.Write, Reason: "a path"})
	if _, err := seatbeltProfile(p.InPlace(true)); err == nil {
		t.Error("a line's end in a path")
	}
}

// literals reads the strings of a line as the profile's language does.
func literals(t *testing.T, line string) (paths []string, rest string) {
	t.Helper()
	var in bool
	var text, other strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case in && line[i] == '\\':
			i++
			text.WriteByte(line[i])
		case line[i] == '"':
			if in {
				paths = append(paths, text.String())
				text.Reset()
			}
			in = !in
		case in:
			text.WriteByte(line[i])
		default:
			other.WriteByte(line[i])
		}
	}
	if in {
		t.Errorf("an open string: %s", line)
	}
	return paths, other.String()
}

// What the profile decides, read by its own rule (the last match wins), is
// what Policy.Decide says.
func TestSeatbeltAgreesWithDecide(t *testing.T) {
	p := plainPolicy().InPlace(true)
	profile, err := seatbeltProfile(p)
	must(t, err)
	for _, path := range []string{"/usr/bin/env", "/home/u/.bashrc", "/home/u/src/repo/a", "/home/u/src/repo/.git/config", "/home/u/src/a lane/x",
		"/home/u/src/a lane/.claude/settings.json", "/home/u/src/a lane/.env", "/etc/ssl/private/key", "/etc/ssl/certs", "/srv/log", "/tmp/x", "/home/u/go/bin/lane"} {
		for op, access := range map[string]sandbox.Access{"file-read*": sandbox.Read, "file-write*": sandbox.Write} {
			if got, want := lastMatch(t, profile, op, path), p.Allows(path, access); got != want {
				t.Errorf("%s %s: %v, Decide says %v", op, path, got, want)
			}
		}
	}
}

func lastMatch(t *testing.T, profile, op, path string) (allowed bool) {
	t.Helper()
	for line := range strings.Lines(profile) {
		if strings.HasPrefix(line, ";") || !strings.Contains(line, op) {
			continue
		}
		paths, rest := literals(t, line)
		if len(paths) != 1 {
			continue
		}
		if paths[0] == path || strings.Contains(rest, "subpath") && sandbox.Contains(paths[0], path) {
			allowed = strings.HasPrefix(line, "(allow")
		}
	}
	return allowed
}

func TestSeatbeltRefuses(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Policy){
		"nesting": func(p *sandbox.Policy) { p.Nesting = true },
		"private": func(p *sandbox.Policy) { p.Rows = plainPolicy().Rows },
		"source":  func(p *sandbox.Policy) { p.Rows = goldenPolicy().InPlace(true).Rows },
		"invalid": func(p *sandbox.Policy) { p.Rows = nil },
	} {
		p := plainPolicy().InPlace(true)
		change(&p)
		if argv, err := seatbeltArgv(p, goldenChild); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
	argv, err := seatbeltArgv(plainPolicy().InPlace(true), goldenChild)
	if err != nil || argv[0] != sandboxExec || argv[1] != "-p" || argv[len(argv)-1] != "confine" {
		t.Errorf("%q %v", argv, err)
	}
	if gaps := seatbeltGaps(plainPolicy(), false); gaps[0].Name != "unverified-seatbelt" || gaps[0].Accepted {
		t.Errorf("%+v", gaps)
	}
}
