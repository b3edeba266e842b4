package seal

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lane/gitdiscover"
)

// configFile is one configuration file as it was seen.
type configFile struct {
	path   string
	mark   mark
	values map[string][]string // by key, in file order
	fault  string              // why there are no values, "" when there are
}

// noValue stands for a name alone, which no value of a file can be: the
// parser refuses NUL.
const noValue = "\x00"

func readConfig(d *folder, name string) configFile {
	c := configFile{path: filepath.Join(d.path, name), values: map[string][]string{}}
	var data []byte
	c.mark, data = d.read(name, maxHashed)
	switch {
	case c.mark.form == absent:
		return c
	case !c.mark.hashed:
		c.fault = c.mark.String()
		return c
	}
	entries, err := gitdiscover.ParseConfig(data)
	if err != nil {
		c.fault = err.Error()
		return c
	}
	for _, e := range entries {
		v := e.Value
		if !e.HasValue {
			v = noValue
		}
		c.values[e.Key] = append(c.values[e.Key], v)
	}
	return c
}

// diffConfig compares two states of a file key by key.
func diffConfig(before, after configFile) []Change {
	if after.fault != "" {
		if after.fault == before.fault && after.mark.sameThing(before.mark) {
			return nil
		}
		return []Change{{Path: Name(after.path), Kind: ConfigBroken, Before: before.mark.String(), After: shown(after.fault)}}
	}
	var l []Change
	keys := maps.Clone(before.values)
	maps.Copy(keys, after.values)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, now := before.values[key], after.values[key]
		if slices.Equal(was, now) {
			continue
		}
		c := Change{Path: Name(after.path), Name: Name(key), Before: showValues(key, was), After: showValues(key, now)}
		c.Kind, c.Why = judgeKey(key, was, now)
		l = append(l, c)
	}
	return l
}

// judgeKey decides what a change of one key's values is.
func judgeKey(key string, was, now []string) (Kind, string) {
	row, ok := rowFor(key)
	if !ok {
		return Config, ""
	}
	if row.Kind == ConfigRedirect && row.Only == nil {
		return row.Kind, row.Why
	}
	// Where values are left out or change places, those that count are
	// compared as they stand: the last one wins for most keys.
	harm := func(l []string) (h []string) {
		for _, v := range l {
			if v != noValue && (row.Only == nil || row.Only(v)) {
				h = append(h, v)
			}
		}
		return h
	}
	old, left := harm(was), harm(now)
	if len(left) == 0 || isTail(left, old) {
		return Config, ""
	}
	return row.Kind, row.Why
}

// RunsProgram says that a key of git's config, as [gitdiscover.ParseConfig]
// gives it, makes git run what its value names.
func RunsProgram(key string) bool {
	row, ok := rowFor(key)
	return ok && row.Kind == ConfigProgram
}

// isTail says that now is what is left of was when values are taken out from
// the front, so that the one that counts is still the same.
func isTail(now, was []string) bool {
	return len(now) <= len(was) && slices.Equal(now, was[len(was)-len(now):])
}

var (
	userInfo   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/@\s]*@`) })
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(smtp|proxy)?pass$|(password|passphrase|token|secret|apikey|extraheader|cookie)$`)
	})
)

// showValues prints a key's values without what may be a password.
func showValues(key string, values []string) string {
	if len(values) == 0 {
		return Absent
	}
	if _, _, name := splitKey(key); secretName().MatchString(name) {
		return "(not shown)"
	}
	var l []string
	for _, v := range values {
		if v == noValue {
			l = append(l, "(no value)")
			continue
		}
		l = append(l, shown(userInfo().ReplaceAllString(v, "://…@")))
	}
	return strings.Join(l, ", ")
}

// includes are the include keys with their values, for people.
func (c configFile) includes() []string {
	var l []string
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if isInclude(key) {
			l = append(l, shown(key)+" = "+showValues(key, c.values[key]))
		}
	}
	return l
}

func isInclude(key string) bool {
	return keyFits("include.path", key) || keyFits("includeif.<>.path", key)
}

// inWorktree are the places in the worktree that the config makes part of
// what steers git: included files, and directories of hooks.
func (c configFile) inWorktree(repo gitdiscover.Repo, home string) (includes, hooks []string) {
	for key, values := range c.values {
		base := ""
		switch {
		case isInclude(key):
			base = filepath.Dir(c.path) // relative to the file that includes
		case key == "core.hookspath":
			base = repo.Worktree // relative to where hooks run
		default:
			continue
		}
		for _, v := range values {
			rel, ok := below(repo.Worktree, expand(v, base, home))
			switch {
			case !ok || v == noValue || v == "":
			case key == "core.hookspath":
				hooks = append(hooks, rel)
			default:
				includes = append(includes, rel)
			}
		}
	}
	slices.Sort(includes)
	slices.Sort(hooks)
	return slices.Compact(includes), slices.Compact(hooks)
}

func expand(value, base, home string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return filepath.Join(base, value)
}

// below cuts dir off a clean path beneath it.
func below(dir, p string) (string, bool) {
	rel, err := filepath.Rel(dir, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return rel, true
}
