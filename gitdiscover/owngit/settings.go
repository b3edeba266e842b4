package owngit

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"lane/gitdiscover"
)

// Setting is one line of the private directory's configuration.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// carried are the keys whose value is taken over as it is in force for the
// real repository. The list only grows by what is data to git: a key that
// names a program, a file to read or another place is never in it.
var carried = map[string]string{
	"user.name":                   "who commits",
	"user.email":                  "who commits",
	"user.useconfigonly":          "whether git may guess who commits",
	"author.name":                 "who commits",
	"author.email":                "who commits",
	"committer.name":              "who commits",
	"committer.email":             "who commits",
	"core.autocrlf":               "line ends of files",
	"core.eol":                    "line ends of files",
	"core.safecrlf":               "line ends of files",
	"core.filemode":               "whether the executable bit counts",
	"core.symlinks":               "whether links are links",
	"core.ignorecase":             "which names are the same",
	"core.precomposeunicode":      "which names are the same",
	"core.protecthfs":             "which names are refused",
	"core.protectntfs":            "which names are refused",
	"core.quotepath":              "how names are shown",
	"core.abbrev":                 "how long short hashes are",
	"core.checkstat":              "what makes a file look changed",
	"core.trustctime":             "what makes a file look changed",
	"core.longpaths":              "names beyond Windows' limit",
	"core.bigfilethreshold":       "from which size a file is kept whole",
	"core.sparsecheckout":         "which files are present",
	"core.sparsecheckoutcone":     "which files are present",
	"core.commentchar":            "what starts a comment in a commit message",
	"core.whitespace":             "what git calls a whitespace error",
	"core.checkroundtripencoding": "encodings of files",
	"i18n.commitencoding":         "the encoding of commit messages",
}

// forced are set whatever the user's configuration says. Most would be off by
// default; they are written out because /etc/gitconfig is read in the lane too.
var forced = []struct{ key, value, why string }{
	{"core.repositoryformatversion", "0", "no extension is used: the worktree's own configuration is merged in"},
	{"core.bare", "true", "no worktree belongs to the private directory itself, so no branch in it counts as checked out"},
	{"core.fsmonitor", "false", "it names a program, and the index would hold what the program said"},
	{"core.splitindex", "false", "the index must be one file to be handed back"},
	{"index.sparse", "false", "the index must hold files to be handed back"},
	{"core.logallrefupdates", "true", "git stash and @{1} need reflogs"},
	{"gc.auto", "0", "the directory lives as long as the run; repacking it costs time and saves nothing"},
	{"maintenance.auto", "false", "as gc.auto"},
	{"commit.gpgsign", "false", "keys are not reachable in the lane"},
	{"tag.gpgsign", "false", "keys are not reachable in the lane"},
}

// subsectionKeys are the keys of a section with a subsection that are kept as
// data: where a branch comes from, what a remote is called.
var subsectionKeys = map[string]map[string]func(string) (string, bool){
	"remote":    {"url": cleanURL, "pushurl": cleanURL, "fetch": plain, "tagopt": plain},
	"branch":    {"remote": cleanURL, "pushremote": cleanURL, "merge": plain, "rebase": plain},
	"submodule": {"url": cleanURL, "active": plain},
}

// multiple are the keys that may be given more than once.
var multiple = []string{"url", "pushurl", "fetch", "merge"}

// settings filters the entries in force through the lists above.
func settings(entries []gitdiscover.ConfigEntry) []Setting {
	single := map[string]string{}
	var sub []Setting
	at := map[string]int{}
	for _, e := range entries {
		value := e.Value
		if !e.HasValue {
			value = "true"
		}
		if _, ok := carried[e.Key]; ok {
			single[e.Key] = value
			continue
		}
		section, name, clean := subsectionKey(e.Key)
		if clean == nil {
			continue
		}
		value, ok := clean(value)
		if !ok {
			continue
		}
		s := Setting{e.Key, value}
		if slices.Contains(multiple, name) && section != "submodule" {
			if !slices.Contains(sub, s) {
				sub = append(sub, s)
			}
			continue
		}
		if i, seen := at[e.Key]; seen {
			sub[i] = s
			continue
		}
		at[e.Key] = len(sub)
		sub = append(sub, s)
	}
	var list []Setting
	for _, key := range slices.Sorted(maps.Keys(single)) {
		list = append(list, Setting{key, single[key]})
	}
	return append(list, sub...)
}

// subsectionKey returns the section, the name and the filter of a key of
// subsectionKeys; no filter for any other key.
func subsectionKey(key string) (section, name string, clean func(string) (string, bool)) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last || strings.Contains(key, "\n") {
		return "", "", nil
	}
	section, name = key[:first], key[last+1:]
	return section, name, subsectionKeys[section][name]
}

func plain(v string) (string, bool) { return v, v != "" }

// cleanURL takes a URL's login out of it: a token in an address is the most
// common secret in a .git/config. A remote helper's address ("ext::sh -c ...")
// is a command and is left out.
func cleanURL(v string) (string, bool) {
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok {
		return v, v != "" && !strings.Contains(v, "::")
	}
	if strings.Contains(scheme, "::") {
		return "", false
	}
	u, err := url.Parse(v)
	if err != nil {
		// Not for Go to understand: drop all that could be a login.
		authority, path, _ := strings.Cut(rest, "/")
		return scheme + "://" + authority[strings.LastIndexByte(authority, '@')+1:] + "/" + path, true
	}
	if name := u.User.Username(); strings.HasPrefix(scheme, "ssh") || strings.HasSuffix(scheme, "ssh") {
		if u.User = nil; name != "" {
			u.User = url.User(name) // who one is there is part of the address, and no secret
		}
	} else {
		u.User = nil
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	return u.String(), true
}

// isTrue reads a boolean as git does, for keys where only a yes matters.
func isTrue(e gitdiscover.ConfigEntry) bool {
	switch strings.ToLower(e.Value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return !e.HasValue || strings.Trim(e.Value, "0123456789") == "" && e.Value != ""
}

// last returns the entry in force for a key.
func last(entries []gitdiscover.ConfigEntry, key string) (gitdiscover.ConfigEntry, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Key == key {
			return entries[i], true
		}
	}
	return gitdiscover.ConfigEntry{}, false
}

func isOn(entries []gitdiscover.ConfigEntry, key string) bool {
	e, ok := last(entries, key)
	return ok && isTrue(e)
}

// pathValue is a configured path in the user's terms, resolved against base.
func (p Places) pathValue(entries []gitdiscover.ConfigEntry, key, base string) string {
	e, ok := last(entries, key)
	if !ok || e.Value == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(e.Value, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(e.Value) {
		return filepath.Join(base, e.Value)
	}
	return filepath.Clean(e.Value)
}

// configText writes settings as a git configuration file. Every value is
// quoted, so that none ends early or continues on the next line.
func configText(list []Setting) []byte {
	var b strings.Builder
	open := ""
	for _, s := range list {
		first, last := strings.IndexByte(s.Key, '.'), strings.LastIndexByte(s.Key, '.')
		head := "[" + s.Key[:first] + "]"
		if first != last {
			head = "[" + s.Key[:first] + ` "` + escapeConfig.Replace(s.Key[first+1:last]) + `"]`
		}
		if head != open {
			b.WriteString(head + "\n")
			open = head
		}
		b.WriteString("\t" + s.Key[last+1:] + ` = "` + escapeValue.Replace(s.Value) + "\"\n")
	}
	return []byte(b.String())
}

var (
	escapeConfig = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	escapeValue  = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
)
