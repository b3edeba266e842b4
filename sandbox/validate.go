package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PolicyError says which check a policy failed and at which path.
type PolicyError struct {
	Check  string // stable word
	Path   string // raw; "" when no single row is at fault
	Detail string
}

func (e *PolicyError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("policy: %s: %s", e.Check, e.Detail)
	}
	return fmt.Sprintf("policy: %s: %+q: %s", e.Check, e.Path, e.Detail)
}

// check is one named rule. It returns the path at fault and what is wrong,
// or an empty detail.
type check struct {
	name string
	run  func(Policy) (path, detail string)
}

// checks run in this order: each may rely on what those before it hold.
var checks = []check{
	{"rows-present", checkRowsPresent},
	{"access-known", eachRow(checkAccess)},
	{"path-absolute", eachRow(checkAbsolute)},
	{"path-clean", eachRow(checkClean)},
	{"path-characters", eachRow(checkCharacters)},
	{"reason-present", eachRow(checkReason)},
	{"source-allowed", eachRow(checkSource)},
	{"file-allowed", eachRow(checkFile)},
	{"size-allowed", eachRow(checkSize)},
	{"root-row", checkRoot},
	{"fresh-dev-proc", checkFresh},
	{"path-once", checkOnce},
	{"below-file", checkBelowFile},
	{"write-in-hidden", checkWriteInHidden},
	{"write-in-protected", checkWriteInProtected},
	{"source-shows-hidden", checkSourceShows},
	{"source-writes-protected", checkSourceWrites},
	{"network-known", checkNetwork},
	{"limits-positive", checkLimits},
}

// Validate runs the named checks in order and returns the first failure as a
// *PolicyError.
func Validate(p Policy) error {
	for _, c := range checks {
		if path, detail := c.run(p); detail != "" {
			return &PolicyError{Check: c.name, Path: path, Detail: detail}
		}
	}
	return nil
}

func eachRow(f func(Row) string) func(Policy) (string, string) {
	return func(p Policy) (string, string) {
		for _, row := range p.Rows {
			if detail := f(row); detail != "" {
				return row.Path, detail
			}
		}
		return "", ""
	}
}

func checkRowsPresent(p Policy) (string, string) {
	if len(p.Rows) == 0 {
		return "", "no rows"
	}
	return "", ""
}

func checkAccess(row Row) string {
	if generosity(row.Access) < 0 {
		return fmt.Sprintf("unknown access %q", row.Access)
	}
	return ""
}

func checkAbsolute(row Row) string {
	if !filepath.IsAbs(row.Path) || (row.Source != "" && !filepath.IsAbs(row.Source)) {
		return "not absolute"
	}
	return ""
}

func checkClean(row Row) string {
	if filepath.Clean(row.Path) != row.Path || (row.Source != "" && filepath.Clean(row.Source) != row.Source) {
		return "not clean"
	}
	return ""
}

func checkCharacters(row Row) string {
	for _, path := range []string{row.Path, row.Source} {
		// The plan travels as JSON, where bytes that are not UTF-8 would
		// silently become another path.
		if !utf8.ValidString(path) {
			return "not valid UTF-8"
		}
		if strings.IndexFunc(path, unicode.IsControl) >= 0 {
			return "control character"
		}
	}
	return ""
}

func checkReason(row Row) string {
	if strings.TrimSpace(row.Reason) == "" {
		return "no reason given"
	}
	if strings.IndexFunc(row.Reason, unicode.IsControl) >= 0 {
		return "control character in the reason"
	}
	return ""
}

func checkSource(row Row) string {
	switch {
	case row.Source == "", row.Access == Read, row.Access == Write, row.Access == Protect:
		return ""
	}
	return fmt.Sprintf("a %s row has no source", row.Access)
}

func checkFile(row Row) string {
	if row.File && (row.Access == Private || row.Access == Devices || row.Access == Processes) {
		return fmt.Sprintf("a %s row is a directory", row.Access)
	}
	return ""
}

func checkSize(row Row) string {
	switch {
	case row.Size < 0:
		return "negative size"
	case row.Mode > 0o1777:
		return "mode beyond 1777"
	case row.Access != Private && (row.Size != 0 || row.Mode != 0):
		return fmt.Sprintf("a %s row has no size and no mode", row.Access)
	}
	return ""
}

func checkRoot(p Policy) (string, string) {
	n := 0
	for _, row := range p.Rows {
		if row.Path != "/" {
			continue
		}
		n++
		if row.Access != Read || row.Source != "" || row.File {
			return "/", "the row for / must be a plain read row"
		}
	}
	if n != 1 {
		return "/", fmt.Sprintf("%d rows for /, want one", n)
	}
	return "", ""
}

// checkFresh: without a fresh /dev and /proc the lane would see the host's
// devices and the host's processes.
func checkFresh(p Policy) (string, string) {
	var dev, proc bool
	for _, row := range p.Rows {
		switch {
		case row.Access == Devices && row.Path == "/dev":
			dev = true
		case row.Access == Processes && row.Path == "/proc":
			proc = true
		case row.Access == Devices, row.Access == Processes:
			return row.Path, fmt.Sprintf("a %s row stands at /dev or /proc only", row.Access)
		}
	}
	if !dev {
		return "/dev", "no devices row"
	}
	if !proc {
		return "/proc", "no processes row"
	}
	return "", ""
}

func checkOnce(p Policy) (string, string) {
	seen := map[string]bool{}
	for _, row := range p.Rows {
		if seen[row.Path] {
			return row.Path, "two rows for one path"
		}
		seen[row.Path] = true
	}
	return "", ""
}

func checkBelowFile(p Policy) (string, string) {
	return eachPair(p, func(over, row Row) string {
		if over.File {
			return fmt.Sprintf("lies below the file %+q", over.Path)
		}
		return ""
	})
}

func checkWriteInHidden(p Policy) (string, string) {
	return eachPair(p, func(over, row Row) string {
		if over.Access == Hide && row.Access == Write && !row.Reopen {
			return fmt.Sprintf("would open what is hidden at %+q", over.Path)
		}
		return ""
	})
}

func checkWriteInProtected(p Policy) (string, string) {
	return eachPair(p, func(over, row Row) string {
		if over.Access == Protect && row.Access == Write && row.Source == "" {
			return fmt.Sprintf("would open what is protected at %+q", over.Path)
		}
		return ""
	})
}

// eachPair calls f for every row and each row that strictly contains it.
func eachPair(p Policy, f func(over, row Row) string) (string, string) {
	for _, row := range p.Rows {
		for _, over := range p.Rows {
			if over.Path == row.Path || !Contains(over.Path, row.Path) {
				continue
			}
			if detail := f(over, row); detail != "" {
				return row.Path, detail
			}
		}
	}
	return "", ""
}

func checkSourceShows(p Policy) (string, string) {
	return eachSource(p, func(row, other Row) string {
		if other.Access == Hide && !(row.Reopen && Contains(other.Path, row.Source)) {
			return fmt.Sprintf("its source shows what is hidden at %+q", other.Path)
		}
		return ""
	})
}

func checkSourceWrites(p Policy) (string, string) {
	return eachSource(p, func(row, other Row) string {
		if row.Access == Write && other.Access == Protect {
			return fmt.Sprintf("its source writes what is protected at %+q", other.Path)
		}
		return ""
	})
}

// eachSource calls f for every row with a source and each other row that the
// source is, contains or lies in: a source is a second door to the same
// files, and the rows judge by name.
func eachSource(p Policy, f func(row, other Row) string) (string, string) {
	for _, row := range p.Rows {
		if row.Source == "" {
			continue
		}
		for _, other := range p.Rows {
			if !Contains(row.Source, other.Path) && !Contains(other.Path, row.Source) {
				continue
			}
			if detail := f(row, other); detail != "" {
				return row.Path, detail
			}
		}
	}
	return "", ""
}

func checkNetwork(p Policy) (string, string) {
	if p.Network != NetworkNone && p.Network != NetworkHost {
		return "", fmt.Sprintf("unknown network %q", p.Network)
	}
	return "", ""
}

func checkLimits(p Policy) (string, string) {
	l := p.Limits
	if l.Memory < 0 || l.Procs < 0 || l.FileSize < 0 || l.CPUTime < 0 {
		return "", "negative limit"
	}
	return "", ""
}
