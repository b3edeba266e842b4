package owngit

import (
	"bytes"
	"fmt"
	"strings"

	"lane/gitdiscover"
)

// checkModules looks through a .gitmodules for what git refuses as an attack:
// names that climb out of .git/modules (CVE-2018-11235), addresses and paths
// that are options (CVE-2018-17456), a command as update method
// (CVE-2019-19604), and line ends that a later reader takes apart
// (CVE-2025-48384).
func checkModules(data []byte) error {
	entries, err := gitdiscover.ParseConfig(data)
	if err != nil {
		return fmt.Errorf(".gitmodules does not parse: %w", err)
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Key, "submodule.")
		i := strings.LastIndexByte(rest, '.')
		if !ok || i < 0 {
			continue
		}
		name, key := rest[:i], rest[i+1:]
		for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
			if part == ".." {
				return fmt.Errorf(".gitmodules names a submodule %+q", name)
			}
		}
		switch {
		case name == "":
			return fmt.Errorf(".gitmodules names a submodule by nothing")
		case strings.ContainsAny(e.Value, "\r\n"):
			return fmt.Errorf(".gitmodules: %+q has a line end in it", e.Key)
		case (key == "url" || key == "path") && strings.HasPrefix(e.Value, "-"):
			return fmt.Errorf(".gitmodules: %+q is an option: %+q", e.Key, e.Value)
		case key == "url" && (strings.Contains(e.Value, "::") || strings.Contains(strings.ToLower(e.Value), "%0a")):
			return fmt.Errorf(".gitmodules: %+q is no plain address", e.Key)
		case key == "update" && strings.HasPrefix(e.Value, "!"):
			return fmt.Errorf(".gitmodules: %+q is a command", e.Key)
		case key == "path" && badPath(e.Value) != "":
			return fmt.Errorf(".gitmodules: %+q %s", e.Key, badPath(e.Value))
		}
	}
	return nil
}

// Bounds of git's own on .gitattributes: beyond them git ignores a line, and
// before it had them it overflowed (CVE-2022-23521).
const (
	maxModulesFile    = 1 << 20
	maxAttributesFile = 16 << 20
	maxAttributesLine = 2048
)

func checkAttributes(data []byte) error {
	for line := range bytes.Lines(data) {
		if len(line) >= maxAttributesLine {
			return fmt.Errorf(".gitattributes has a line of %d bytes", len(line))
		}
	}
	return nil
}
