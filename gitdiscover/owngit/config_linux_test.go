package owngit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"lane/gitdiscover"
)

// The identity is what git itself answers in the worktree, however the user's
// configuration comes by it.
func TestIdentityIsWhatGitSays(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(s *stage)
	}{
		{"global", func(s *stage) {}},
		{"repository wins", func(s *stage) { s.git(s.main, "config", "user.email", "repo@example.invalid") }},
		{"worktree config wins", func(s *stage) {
			s.git(s.main, "config", "extensions.worktreeConfig", "true")
			s.git(s.wt, "config", "--worktree", "user.email", "wt@example.invalid")
		}},
		{"worktree config without the extension is not read", func(s *stage) { s.write(s.main+"/.git/worktrees/wt/config.worktree", "[user]\n\temail = no\n") }},
		{"XDG", func(s *stage) {
			s.must(os.Remove(s.home + "/.gitconfig"))
			s.write(s.home+"/.config/git/config", "[user]\n\tname = X\n\temail = xdg@example.invalid\n")
		}},
		{"home wins over XDG", func(s *stage) { s.write(s.home+"/.config/git/config", "[user]\n\temail = xdg@example.invalid\n") }},
		{"include", func(s *stage) { s.include("[include]\n\tpath = work\n") }},
		{"include by home", func(s *stage) { s.include("[include]\n\tpath = ~/work\n") }},
		{"include and a later value", func(s *stage) { s.include("[include]\n\tpath = work\n[user]\n\temail = later@example.invalid\n") }},
		{"includeIf gitdir of the main repository", func(s *stage) { s.include("[includeIf \"gitdir:" + s.main + "/\"]\n\tpath = work\n") }},
		{"includeIf gitdir by name", func(s *stage) { s.include("[includeIf \"gitdir:main/\"]\n\tpath = work\n") }},
		{"includeIf gitdir of elsewhere", func(s *stage) { s.include("[includeIf \"gitdir:" + s.root + "/other/\"]\n\tpath = work\n") }},
		{"includeIf gitdir with stars", func(s *stage) { s.include("[includeIf \"gitdir:**/worktrees/w?\"]\n\tpath = work\n") }},
		{"includeIf gitdir exact, not below", func(s *stage) { s.include("[includeIf \"gitdir:" + s.main + "/.git\"]\n\tpath = work\n") }},
		{"includeIf gitdir/i", func(s *stage) {
			s.include("[includeIf \"gitdir/i:" + strings.ToUpper(s.main) + "/\"]\n\tpath = work\n")
		}},
		{"includeIf gitdir with a class", func(s *stage) { s.include("[includeIf \"gitdir:**/worktrees/[v-x][[:alpha:]]\"]\n\tpath = work\n") }},
		{"includeIf relative", func(s *stage) {
			s.write(s.main+"/.git/work", "[user]\n\temail = work@example.invalid\n")
			s.append(s.main+"/.git/config", "[includeIf \"gitdir:./\"]\n\tpath = work\n")
		}},
		{"includeIf onbranch", func(s *stage) { s.include("[includeIf \"onbranch:top*\"]\n\tpath = work\n") }},
		{"includeIf onbranch of another", func(s *stage) { s.include("[includeIf \"onbranch:main\"]\n\tpath = work\n") }},
		{"includeIf hasconfig", func(s *stage) {
			s.git(s.main, "remote", "add", "origin", "https://example.invalid/org/repo")
			s.include("[includeIf \"hasconfig:remote.*.url:https://example.invalid/org/**\"]\n\tpath = work\n")
		}},
		{"includeIf hasconfig of another", func(s *stage) {
			s.git(s.main, "remote", "add", "origin", "https://example.invalid/org/repo")
			s.include("[includeIf \"hasconfig:remote.*.url:https://example.invalid/*\"]\n\tpath = work\n")
		}},
		{"includeIf unknown", func(s *stage) { s.include("[includeIf \"moon:full\"]\n\tpath = work\n") }},
		{"include of a missing file", func(s *stage) { s.include("[include]\n\tpath = missing\n") }},
		{"nested includes", func(s *stage) {
			s.include("[include]\n\tpath = sub/one\n")
			s.write(s.home+"/sub/one", "[include]\n\tpath = ../work\n")
		}},
		{"author and committer differ", func(s *stage) {
			s.append(s.home+"/.gitconfig", "[author]\n\temail = a@example.invalid\n[committer]\n\tname = C\n")
		}},
		{"a name with every trick of quoting", func(s *stage) {
			s.git(s.main, "config", "user.name", "  \"Q\\uote\" ;#\tName  ")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c.prepare(s)
			want := s.git(s.wt, "var", "GIT_AUTHOR_IDENT") + "\n" + s.git(s.wt, "var", "GIT_COMMITTER_IDENT")
			s.plan()
			got := s.lane(`git var GIT_AUTHOR_IDENT; git var GIT_COMMITTER_IDENT`)
			equal(t, "identity", withoutTime(got), withoutTime(want))
		})
	}
}

func withoutTime(idents string) string {
	var b strings.Builder
	for line := range strings.Lines(idents) {
		b.WriteString(line[:strings.LastIndexByte(line, '>')+1] + "\n")
	}
	return b.String()
}

// include makes ~/work, which sets an address, and adds text to ~/.gitconfig.
func (s *stage) include(text string) {
	s.t.Helper()
	s.write(s.home+"/work", "[user]\n\temail = work@example.invalid\n")
	s.append(s.home+"/.gitconfig", text)
}

func (s *stage) append(path, text string) {
	s.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	s.must(err)
	_, err = f.WriteString(text)
	s.must(err)
	s.must(f.Close())
}

// Nothing that runs a program, reads a file or goes elsewhere is carried over,
// and no secret.
func TestSettingsCarryNothingElse(t *testing.T) {
	entries, err := gitdiscover.ParseConfig([]byte(hostileConfig))
	if err != nil {
		t.Fatal(err)
	}
	got := configText(settings(entries))
	want := `[core]
	autocrlf = "input"
[user]
	email = "e"
	name = "n"
[remote "origin"]
	url = "https://host.invalid/x.git"
	fetch = "+refs/heads/*:refs/remotes/origin/*"
	fetch = "+refs/tags/*:refs/tags/*"
[remote "ssh"]
	url = "ssh://git@host.invalid/x.git"
[remote "scp"]
	url = "git@host.invalid:x.git"
	pushurl = "https://host.invalid/push"
[branch "a.b\"c"]
	remote = "origin"
	merge = "refs/heads/a"
[submodule "s"]
	url = "https://host.invalid/s"
	active = "true"
`
	equal(t, "config", string(got), want)
}

const hostileConfig = `
[user]
	name = n
	email = e
	signingKey = SECRET
[core]
	autocrlf = input
	fsmonitor = /bin/evil
	hooksPath = /evil
	sshCommand = evil
	pager = evil
	editor = evil
	askPass = evil
	attributesFile = /evil
	excludesFile = /evil
	worktree = /evil
	gitProxy = evil
	alternateRefsCommand = evil
[alias]
	x = !evil
[filter "lfs"]
	clean = evil
	smudge = evil
	process = evil
[diff]
	external = evil
[diff "d"]
	textconv = evil
	command = evil
[merge "m"]
	driver = evil
[credential]
	helper = evil
[url "evil"]
	insteadOf = https://
[include]
	path = /evil
[http]
	extraHeader = Authorization: SECRET
	proxy = http://user:SECRET@proxy
[gpg]
	program = evil
[hook "h"]
	command = evil
	event = pre-commit
[remote "origin"]
	url = https://user:SECRET@host.invalid/x.git?token=SECRET#SECRET
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = +refs/tags/*:refs/tags/*
	uploadpack = evil
	receivepack = evil
	vcs = evil
	proxy = http://user:SECRET@proxy
[remote "ssh"]
	url = ssh://git:SECRET@host.invalid/x.git
[remote "ext"]
	url = ext::sh -c evil
[remote "scp"]
	url = git@host.invalid:x.git
	pushurl = https://SECRET@host.invalid/push
[branch "a.b\"c"]
	remote = origin
	merge = refs/heads/a
	mergeOptions = --evil
[submodule "s"]
	url = https://SECRET@host.invalid/s
	active = true
	update = !evil
`

// The settings text is read back by git as it was meant.
func TestConfigTextIsReadByGit(t *testing.T) {
	s := emptyStage(t)
	values := []string{"plain", " blanks ", `quo"te`, `back\slash`, "tab\there", "line\nend", "# ; no comment", "", "\b", "ü", "a\\\nb", "trailing\\"}
	for i, v := range values {
		s.write(s.root+"/config", string(configText([]Setting{{`s.sub "\.name`, v}})))
		cmd := exec.Command("git", "config", "-z", "-f", s.root+"/config", "--list")
		cmd.Env = s.gitEnv()
		out, err := cmd.Output()
		if want := "s.sub \"\\.name\n" + v + "\x00"; err != nil || string(out) != want {
			t.Errorf("value %d: git reads %q, want %q (%v)", i, out, want, err)
		}
	}
}
