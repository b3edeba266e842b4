package runner

import (
	"encoding/json"
	"path/filepath"
)

// maxPackage bounds a package's description.
const maxPackage = 1 << 20

// packageVersion is the version of the npm package that a program belongs to,
// for agents whose output does not name it. The program is not asked: it is
// first run inside the lane.
func packageVersion(real string) string {
	dir := filepath.Dir(real)
	for range 6 {
		var p struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		}
		for _, name := range []string{"package.json", "codex-package.json"} {
			b, err := readFile(filepath.Join(dir, name), maxPackage)
			if err == nil && json.Unmarshal(b, &p) == nil && p.Version != "" {
				return plainVersion(p.Version)
			}
		}
		if filepath.Base(dir) == "node_modules" {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// plainVersion leaves what a version is made of: platform packages add
// "-linux-x64".
func plainVersion(v string) string {
	for i, c := range v {
		if (c < '0' || c > '9') && c != '.' {
			return v[:i]
		}
	}
	return v
}
