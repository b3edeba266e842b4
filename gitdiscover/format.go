package gitdiscover

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// format is what a repository's config says about where things are.
type format struct {
	version        int64 // -1: none given
	bare           bool
	worktree       *string // core.worktree as written
	worktreeConfig bool
	objectFormat   string
	refStorage     string
	unknown        []string // extensions we do not know
	onlyV1         []string // extensions that need version 1
}

func newFormat() *format {
	return &format{version: -1, objectFormat: "sha1", refStorage: "files"}
}

// keyFault says that one entry cannot be used; it becomes a refusal when the
// file's path is known.
type keyFault struct {
	class  Class
	detail string
}

func (e *keyFault) Error() string { return e.detail }

func badValue(e ConfigEntry, want string) error {
	return &keyFault{BadConfig, e.Key + " is not " + want}
}

// applyShared takes one entry of the shared config. Entries count in file
// order, and a bad value is fatal even where a later line would replace it:
// git dies on it while it reads.
func (f *format) applyShared(e ConfigEntry) error {
	if e.Key == "core.repositoryformatversion" {
		v, ok := configInt(e)
		if !ok {
			return badValue(e, "a number")
		}
		f.version = v
		return nil
	}
	if ext, ok := strings.CutPrefix(e.Key, "extensions."); ok {
		return f.applyExtension(ext, e)
	}
	return f.applyWorktree(e)
}

// applyWorktree takes one entry of config.worktree, which git hears on two
// keys only.
func (f *format) applyWorktree(e ConfigEntry) error {
	switch e.Key {
	case "core.bare":
		b, ok := configBool(e)
		if !ok {
			return badValue(e, "a boolean")
		}
		f.bare = b
	case "core.worktree":
		if !e.HasValue {
			return badValue(e, "a path")
		}
		f.worktree = &e.Value
	}
	return nil
}

// applyExtension knows the extensions of git up to 2.55. An older git refuses
// the later ones; to read their names exactly is still right, since the git
// that made the repository understands them.
func (f *format) applyExtension(name string, e ConfigEntry) error {
	isBool := func(set *bool) error {
		b, ok := configBool(e)
		if !ok {
			return badValue(e, "a boolean")
		}
		if set != nil {
			*set = b
		}
		return nil
	}
	switch name {
	case "noop":
		return nil
	case "partialclone":
		if !e.HasValue {
			return badValue(e, "a name")
		}
		return nil
	case "preciousobjects":
		return isBool(nil)
	case "worktreeconfig":
		return isBool(&f.worktreeConfig)
	}
	f.onlyV1 = append(f.onlyV1, name)
	switch name {
	case "noop-v1":
		return nil
	case "objectformat", "compatobjectformat":
		if e.Value != "sha1" && e.Value != "sha256" {
			return &keyFault{UnsupportedFormat, e.Key + " is neither sha1 nor sha256"}
		}
		if name == "objectformat" {
			f.objectFormat = e.Value
		}
		return nil
	case "refstorage":
		// git 2.54 and later take "<format>://<directory>" here, which moves
		// the refs to a place of the config's choosing.
		if e.Value != "files" && e.Value != "reftable" {
			return &keyFault{UnsupportedFormat, e.Key + " is neither files nor reftable"}
		}
		f.refStorage = e.Value
		return nil
	case "relativeworktrees", "submodulepathconfig":
		return isBool(nil)
	}
	f.onlyV1 = f.onlyV1[:len(f.onlyV1)-1]
	f.unknown = append(f.unknown, name)
	return nil
}

// check decides after the last line of the shared config. Without a version
// git forgets all that the file said about the repository.
func (f *format) check() error {
	switch {
	case f.version < 0:
		*f = *newFormat()
	case f.version > 1:
		return &keyFault{UnsupportedFormat, "repository format version " + strconv.FormatInt(f.version, 10)}
	case f.version == 1 && len(f.unknown) > 0:
		return &keyFault{UnsupportedFormat, "unknown extension " + strconv.Quote(f.unknown[0])}
	case f.version == 0 && len(f.onlyV1) > 0:
		return &keyFault{UnsupportedFormat, "extension " + strconv.Quote(f.onlyV1[0]) + " in repository format version 0"}
	}
	return nil
}

// readFormat reads the shared config and, where the repository says so, the
// worktree's own. After it, bare and worktree are what git would act on.
func (f *finder) readFormat(g *gitDir) (*format, error) {
	m := newFormat()
	if err := f.applyConfig(g.common, "config", m.applyShared); err != nil {
		return nil, err
	}
	path := join(g.common.path, "config")
	if err := m.check(); err != nil {
		return nil, configRefusal(path, err)
	}
	f.sharedBare, f.sharedWorktree = m.bare, m.worktree
	switch {
	case m.worktreeConfig:
		if err := f.applyConfig(g.dir, "config.worktree", m.applyWorktree); err != nil {
			return nil, err
		}
	case g.hasCommonFile:
		// The shared config speaks of the main worktree; git does not hear
		// these two keys in a linked one.
		m.bare, m.worktree = false, nil
	}
	return m, nil
}

func (f *finder) applyConfig(d *dir, name string, apply func(ConfigEntry) error) error {
	path := join(d.path, name)
	data, err := f.readFile(d, name, maxConfig, followLinks)
	if errors.Is(err, errMissing) {
		return nil
	}
	if err != nil {
		return readRefusal(err, path, BadConfig)
	}
	entries, err := ParseConfig(data)
	if err != nil {
		return configRefusal(path, err)
	}
	for _, e := range entries {
		if err := apply(e); err != nil {
			return configRefusal(path, err)
		}
	}
	return nil
}

func configRefusal(path string, err error) error {
	var k *keyFault
	if errors.As(err, &k) {
		return refuse(k.class, path, "%s", k.detail)
	}
	return refuse(BadConfig, path, "%v", err)
}

// configBool reads a boolean: true, yes, on or a number that is not zero, in
// any case, or a name alone; false, no, off, 0 or an empty value.
func configBool(e ConfigEntry) (value, ok bool) {
	if !e.HasValue {
		return true, true
	}
	switch strings.ToLower(e.Value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, ok := configInt(e)
	return n != 0, ok
}

// configInt reads a number of 32 bits as C's strtol with base 0 does, with
// git's units k, m and g behind it.
func configInt(e ConfigEntry) (int64, bool) {
	s := strings.TrimLeft(e.Value, " \t\n\v\f\r")
	end := len(s)
	var factor int64 = 1
	if end > 0 {
		switch s[end-1] | 0x20 {
		case 'k':
			factor, end = 1<<10, end-1
		case 'm':
			factor, end = 1<<20, end-1
		case 'g':
			factor, end = 1<<30, end-1
		}
	}
	n, ok := cInt(s[:end])
	if !ok || n > math.MaxInt32/factor || n < -math.MaxInt32/factor {
		return 0, false
	}
	return n * factor, true
}

// cInt accepts what strtol does with base 0: a sign, then 0x, 0 or a decimal
// digit. Go's own base 0 would take 0b, 0o and underscores as well.
func cInt(s string) (int64, bool) {
	sign, digits, base := "", s, 10
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = digits[:1], digits[1:]
	}
	switch {
	case len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x':
		digits, base = digits[2:], 16
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	if digits == "" || digits[0] == '-' || digits[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+digits, base, 64)
	return n, err == nil
}
