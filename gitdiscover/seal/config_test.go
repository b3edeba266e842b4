package seal

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lane/gitdiscover"
)

// example is a key that a row's pattern fits.
func example(pattern string) string {
	return strings.NewReplacer("<>", "X.y/z:1", "*", "some").Replace(pattern)
}

// harms and harmless are values for the rows that do not trip for every value.
var harms = map[string][]string{
	"core.fsmonitor": {"/evil", ".git/evil", "2"}, "pager.*": {"less", "/evil"},
	"credential.helper": {"store", "!evil"}, "credential.<>.helper": {"!evil"},
	"submodule.<>.update": {"!evil", " !evil"},
}

var harmless = map[string][]string{
	"core.fsmonitor": {"true", "false", "YES", ""}, "pager.*": {"false", "on"},
	"credential.helper": {""}, "credential.<>.helper": {""},
	"submodule.<>.update": {"merge", "none", ""},
}

var (
	transportURLs = []string{"ext::sh -c evil", "fd::3", "foo::bar", "::x", "foo://host/x", "ssh://-oProxyCommand=evil/x", "-uevil", "s3://bucket"}
	plainURLs     = []string{"https://host.invalid/a.git", "ssh://git@host.invalid/a", "git@host.invalid:a/b.git", "../a", "/srv/a.git", "host:a", "[::1]:a", "FILE:///a", "origin", "", "a/b::c", "C:\\a"}
)

func TestEveryRowTripsForHarm(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range configRows {
		if seen[row.Key] {
			t.Errorf("%s has two rows", row.Key)
		}
		seen[row.Key] = true
		key := example(row.Key)
		if got, ok := rowFor(key); !ok || got.Key != row.Key {
			t.Errorf("%s: the first row that fits %s is %q", row.Key, key, got.Key)
		}
		if row.Why == "" || !tripping[row.Kind] {
			t.Errorf("%s: kind %s, why %q", row.Key, row.Kind, row.Why)
		}
		bad, good := harms[row.Key], harmless[row.Key]
		if strings.HasSuffix(row.Key, "url") || strings.Contains(row.Key, "remote") && strings.Contains(row.Why, "url") || row.Key == "remote.pushdefault" {
			bad, good = transportURLs, plainURLs
		}
		if row.Only == nil {
			bad = []string{"x", "true", ""}
		} else if bad == nil || good == nil {
			t.Errorf("%s: no examples", row.Key)
		}
		for _, v := range bad {
			if k, why := judgeKey(key, nil, []string{v}); k != row.Kind || why != row.Why {
				t.Errorf("%s = %q: %s", key, v, k)
			}
			if k, _ := judgeKey(key, []string{"other"}, []string{"other", v}); k != row.Kind {
				t.Errorf("%s = other, %q: %s", key, v, k)
			}
		}
		for _, v := range good {
			if k, _ := judgeKey(key, nil, []string{v}); tripping[k] {
				t.Errorf("%s = %q: %s", key, v, k)
			}
		}
		gone, _ := judgeKey(key, []string{"!x::y"}, nil)
		if want := row.Kind == ConfigRedirect; tripping[gone] != want {
			t.Errorf("%s is removed: %s", key, gone)
		}
	}
}

func TestValuesThatCount(t *testing.T) {
	for _, c := range []struct {
		was, now []string
		trips    bool
	}{
		{[]string{"a", "b"}, []string{"b"}, false},     // the last one still counts
		{[]string{"a", "b"}, []string{"a"}, true},      // an older one counts now
		{[]string{"a", "b"}, []string{"b", "a"}, true}, // another order
		{[]string{"a"}, []string{"a", "a"}, true},      //
		{[]string{noValue}, []string{"a"}, true},       //
		{[]string{"a"}, []string{noValue}, false},      // an error for git
		{[]string{"a", "b", "c"}, []string{"b", "c"}, false},
	} {
		if k, _ := judgeKey("core.editor", c.was, c.now); tripping[k] != c.trips {
			t.Errorf("%q -> %q: %s", c.was, c.now, k)
		}
	}
}

// Keys that people and their tools change all day.
func TestKeysThatAreReported(t *testing.T) {
	for _, key := range []string{"user.name", "user.email", "user.signingkey", "branch.x.merge", "branch.x.rebase", "branch.a.b.vscode-merge-base", "branch.x.gh-merge-base",
		"remote.origin.fetch", "remote.origin.gh-resolved", "remote.origin.tagopt", "remote.origin.mirror", "pull.rebase", "push.default", "commit.gpgsign", "gpg.format",
		"core.filemode", "core.ignorecase", "core.autocrlf", "core.logallrefupdates", "core.sparsecheckout", "submodule.x.active", "submodule.x.ignore", "maintenance.auto",
		"maintenance.strategy", "gc.auto", "rerere.enabled", "lfs.repositoryformatversion", "lfs.https://host/info/lfs.access", "color.ui", "diff.tool", "merge.tool",
		"merge.conflictstyle", "rebase.autosquash", "log.showsignature", "http.postbuffer", "help.autocorrect", "filter.lfs.required", "diff.x.binary", "gitflow.branch.main",
		"a", "a.b.c.d", "hooks.allowunannotated", "corex.fsmonitor", "core.fsmonitorhookversion", "pagers.x.y", "pager.x.y", "aliasx.y"} {
		if k, _ := judgeKey(key, []string{"x"}, []string{"y"}); k != Config {
			t.Errorf("%s: %s", key, k)
		}
	}
}

// TestRowsAreGitsKeys holds the table against the variables that the installed
// git says it knows: a slip of the pen would protect nothing.
func TestRowsAreGitsKeys(t *testing.T) {
	out, err := exec.Command("git", "help", "-c").Output()
	if err != nil {
		t.Fatal(err)
	}
	sub := regexp.MustCompile(`<[^>]*>`)
	var known []string
	for line := range strings.Lines(string(out)) {
		known = append(known, strings.ToLower(sub.ReplaceAllString(strings.TrimSpace(line), "<>")))
	}
	for i, k := range known {
		if rest, ok := strings.CutSuffix(k, ".<>"); ok { // pager.<cmd>
			known[i] = rest + ".*"
		}
	}
	// In git's sources or manual, or of a later git, but not in its list.
	unlisted := []string{"core.fsmonitor", "filter.<>.process", "alias.*", "alias.<>.command", "hook.*", "hook.<>.*", "gc.recentobjectshook", "trailer.<>.cmd", "trailer.<>.command",
		"sendemail.*cmd", "sendemail.<>.*cmd", "sendemail.<>.smtpserver", "tar.<>.command", "remote.<>.promisor", "remote.pushdefault", "branch.<>.remote", "branch.<>.pushremote",
		"lfs.<>.path", "lfs.<>.clean", "lfs.<>.smudge", "lfs.standalonetransferagent", "lfs.<>.standalonetransferagent", "fetch.bundleuri", "instaweb.*", "extensions.*", "trace2.*target",
		"http.sslca*", "http.<>.sslca*", "safe.*", "remote.<>.vcs", "remote.<>.uploadpack", "remote.<>.receivepack", "submodule.alternatelocation", "init.templatedir"}
	for _, row := range configRows {
		fits := func(k string) bool {
			return k == row.Key || strings.HasSuffix(k, ".<>.*") && strings.HasPrefix(row.Key, strings.TrimSuffix(k, "*"))
		}
		if !slices.ContainsFunc(known, fits) && !slices.Contains(unlisted, row.Key) {
			t.Errorf("git does not know %s", row.Key)
		}
	}
	// The other way round: what is named like a program is in the table.
	program := regexp.MustCompile(`\.(\w*cmd|\w*command|program|\w*editor|\w*pager|textconv|external|clean|smudge|process|driver|helper|\w*hook|askpass|tunnel|httpd|browser|viewer|sshcommand|gitproxy|insteadof|pushinsteadof|hookspath)$`)
	harmless := []string{"color.pager", "column.clean", "notes.rewrite.<>", "gitcvs.dbdriver", "advice.ignoredhook", "advice.waitingforeditor"}
	for _, k := range known {
		if program.MatchString(k) && !slices.Contains(harmless, k) {
			if _, ok := rowFor(strings.ReplaceAll(k, "<>", "x")); !ok {
				t.Errorf("no row for %s", k)
			}
		}
	}
}

func TestKeyFits(t *testing.T) {
	for _, c := range []struct {
		pattern, key string
		fits         bool
	}{
		{"core.editor", "core.editor", true}, {"core.editor", "core.x.editor", false}, {"core.editor", "core.editors", false},
		{"diff.<>.command", "diff.a.command", true}, {"diff.<>.command", "diff.a.b.c.command", true}, {"diff.<>.command", "diff..command", true}, {"diff.<>.command", "diff.command", false},
		{"pager.*", "pager.log", true}, {"pager.*", "pager.a.log", false}, {"sendemail.*cmd", "sendemail.tocmd", true}, {"sendemail.*cmd", "sendemail.cmdx", false},
		{"trace2.*target", "trace2.eventtarget", true}, {"hook.<>.*", "hook.a.b.command", true},
	} {
		if keyFits(c.pattern, c.key) != c.fits {
			t.Errorf("%s, %s: want %v", c.pattern, c.key, c.fits)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	for key, value := range map[string]string{
		"http.https://x/.extraheader": "AUTHORIZATION: basic SECRET", "sendemail.smtppass": "SECRET", "remote.x.url": "https://user:SECRET@host/x", "github.token": "SECRET",
		"http.proxy": "http://SECRET@proxy", "imap.pass": "SECRET", "x.password": "SECRET",
	} {
		if s := showValues(key, []string{value}); strings.Contains(s, "SECRET") {
			t.Errorf("%s shows %s", key, s)
		}
	}
	for _, key := range []string{"core.askpass", "core.sshcommand", "credential.helper", "alias.x"} {
		if s := showValues(key, []string{"evil --flag"}); s != "evil --flag" {
			t.Errorf("%s shows %s", key, s)
		}
	}
	if s := showValues("a.b", []string{"x\x1b[31m\n", noValue, ""}); s != `"x\x1b[31m\n", (no value), ""` {
		t.Errorf("shows %s", s)
	}
}

func TestPlacesInTheWorktree(t *testing.T) {
	repo := gitdiscover.Repo{Worktree: "/home/u/w", CommonDir: "/home/u/m/.git"}
	for _, c := range []struct{ key, value, include, hooks string }{
		{"core.hookspath", ".husky/_", "", ".husky/_"},
		{"core.hookspath", "/home/u/w/tools/hooks/", "", "tools/hooks"},
		{"core.hookspath", "~/w/x", "", "x"},
		{"core.hookspath", "..", "", ""},
		{"core.hookspath", "../ww", "", ""},
		{"core.hookspath", "/dev/null", "", ""},
		{"core.hookspath", ".", "", "."},
		{"include.path", "../../w/.gitconfig", ".gitconfig", ""},
		{"include.path", "../.gitconfig", "", ""},
		{"includeif.gitdir:/x.path", "/home/u/w/c", "c", ""},
		{"include.path", "/home/u/wx", "", ""},
	} {
		f := configFile{path: "/home/u/m/.git/config", values: map[string][]string{c.key: {c.value}}}
		include, hooks := f.inWorktree(repo, "/home/u")
		if strings.Join(include, ",") != c.include || strings.Join(hooks, ",") != c.hooks {
			t.Errorf("%s = %s: include %q, hooks %q", c.key, c.value, include, hooks)
		}
	}
}

// The places that the config makes part of git's steering are sealed too, and
// the seal before decides where they are.
func TestHooksPathAndIncludeInTheWorktree(t *testing.T) {
	s := newScene(t)
	s.git("main", "config", "core.hooksPath", "tools/hooks")
	s.git("main", "config", "include.path", s.path("lane/.gitconfig"))
	s.git("main", "config", "--add", "include.path", "/elsewhere")
	s.write("lane/.gitconfig", "")
	r := s.after(func() {
		s.write("lane/tools/hooks/pre-commit", "evil\n")
		s.write("lane/.gitconfig", "[core]\n\teditor = evil\n")
	})
	want := []string{"hooks-path lane/tools/hooks", "included-config lane/.gitconfig"}
	if got := s.brief(r.Tripped); !slices.Equal(got, want) {
		t.Errorf("tripped %q, want %q", got, want)
	}
	if len(r.NotFollowed) != 1 || !strings.Contains(r.NotFollowed[0], "/elsewhere") || !strings.Contains(r.NotFollowed[0], filepath.Base(s.lane)) {
		t.Errorf("not followed: %q", r.NotFollowed)
	}

	s.git("main", "config", "core.hooksPath", ".")
	r = s.after(func() {
		s.write("lane/other", "work\n")
		s.write("lane/commit-msg", "evil\n")
	})
	if got := s.brief(r.Tripped); !slices.Equal(got, []string{"hooks-path lane/commit-msg"}) {
		t.Errorf("tripped %q", got)
	}
}
