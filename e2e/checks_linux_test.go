package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 2 || len(args) == 3, "[!] json FILE PATH [WANT]")
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc); err != nil {
		ts.Fatalf("%s is not one JSON value: %v", args[0], err)
	}
	found := lookUp(doc, strings.Split(args[1], "."))
	if len(args) == 2 {
		if (len(found) > 0) == neg {
			ts.Fatalf("%s is there: %v, in %s", args[1], !neg, args[0])
		}
		return
	}
	var shown []string
	for _, v := range found {
		text := asText(v)
		shown = append(shown, text)
		ok := text == args[2]
		if pattern, isRegexp := strings.CutPrefix(args[2], "~"); isRegexp {
			re, err := regexp.Compile("(?m)" + pattern)
			ts.Check(err)
			ok = re.MatchString(text)
		}
		if ok {
			if neg {
				ts.Fatalf("%s is %s", args[1], text)
			}
			return
		}
	}
	if !neg {
		ts.Fatalf("%s is %q, want %s", args[1], shown, args[2])
	}
}

func cmdLet(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "let NAME FILE PATH")
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[1])), &doc); err != nil {
		ts.Fatalf("%s is not one JSON value: %v", args[1], err)
	}
	found := lookUp(doc, strings.Split(args[2], "."))
	if len(found) != 1 {
		ts.Fatalf("%s is %d values in %s", args[2], len(found), args[1])
	}
	ts.Setenv(args[0], asText(found[0]))
}

// lookUp returns what a path leads to: nothing, one value, or with * several.
func lookUp(v any, path []string) []any {
	if len(path) == 0 {
		return []any{v}
	}
	key, rest := path[0], path[1:]
	var out []any
	switch v := v.(type) {
	case map[string]any:
		switch {
		case key == "*":
			for _, item := range v {
				out = append(out, lookUp(item, rest)...)
			}
		case key == "len":
			return []any{float64(len(v))}
		default:
			if item, ok := v[key]; ok {
				return lookUp(item, rest)
			}
		}
	case []any:
		switch i, err := strconv.Atoi(key); {
		case key == "*":
			for _, item := range v {
				out = append(out, lookUp(item, rest)...)
			}
		case key == "len":
			return []any{float64(len(v))}
		case err == nil && i >= 0 && i < len(v):
			return lookUp(v[i], rest)
		}
	case string:
		// The stub's report is JSON in the record's text.
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			return lookUp(inner, path)
		}
	}
	return out
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func cmdSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "snapshot NAME DIR…")
	got, err := snapshot(ts, args[1:])
	ts.Check(err)
	got["\x00roots"] = strings.Join(args[1:], "\x00")
	stateOf(ts).snapshots[args[0]] = got
}

func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 1, "[!] unchanged NAME")
	want, ok := stateOf(ts).snapshots[args[0]]
	if !ok {
		ts.Fatalf("no snapshot %s", args[0])
	}
	got, err := snapshot(ts, strings.Split(want["\x00roots"], "\x00"))
	ts.Check(err)
	got["\x00roots"] = want["\x00roots"]
	var diffs []string
	for path := range union(want, got) {
		if want[path] != got[path] {
			diffs = append(diffs, fmt.Sprintf("%s: was %q, is %q", path, want[path], got[path]))
		}
	}
	sort.Strings(diffs)
	if (len(diffs) == 0) == neg {
		ts.Fatalf("snapshot %s: %d differences\n%s", args[0], len(diffs), strings.Join(diffs, "\n"))
	}
}

func union(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}

// snapshot maps every file below the directories to what it is: kind, rights,
// modification time (a file made and removed again shows in its directory's)
// and content. A worktree that lies below is passed over unless it is named.
func snapshot(ts *testscript.TestScript, dirs []string) (map[string]string, error) {
	out := map[string]string{}
	lane := ts.Getenv("LANE")
	for _, dir := range dirs {
		root := ts.MkAbs(dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if path == lane && path != root {
				return fs.SkipDir
			}
			info, err := os.Lstat(path)
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%v %d", info.Mode(), info.ModTime().UnixNano())
			switch info.Mode().Type() {
			case 0:
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				what += fmt.Sprintf(" %x", sha256.Sum256(b))
			case fs.ModeSymlink:
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				what += " -> " + to
			}
			out[path] = what
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) < len(dirs) {
		return nil, fmt.Errorf("snapshot of %v saw only %d files", dirs, len(out))
	}
	return out, nil
}
