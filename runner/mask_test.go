package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A mask hides what it is meant to hide, however it is spelt; what it could
// never match is refused or told.
func TestMasks(t *testing.T) {
	wt, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, f := range []string{".env", "a/.env", "a/b/c.pem", "c.pem", "secrets/one", "secrets/d/two", "a/secrets/three", "main.go"} {
		put(t, wt, f)
	}
	must(t, os.Link(filepath.Join(wt, "secrets/one"), filepath.Join(wt, "alias")))
	tree := readTree(wt, nil)
	for _, c := range []struct {
		pattern string
		want    []string
		told    bool
	}{
		{".env", []string{".env", "a/.env"}, false},
		{"./.env", []string{".env"}, false},
		{"/.env", []string{".env"}, false},
		{wt + "/.env", []string{".env"}, false},
		{"*.pem", []string{"a/b/c.pem", "c.pem"}, false},
		{"**/*.pem", []string{"a/b/c.pem", "c.pem"}, false},
		{"a/**", []string{"a/.env", "a/b/c.pem", "a/secrets/three"}, false},
		{"a/*", []string{"a/.env", "a/b/c.pem", "a/secrets/three"}, false},
		{"secrets", []string{"a/secrets/three", "alias", "secrets/d/two", "secrets/one"}, false},
		{"secrets/", []string{"a/secrets/three", "alias", "secrets/d/two", "secrets/one"}, false},
		{"./secrets/", []string{"alias", "secrets/d/two", "secrets/one"}, false},
		{"secrets/d", []string{"secrets/d/two"}, false},
		{"main.go/", nil, true},
		{"no-such", nil, true},
		{"/etc/passwd", nil, true},
		{"b/c.pem", nil, true},
	} {
		h := Host{Tree: tree}
		must(t, surveyMasked(&h, Request{Masks: []string{c.pattern}}, wt))
		var got []string
		for _, r := range h.Masked {
			rel, err := filepath.Rel(wt, r.Path)
			must(t, err)
			got = append(got, rel)
		}
		if !slices.Equal(got, c.want) || len(h.Notes) > 0 != c.told {
			t.Errorf("--mask %s: masks %q, notes %q; want %q", c.pattern, got, h.Notes, c.want)
		}
		h = Host{Tree: tree}
		must(t, surveyMasked(&h, Request{Masks: []string{c.pattern}, repoMasks: 1}, wt))
		if len(h.Notes) > 0 {
			t.Errorf("told of what the repository asks for: %q", h.Notes)
		}
	}
	for _, pattern := range []string{"", "/", ".", "[", "../x", "a/../../x"} {
		if err := surveyMasked(&Host{Tree: tree}, Request{Masks: []string{pattern}}, wt); err == nil {
			t.Errorf("--mask %q is taken", pattern)
		}
	}
}

// What a lane has one of its own of is refused by name.
func TestPrivatePlaces(t *testing.T) {
	for _, dir := range []string{"/proc", "/proc/self", "/dev", "/dev/shm", "/sys/fs", "/tmp", "/var/tmp", "/run"} {
		if privatePlace(dir) == "" {
			t.Errorf("%s can be given to a lane", dir)
		}
	}
	for _, dir := range []string{"/tmp/x", "/var/tmp/x", "/run/user", "/processes", "/srv", "/"} {
		if why := privatePlace(dir); why != "" {
			t.Errorf("%s cannot be given to a lane: %s", dir, why)
		}
	}
}
