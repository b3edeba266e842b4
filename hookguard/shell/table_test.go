package shell

import (
	"strings"
	"testing"
)

// TestRowsAreWellFormed: a name has one row, and a row says only what the
// interpreter understands.
func TestRowsAreWellFormed(t *testing.T) {
	kinds := map[string]bool{}
	for _, kind := range strings.Fields("val in out use del move hard rin rout kv dir work code words prog run here ssh prefix url pair netcode cmakeE script") {
		kinds[kind] = true
	}
	notation("")
	for kind := range notations {
		kinds[kind] = true
	}
	seen := map[string]bool{}
	var all []row
	for _, table := range tables {
		all = append(all, table...)
	}
	for _, r := range all {
		for _, name := range strings.Split(r.names, "|") {
			if seen[name] {
				t.Errorf("%q has two rows", name)
			}
			seen[name] = true
			if _, special := programs[name]; special && r.args == "" {
				t.Errorf("%q is a program of its own; its row says nothing", name)
			}
		}
		k, _ := know(strings.Split(r.names, "|")[0])
		for mode, m := range k.meanings {
			for _, kind := range append(m.kinds, m.stdin) {
				if kind = strings.TrimSuffix(kind, "*"); kind != "" && !kinds[kind] {
					t.Errorf("%s %s: unknown kind %q", r.names, mode, kind)
				}
			}
		}
		for name, o := range k.options {
			if !strings.HasPrefix(name, "-") && !strings.HasSuffix(name, "=") {
				t.Errorf("%s: option %q", r.names, name)
			}
			if o.kind != "" && !kinds[o.kind] {
				t.Errorf("%s %s: unknown kind %q", r.names, name, o.kind)
			}
			if _, ok := k.meanings[o.mode]; o.mode != "" && o.mode != "none" && !ok {
				t.Errorf("%s %s: unknown mode %q", r.names, name, o.mode)
			}
		}
	}
}

// TestAbbreviatedOptions are read as getopt reads them.
func TestAbbreviatedOptions(t *testing.T) {
	for _, c := range []struct{ command, path string }{
		{"sort --outp=/x a", "/x"}, {"sort --ou /x a", "/x"}, {"tar --dir=/x -xf a", "/x"}, {"tar --extract --fi=a --direct /x", "/x"},
		{"cp --target=/x a", "/x"}, {"rsync --backup --backup-dir=/x a b", "/x"}, {"git archive --outp=/x HEAD", "/x"},
	} {
		found := false
		for _, e := range Analyze(Request{Command: c.command, Dir: "/wt"}).Effects {
			found = found || e.Op == Write && fold(e.Path) == c.path
		}
		if !found {
			t.Errorf("%s: no write to %s", c.command, c.path)
		}
	}
}

// TestAnalyzeSurvivesTheLibrary: inputs on which the shell library's own
// expansion panics are answered.
func TestAnalyzeSurvivesTheLibrary(t *testing.T) {
	for _, command := range []string{`echo "${1@P$0}"`, `${a@`, `$((`, "`", "\x00", "echo ${x:$((", "((a[", "case", "\xff\xfe"} {
		Analyze(Request{Command: command, Dir: "/wt"})
	}
}
