package runner

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lane/runner/agent"
	"lane/sandbox"
)

// surveyProgram finds the agent's executable and what must be readable for
// it to run. It is not started: a program is first run inside the lane.
func surveyProgram(h *Host, req Request, a *agent.Agent) {
	p := &h.Program
	p.Path = req.WriterBin
	if a.Command && strings.Contains(a.Program, "/") {
		p.Path = a.Program
	}
	if p.Path == "" {
		p.Path = lookPath(h.Path, a.Program)
		if p.Path == "" && a.Command {
			p.Path = findSystem(a.Program)
		}
		if p.Path == "" {
			p.Missing = "no " + a.Program + " on PATH outside the worktree"
			return
		}
	}
	abs, err := filepath.Abs(p.Path)
	if err == nil {
		p.Path = abs
		p.Real, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		p.Missing = cause(err)
		return
	}
	if !isExecutable(p.Real) {
		p.Missing, p.NotExec = "not an executable file", true
		return
	}
	p.Shows, p.Version = programTree(p.Real), packageVersion(p.Real)
	// A command's interpreter is looked for inside, as the kernel does.
	if !a.Command {
		surveyInterpreter(h, p)
	}
}

// lookPath finds a program on the usable entries of PATH.
func lookPath(path []PathEntry, name string) string {
	for _, e := range path {
		if e.Real != "" && isExecutable(filepath.Join(e.Real, name)) {
			return filepath.Join(e.Real, name)
		}
	}
	return ""
}

// programTree is what belongs to an executable: for an npm package the
// outermost node_modules, which holds its dependencies, else the file.
func programTree(real string) []string {
	const mark = "/node_modules/"
	if i := strings.Index(real, mark); i > 0 {
		return []string{real[:i+len(mark)-1]}
	}
	return []string{real}
}

// surveyInterpreter follows a script's first line, one step, as the kernel
// and env(1) do.
func surveyInterpreter(h *Host, p *Program) {
	f, err := os.Open(p.Real)
	if err != nil {
		p.Missing, p.NotExec = cause(err), true
		return
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head) // an empty file is no script
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return
	}
	words := strings.Fields(string(rest))
	if len(words) == 0 {
		return
	}
	name := words[0]
	if filepath.Base(name) == "env" {
		name = ""
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				name = lookPath(h.Path, w)
				break
			}
		}
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil || !isExecutable(real) {
		p.Missing, p.NotExec = "its interpreter was not found: "+quote(string(rest)), true
		return
	}
	p.Interpreter = real
	// A runtime keeps its libraries beside its bin directory.
	if prefix := filepath.Dir(filepath.Dir(real)); filepath.Base(filepath.Dir(real)) == "bin" && prefix != "/" && prefix != h.Home {
		p.Shows = append(p.Shows, prefix)
	} else {
		p.Shows = append(p.Shows, real)
	}
}

// systemDirs are where programs that confine must come from. The caller's
// PATH is never asked: a fake bwrap first in it would run every command
// unconfined, without a word (facts/claude-code.md A9).
var systemDirs = []string{"/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"}

func findSystem(name string) string {
	for _, dir := range systemDirs {
		if isExecutable(filepath.Join(dir, name)) {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// surveyLogin finds the agent's credentials. A file's token is kept in
// memory only.
func surveyLogin(h *Host, a *agent.Agent) {
	l := a.Login
	if len(l.Env) == 0 {
		return // it needs no login
	}
	for _, name := range l.Env {
		if h.values[name] != "" {
			h.Login.Source = "env " + name
			return
		}
	}
	dir := h.values[l.ConfigEnv]
	if dir == "" {
		dir = filepath.Join(h.Home, l.HomeDir)
	}
	if l.File == "" || h.Home == "" && h.values[l.ConfigEnv] == "" {
		h.Login.Reason, h.Login.Detail = "auth-missing", "no credentials"
		return
	}
	file := filepath.Join(dir, l.File)
	b, err := readFile(file, maxLogin)
	switch {
	case errors.Is(err, os.ErrNotExist):
		h.Login.Reason, h.Login.Detail = "auth-missing", "none of "+strings.Join(l.Env, ", ")+" is set and "+quote(file)+" does not exist"
		return
	case err != nil:
		h.Login.Reason, h.Login.Detail = "auth-unreadable", quote(file)+": "+cause(err)
		return
	}
	token, expires, err := l.Token(b)
	switch {
	case err != nil:
		h.Login.Reason, h.Login.Detail = "auth-unreadable", quote(file)+": "+err.Error()
	case !expires.IsZero() && expires.Before(time.Now().Add(time.Minute)):
		h.Login.Reason, h.Login.Detail = "auth-expired", "the access token in "+quote(file)+" has expired"
	default:
		h.Login.Source = "file " + file
		h.values[l.TokenEnv] = token
		h.EnvNames = append(h.EnvNames, l.TokenEnv)
	}
}

// toolchains are directories below the home directory that builds need and
// that hold no secret. What is a secret inside one is hidden again.
var toolchains = []sandbox.Row{
	{Path: ".cargo", Access: sandbox.Read, Reason: "Rust's tools and sources"},
	{Path: ".rustup", Access: sandbox.Read, Reason: "Rust's toolchains"},
	{Path: ".nvm/versions", Access: sandbox.Read, Reason: "node's versions"},
	{Path: ".fnm", Access: sandbox.Read, Reason: "node's versions"},
	{Path: ".volta", Access: sandbox.Read, Reason: "node's versions"},
	{Path: ".bun", Access: sandbox.Read, Reason: "bun"},
	{Path: ".deno", Access: sandbox.Read, Reason: "deno"},
	{Path: ".pyenv", Access: sandbox.Read, Reason: "python's versions"},
	{Path: ".rbenv", Access: sandbox.Read, Reason: "ruby's versions"},
	{Path: ".asdf", Access: sandbox.Read, Reason: "tool versions"},
	{Path: ".sdkman/candidates", Access: sandbox.Read, Reason: "java's versions"},
	{Path: ".local/share/mise", Access: sandbox.Read, Reason: "tool versions"},
	{Path: ".local/share/uv", Access: sandbox.Read, Reason: "python's versions"},
	{Path: ".local/share/pnpm", Access: sandbox.Read, Reason: "node's packages"},
	{Path: ".local/bin", Access: sandbox.Read, Reason: "the user's programs"},
	{Path: "go/bin", Access: sandbox.Read, Reason: "Go programs"},
	{Path: "go/pkg/mod", Access: sandbox.Read, Reason: "Go's module cache"},
	{Path: "sdk", Access: sandbox.Read, Reason: "Go's versions"},
	{Path: ".m2/repository", Access: sandbox.Read, Reason: "Maven's cache"},
}

// toolchainSecrets lie inside the above.
var toolchainSecrets = []sandbox.Row{
	{Path: ".cargo/credentials", Access: sandbox.Hide, File: true, Reason: "Rust's registry login"},
	{Path: ".cargo/credentials.toml", Access: sandbox.Hide, File: true, Reason: "Rust's registry login"},
}

// secretRows are what --home readable hides, where it really lies: a link to
// a secret is hidden at both ends.
func secretRows(home string) []sandbox.Row {
	var rows []sandbox.Row
	for _, s := range sandbox.HomeSecrets() {
		real, ok := existing(filepath.Join(home, s.Path))
		if !ok || real == home || sandbox.Contains(real, home) {
			continue
		}
		rows = append(rows, sandbox.Row{Path: real, Access: sandbox.Hide, File: !isDir(real), Reason: s.Kind + ": " + s.Reason})
	}
	return rows
}

// toolchainRows are the rows of those that exist. A link is shown at the
// place it is written, with the directory it names.
func toolchainRows(home string) []sandbox.Row {
	var rows []sandbox.Row
	for _, t := range append(append([]sandbox.Row{}, toolchains...), toolchainSecrets...) {
		path := filepath.Join(home, t.Path)
		real, ok := existing(path)
		if !ok {
			continue
		}
		if t.Access == sandbox.Read && !isDir(real) {
			continue
		}
		// A link out of the home directory is left out: what it names is
		// readable at its own place unless it is hidden for a reason.
		if real != path {
			continue
		}
		t.Path = path
		rows = append(rows, t)
	}
	return rows
}

func readProc(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAllBounded(f, limit)
}
