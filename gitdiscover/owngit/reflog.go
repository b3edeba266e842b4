package owngit

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// log writes the move into the reflogs of the branch and of HEAD, as git would
// have, unless the line is there already.
func (t *intent) log() error {
	var files []string
	if exists(t.GitDir) { // not when the worktree was removed since a crash
		files = append(files, filepath.Join(t.GitDir, "logs/HEAD"))
	}
	if t.Ref != "" {
		files = append(files, filepath.Join(t.CommonDir, "logs", t.Ref))
	}
	old := t.Old
	if old == "" {
		old = strings.Repeat("0", 2*hashSize)
	}
	line := old + " " + t.New + " " + t.Who + "\tlane: take in " + t.Run + "\n"
	for _, path := range files {
		if err := appendLog(path, line); err != nil {
			return err
		}
	}
	return nil
}

func appendLog(path, line string) error {
	dir := filepath.Dir(path)
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		removeEmpty(path) // left by logs of deleted branches below this name
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|unix.O_NONBLOCK|unix.O_NOCTTY, modeLike(dir, 0o666))
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return unreadable(path, errNotRegular)
	}
	// Only the end is looked at: after a crash nothing but our own line, or
	// what a person did since, can stand there.
	tail := make([]byte, min(st.Size(), 16<<10))
	if _, err := f.ReadAt(tail, st.Size()-int64(len(tail))); err != nil {
		return err
	}
	if strings.Contains(string(tail), line) {
		return nil
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Sync())
}

// reflogIdentity is who moved the branch: the lane's committer.
func (s Setup) reflogIdentity(now time.Time) string {
	get := func(key, otherwise string) string {
		for _, k := range []string{"committer." + key, "user." + key} {
			for _, c := range s.Config {
				if c.Key == k && c.Value != "" {
					return c.Value
				}
			}
		}
		return otherwise
	}
	clean := func(v string) string {
		v = strings.Map(func(r rune) rune {
			if r < ' ' || r == '<' || r == '>' {
				return -1
			}
			return r
		}, v)
		return strings.Trim(v, " .,:;\"'\\")
	}
	return clean(get("name", "lane")) + " <" + clean(get("email", "lane@localhost")) + "> " + strconv.FormatInt(now.Unix(), 10) + now.Format(" -0700")
}
