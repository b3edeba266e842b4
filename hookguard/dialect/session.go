package dialect

import (
	"errors"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"lane/hookguard"
)

// SessionFacts are facts for a session that no lane confines: the guard on
// its own, as `lane hook install` wires it. They come from the directory the
// session runs in and from the hook's own environment, which is the user's.
// Nothing is sealed here, and a hostile repository can mislead them; a lane
// is what holds.
func SessionFacts(cwd string) (hookguard.Facts, error) {
	if !filepath.IsAbs(cwd) {
		return hookguard.Facts{}, errors.New("the event names no working directory")
	}
	f := hookguard.Facts{Worktree: filepath.Clean(cwd), MacOS: runtime.GOOS == "darwin"}
	if u, err := user.Current(); err == nil {
		f.Home, f.User = u.HomeDir, u.Username
	}
	f.LaneHome = laneHome(f.Home)
	f.Tmp = os.Getenv("TMPDIR")
	switch filepath.Clean(f.Tmp) { // everybody's is nobody's own
	case "/tmp", "/var/tmp", "/usr/tmp", "/dev/shm", "/run/shm", "/private/tmp", "/private/var/tmp":
		f.Tmp = ""
	}
	if !filepath.IsAbs(f.Tmp) {
		f.Tmp = ""
	}
	for dir := f.Worktree; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			f.Worktree = dir
			f.GitDir = gitDir(filepath.Join(dir, ".git"), info)
			f.CommonDir = commonDir(f.GitDir)
			return f, nil
		}
		if dir == filepath.Dir(dir) {
			return f, nil // no repository: the session's directory is the root
		}
	}
}

// laneHome is where lane keeps its runs.
func laneHome(home string) string {
	if dir := os.Getenv("LANE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "lane")
	}
	return filepath.Join(home, ".local", "state", "lane")
}

// gitDir is the directory a .git entry stands for.
func gitDir(entry string, info os.FileInfo) string {
	if info.IsDir() {
		return entry
	}
	target, ok := strings.CutPrefix(firstLine(entry), "gitdir: ")
	if !ok {
		return entry
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(entry), target)
	}
	return filepath.Clean(target)
}

func commonDir(gitDir string) string {
	target := firstLine(filepath.Join(gitDir, "commondir"))
	switch {
	case target == "":
		return gitDir
	case filepath.IsAbs(target):
		return filepath.Clean(target)
	}
	return filepath.Join(gitDir, target)
}

// firstLine reads the start of a small regular file; of anything else it is
// empty.
func firstLine(name string) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, " \r")
}
