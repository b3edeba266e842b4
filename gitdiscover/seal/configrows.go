package seal

import (
	"regexp"
	"strings"
	"sync"
)

// configRow is a key, or a pattern of keys, that may not change during a run.
type configRow struct {
	// Key is section.name or section.<>.name, <> being any subsection; name
	// may start or end with * for anything.
	Key  string
	Kind Kind
	// Only, if set, limits the row to values that do harm; the others are
	// reported.
	Only func(value string) bool
	Why  string
}

// A program row trips when a value appears: to take a program out of the
// config runs nothing. A redirect row trips when anything differs, since to
// take a redirect out leads elsewhere too.

// configRows follow what facts are known of git up to 2.55 and git-lfs. The
// first row that fits decides. Keys in no row are reported: they are the
// user's to change while lanes run.
var configRows = []configRow{
	// Programs that run on commands which only read.
	{"core.fsmonitor", ConfigProgram, notBoolean, "runs on status, diff and whatever else looks at the work tree"},
	{"diff.external", ConfigProgram, nil, "runs on diff, log -p and show"},
	{"diff.<>.command", ConfigProgram, nil, "runs on diff for paths that .gitattributes names"},
	{"diff.<>.textconv", ConfigProgram, nil, "runs on diff, log -p, show and blame for paths that .gitattributes names"},
	{"filter.<>.clean", ConfigProgram, nil, "runs on status and add for paths that .gitattributes names"},
	{"filter.<>.smudge", ConfigProgram, nil, "runs on checkout for paths that .gitattributes names"},
	{"filter.<>.process", ConfigProgram, nil, "runs on status, add and checkout for paths that .gitattributes names"},
	{"core.pager", ConfigProgram, nil, "runs on everything that is paged"},
	{"pager.*", ConfigProgram, notBoolean, "runs on everything that is paged"},
	{"interactive.difffilter", ConfigProgram, nil, "runs on add -p"},
	{"alias.*", ConfigProgram, nil, "a new command, which may be a shell line"},
	{"alias.<>.command", ConfigProgram, nil, "a new command, which may be a shell line"},
	{"core.alternaterefscommand", ConfigProgram, nil, "runs on fetch in a repository that borrows objects"},
	{"gpg.program", ConfigProgram, nil, "runs where signatures are shown or made"},
	{"gpg.<>.program", ConfigProgram, nil, "runs where signatures are shown or made"},
	{"gpg.ssh.defaultkeycommand", ConfigProgram, nil, "runs where signatures are made"},

	// Programs that run on other commands.
	{"hook.*", ConfigProgram, nil, "a hook from config alone, since git 2.54"},
	{"hook.<>.*", ConfigProgram, nil, "a hook from config alone, since git 2.54"},
	{"core.sshcommand", ConfigProgram, nil, "runs on fetch and push"},
	{"core.gitproxy", ConfigProgram, nil, "runs on fetch and push"},
	{"core.askpass", ConfigProgram, nil, "runs when a password is asked for, and is given it"},
	{"credential.helper", ConfigProgram, notEmpty, "runs when a password is asked for, and is given it"},
	{"credential.<>.helper", ConfigProgram, notEmpty, "runs when a password is asked for, and is given it"},
	{"core.editor", ConfigProgram, nil, "runs on commit, rebase and others"},
	{"sequence.editor", ConfigProgram, nil, "runs on rebase -i"},
	{"merge.<>.driver", ConfigProgram, nil, "runs on merge for paths that .gitattributes names"},
	{"mergetool.<>.cmd", ConfigProgram, nil, "runs on mergetool"},
	{"mergetool.<>.path", ConfigProgram, nil, "runs on mergetool"},
	{"difftool.<>.cmd", ConfigProgram, nil, "runs on difftool"},
	{"difftool.<>.path", ConfigProgram, nil, "runs on difftool"},
	{"guitool.<>.cmd", ConfigProgram, nil, "runs from git gui"},
	{"browser.<>.cmd", ConfigProgram, nil, "runs on help and web--browse"},
	{"browser.<>.path", ConfigProgram, nil, "runs on help and web--browse"},
	{"web.browser", ConfigProgram, nil, "runs on help and web--browse"},
	{"help.browser", ConfigProgram, nil, "runs on help and web--browse"},
	{"man.<>.cmd", ConfigProgram, nil, "runs on help"},
	{"man.<>.path", ConfigProgram, nil, "runs on help"},
	{"man.viewer", ConfigProgram, nil, "chooses what runs on help"},
	{"instaweb.*", ConfigProgram, nil, "names the programs of git instaweb"},
	{"submodule.<>.update", ConfigProgram, isShell, "a value that starts with ! runs on submodule update"},
	{"uploadpack.packobjectshook", ConfigProgram, nil, "runs when somebody fetches from here"},
	{"gc.recentobjectshook", ConfigProgram, nil, "runs on gc"},
	{"trailer.<>.cmd", ConfigProgram, nil, "runs on commit --trailer and interpret-trailers"},
	{"trailer.<>.command", ConfigProgram, nil, "runs on commit --trailer and interpret-trailers"},
	{"sendemail.*cmd", ConfigProgram, nil, "runs on send-email"},
	{"sendemail.<>.*cmd", ConfigProgram, nil, "runs on send-email"},
	{"sendemail.smtpserver", ConfigProgram, nil, "a path here is a program that runs on send-email"},
	{"sendemail.<>.smtpserver", ConfigProgram, nil, "a path here is a program that runs on send-email"},
	{"imap.tunnel", ConfigProgram, nil, "runs on imap-send"},
	{"tar.<>.command", ConfigProgram, nil, "runs on archive"},
	{"remote.<>.vcs", ConfigProgram, nil, "chooses the program that fetches and pushes"},
	{"remote.<>.uploadpack", ConfigProgram, nil, "runs on fetch, on the other side, which may be this host"},
	{"remote.<>.receivepack", ConfigProgram, nil, "runs on push, on the other side, which may be this host"},
	{"remote.<>.partialclonefilter", ConfigProgram, nil, "lets commands that only read fetch what is missing, with ssh or a transport program"},
	{"remote.<>.promisor", ConfigProgram, nil, "lets commands that only read fetch what is missing, with ssh or a transport program"},
	{"lfs.<>.path", ConfigProgram, nil, "a transfer program of git-lfs"},
	{"lfs.<>.clean", ConfigProgram, nil, "an extension of git-lfs that runs on add"},
	{"lfs.<>.smudge", ConfigProgram, nil, "an extension of git-lfs that runs on checkout"},
	{"lfs.standalonetransferagent", ConfigProgram, nil, "chooses a transfer program of git-lfs"},
	{"lfs.<>.standalonetransferagent", ConfigProgram, nil, "chooses a transfer program of git-lfs"},

	// Urls are the user's to change, unless they start a program.
	{"remote.<>.url", ConfigProgram, startsTransport, "a url that starts a transport program"},
	{"remote.<>.pushurl", ConfigProgram, startsTransport, "a url that starts a transport program"},
	{"remote.pushdefault", ConfigProgram, startsTransport, "a url that starts a transport program"},
	{"branch.<>.remote", ConfigProgram, startsTransport, "a url that starts a transport program"},
	{"branch.<>.pushremote", ConfigProgram, startsTransport, "a url that starts a transport program"},
	{"submodule.<>.url", ConfigProgram, startsTransport, "a url that starts a transport program"},

	// Redirects.
	{"core.worktree", ConfigRedirect, nil, "moves the work tree"},
	{"core.bare", ConfigRedirect, nil, "takes the work tree away; breaks linked worktrees"},
	{"core.repositoryformatversion", ConfigRedirect, nil, "decides how the rest of the config is read"},
	{"extensions.*", ConfigRedirect, nil, "decides where refs, objects and config of worktrees are"},
	{"include.path", ConfigRedirect, nil, "reads further config from elsewhere"},
	{"includeif.<>.path", ConfigRedirect, nil, "reads further config from elsewhere"},
	{"core.hookspath", ConfigRedirect, nil, "takes the hooks from elsewhere"},
	{"core.attributesfile", ConfigRedirect, nil, "takes attributes, and so filters, from elsewhere"},
	{"core.excludesfile", ConfigRedirect, nil, "takes ignore rules from elsewhere, which hide files"},
	{"init.templatedir", ConfigRedirect, nil, "gives new repositories their hooks"},
	{"url.<>.insteadof", ConfigRedirect, nil, "sends fetches and pushes elsewhere"},
	{"url.<>.pushinsteadof", ConfigRedirect, nil, "sends pushes elsewhere"},
	{"remote.<>.proxy", ConfigRedirect, nil, "sends fetches and pushes through another host"},
	{"http.proxy", ConfigRedirect, nil, "sends fetches and pushes through another host"},
	{"http.<>.proxy", ConfigRedirect, nil, "sends fetches and pushes through another host"},
	{"http.curloptresolve", ConfigRedirect, nil, "gives a host another address"},
	{"http.<>.curloptresolve", ConfigRedirect, nil, "gives a host another address"},
	{"submodule.alternatelocation", ConfigRedirect, nil, "lets submodules borrow objects from elsewhere"},
	{"fetch.bundleuri", ConfigRedirect, nil, "takes objects from elsewhere"},
	{"trace2.*target", ConfigRedirect, nil, "writes to any file"},

	// Checks taken away.
	{"protocol.allow", ConfigRedirect, nil, "allows transports that run programs"},
	{"protocol.<>.allow", ConfigRedirect, nil, "allows transports that run programs"},
	{"http.sslverify", ConfigRedirect, nil, "lets any host be the one that is meant"},
	{"http.<>.sslverify", ConfigRedirect, nil, "lets any host be the one that is meant"},
	{"http.sslca*", ConfigRedirect, nil, "lets other hosts be the one that is meant"},
	{"http.<>.sslca*", ConfigRedirect, nil, "lets other hosts be the one that is meant"},
	{"http.proxysslcainfo", ConfigRedirect, nil, "lets other proxies be the one that is meant"},
	{"core.protecthfs", ConfigRedirect, nil, "lets a checkout write names that are .git to some file systems"},
	{"core.protectntfs", ConfigRedirect, nil, "lets a checkout write names that are .git to some file systems"},
	{"core.sharedrepository", ConfigRedirect, nil, "lets other users write what steers git"},
	{"gpg.ssh.allowedsignersfile", ConfigRedirect, nil, "decides whose signatures are good"},
	{"safe.*", ConfigRedirect, nil, "decides which repositories git trusts"},
}

// rowFor returns the first row that fits a key of a parsed config.
func rowFor(key string) (configRow, bool) {
	for _, r := range configRows {
		if keyFits(r.Key, key) {
			return r, true
		}
	}
	return configRow{}, false
}

func keyFits(pattern, key string) bool {
	ps, psub, pn := splitKey(pattern)
	ks, ksub, kn := splitKey(key)
	if ps != ks || (psub == nil) != (ksub == nil) || psub != nil && *psub != "<>" && *psub != *ksub {
		return false
	}
	if rest, ok := strings.CutPrefix(pn, "*"); ok {
		return strings.HasSuffix(kn, rest)
	}
	if rest, ok := strings.CutSuffix(pn, "*"); ok {
		return strings.HasPrefix(kn, rest)
	}
	return pn == kn
}

// splitKey takes a key apart; a subsection may hold dots itself.
func splitKey(key string) (section string, sub *string, name string) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return "", nil, key
	}
	if first != last {
		s := key[first+1 : last]
		sub = &s
	}
	return key[:first], sub, key[last+1:]
}

func notEmpty(v string) bool { return v != "" }
func isShell(v string) bool  { return strings.HasPrefix(strings.TrimLeft(v, " \t"), "!") }

// notBoolean is for keys where a boolean switches something of git's own on or
// off and any other value is a program.
func notBoolean(v string) bool {
	switch strings.ToLower(v) {
	case "", "true", "false", "yes", "no", "on", "off", "0", "1":
		return false
	}
	return true
}

var (
	helperURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+.-]*::`) })
	schemeURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z0-9+.-]+)://(.*)$`) })
)

// ownSchemes are those for which git itself starts nothing but ssh.
var ownSchemes = map[string]bool{"http": true, "https": true, "ssh": true, "git": true, "file": true, "ftp": true, "ftps": true, "git+ssh": true, "ssh+git": true}

// startsTransport says that a url makes git run a program of the url's
// choosing: ext::COMMAND, any other helper::address, a scheme that git does
// not have (it runs git-remote-SCHEME), or an option in the place of a host.
func startsTransport(v string) bool {
	if helperURL().MatchString(v) || strings.HasPrefix(v, "-") {
		return true
	}
	m := schemeURL().FindStringSubmatch(v)
	return m != nil && (!ownSchemes[strings.ToLower(m[1])] || strings.HasPrefix(m[2], "-"))
}
