package shell

import (
	"strings"
)

// gitCall is one git command line taken apart.
type gitCall struct {
	in      *interp
	st      *state // its directory is where -C leads
	io      stdio
	sub     string
	words   []string // after the subcommand
	gitDir  string   // --git-dir or GIT_DIR, "" when git finds it itself
	work    string   // --work-tree or GIT_WORK_TREE
	moved   bool     // -C was given
	aliases map[string]string
	depth   int
}

// git interprets a git command. What git does to its own repository by
// staging and committing is the operating system layer's business and no
// finding; what leads elsewhere, or makes git run programs, is.
func (in *interp) git(args []string, st *state, io stdio) {
	g := &gitCall{in: in, st: st.fork(), io: io, aliases: map[string]string{}}
	g.gitDir = g.fromEnvironment("GIT_DIR")
	if common := g.fromEnvironment("GIT_COMMON_DIR"); common != "" {
		g.gitDir = common
	}
	g.work = g.fromEnvironment("GIT_WORK_TREE")
	words := g.globals(args[1:])
	if len(words) == 0 {
		return
	}
	g.sub, g.words = words[0], words[1:]
	g.run()
}

func (g *gitCall) fromEnvironment(name string) string {
	if v, ok := g.st.vars[name]; ok && v.exported && len(v.values) > 0 {
		return g.in.choose(name, v)
	}
	return ""
}

// globals reads the options before the subcommand.
func (g *gitCall) globals(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		name, value, inline := strings.Cut(words[0], "=")
		words = words[1:]
		takes := name == "-C" || name == "-c" || name == "--git-dir" || name == "--work-tree" || name == "--namespace" ||
			name == "--config-env" || name == "--super-prefix" || name == "--attr-source" || name == "--exec-path" && inline
		if takes && !inline {
			if len(words) == 0 {
				return nil
			}
			value, words = words[0], words[1:]
		}
		switch name {
		case "-C":
			if inline {
				value = "=" + value
			}
			g.moved = true
			g.st.chdir(value)
		case "-c":
			if inline {
				value = name + "=" + value
			}
			key, v, has := strings.Cut(value, "=")
			if !has {
				v = "true"
			}
			g.setting(key, v, "git -c")
		case "--config-env":
			key, _, _ := strings.Cut(value, "=")
			g.setting(key, holeVar, "git --config-env")
		case "--git-dir":
			g.gitDir = value
		case "--work-tree":
			g.work = value
		case "--exec-path":
			if !inline {
				continue // git says where it is
			}
			g.in.find(GitProgram, "git", "--exec-path")
		}
	}
	return words
}

// setting judges one configuration value that is given to git.
func (g *gitCall) setting(key, value, by string) {
	name := strings.ToLower(key)
	if alias, ok := strings.CutPrefix(name, "alias."); ok {
		g.aliases[alias] = value
		return
	}
	if gitRunsProgram(name, value) {
		g.in.find(GitProgram, by, key)
		if !HasHole(value) && !strings.HasPrefix(name, "core.hookspath") {
			g.in.code(strings.TrimPrefix(value, "!"), g.st.fork(), stdio{in: given(holeInput)}, by)
		}
	}
	switch name {
	case "core.worktree":
		g.work = value
	case "trace2.eventtarget", "trace2.normaltarget", "trace2.perftarget":
		g.in.effect(Write, value, by+" "+key, g.st)
	}
}

// gitProgramKeys make git run a program, read another configuration, or work
// on another tree. A "*" stands for any subsection.
var gitProgramKeys = []string{
	"core.hookspath", "core.fsmonitor", "core.sshcommand", "core.editor", "core.pager", "core.askpass", "core.gitproxy", "core.alternaterefscommand", "core.worktree",
	"diff.external", "diff.*.command", "diff.*.textconv", "filter.*.clean", "filter.*.smudge", "filter.*.process",
	"merge.*.driver", "mergetool.*.cmd", "mergetool.*.path", "difftool.*.cmd", "difftool.*.path", "credential.helper", "credential.*.helper",
	"gpg.program", "gpg.*.program", "gpg.ssh.defaultkeycommand", "sequence.editor", "pager.*", "uploadpack.packobjectshook", "interactive.difffilter",
	"remote.*.uploadpack", "remote.*.receivepack", "remote.*.vcs", "protocol.ext.allow", "protocol.allow",
	"init.templatedir", "include.path", "includeif.*.path", "browser.*.cmd", "browser.*.path", "man.*.cmd", "man.*.path", "web.browser", "help.browser",
	"submodule.*.update", "trailer.*.command", "trailer.*.cmd", "sendemail.*", "instaweb.httpd", "receive.procreceiverefs", "hook.*.command",
	"tar.*.command", "guitool.*.cmd", "imap.tunnel", "alias.*",
}

// gitRunsProgram reports whether a setting makes git run something. Values
// that turn a helper off, or name the pager and editor everybody uses for
// that, do not.
func gitRunsProgram(name, value string) bool {
	for _, pattern := range gitProgramKeys {
		if !keyMatches(pattern, name) {
			continue
		}
		switch name {
		case "core.hookspath", "core.worktree", "include.path", "init.templatedir":
			return true
		}
		if strings.HasPrefix(name, "includeif.") {
			return true
		}
		if strings.HasPrefix(name, "submodule.") {
			return strings.HasPrefix(value, "!") || Unknown(value)
		}
		if strings.HasPrefix(name, "protocol.") {
			return value == "always" || value == "user" || Unknown(value)
		}
		if strings.HasPrefix(name, "sendemail.") {
			return strings.HasSuffix(name, "cmd") || strings.HasSuffix(name, "smtpserver") && strings.HasPrefix(value, "/")
		}
		return !gitHarmless(value)
	}
	return false
}

func gitHarmless(value string) bool {
	program, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	switch strings.ToLower(program) {
	case "", "cat", "less", "more", "head", "tail", "true", "false", ":", "no", "yes", "0", "1", "off", "on", "vi", "vim", "nano", "emacs", "code", "delta", "bat", "diff-so-fancy", "ssh", "gpg", "gpg2", "ssh-keygen", "cache", "store", "manager", "manager-core", "osxkeychain", "libsecret", "wincred", "oauth", "/bin/true", "/usr/bin/true", "/bin/cat", "/usr/bin/cat", "/bin/false":
		return true
	}
	return false
}

// keyMatches compares a key to a pattern whose "*" is a subsection, or at the
// end a variable.
func keyMatches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// gitConfigEnvironment is configuration by GIT_CONFIG_COUNT and its kin.
func (in *interp) gitConfigEnvironment(name, value string, st *state, by string) {
	g := &gitCall{in: in, st: st, aliases: map[string]string{}}
	switch {
	case name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM" || name == "GIT_CONFIG":
		if value != "/dev/null" && value != "" && !Unknown(value) {
			in.find(GitProgram, by, name)
		}
	case strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		n := name[strings.LastIndexByte(name, '_')+1:]
		key, hasKey := in.lookup("GIT_CONFIG_KEY_"+n, st)
		v, hasValue := in.lookup("GIT_CONFIG_VALUE_"+n, st)
		if hasKey && hasValue {
			g.setting(key, v, by)
		}
	case name == "GIT_CONFIG_PARAMETERS":
		for _, pair := range strings.Split(value, "' '") {
			pair = strings.ReplaceAll(strings.Trim(pair, "' "), "'='", "=")
			key, v, _ := strings.Cut(pair, "=")
			g.setting(key, v, by)
		}
	}
}

// gitReads are the subcommands that change nothing.
var gitReads = wordSet(`
	status log diff show blame annotate grep ls-files ls-tree ls-remote cat-file rev-parse rev-list describe shortlog whatchanged
	name-rev merge-base for-each-ref show-ref show-branch cherry count-objects fsck help version var check-ignore check-attr check-mailmap
	diff-tree diff-files diff-index range-diff verify-commit verify-tag verify-pack get-tar-commit-id archive patch-id column
	interpret-trailers stripspace difftool request-pull bugreport diagnose format-patch
`)

// run looks at the subcommand.
func (g *gitCall) run() {
	if text, ok := g.aliases[g.sub]; ok && g.depth < 4 {
		g.depth++
		if code, isShell := strings.CutPrefix(text, "!"); isShell {
			g.in.find(GitProgram, "git -c", "alias."+g.sub)
			g.in.code(code+" "+quoteAll(g.words), g.st.fork(), g.io, "git alias")
			return
		}
		expanded := append(strings.Fields(text), g.words...)
		if expanded = g.globals(expanded); len(expanded) > 0 {
			g.sub, g.words = expanded[0], expanded[1:]
			g.run()
		}
		return
	}
	if f, ok := gitSubs[g.sub]; ok {
		f(g)
	}
	g.options()
	if !gitReads.has(g.sub) && g.changes() {
		g.elsewhere()
	}
	g.print()
}

// changes reports whether the subcommand, as it is called, may change the
// repository or the working tree.
func (g *gitCall) changes() bool {
	switch g.sub {
	case "branch", "tag", "remote", "stash", "notes", "worktree", "config", "submodule", "reflog", "bisect", "bundle", "lfs", "sparse-checkout", "symbolic-ref", "maintenance", "replace", "rerere", "hash-object", "apply", "init", "clone", "credential":
		return g.subChanges()
	}
	for _, w := range g.words {
		if w == "--dry-run" || (w == "-n" && (g.sub == "add" || g.sub == "clean" || g.sub == "push" || g.sub == "rm" || g.sub == "mv" || g.sub == "fetch")) {
			return false
		}
	}
	return true
}

func (g *gitCall) subChanges() bool {
	first := ""
	if len(g.words) > 0 {
		first = g.words[0]
	}
	switch g.sub {
	case "branch", "tag":
		names := 0
		for _, w := range g.words {
			switch w {
			case "-l", "--list", "-a", "--all", "-r", "--remotes", "-v", "-vv", "--show-current", "--merged", "--no-merged", "--contains", "--points-at", "--sort", "--format":
				return false
			}
			if !strings.HasPrefix(w, "--sort") && !strings.HasPrefix(w, "--format") {
				names++
			}
		}
		return names > 0
	case "remote":
		return first != "" && first != "-v" && first != "show" && first != "get-url"
	case "stash", "worktree", "notes", "reflog", "bundle", "sparse-checkout", "bisect", "submodule", "lfs":
		switch first {
		case "list", "show", "verify", "list-heads", "status", "summary", "log", "view", "ls-files", "env", "exists":
			return false
		}
		return first != "" || g.sub == "stash"
	case "symbolic-ref":
		return len(operandsOf(g.words)) > 1
	case "hash-object":
		return contains(g.words, "-w")
	case "config", "init", "clone":
		return false // judged by what they write
	case "apply":
		return !contains(g.words, "--check") && !contains(g.words, "--stat")
	}
	return true
}

// elsewhere judges where a changing subcommand works: by --git-dir, by
// --work-tree, or by the directory it runs in.
func (g *gitCall) elsewhere() {
	if g.gitDir != "" {
		g.in.effect(Write, g.gitDir, "git "+g.sub+" (git directory)", g.st)
	}
	if g.work != "" {
		g.in.effect(Write, g.work, "git "+g.sub+" (work tree)", g.st)
	}
	if g.gitDir == "" || g.moved {
		g.in.effect(Write, ".", "git "+g.sub, g.st)
	}
}

// gitProgramOptions run a program in most subcommands that have them.
var gitProgramOptions = []struct {
	name string
	subs string
}{
	{"--upload-pack", "clone fetch pull ls-remote fetch-pack submodule"}, {"-u", "clone"},
	{"--receive-pack", "push send-pack"}, {"--exec", "push archive send-pack"},
	{"--open-files-in-pager", "grep"}, {"-O", "grep"},
	{"--extcmd", "difftool"}, {"-x", "difftool"},
	{"--exec", "rebase"}, {"-x", "rebase"},
	{"--smtp-server", "send-email"}, {"--to-cmd", "send-email"}, {"--cc-cmd", "send-email"}, {"--sendmail-cmd", "send-email"}, {"--header-cmd", "send-email"},
	{"--tree-filter", "filter-branch"}, {"--index-filter", "filter-branch"}, {"--msg-filter", "filter-branch"}, {"--env-filter", "filter-branch"}, {"--commit-filter", "filter-branch"}, {"--parent-filter", "filter-branch"}, {"--tag-name-filter", "filter-branch"}, {"--setup", "filter-branch"},
}

// gitOutputs are options whose value is a file or directory that git writes.
var gitOutputs = []struct{ name, subs string }{
	{"--output", "diff log show archive format-patch diff-tree whatchanged shortlog range-diff stash"}, {"-o", "archive format-patch bugreport diagnose"},
	{"--output-directory", "format-patch bugreport diagnose"}, {"--prefix", "checkout-index"}, {"--separate-git-dir", "init clone"},
	{"--export-marks", "fast-export fast-import"}, {"--export-pack-edges", "fast-import"}, {"--index-output", "read-tree"},
	{"-o", "mailsplit"}, {"--pid-file", "daemon"},
	{"-d", "filter-branch"}, {"-o", "index-pack"},
}

// options judges those options of the subcommand that run or write. Git takes
// an unambiguous beginning of a long option's name.
func (g *gitCall) options() {
	for i := 0; i < len(g.words); i++ {
		w := g.words[i]
		if w == "--" {
			return
		}
		if strings.HasPrefix(w, "ext::") {
			g.in.find(GitProgram, "git "+g.sub, "ext::")
			g.in.code(strings.ReplaceAll(strings.TrimPrefix(w, "ext::"), "%S", ""), g.st.fork(), g.io, "git ext::")
		}
		if !strings.HasPrefix(w, "-") || len(w) < 2 {
			continue
		}
		name, value, inline := strings.Cut(w, "=")
		if !inline && i+1 < len(g.words) {
			value = g.words[i+1]
		}
		for _, o := range gitProgramOptions {
			if v, ok := g.matches(o.name, o.subs, w, name, value, inline); ok {
				g.program(o.name, v)
			}
		}
		for _, o := range gitOutputs {
			if v, ok := g.matches(o.name, o.subs, w, name, value, inline); ok && v != "-" {
				g.in.effect(Write, v, "git "+g.sub+" "+o.name, g.st)
			}
		}
	}
}

func (g *gitCall) matches(option, subs, word, name, value string, inline bool) (string, bool) {
	if !strings.Contains(" "+subs+" ", " "+g.sub+" ") {
		return "", false
	}
	if !strings.HasPrefix(option, "--") {
		if rest, ok := strings.CutPrefix(word, option); ok && rest != "" {
			return rest, true
		}
		return value, word == option
	}
	ok := name == option || len(name) >= 5 && strings.HasPrefix(option, name)
	return value, ok
}

func (g *gitCall) program(option, value string) {
	switch g.sub {
	case "rebase", "filter-branch":
		g.in.code(value, g.st.fork(), g.io, "git "+g.sub+" "+option)
	default:
		g.in.find(GitProgram, "git "+g.sub, option)
		g.in.code(value, g.st.fork(), g.io, "git "+g.sub+" "+option)
	}
}

// operandsOf drops options, not knowing which of them take a value.
func operandsOf(words []string) []string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w, "-") || w == "-" {
			out = append(out, w)
		}
	}
	return out
}
