package gitdiscover

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// configFiles are files whose reading is easy to get wrong, each named after
// the rule it shows.
var configFiles = map[string]string{
	"nothing":                             "",
	"a comment only":                      "# x\n; y",
	"a byte order mark":                   "\xef\xbb\xbf[a]\nb = c\n",
	"half a byte order mark":              "\xef\xbb[a]\nb = c\n",
	"a byte order mark twice":             "\xef\xbb\xbf\xef\xbb\xbf[a]\nb = c\n",
	"case of section and name":            "[CoRe]\nBaRe = TRUE\n",
	"case of a subsection":                "[Remote \"OriGin\"]\nURL = X\n",
	"case of a dotted subsection":         "[Remote.OriGin]\nURL = X\n",
	"section and name on one line":        "[a] b = c\n",
	"two sections on one line":            "[a][b] c = d\n",
	"a name alone":                        "[a]\nb\nc",
	"a name alone and blanks":             "[a]\nb  \t\nc\n",
	"a name alone and a comment":          "[a]\nb # x\n",
	"a name alone and CR":                 "[a]\nb\r\nc\r",
	"an empty value":                      "[a]\nb =\nc=\"\"\n",
	"no last newline":                     "[a]\nb = c",
	"no newline behind a section":         "[a]",
	"a section without an end":            "[a",
	"a section over two lines":            "[a\n]\n",
	"an empty section":                    "[]\nb = c\n",
	"an empty section with a subsection":  "[ \"a\"]\nb = c\n",
	"a section that is a dot":             "[.]\nb = c\n",
	"a section that ends in a dot":        "[a.]\nb = c\n",
	"a section with an underscore":        "[a_b]\nc = d\n",
	"a section with a blank before ]":     "[a ]\nb = c\n",
	"a name with an underscore":           "[a]\nb_c = d\n",
	"a name that starts with a digit":     "[a]\n1b = c\n",
	"a name that holds digits and dashes": "[a]\nb-1- = c\n",
	"a name that starts with a dash":      "[a]\n-b = c\n",
	"a name before any section":           "b = c\n",
	"a dot in a name":                     "[a]\nb.c = d\n",
	"a subsection with escapes":           "[a \"b\\\"c\\\\d\\e\"]\nf = g\n",
	"a subsection without an end":         "[a \"b]\nc = d\n",
	"a subsection over two lines":         "[a \"b\nc\"]\nd = e\n",
	"a subsection that escapes a newline": "[a \"b\\\nc\"]\nd = e\n",
	"a subsection with something behind":  "[a \"b\" ]\nc = d\n",
	"a subsection with ] and #":           "[a \"b]#;\"]\nc = d\n",
	"an empty subsection":                 "[a \"\"]\nb = c\n",
	"blanks before a subsection":          "[a \t \"b\"]\nc = d\n",
	"CR before a subsection":              "[a \r\"b\"]\nc = d\n",
	"a subsection without blanks":         "[a\"b\"]\nc = d\n",
	"blanks round a value":                "[a]\nb = \t c d \t \n",
	"a quoted value":                      "[a]\nb = \" c \"\n",
	"quotes inside a value":               "[a]\nb = c\" d \"e\n",
	"quotes that keep a blank":            "[a]\nb = c \"\"\n",
	"empty quotes before a blank":         "[a]\nb = \"\" c\n",
	"a quote without an end":              "[a]\nb = \"c\n",
	"a quote over two lines":              "[a]\nb = \"c\\\nd\"\n",
	"escapes":                             "[a]\nb = \\t\\b\\n\\\\\\\"\n",
	"an unknown escape":                   "[a]\nb = \\x\n",
	"an escaped blank":                    "[a]\nb = c\\ d\n",
	"an escape at the end":                "[a]\nb = c\\",
	"a continued line":                    "[a]\nb = c\\\n  d\n",
	"a continued line with CR LF":         "[a]\r\nb = c\\\r\n  d\r\n",
	"a continued line and a blank":        "[a]\nb = c \\\n\n",
	"a continued line that is a comment":  "[a]\nb = c \\\n# d\ne = f\n",
	"a comment behind a value":            "[a]\nb = c # d\ne = f;g\n",
	"a comment that ends in a backslash":  "[a]\nb = c # d\\\ne = f\n",
	"a comment in quotes":                 "[a]\nb = \"c # d\" ; e\n",
	"a comment behind a section":          "[a] # b\nc = d\n",
	"CR LF":                               "[a]\r\nb = c\r\n",
	"CR alone in a value":                 "[a]\nb = c\rd\n",
	"CR at the end of the file":           "[a]\nb = c\r",
	"several equal signs":                 "[a]\nb = c = d\n",
	"no blank round the equal sign":       "[a]\nb=c\n",
	"a name, a newline, an equal sign":    "[a]\nb\n= c\n",
	"the same name twice":                 "[a]\nb = 1\nb = 2\n",
	"an include":                          "[include]\npath = /none\n[includeIf \"gitdir:/\"]\npath = /none\n",
	"UTF-8":                               "[a \"é\"]\nb = 日本\n",
	"a letter that is not ASCII":          "[a]\né = c\n",
	"a form feed between lines":           "[a]\n\fb = c\n",
	"a form feed in a value":              "[a]\nb = \fc\f\n",
	"bytes that are no UTF-8":             "[a]\nb = \xff\xfe\n",
	"text":                                "hello world\n",
	"a closing bracket":                   "[a]\n]\n",
	"DEL":                                 "[a]\nb = \x7f\n",
}

// gitConfig lists a file the way ParseConfig does, by the installed git.
func gitConfig(t *testing.T, text string) (entries []ConfigEntry, ok bool) {
	t.Helper()
	file := t.TempDir() + "/config"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "config", "-z", "--list", "--no-includes", "--file", file).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if item == "" {
			continue
		}
		// The key ends at the last newline that a key can hold: it has none.
		key, value, has := strings.Cut(item, "\n")
		entries = append(entries, ConfigEntry{Key: key, Value: value, HasValue: has})
	}
	return entries, true
}

func compareConfig(t *testing.T, text string) {
	t.Helper()
	want, ok := gitConfig(t, text)
	got, err := ParseConfig([]byte(text))
	if (err == nil) != ok {
		t.Fatalf("%q: error %v, git succeeds: %v", text, err, ok)
	}
	for i := range got {
		got[i].Line = 0
		if !gitAtLeast(t, "2.45") { // it turned white space inside a value into blanks
			got[i].Value = strings.NewReplacer("\t", " ", "\r", " ").Replace(got[i].Value)
			if i < len(want) {
				want[i].Value = strings.NewReplacer("\t", " ", "\r", " ").Replace(want[i].Value)
			}
		}
	}
	if d := cmp.Diff(want, got); err == nil && d != "" {
		t.Errorf("%q: git and ParseConfig differ: %s", text, d)
	}
}

func TestParseConfigAgreesWithGit(t *testing.T) {
	for name, text := range configFiles {
		t.Run(name, func(t *testing.T) { compareConfig(t, text) })
	}
}

// FuzzParseConfig holds the parser against git for every file. Files with a
// NUL are ours to refuse.
func FuzzParseConfig(f *testing.F) {
	for _, text := range configFiles {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.ContainsRune(string(data), 0) {
			if _, err := ParseConfig(data); err == nil {
				t.Fatal("a file with a NUL byte parses")
			}
			return
		}
		compareConfig(t, string(data))
	})
}

func TestParseConfigNamesTheLine(t *testing.T) {
	for text, line := range map[string]int{
		"[a\n":                   2, // the newline is what is wrong
		"[a]\nb = c\nd = \\x\n":  3,
		"[a]\n\n\n]":             4,
		"[a]\nb = c\n\x00":       3,
		"[a]\nb = \"c\\\nd\ne\n": 4,
	} {
		_, err := ParseConfig([]byte(text))
		var e *ConfigError
		if !errors.As(err, &e) || e.Line != line && e.Line != line-1 {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
}

func TestConfigNumbers(t *testing.T) {
	for text, want := range map[string]struct {
		n  int64
		ok bool
	}{
		"0": {0, true}, "1": {1, true}, "-1": {-1, true}, "+1": {1, true}, " 1": {1, true}, "1 ": {}, "": {},
		"010": {8, true}, "0x10": {16, true}, "0X1f": {31, true}, "08": {}, "0x": {}, "0b1": {}, "1_0": {}, "--1": {}, "-0x1": {-1, true},
		"1k": {1024, true}, "1K": {1024, true}, "1m": {1 << 20, true}, "1g": {1 << 30, true}, "2g": {}, "1kk": {}, "k": {},
		"2147483647": {1<<31 - 1, true}, "2147483648": {}, "-2147483647": {-1<<31 + 1, true}, "-2147483648": {}, "99999999999999999999": {}, "x": {}, "1.0": {},
	} {
		if n, ok := configInt(ConfigEntry{Value: text, HasValue: true}); ok != want.ok || ok && n != want.n {
			t.Errorf("%q: %d, %v, want %d, %v", text, n, ok, want.n, want.ok)
		}
	}
}

// TestConfigNumbersAgreeWithGit asks git for the same.
func TestConfigNumbersAgreeWithGit(t *testing.T) {
	for _, text := range []string{"0", "1", "-1", "+1", " 1", "010", "0x10", "08", "0x", "0b1", "1_0", "--1", "-0x1", "1k", "2g", "1kk", "2147483647", "2147483648", "-2147483648", "true", "ON", "yEs", "off", "no", "false", "nope", ""} {
		out, err := exec.Command("git", "-c", "a.b="+text, "config", "--type=bool", "a.b").CombinedOutput()
		got, ok := configBool(ConfigEntry{Value: text, HasValue: true})
		if ok != (err == nil) || ok && strings.TrimSpace(string(out)) != map[bool]string{true: "true", false: "false"}[got] {
			t.Errorf("%q: %v, %v; git: %s, %v", text, got, ok, out, err)
		}
	}
}

func TestCheckCharacters(t *testing.T) {
	for path, want := range map[string]Class{
		"/a b/c'\"$`;&|<>%#()^~=+,:@é日😀/-x": "",
		"/a*": GlobCharacter, "/a?": GlobCharacter, "/[": GlobCharacter, "/]": GlobCharacter, "/{": GlobCharacter, "/}": GlobCharacter, "/!": GlobCharacter, `/\`: GlobCharacter,
		"/\x00": ControlCharacter, "/\t": ControlCharacter, "/\n": ControlCharacter, "/\x1b[0m": ControlCharacter, "/\x7f": ControlCharacter,
		"/\u0085": ControlCharacter, "/\u009b": ControlCharacter, "/\u2028": ControlCharacter, "/\u2029": ControlCharacter,
		"/\u202e": ControlCharacter, "/\u2066": ControlCharacter, "/\u2069": ControlCharacter, "/\u200e": ControlCharacter, "/\u200f": ControlCharacter, "/\u061c": ControlCharacter,
		"/\u00a0": "", "/\u200d": "", "/\ufeff": "",
		"/\xff": InvalidEncoding, "/\x85": InvalidEncoding, "/\xed\xa0\x80": InvalidEncoding, "/\xc0\xaf": InvalidEncoding,
		"/\xff\n": ControlCharacter, "/*\xff": InvalidEncoding, "/*\n": ControlCharacter,
	} {
		err := checkCharacters(path, "the path")
		var r *RefusedError
		if got := Class(""); errors.As(err, &r) {
			got = r.Class
			if !utf8.ValidString(r.Detail) || strings.ContainsFunc(r.Error(), isControl) {
				t.Errorf("%q: the message is not fit to print: %q", path, r.Error())
			}
			if got != want {
				t.Errorf("%q: %s, want %q", path, got, want)
			}
		} else if want != "" {
			t.Errorf("%q passes, want %s", path, want)
		}
	}
}

var gitVersion = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("git", "version").Output()
	return string(out), err
})

// gitAtLeast compares the installed git's version with "2.45".
func gitAtLeast(t testing.TB, want string) bool {
	t.Helper()
	out, err := gitVersion()
	if err != nil {
		t.Fatal(err)
	}
	var major, minor, wantMajor, wantMinor int
	fmt.Sscanf(out, "git version %d.%d", &major, &minor)
	fmt.Sscanf(want, "%d.%d", &wantMajor, &wantMinor)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}
