package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The import rules of the design, as data. A package of lane's that is in no
// row fails the test: it has to be given a place before it is given imports.

// room is one package, or with "/..." a package and all below it, and the
// packages of lane's that it may enter. What those may enter, it may too:
// imports go one way, however many steps at once.
type room struct {
	name   string
	enters []string
	why    string // what breaks when it enters another
}

var rooms = []room{
	{"cmd/lane", []string{"cmd"}, "main is one line, so that the command line can be tested as a function"},
	{"cmd/lane-inside", []string{"hookguard/dialect", "sandbox/confine"}, "the hook and the confined child alone, as a program that starts in the time of a hook"},
	{"cmd", []string{"runner", "hookguard/dialect", "hookguard/profile", "e2e/gate"},
		"the command line parses and prints; what it imports elsewhere it would start to decide"},
	{"runner", []string{"runner/agent", "gitdiscover", "gitdiscover/seal", "gitdiscover/owngit", "sandbox/confine"},
		"the launcher must not depend on the guard or on test code for its boundary"},
	{"runner/agent", []string{"sandbox"}, "an agent is data and pure functions; it starts and confines nothing itself"},
	{"gitdiscover", []string{"sandbox"}, "discovery is read-only facts and may not depend on who asks"},
	{"gitdiscover/seal", []string{"gitdiscover", "sandbox"}, "the seal judges what the launcher did and may not depend on it"},
	{"gitdiscover/owngit", []string{"gitdiscover", "gitdiscover/seal", "sandbox"}, "taking commits in reads hostile data and may not reach the launcher"},
	{"sandbox", nil, "the policy is plain data that every layer, the launcher and the guard share"},
	{"sandbox/confine", []string{"sandbox"}, "a layer enforces the policy it is given and adds nothing"},
	{"hookguard", []string{"hookguard/shell", "sandbox"}, "the guard is an early no, never the boundary: it must not reach what enforces"},
	{"hookguard/shell", nil, "what a command would do is a pure question"},
	{"hookguard/dialect", []string{"hookguard"}, "a dialect translates; it decides nothing"},
	{"hookguard/profile", []string{"hookguard"}, "the team's policy may tighten the guard and reach nothing else"},
	{"e2e/gate", []string{"e2e/attack", "e2e/model", "runner"}, "the gate drives a lane from outside, as a user would"},
	{"e2e/feature", nil, "every package's tests skip by it"},
	{"e2e/stage", nil, "it starts tests and knows nothing of what they test"},
	{"e2e/attack", nil, "an attack must not know what it attacks"},
	{"e2e/model", nil, "the scripted model is no part of lane and knows nothing of it"},
	{"e2e/demo", []string{"e2e/model"}, "the demo shows the binary and may not reach round it"},
	{"e2e/bench", nil, "the bench measures the binary and may not reach round it"},
	{"e2e", []string{"cmd", "e2e/model"}, "the scripts test the binary and may not reach round it"},
}

// confined is a package that only some of lane's packages may import directly.
type confined struct {
	path string   // import path, with "/..." for all below it too
	only []string // packages of lane's
	why  string
}

var confinedImports = []confined{
	{"github.com/spf13/cobra/...", []string{"cmd"}, "internal modes are dispatched before any flag parser, and libraries have no flags"},
	{"github.com/go-git/go-git/v5/...", []string{"gitdiscover/seal", "gitdiscover/owngit"}, "go-git discovers and locks differently from git: it only reads from paths that lane resolved"},
	{"github.com/go-git/go-billy/v5/...", []string{"gitdiscover/seal", "gitdiscover/owngit"}, "it comes with go-git"},
	{"github.com/creack/pty/...", []string{"runner"}, "one place owns the terminal, so that one place gives it back"},
	{"golang.org/x/term/...", []string{"cmd", "runner"}, "only what prints or relays asks whether there is a terminal"},
	{"golang.org/x/sys/...", []string{"runner", "gitdiscover", "gitdiscover/seal", "gitdiscover/owngit", "sandbox/confine"}, "raw system calls stay where they are reviewed for what they grant"},
	{"github.com/rogpeppe/go-internal/...", nil, "it runs scripts: tests only"},
	{"testing", []string{"e2e/feature", "e2e/stage"}, "it registers flags and belongs in tests, and in what only tests import"},
}

// pure is a package that may not import what would make it impure.
type pure struct {
	name string
	not  []string
	why  string
}

var purePackages = []pure{
	{"sandbox", []string{"os", "os/exec", "syscall", "net", "net/http", "time", "io/ioutil"}, "the policy makes no system call and reads no clock and no environment"},
	{"hookguard", []string{"os/exec", "net/http"}, "the guard starts nothing and asks nobody: it runs before every tool call"},
	{"hookguard/shell", []string{"os/exec", "net/http"}, "a command is interpreted, never run"},
	{"gitdiscover", []string{"os/exec"}, "git would run the repository's own programs (core.fsmonitor and more)"},
	{"gitdiscover/seal", []string{"os/exec"}, "git would run the repository's own programs (core.fsmonitor and more)"},
	{"gitdiscover/owngit", []string{"os/exec"}, "git would run the repository's own programs (core.fsmonitor and more)"},
	{"runner/agent", []string{"os/exec", "net/http"}, "an agent is data and pure functions"},
}

// edge is one import of one package, as `go list` reports it.
type edge struct{ from, to string }

// violation is an edge that a rule forbids.
type violation struct {
	edge
	rule string // the row that forbids it
	why  string
}

func (v violation) String() string {
	return fmt.Sprintf("%s imports %s: %s (%s)", v.from, v.to, v.why, v.rule)
}

const module = "lane"

// own cuts the module's name off the path of one of its packages.
func own(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func matches(pattern, path string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// reachable are the rooms that one may enter, in however many steps.
func reachable(name string) map[string]bool {
	got := map[string]bool{}
	var walk func(string)
	walk = func(n string) {
		for _, r := range rooms {
			if r.name != n {
				continue
			}
			for _, to := range r.enters {
				if !got[to] {
					got[to] = true
					walk(to)
				}
			}
		}
	}
	walk(name)
	return got
}

func forbidden(edges []edge) []violation {
	var out []violation
	for _, e := range edges {
		from, ours := own(e.from)
		if !ours {
			continue
		}
		i := slices.IndexFunc(rooms, func(r room) bool { return r.name == from })
		if i < 0 {
			out = append(out, violation{e, "rooms", fmt.Sprintf("package %q has no row in the rooms of the design", from)})
			continue
		}
		if to, ours := own(e.to); ours {
			if !reachable(from)[to] {
				out = append(out, violation{e, "room " + from, rooms[i].why})
			}
			continue
		}
		for _, c := range confinedImports {
			if matches(c.path, e.to) && !slices.Contains(c.only, from) {
				out = append(out, violation{e, "confined " + c.path, c.why})
			}
		}
		for _, p := range purePackages {
			if p.name == from && slices.Contains(p.not, e.to) {
				out = append(out, violation{e, "pure " + p.name, p.why})
			}
		}
	}
	return out
}

// listEdges asks the go command, for one operating system.
func listEdges(t *testing.T, goos string) []edge {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var edges []edge
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return edges
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range pkg.Imports {
			edges = append(edges, edge{pkg.ImportPath, to})
		}
	}
}

func TestImportsGoOneWay(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		edges := listEdges(t, goos)
		if !slices.Contains(edges, edge{"lane/sandbox/confine", "lane/sandbox"}) {
			t.Fatalf("%s: go list did not report an import that is there: the test sees nothing", goos)
		}
		for _, v := range forbidden(edges) {
			t.Errorf("%s: %v", goos, v)
		}
	}
}

// The checker is tested on made-up graphs: each breaks one rule, and every
// rule is broken by one of them.
func TestForbiddenImportsAreFound(t *testing.T) {
	legal := []edge{
		{"lane/cmd/lane", "lane/cmd"},
		{"lane/cmd/lane", "lane/sandbox"}, // further down the one way
		{"lane/cmd", "github.com/spf13/cobra"},
		{"lane/cmd", "lane/hookguard"},
		{"lane/runner", "golang.org/x/sys/unix"},
		{"lane/runner", "lane/sandbox"},
		{"lane/gitdiscover/owngit", "github.com/go-git/go-git/v5/plumbing"},
		{"lane/sandbox", "strings"},
		{"github.com/spf13/cobra", "testing"}, // not ours
		{"lane/hookguard", "github.com/spf13/cobrax"},
	}
	if got := forbidden(legal); len(got) != 0 {
		t.Errorf("legal graph refused: %v", got)
	}

	broken := map[string]bool{}
	one := func(from, to, rule string) {
		t.Helper()
		got := forbidden([]edge{{from, to}})
		if len(got) != 1 || got[0].rule != rule || got[0].why == "" {
			t.Errorf("%s -> %s: got %v, want one violation of %q with a reason", from, to, got, rule)
			return
		}
		broken[rule] = true
	}
	one("lane/unheard/of", "strings", "rooms")
	one("lane/hookguard", "lane/runner", "room hookguard")
	one("lane/hookguard", "lane/sandbox/confine", "room hookguard")
	one("lane/sandbox", "lane/gitdiscover", "room sandbox")
	one("lane/runner", "lane/hookguard", "room runner")
	one("lane/runner", "lane/e2e/model", "room runner")
	one("lane/sandbox", "time", "pure sandbox")
	one("lane/runner", "github.com/spf13/cobra", "confined github.com/spf13/cobra/...")
	one("lane/gitdiscover", "github.com/go-git/go-git/v5", "confined github.com/go-git/go-git/v5/...")
	one("lane/gitdiscover", "github.com/go-git/go-git/v5/plumbing/object", "confined github.com/go-git/go-git/v5/...")
	one("lane/cmd", "github.com/creack/pty", "confined github.com/creack/pty/...")
	one("lane/hookguard", "golang.org/x/sys/unix", "confined golang.org/x/sys/...")
	// The rest has one thing in common: nobody may import the command line,
	// a confined package from a room that is not listed, or an impure one.
	for _, r := range rooms {
		if r.name == "e2e" {
			one("lane/e2e", "lane/e2e/demo", "room e2e")
			continue
		}
		one("lane/"+r.name, "lane/e2e", "room "+r.name)
	}
	for _, c := range confinedImports {
		one("lane/e2e/model", strings.TrimSuffix(c.path, "/..."), "confined "+c.path)
	}
	for _, p := range purePackages {
		for _, to := range p.not {
			one("lane/"+p.name, to, "pure "+p.name)
		}
	}
	for _, r := range rooms {
		if !broken["room "+r.name] {
			t.Errorf("no graph breaks the room of %s", r.name)
		}
	}
}
