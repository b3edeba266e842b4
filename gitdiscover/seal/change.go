package seal

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Absent is Before or After where there was nothing.
const Absent = "absent"

// Change is one difference between two seals. All of it is fit to print.
type Change struct {
	// Path is the absolute path of the file.
	Path Name `json:"path"`
	Kind Kind `json:"kind"`
	// Name is the full name of the ref or the config key that it is about, ""
	// for others.
	Name   Name   `json:"name,omitempty"`
	Before string `json:"before"`
	After  string `json:"after"`
	// Why is the reason of the row of the table that decided, if one did.
	Why string `json:"why,omitempty"`
	// Inspect is a command that shows what is there now and runs nothing of
	// the repository's.
	Inspect string `json:"inspect,omitempty"`
	// Run is the run of lane that the journal says made the change.
	Run string `json:"run,omitempty"`
}

// Report is what [Compare] found.
type Report struct {
	// Tripped is what nobody else may change during a run, at most maxReported.
	Tripped []Change `json:"tripped"`
	// TrippedMore counts those beyond the list.
	TrippedMore int `json:"tripped_more,omitempty"`
	// Reported is what others may change at any time, at most maxReported.
	Reported []Change `json:"reported"`
	// ReportedMore counts those beyond the list.
	ReportedMore int `json:"reported_more,omitempty"`
	// NotFollowed are the include keys of the config with their values: what
	// they name was not compared.
	NotFollowed []string `json:"not_followed,omitempty"`
	// Incomplete says, a clause each, what of other people's could not be
	// compared. What trips is never left out.
	Incomplete []string `json:"incomplete,omitempty"`
	// After is the seal that was compared with, for [ReadLedger].
	After Seal `json:"-"`
}

const maxReported = 1000

// add files a change under what its kind says.
func (r *Report) add(c Change) {
	if c.Inspect == "" {
		c.Inspect = inspect(c)
	}
	switch {
	case tripping[c.Kind] && len(r.Tripped) < maxReported:
		r.Tripped = append(r.Tripped, c)
	case tripping[c.Kind]:
		r.TrippedMore++
	case len(r.Reported) < maxReported:
		r.Reported = append(r.Reported, c)
	default:
		r.ReportedMore++
	}
}

// inspect is the command that shows a file without running anything: cat -v
// leaves no control character for the terminal, and git is not asked.
func inspect(c Change) string {
	switch {
	case c.After == Absent:
		return "ls -lab -- " + shellQuote(path.Dir(string(c.Path)))
	case strings.HasPrefix(c.After, "directory"), strings.HasPrefix(c.After, "link"), strings.HasPrefix(c.After, formNames[special]):
		return "ls -lab -- " + shellQuote(string(c.Path))
	}
	return "cat -v -- " + shellQuote(string(c.Path))
}

// inspectRange shows the commits between two ids. It is git that is asked,
// from the paths that were recorded before the run, without a work tree, with
// what could be run by a log switched off; read the config first if it changed.
func inspectRange(commonDir, before, after string) string {
	commits := after
	if before != Absent {
		commits = before + ".." + after
	}
	return "git --no-pager --git-dir=" + shellQuote(commonDir) + " -c core.fsmonitor=false -c core.hooksPath=/dev/null -c log.showSignature=false log --oneline --no-ext-diff --no-textconv " + commits
}

var plainPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./+@%=:,-]+$`) })

// shellQuote writes a path for the shells in use (bash, zsh, ksh, dash); one
// with control characters or other bytes needs one of the first three.
func shellQuote(s string) string {
	if plainPath().MatchString(s) {
		return s
	}
	if isPlain(s) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// isPlain says that a text can be printed as it is.
func isPlain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

const maxText = 200 // of a value, to show

// shown makes a text fit to print: short, and quoted unless it is plain.
func shown(s string) string {
	cut := ""
	if len(s) > maxText {
		cut = fmt.Sprintf("… (%d bytes)", len(s))
		for s = s[:maxText]; s != "" && !utf8.RuneStart(s[len(s)-1]); {
			s = s[:len(s)-1]
		}
		if _, n := utf8.DecodeLastRuneInString(s); n == 1 && s[len(s)-1] >= utf8.RuneSelf {
			s = s[:len(s)-1]
		}
	}
	if s == "" || !isPlain(s) {
		s = strconv.QuoteToASCII(s)
	}
	return s + cut
}
