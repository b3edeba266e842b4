package shell

import (
	"path"
	"strings"
)

// gitSubs are the subcommands whose operands lead somewhere.
var gitSubs map[string]func(*gitCall)

func init() {
	gitSubs = map[string]func(*gitCall){
		"clone": (*gitCall).clone, "init": (*gitCall).init, "config": (*gitCall).config,
		"worktree": (*gitCall).worktree, "bundle": (*gitCall).bundle, "apply": (*gitCall).apply, "am": (*gitCall).apply,
		"bisect": (*gitCall).bisect, "submodule": (*gitCall).submodule, "push": (*gitCall).push,
		"remote": (*gitCall).remote, "maintenance": (*gitCall).maintenance,
		"for-each-repo": (*gitCall).forEachRepo, "lfs": (*gitCall).lfs, "mv": (*gitCall).paths, "rm": (*gitCall).paths,
		"checkout": (*gitCall).writesPaths, "restore": (*gitCall).writesPaths,
		"credential-store": (*gitCall).credentialStore, "interpret-trailers": (*gitCall).trailers,
		"pack-objects": (*gitCall).packs, "mailinfo": (*gitCall).mails,
	}
}

// gitValued are the options of clone, init and worktree that take a word.
var gitValued = wordSet(`-b --branch -o --origin --depth --shallow-since --shallow-exclude -j --jobs --reference --reference-if-able --template --filter
	--server-option --separate-git-dir -u --upload-pack -c --config --object-format --initial-branch --bundle-uri --ref-format -B --reason --expire --orphan`)

// operands drops options and the words that belong to them.
func (g *gitCall) operands() []string {
	var out []string
	for i := 0; i < len(g.words); i++ {
		w := g.words[i]
		switch {
		case w == "--":
			return append(out, g.words[i+1:]...)
		case strings.HasPrefix(w, "-") && w != "-":
			if gitValued.has(w) {
				i++
			}
		default:
			out = append(out, w)
		}
	}
	return out
}

func (g *gitCall) configs(names ...string) {
	for i, w := range g.words {
		for _, name := range names {
			value, ok := strings.CutPrefix(w, name+"=")
			if !ok && w == name && i+1 < len(g.words) {
				value, ok = g.words[i+1], true
			}
			if ok {
				key, v, _ := strings.Cut(value, "=")
				g.setting(key, v, "git "+g.sub+" "+name)
			}
		}
		if strings.HasPrefix(w, "--template=") && w != "--template=" {
			g.in.find(GitProgram, "git "+g.sub, "--template")
		}
	}
}

// clone makes a repository of its own. Inside the worktree that is the
// agent's affair; elsewhere the path rules have their say.
func (g *gitCall) clone() {
	g.configs("-c", "--config")
	ops := g.operands()
	switch {
	case len(ops) > 1:
		g.makes(ops[1])
	case len(ops) == 1:
		g.makes(strings.TrimSuffix(path.Base(unglob(ops[0])), ".git"))
	}
}

// makes notes a repository of the call's own.
func (g *gitCall) makes(dir string) {
	g.in.effect(Write, dir, "git "+g.sub, g.st)
	if at := fold(g.in.abs(dir, g.st)); at != g.in.req.Worktree && !HasHole(at) {
		g.in.repos = append(g.in.repos, at)
	}
}

func (g *gitCall) init() {
	g.configs()
	dir := "."
	if ops := g.operands(); len(ops) > 0 {
		dir = ops[0]
	} else if g.gitDir != "" {
		dir = g.gitDir
	}
	g.makes(dir)
}

// configures reports that the configuration of the repository changes in
// which git works here. One in the lane's own temporary directory, or one that
// the call has made, is nobody else's.
func (g *gitCall) configures(by, key string) {
	dir := g.st.dir
	if g.gitDir != "" {
		dir = g.in.abs(g.gitDir, g.st)
	}
	dir = fold(dir)
	if tmp := g.in.req.Vars["TMPDIR"]; below(dir, tmp) && !below(dir, g.in.req.Worktree) {
		g.in.effect(Write, dir+"/.git/config", by, g.st) // by its links it may be another
		return
	}
	for _, own := range g.in.repos {
		if below(dir, own) {
			return
		}
	}
	g.in.find(GitConfig, by, key)
}

// config writes one of git's files unless it only reads.
func (g *gitCall) config() {
	file, reads, edits, program := "", false, false, false
	var ops []string
	for i := 0; i < len(g.words); i++ {
		w := g.words[i]
		name, value, inline := strings.Cut(w, "=")
		switch name {
		case "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool", "get", "list":
			reads = reads || len(ops) == 0
		case "--global":
			file = "~/.gitconfig"
		case "--system":
			file = "/etc/gitconfig"
		case "--file", "-f", "--blob":
			if !inline && i+1 < len(g.words) {
				i++
				value = g.words[i]
			}
			if name != "--blob" {
				file = value
			}
		case "--type", "--default", "--comment", "--value":
			if !inline {
				i++
			}
		case "--edit", "-e", "edit", "--unset", "--unset-all", "unset", "--remove-section", "remove-section", "--rename-section", "rename-section":
			edits = edits || len(ops) == 0
		case "set", "--add", "--replace-all", "--append":
			edits = edits || len(ops) == 0
		default:
			if !strings.HasPrefix(w, "-") {
				ops = append(ops, w)
			}
		}
	}
	if reads || !edits && len(ops) < 2 {
		return
	}
	key := ""
	if len(ops) > 0 {
		key = ops[0]
	}
	if len(ops) > 1 {
		program = gitRunsProgram(strings.ToLower(key), ops[1])
	}
	switch {
	case program:
		g.in.find(GitProgram, "git config", key)
	case file == "":
		if g.gitDir != "" || g.work != "" {
			g.elsewhere()
		}
		g.in.effect(Write, ".", "git config", g.st)
		g.configures("git config", key)
	}
	if file != "" {
		if home, ok := g.in.tilde("", g.st); ok && strings.HasPrefix(file, "~/") {
			file = home + file[1:]
		}
		g.in.effect(Write, file, "git config", g.st)
	}
}

// worktree adds, moves and removes working trees: by their path, and for
// "prune" all of them at once.
func (g *gitCall) worktree() {
	ops := g.operands()
	if len(ops) == 0 {
		return
	}
	by := "git worktree " + ops[0]
	switch ops[0] {
	case "prune", "repair":
		g.in.find(GitWorktree, by, "")
	case "add":
		if len(ops) > 1 {
			g.in.effect(Write, ops[1], by, g.st)
		}
	case "move", "remove":
		// A bare name may be any worktree whose path ends in it.
		if len(ops) > 1 && !strings.Contains(ops[1], "/") {
			g.in.find(GitWorktree, by, "")
		}
		for _, p := range ops[1:] {
			g.in.effect(Write, p, by, g.st)
		}
	}
}

func (g *gitCall) bundle() {
	if ops := g.operands(); len(ops) > 1 && ops[0] == "create" {
		g.in.effect(Write, ops[1], "git bundle create", g.st)
	}
}

// apply judges the files a patch names, when its text is known.
func (g *gitCall) apply() {
	text := ""
	ops := g.operands()
	for _, f := range ops {
		text += g.in.content(f, g.st) + "\n"
	}
	if len(ops) == 0 || contains(ops, "-") {
		text += g.io.text()
	}
	base := ""
	for i, w := range g.words {
		if w == "--unsafe-paths" {
			g.in.find(GitProgram, "git "+g.sub, w)
		}
		if v, ok := strings.CutPrefix(w, "--directory="); ok {
			base = v + "/"
		} else if w == "--directory" && i+1 < len(g.words) {
			base = g.words[i+1] + "/"
		}
	}
	if base != "" {
		g.in.effect(Write, base, "git "+g.sub, g.st)
	}
	for _, f := range DiffFiles(text, 1) {
		g.in.effect(f.Op, base+f.Path, "git "+g.sub, g.st)
	}
}

func (g *gitCall) bisect() {
	if len(g.words) > 1 && g.words[0] == "run" {
		g.in.run(g.words[1:], g.st, g.io, false)
	}
}

func (g *gitCall) submodule() {
	for i, w := range g.words {
		if w != "foreach" {
			continue
		}
		rest := g.words[i+1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		g.in.code(strings.Join(rest, " "), g.st.fork(), g.io, "git submodule foreach")
	}
}

// push writes another repository when the remote is a path.
func (g *gitCall) push() {
	if ops := g.operands(); len(ops) > 0 {
		target := strings.TrimPrefix(ops[0], "file://")
		if looksLikePath(target) {
			g.in.effect(Write, target, "git push", g.st)
		}
	}
}

// remote keeps what it is told in the configuration.
func (g *gitCall) remote() {
	ops := g.operands()
	if len(ops) < 2 {
		return
	}
	switch ops[0] {
	case "add", "set-url":
		for _, url := range ops[1:] {
			if strings.HasPrefix(url, "ext::") {
				g.in.find(GitProgram, "git remote", "ext::")
			}
		}
	case "rename", "remove", "rm", "set-branches":
	default:
		return
	}
	g.configures("git remote "+ops[0], "remote."+ops[1])
}

// maintenance start writes the user's scheduler.
func (g *gitCall) maintenance() {
	if len(g.words) > 0 && (g.words[0] == "start" || g.words[0] == "register") {
		g.in.find(Escape, "git maintenance "+g.words[0], "")
	}
}

func (g *gitCall) forEachRepo() { g.in.find(GitProgram, "git for-each-repo", "") }

// lfs install writes hooks and configuration.
func (g *gitCall) lfs() {
	if len(g.words) > 0 && (g.words[0] == "install" || g.words[0] == "uninstall") {
		g.configures("git lfs "+g.words[0], "filter.lfs")
	}
}

func (g *gitCall) paths() {
	for _, p := range g.operands() {
		g.in.effect(Remove, p, "git "+g.sub, g.st)
	}
}

// writesPaths are the files that checkout and restore put back. A branch's
// name among them looks like a path inside the worktree, which is no harm.
func (g *gitCall) writesPaths() {
	if contains(g.words, "--staged") && !contains(g.words, "--worktree") {
		return // the index only
	}
	for _, p := range operandsOf(g.words) {
		g.in.effect(Write, p, "git "+g.sub, g.st)
	}
}

func (g *gitCall) credentialStore() {
	for i, w := range g.words {
		if v, ok := strings.CutPrefix(w, "--file="); ok {
			g.in.effect(Write, v, "git credential-store", g.st)
		} else if w == "--file" && i+1 < len(g.words) {
			g.in.effect(Write, g.words[i+1], "git credential-store", g.st)
		}
	}
}

// trailers edits its files where they lie, if it is told to.
func (g *gitCall) trailers() {
	if contains(g.words, "--in-place") {
		for _, f := range operandsOf(g.words) {
			g.in.effect(Write, f, "git interpret-trailers --in-place", g.st)
		}
	}
}

// packs are files that begin with the operand.
func (g *gitCall) packs() {
	if contains(g.words, "--stdout") {
		return
	}
	for _, prefix := range operandsOf(g.words) {
		g.in.effect(Write, prefix, "git pack-objects", g.st)
	}
}

// mails takes a message apart into two files.
func (g *gitCall) mails() {
	for _, f := range operandsOf(g.words) {
		g.in.effect(Write, f, "git mailinfo", g.st)
	}
}
