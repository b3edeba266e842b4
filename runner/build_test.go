package runner

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lane/gitdiscover"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

var update = flag.Bool("update", false, "write the golden files anew")

func linkedRepo() gitdiscover.Repo {
	return gitdiscover.Repo{
		Worktree: "/home/dev/src/proj-lane", GitDir: "/home/dev/src/proj/.git/worktrees/proj-lane",
		CommonDir: "/home/dev/src/proj/.git", Linked: true, Branch: "feature", HeadRef: "refs/heads/feature",
		Pointer: "/home/dev/src/proj-lane/.git", PointerIsFile: true,
		Others: []string{"/home/dev/src/proj", "/home/dev/src/proj-other"},
	}
}

func mainRepo() gitdiscover.Repo {
	return gitdiscover.Repo{
		Worktree: "/home/dev/src/proj", GitDir: "/home/dev/src/proj/.git", CommonDir: "/home/dev/src/proj/.git",
		Branch: "main", HeadRef: "refs/heads/main", Pointer: "/home/dev/src/proj/.git",
		Others: []string{"/home/dev/src/proj-lane"},
	}
}

// host is a machine as Survey would find it.
func host(uid int) Host {
	h := Host{
		UID: uid, GID: uid, User: "dev", Home: "/home/dev", Lane: "/usr/local/bin/lane", Inside: "/usr/local/bin/lane",
		LaneHome: "/home/dev/.local/state/lane", Run: "20261130-120000-abcdef",
		Started:   time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		EnvNames:  []string{"HOME", "PATH", "TERM", "LC_ALL", "ANTHROPIC_API_KEY", "GIT_DIR", "CLAUDECODE", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "EXTRA"},
		CallerTmp: "/var/tmp/dev", Shell: "/bin/bash",
		Layer:   confine.Probe{Layer: "bwrap", OK: true, Version: "0.8.0", Scopes: true, Path: "/usr/bin/bwrap"},
		Helpers: map[string]string{"socat": "/usr/bin/socat"},
		Program: Program{Path: "/home/dev/.local/bin/claude", Real: "/opt/agents/node_modules/@anthropic-ai/claude-code/bin/claude.exe", Shows: []string{"/opt/agents/node_modules"}},
		Login:   LoginState{Source: "env ANTHROPIC_API_KEY"},
		Path: []PathEntry{{Dir: "/usr/bin", Real: "/usr/bin"}, {Dir: "/home/dev/go/bin", Real: "/home/dev/go/bin"}, {Dir: "/tmp/evil", Real: "/tmp/evil"}, {Dir: "bin", Dropped: "not absolute"},
			{Dir: "/data/conda/bin", Real: "/data/conda/bin"}, {Dir: "/data/bin", Real: "/data/bin"}, {Dir: "/srv/tools", Real: "/srv/tools"}},
		Exists:     map[string]string{"/usr/bin": "/usr/bin"},
		TopDirs:    []string{"boot", "data", "dev", "etc", "home", "proc", "root", "run", "srv", "tmp", "usr", "var"},
		Toolchains: []sandbox.Row{{Path: "/home/dev/go/bin", Access: sandbox.Read, Reason: "Go programs"}},
		Resolv:     "/run/systemd/resolve/stub-resolv.conf",
		Tree:       Tree{Files: map[string]Stamp{".claude/settings.json": {}}, Repositories: []sandbox.Row{{Path: "/home/dev/src/proj-lane/vendor/dep/.git", Access: sandbox.Protect, Reason: "a nested repository's git directory"}}},
		Text:       Text{Name: "CLAUDE.md", Content: "Use tabs.\n"},
		Wiring:     []sandbox.Row{{Path: "/home/dev/src/proj-lane/.claude/settings.json", Access: sandbox.Protect, File: true, Reason: "claude-code: hooks"}},
		IDs:        []confine.PathID{{Path: "/home/dev/src/proj-lane/.claude/settings.json", Dev: 8, Ino: 9}, {Path: "/home/dev/src/proj-lane/gone", Dev: 8, Ino: 10}},
	}
	for _, r := range slices.Concat(sandbox.BaseRows(), sandbox.RootSecrets()) {
		if r.Path != "/etc/wireguard" {
			h.Exists[r.Path] = r.Path
		}
	}
	if uid == 0 {
		h.Home, h.LaneHome = "/root", "/root/.local/state/lane"
		h.Toolchains = nil
	}
	return h
}

// onLandlock is the same machine where the landlock layer was asked for, and
// nothing of the other one is there.
func onLandlock(h Host) Host {
	h.Layer = confine.Probe{Layer: "landlock", OK: true, Version: "ABI 7", Scopes: true}
	h.Helpers = map[string]string{}
	return h
}

func claude(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func request() Request {
	return Request{Writer: "claude", Model: "haiku", Prompt: []byte("do it"), Timeout: 20 * time.Minute}
}

func TestPlanGolden(t *testing.T) {
	main := host(1001)
	main.Tree.Repositories, main.Wiring, main.Text = nil, nil, Text{}
	for name, c := range map[string]struct {
		repo gitdiscover.Repo
		host Host
	}{
		"claude-user-linked": {linkedRepo(), host(1001)},
		"claude-root-linked": {linkedRepo(), host(0)},
		"claude-user-main":   {mainRepo(), main},
		"claude-root-main": {mainRepo(), func() Host {
			h := main
			h.UID, h.Home, h.LaneHome = 0, "/root", "/root/.local/state/lane"
			h.Toolchains = nil
			return h
		}()},
		"claude-user-linked-landlock": {linkedRepo(), onLandlock(host(1001))},
		"claude-root-linked-landlock": {linkedRepo(), onLandlock(host(0))},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Build(request(), c.repo, claude(t), c.host)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(plan, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "plan", name+".golden")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("plan differs (-golden +got); -update writes it anew:\n%s", diff)
			}
		})
	}
}

// The deny of the shared .git stands in the layer, in the agent's own
// settings and in the facts of the hook, each time as the one literal path.
func TestSharedGitIsDeniedThreeTimes(t *testing.T) {
	plan, err := Build(request(), linkedRepo(), claude(t), host(1001))
	if err != nil {
		t.Fatal(err)
	}
	common := "/home/dev/src/proj/.git"
	if plan.Policy.Allows(common+"/hooks/pre-commit", sandbox.Write) {
		t.Error("the policy lets the shared .git be written")
	}
	if !plan.Policy.Allows(common+"/HEAD", sandbox.Read) {
		t.Error("the policy does not let the shared .git be read")
	}
	if !slices.Contains(plan.Checks.MustNotWrite, common) {
		t.Error("the child does not try to write the shared .git")
	}
	var settings struct {
		Sandbox struct {
			Filesystem struct{ DenyWrite []string }
		}
	}
	i := slices.IndexFunc(plan.Files, func(f agent.File) bool { return filepath.Base(f.Path) == "settings.json" })
	if err := json.Unmarshal([]byte(plan.Files[i].Content), &settings); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{common}, settings.Sandbox.Filesystem.DenyWrite); diff != "" {
		t.Errorf("denyWrite holds something else than the commondir: %s", diff)
	}
	if plan.Facts.CommonDir != common {
		t.Errorf("the hook's commondir is %q", plan.Facts.CommonDir)
	}
}

func TestPlanHoldsNoValueOfTheCallers(t *testing.T) {
	h := host(1001)
	h.values = map[string]string{"ANTHROPIC_API_KEY": "sk-secret-value", "AWS_SECRET_ACCESS_KEY": "aws-secret-value", "EXTRA": "extra-value"}
	req := request()
	req.Env = []string{"EXTRA"}
	req.Prompt = []byte("prompt-secret-value")
	plan, err := Build(req, linkedRepo(), claude(t), h)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"sk-secret-value", "aws-secret-value", "extra-value", "prompt-secret-value"} {
		if strings.Contains(string(b), v) {
			t.Errorf("the plan holds %q", v)
		}
	}
	env := plan.Env.environ(h.values)
	if !slices.Contains(env, "ANTHROPIC_API_KEY=sk-secret-value") || !slices.Contains(env, "EXTRA=extra-value") {
		t.Errorf("what passes lost its value: %v", env)
	}
	if slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "AWS_") }) {
		t.Error("a variable that is not on the list passes")
	}
}

// Each fault of the machine or the request refuses with its stable word and
// exit code, and says what to do.
func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		exit   int
		change func(*Request, *gitdiscover.Repo, *Host)
	}{
		{"missing-bwrap", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) {
			h.Layer = confine.Probe{Reason: "missing-bwrap", Detail: "bwrap is not installed", Hint: "apt-get install bubblewrap"}
		}},
		{"missing-socat", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) { h.Helpers = map[string]string{} }},
		{"writer-not-found", 127, func(_ *Request, _ *gitdiscover.Repo, h *Host) { h.Program = Program{Missing: "no claude on PATH"} }},
		{"writer-not-executable", 126, func(_ *Request, _ *gitdiscover.Repo, h *Host) {
			h.Program = Program{Path: "/x", Missing: "not an executable file", NotExec: true}
		}},
		{"auth-missing", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) {
			h.Login = LoginState{Reason: "auth-missing", Detail: "no credentials"}
		}},
		{"scan-incomplete", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) { h.Tree.Cut = "more than 30 s" }},
		{"wiring-symlink", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) { h.WiringLink = "/home/dev/src/proj-lane/.claude" }},
		{"overlap", 125, func(_ *Request, r *gitdiscover.Repo, h *Host) {
			h.Overlap = sandbox.Overlap{Worktree: sandbox.Place{Path: "/home/dev"}, Home: sandbox.Place{Path: "/home/dev"}}
		}},
		{"mcp-config", 125, func(_ *Request, _ *gitdiscover.Repo, h *Host) { h.MCP = []byte("{") }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			req, repo, h := request(), linkedRepo(), host(1001)
			c.change(&req, &repo, &h)
			_, err := Build(req, repo, claude(t), h)
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if r.Reason != c.reason || r.ExitCode() != c.exit {
				t.Errorf("got %s, exit %d; want %s, exit %d", r.Reason, r.ExitCode(), c.reason, c.exit)
			}
			if r.Hint == "" || r.Detail == "" {
				t.Errorf("no way on: %+v", r)
			}
		})
	}
	if _, err := Build(request(), linkedRepo(), claude(t), host(1001)); err != nil {
		t.Errorf("the same without a fault is refused: %v", err)
	}
}

func TestHardLinksAreAGapToAccept(t *testing.T) {
	h := host(1001)
	h.Tree.Linked, h.Tree.FirstLinked = 2, "a"
	plan, err := Build(request(), linkedRepo(), claude(t), h)
	if err != nil {
		t.Fatal(err)
	}
	if ref := unacceptedRefusal(plan); ref == nil || ref.Reason != "gap" || !strings.Contains(ref.Hint, "--accept hardlinks") {
		t.Errorf("got %v", ref)
	}
	req := request()
	req.Accept = []string{"hardlinks"}
	if plan, err = Build(req, linkedRepo(), claude(t), h); err != nil {
		t.Fatal(err)
	}
	if ref := unacceptedRefusal(plan); ref != nil {
		t.Errorf("accepted by name and still refused: %v", ref)
	}
}

// A nested .git of another kind is told by name: a FIFO there would otherwise
// fail somewhere in the layer.
func TestOddNestedGitIsRefusedByName(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "src"), 0o755))
	must(t, syscall.Mkfifo(filepath.Join(dir, "src", ".git"), 0o644))
	h := host(1001)
	h.Tree = readTree(dir, nil)
	_, err := Build(request(), linkedRepo(), claude(t), h)
	if r := asRefusal(err); r == nil || r.Reason != "not-regular" || r.Path != filepath.Join(dir, "src", ".git") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsShownForAnEntryOfPATH(t *testing.T) {
	repo, h := linkedRepo(), host(0)
	for bin, want := range map[string]string{
		"/data/conda/bin":                "/data/conda",
		"/home/linuxbrew/.linuxbrew/bin": "/home/linuxbrew/.linuxbrew",
		"/data/tools":                    "/data/tools",
		"/data/bin":                      "/data/bin",
		"/home/other/bin":                "/home/other/bin",
		"/home/other/.local/bin":         "/home/other/.local/bin",
		"/root/x/bin":                    "/root/x/bin",
		"/home/dev/src/bin":              "/home/dev/src/bin", // beside the worktrees
	} {
		if got := shownFor(bin, repo, h); got != want {
			t.Errorf("%s: %s, want %s", bin, got, want)
		}
	}
}

// What is neither a program's nor the lane's own is not shown, whatever the
// host keeps in /: also what no other row names.
func TestNothingElseOfTheHostIsShown(t *testing.T) {
	for _, uid := range []int{0, 1001} {
		plan, err := Build(request(), linkedRepo(), claude(t), host(uid))
		if err != nil {
			t.Fatal(err)
		}
		for path, shown := range map[string]bool{
			"/usr/lib/x": true, "/etc/hosts": true, "/opt/agents/node_modules/x": true, "/data/conda/lib/x": true, "/data/bin/x": true, "/srv/tools/x": true,
			"/data/x": false, "/data/conda2": false, "/srv/x": false, "/srv/mysql.sock": false, "/home/other/x": false, "/var/lib/mysql/mysql.sock": false,
			"/root/.ssh/id": false, "/var/log/auth.log": false, linkedRepo().CommonDir + "/config": true, linkedRepo().Worktree + "/x": true,
		} {
			if got := plan.Policy.Allows(path, sandbox.Read); got != shown {
				t.Errorf("uid %d: read %s: %v, want %v", uid, path, got, shown)
			}
		}
	}
	req := request()
	req.Home = HomeReadable
	if plan, err := Build(req, linkedRepo(), claude(t), host(1001)); err != nil || !plan.Policy.Allows("/data/x", sandbox.Read) {
		t.Errorf("a readable home is the choice to see the rest: %v", err)
	}
}

func TestPathHoldsNothingTheLaneCanWrite(t *testing.T) {
	plan, err := Build(request(), linkedRepo(), claude(t), host(1001))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plan.Env.Set, func(v agent.EnvVar) bool { return v.Name == "PATH" })
	if got, want := plan.Env.Set[i].Value, "/usr/bin:/home/dev/go/bin:/data/conda/bin:/data/bin:/srv/tools"; got != want {
		t.Errorf("PATH is %q, want %q", got, want)
	}
}
