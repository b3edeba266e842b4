package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lane/gitdiscover"
	"lane/runner/agent"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// Build makes the plan. It is a pure function: the same four values give the
// same plan. It returns a *Refusal where no lane is possible and a
// *UsageError where the request contradicts itself.
//
// The order is the argument: first what makes a lane impossible, cheapest and
// clearest first, then the rows, then what is derived from them.
func Build(req Request, repo gitdiscover.Repo, a *agent.Agent, h Host) (Plan, error) {
	for _, check := range []func(Request, gitdiscover.Repo, *agent.Agent, Host) error{
		checkRequest, checkProgram, checkLogin, checkLayer, checkGitMode, checkOverlap,
	} {
		if err := check(req, repo, a, h); err != nil {
			return Plan{}, err
		}
	}
	run := filepath.Join(h.LaneHome, "runs", h.Run)
	p := Plan{
		Schema: PlanSchema, Run: h.Run, RunDir: run,
		Writer: Writer{Name: a.Name, Path: h.Program.Real, Tested: a.Tested},
		Model:  req.Model, Worktree: repo.Worktree, GitDir: repo.GitDir, CommonDir: repo.CommonDir,
		Linked: repo.Linked, Branch: repo.Branch, Vouched: repo.Vouched, Git: gitMode(req, repo, h), Home: homeMode(req),
		Prompt: promptOf(req.Prompt), Login: h.Login.Source,
		Layer: h.Layer.Layer, LayerPath: h.Layer.Path, Tmp: tmpDir(h, run),
		Litter: a.Litter, Placeholders: a.Placeholders, Timeout: Duration(req.Timeout), RequireChanges: req.RequireChanges,
		Warnings: warnings(a, h),
	}
	layer, err := confine.Lookup(p.Layer)
	if err != nil {
		return Plan{}, &Refusal{Reason: "no-layer", Detail: err.Error()}
	}
	nests := a.Nests && layer.Namespaces()
	if !nests {
		p.Placeholders = []string{} // of a sandbox that does not start
	}
	if err := planGit(&p, req, repo, a, h); err != nil {
		return Plan{}, err
	}
	launch, err := a.Launch(spec(req, repo, a, h, p))
	if err != nil {
		return Plan{}, specRefusal(err)
	}
	p.Agent, p.Files = launch.Argv, append(p.Files, launch.Files...)
	p.HookLog = launch.HookLog
	p.Warnings = append(p.Warnings, launch.Notes...)
	p.Dirs = append([]string{filepath.Join(run, stateDir, "tmp")}, launch.Dirs...)
	cache := cacheDir(h.LaneHome, repo.Worktree)
	p.Dirs = append(p.Dirs, cache)
	if h.Home != "" && p.Home == HomePrivate && len(p.Placeholders) > 0 {
		p.Files = append(p.Files, agent.File{Path: filepath.Join(run, planDir, "gitignore"), Mode: 0o444, Content: ignoreFile(a)})
	}
	home := planHome(&p, h)
	p.Policy = sandbox.Policy{Rows: rows(req, repo, h, p, launch), Network: a.Network, Nesting: nests,
		Terminal: req.Terminal, Limits: req.Limits}
	planLimits(&p, req, h)
	if err := sandbox.Validate(p.Policy); err != nil {
		return Plan{}, &Refusal{Reason: "policy", Detail: err.Error(), Hint: "this is a conflict between what was asked for and lane's own rows; leave out --read or --write, or set LANE_HOME to another place"}
	}
	// From the whole policy: what the layer cannot enforce is a gap.
	p.Gaps = gaps(slices.Concat(launch.Gaps, layer.Gaps(p.Policy, h.UID == 0), confine.ScopeGaps(p.Policy, h.Layer)), h, req.Accept)
	if err := fitPolicy(&p, layer); err != nil {
		return Plan{}, err
	}
	p.Env = planEnv(h.EnvNames, a, req.Env, slices.Concat(baseEnv(h, p, home), cacheEnv(cache), launch.Env))
	p.Ignored = ignored(a, h)
	p.Facts = facts(h, p, home)
	cwd := repo.Worktree
	if a.Command {
		cwd = h.Cwd
	}
	if p.Start, err = startArgv(p, h, cwd); err != nil {
		return Plan{}, &Refusal{Reason: "policy", Detail: err.Error(), Hint: "lane cannot say this in its layer's words; leave out --read or --write"}
	}
	p.Checks = checks(layer, repo, h, p, launch)
	p.Checks.HostMounts = layer.Namespaces() && slices.Contains(req.Accept, hostMounts)
	p.Checks.Dir, p.Checks.Path = cwd, executable(a, h, p.Policy)
	if req.Verify {
		if err := planVerify(&p, repo, h, layer); err != nil {
			return Plan{}, err
		}
	}
	return p, nil
}

// startArgv is what lane itself executes.
func startArgv(p Plan, h Host, cwd string) ([]string, error) {
	layer, err := confine.Lookup(p.Layer)
	if err != nil {
		return nil, err
	}
	return layer.Argv(p.Policy, []string{h.Inside, "confine"}, confine.Options{
		BwrapPath: p.LayerPath, Root: h.UID == 0, Cwd: cwd, EmptyFile: filepath.Join(p.RunDir, planDir, "empty")})
}

// executable is the path that the confined child executes: an agent's as it
// resolves, a command's as it was named when the lane shows that name.
func executable(a *agent.Agent, h Host, policy sandbox.Policy) string {
	if d := policy.Decide(h.Program.Path, sandbox.Read); a.Command && d.Allowed && !d.Own {
		return h.Program.Path
	}
	return h.Program.Real
}

// ignoreFile is the user-level ignore file of git inside the lane: without it
// git status there lists the placeholders of the agent's own sandbox.
func ignoreFile(a *agent.Agent) string {
	var b strings.Builder
	b.WriteString("# made by lane: what the agent's own sandbox leaves while a command runs\n")
	for _, name := range slices.Concat(a.Placeholders, a.Litter) {
		b.WriteString("/" + name + "\n")
	}
	return b.String()
}

func homeMode(req Request) HomeMode {
	if req.Home == "" {
		return HomePrivate
	}
	return req.Home
}

func promptOf(b []byte) Prompt {
	sum := sha256.Sum256(b)
	return Prompt{Bytes: len(b), SHA256: hex.EncodeToString(sum[:])}
}

func specRefusal(err error) error {
	if se, ok := err.(*agent.SpecError); ok {
		return &Refusal{Reason: se.Reason, Detail: se.Detail, Hint: "correct the file and start again"}
	}
	return &Refusal{Reason: "launch", Detail: err.Error()}
}

func checkRequest(req Request, _ gitdiscover.Repo, _ *agent.Agent, h Host) error {
	if err := checkEnvNames(req.Env); err != nil {
		return err
	}
	for _, n := range req.Env {
		if !slices.Contains(h.EnvNames, n) {
			return &UsageError{"env-unset", "--env " + n + ": not set in lane's environment; export it first"}
		}
	}
	if t := req.TakeIn; t != "" && t != takeInNever && t != takeInSuccess && t != takeInAlways {
		return &UsageError{"take-in", "--take-in takes never, success or always"}
	}
	if req.Layer != "" && !slices.Contains(LayerNames(), req.Layer) {
		return &UsageError{"layer", "--layer takes " + strings.Join(LayerNames(), " or ") + " on this system, not " + quote(req.Layer)}
	}
	if m := homeMode(req); m != HomePrivate && m != HomeReadable {
		return &UsageError{"home-mode", "--home takes private or readable"}
	}
	if req.Git != "" && req.Git != gitReadOnly && req.Git != gitOwn {
		return &UsageError{"git-mode", "--git takes own or read-only"}
	}
	return nil
}

func checkProgram(_ Request, _ gitdiscover.Repo, a *agent.Agent, h Host) error {
	p := h.Program
	if p.Missing == "" {
		return nil
	}
	r := &Refusal{Reason: "writer-not-found", Path: p.Path, Detail: p.Missing, Exit: ExitNotFound,
		Hint: "install it, or name its executable with --writer-bin"}
	if a.Command {
		r.Hint = "name a program that is on PATH, or give its path"
	}
	if p.NotExec {
		r.Reason, r.Exit = "writer-not-executable", ExitNotExecutable
	}
	if p.Path == "" {
		r.Path = a.Program
	}
	return r
}

func checkLogin(_ Request, _ gitdiscover.Repo, a *agent.Agent, h Host) error {
	if h.Login.Reason == "" {
		return nil
	}
	hint := a.Login.Hint
	if slices.ContainsFunc(h.EnvNames, func(n string) bool { return strings.HasPrefix(n, "CODEX_SANDBOX") }) {
		hint = "the parent agent's sandbox removed them: ask for permission to run lane outside it, with network and with " + strings.Join(a.Login.Env, " or ")
	}
	return &Refusal{Reason: h.Login.Reason, Detail: h.Login.Detail, Hint: hint}
}

func checkLayer(req Request, repo gitdiscover.Repo, a *agent.Agent, h Host) error {
	if !h.Layer.OK {
		return offerOther(&Refusal{Reason: h.Layer.Reason, Detail: h.Layer.Detail, Hint: h.Layer.Hint, Layer: h.Layer.Layer},
			Job{Request: req, Repo: repo, Agent: a, Host: h})
	}
	for _, helper := range a.Helpers {
		if !h.inPlace() && h.Helpers[helper.Program] == "" {
			return &Refusal{Reason: "missing-" + helper.Program, Detail: helper.Program + " is not installed: " + helper.Reason,
				Hint: "apt-get install " + helper.Package}
		}
	}
	if h.Tree.OddGit != "" {
		return &Refusal{Reason: "not-regular", Path: h.Tree.OddGit, Detail: "a .git in the worktree that is neither a directory nor a regular file cannot be protected",
			Hint: "replace a link by what it names; remove anything else"}
	}
	if h.Tree.Cut != "" {
		return &Refusal{Reason: "scan-incomplete", Detail: "the worktree could not be looked through: " + h.Tree.Cut,
			Hint: "lane protects every nested repository by name and so must see them all: move large data out of the worktree"}
	}
	return nil
}

func warnings(a *agent.Agent, h Host) []string {
	w := slices.Clone(h.Notes)
	if h.Text.Cut {
		w = append(w, fmt.Sprintf("%s is longer than %d KiB: only its first part goes to the agent", h.Text.Name, maxInstructions>>10))
	}
	for _, e := range h.Path {
		if e.Dropped == "inside the worktree" || e.Dropped == "not absolute" {
			w = append(w, "PATH entry "+quote(e.Dir)+" is left out: "+e.Dropped)
		}
	}
	return w
}

func spec(req Request, repo gitdiscover.Repo, a *agent.Agent, h Host, p Plan) agent.Spec {
	plan := filepath.Join(p.RunDir, planDir)
	return agent.Spec{
		Exe: h.Program.Real, Lane: h.Inside,
		Worktree: repo.Worktree, GitDir: repo.GitDir, CommonDir: repo.CommonDir,
		PlanDir: plan, StateDir: filepath.Join(p.RunDir, stateDir), Tmp: p.Tmp,
		PlanFile: filepath.Join(plan, "plan.json"), Root: h.UID == 0, Bwrap: h.Layer.Path, NoNesting: h.inPlace(),
		Model: req.Model, Tools: req.Tools, MCP: h.MCP,
		Reads: h.Extra[:len(req.Reads)], Writes: h.Extra[len(req.Reads):],
		OwnGit: p.ownGitDir(), System: briefing(repo, h, p), Login: h.Login.Source, Values: valuesFor(a, h),
	}
}

// valuesFor are the caller's variables that the launch is rendered from.
func valuesFor(a *agent.Agent, h Host) map[string]string {
	values := map[string]string{}
	for _, name := range a.Values {
		if v := h.values[name]; v != "" {
			values[name] = v
		}
	}
	return values
}

// baseEnv is what lane sets for every agent.
func baseEnv(h Host, p Plan, home string) []agent.EnvVar {
	return []agent.EnvVar{
		{Name: "HOME", Value: home, Reason: "the lane's own view of the home directory"},
		{Name: "PATH", Value: strings.Join(pathDirs(h, p.Policy), ":"), Reason: "absolute, existing, nothing that the lane can write"},
		{Name: "SHELL", Value: h.Shell, Reason: "agents start it outside their own sandbox"},
		{Name: "TMPDIR", Value: p.Tmp, Reason: "the lane's own temporary directory"},
		{Name: "GIT_TERMINAL_PROMPT", Value: "0", Reason: "nobody can answer"},
		{Name: "GIT_OPTIONAL_LOCKS", Value: "0", Reason: "git status writes nothing"},
		{Name: "GIT_PAGER", Value: "cat", Reason: "no pager without a terminal"},
	}
}

// pathDirs are the usable entries of PATH, judged by the policy itself: what
// the lane could write, or would not see, is left out.
func pathDirs(h Host, policy sandbox.Policy) []string {
	var dirs []string
	for _, e := range h.Path {
		if e.Real == "" {
			continue
		}
		if d := policy.Decide(e.Real, sandbox.Read); !d.Allowed || d.Own || policy.Allows(e.Real, sandbox.Write) {
			continue
		}
		dirs = append(dirs, e.Real)
	}
	for _, std := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		real, ok := h.Exists[std]
		if ok && !slices.Contains(dirs, std) && !slices.Contains(dirs, real) {
			dirs = append(dirs, std)
		}
	}
	return dirs
}

func ignored(a *agent.Agent, h Host) []string {
	list := []string{}
	for _, name := range a.Ignored {
		if _, ok := h.Tree.Files[name]; ok {
			list = append(list, name)
			continue
		}
		for f := range h.Tree.Files {
			if strings.HasPrefix(f, name+"/") {
				list = append(list, name)
				break
			}
		}
	}
	return list
}

func facts(h Host, p Plan, home string) Facts {
	return Facts{Worktree: p.Worktree, GitDir: p.GitDir, CommonDir: p.CommonDir, Tmp: p.Tmp,
		Home: home, User: h.User, LaneHome: h.LaneHome,
		State: filepath.Join(p.RunDir, stateDir), OwnGit: p.ownGitDir(), CallerTmp: h.CallerTmp, Headless: true}
}

// hostMounts is the gap of a host that refuses lane a mount namespace of its
// own before bubblewrap makes one. It is there only when it was accepted:
// without that the child refuses.
const hostMounts = "host-mounts"

// lateSockets is what masking at launch leaves open.
const lateSockets = "late-sockets"

// gaps marks which gaps are open and who took them.
func gaps(found []sandbox.Gap, h Host, accept []string) []sandbox.Gap {
	list := []sandbox.Gap{}
	if h.Tree.Linked > 0 {
		found = append(found, sandbox.Gap{Name: "hardlinks", Detail: fmt.Sprintf(
			"%d files in the worktree have a further hard link outside it, which a write would change too (first: %s)", h.Tree.Linked, quote(h.Tree.FirstLinked))})
	}
	if slices.Contains(accept, hostMounts) && !h.inPlace() {
		found = append(found, sandbox.Gap{Name: hostMounts, Detail: "what is mounted on the host while the lane runs appears inside, writable where no row covers it"})
	}
	if !h.inPlace() {
		found = append(found, sandbox.Gap{Name: lateSockets, Detail: "a socket that begins to listen after the launch, where the lane sees the host's files (the worktree, the main checkout, --read, a readable home), can be connected to"})
	}
	if len(h.Obeyed) > 0 {
		found = append(found, sandbox.Gap{Name: "repository-config", Detail: fmt.Sprintf(
			"the agent obeys what the repository says in %s: it may switch the guard off, start programs inside the lane and name another server for the key", quote(h.Obeyed[0]))})
	}
	for _, g := range found {
		// The lane shares the host's network until its own network layer
		// exists, an agent's own sandbox cannot do without namespaces, and no
		// kernel yet tells a socket by its directory: listed in every plan and
		// record, refused in none.
		g.Default = g.Default || slices.Contains([]string{"network: host", "nested-namespaces", lateSockets}, g.Name)
		g.Accepted = g.Default || slices.Contains(accept, g.Name)
		list = append(list, g)
	}
	return list
}

// checks are what the confined child tries before the agent may start.
func checks(layer confine.Layer, repo gitdiscover.Repo, h Host, p Plan, launch agent.Launch) confine.ChildPlan {
	c := layer.Checks(p.Policy)
	c.Argv = launch.Argv
	add := func(dirs ...string) {
		for _, d := range dirs {
			if !slices.Contains(c.MustNotWrite, d) {
				c.MustNotWrite = append(c.MustNotWrite, d)
			}
		}
	}
	add(repo.CommonDir, repo.GitDir)
	for _, name := range []string{"worktree", "gitdir", "commondir", "pointer"} {
		if name == "pointer" && p.OwnGit != nil {
			continue // the private pointer does not exist yet; Run adds it
		}
		if id, ok := repo.IDs[name]; ok {
			path := map[string]string{"worktree": repo.Worktree, "gitdir": repo.GitDir, "commondir": repo.CommonDir, "pointer": repo.Pointer}[name]
			c.IDs = append(c.IDs, confine.PathID{Path: path, Dev: id.Dev, Ino: id.Ino})
		}
	}
	for _, id := range h.IDs {
		if d := p.Policy.Decide(id.Path, sandbox.Read); d.Row.Path == id.Path && d.Row.Access == sandbox.Protect {
			c.IDs = append(c.IDs, id)
		}
	}
	if repo.PointerIsFile && !p.Policy.Allows(repo.Pointer, sandbox.Write) && !slices.Contains(c.MustNotOpen, repo.Pointer) {
		c.MustNotOpen = append(c.MustNotOpen, repo.Pointer)
	}
	if h.Layer.Scopes || layer.Namespaces() && p.Policy.Network == sandbox.NetworkNone {
		c.MustNotConnect = []string{"lane-" + p.Run}
	}
	if len(launch.Nested) > 0 {
		c.Nested = launch.Nested[0]
	}
	return c
}
