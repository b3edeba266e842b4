package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
)

// Move is one write of lane's to a repository.
type Move struct {
	// Run is the run that wrote.
	Run string `json:"run"`
	// Ref is the full name of the ref, or what [HeadName] says of a HEAD.
	Ref string `json:"ref"`
	// Old and New are its values, "" for none.
	Old  string    `json:"old"`
	New  string    `json:"new"`
	Time time.Time `json:"time"`
}

// Journal is the list of lane's own writes to one repository. Lanes of the
// same repository share it, so that one which sees a ref move can tell whether
// another lane moved it.
//
// It is no proof against somebody who can write LANE_HOME, and says nothing
// about moves that are older than the seal they are compared with.
type Journal struct{ dir string }

const (
	journalName  = "moves.jsonl"
	maxJournal   = 1 << 20 // when it is larger, the older half goes
	maxMove      = 8 << 10
	lockPatience = 5 * time.Second
	// intentSlack is how long before the move itself it may be noted: lane
	// notes first and moves then, and a seal may be taken in between.
	intentSlack = time.Minute
)

// OpenJournal returns the journal of a repository below a directory of lane's
// own. Nothing is made until the first Add.
func OpenJournal(dir, commonDir string) *Journal {
	sum := sha256.Sum256([]byte(commonDir))
	return &Journal{filepath.Join(dir, hex.EncodeToString(sum[:12]))}
}

// HeadName names the HEAD of a worktree, as git does from another one.
func HeadName(repo gitdiscover.Repo) string {
	if repo.Linked {
		return "worktrees/" + filepath.Base(repo.GitDir) + "/HEAD"
	}
	return "main-worktree/HEAD"
}

// Add notes a move. It is called before the ref is moved: a note of a move
// that then failed explains nothing, since nothing will differ by it.
func (j *Journal) Add(m Move) error {
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
	m.Time = m.Time.UTC()
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(line) > maxMove {
		return fmt.Errorf("journal: a move of %d bytes", len(line))
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	root, err := os.OpenRoot(j.dir + "/")
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer root.Close()
	unlock, err := lockJournal(root)
	if err != nil {
		return fmt.Errorf("journal %q: %w", j.dir, err)
	}
	defer unlock()
	if err := appendLine(root, line); err != nil {
		return fmt.Errorf("journal %q: %w", j.dir, err)
	}
	return nil
}

// lockJournal takes the lock, which is a file of its own: the journal itself
// is exchanged when it is shortened. The lock goes with the process.
func lockJournal(root *os.Root) (func(), error) {
	f, err := root.OpenFile("lock", os.O_RDWR|os.O_CREATE|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(5 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			f.Close()
			return nil, fmt.Errorf("lock: %w", err)
		case time.Now().After(end):
			f.Close()
			return nil, fmt.Errorf("lock: held by another lane for %v", lockPatience)
		}
	}
}

// appendLine writes one line at the end. A line that a crash cut short is
// ended first, so that it spoils no other; and a journal that is too long
// loses its older half before.
func appendLine(root *os.Root, line []byte) error {
	old, err := readJournal(root)
	if err != nil {
		return err
	}
	if len(old) > maxJournal {
		half := old[len(old)/2:]
		if err := root.WriteFile(journalName+".new", half[bytes.IndexByte(half, '\n')+1:], 0o600); err != nil {
			return err
		}
		if err := root.Rename(journalName+".new", journalName); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(journalName, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// readJournal reads the whole file; a missing one is empty.
func readJournal(root *os.Root) ([]byte, error) {
	f, err := root.OpenFile(journalName, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	return io.ReadAll(io.LimitReader(f, 2*maxJournal))
}

// Moves returns what the journal holds, oldest first. Lines that cannot be
// read are left out: they explain nothing.
func (j *Journal) Moves() []Move {
	if j == nil {
		return nil
	}
	root, err := os.OpenRoot(j.dir + "/")
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := readJournal(root)
	if err != nil {
		return nil
	}
	var l []Move
	for line := range bytes.Lines(data) {
		var m Move
		if json.Unmarshal(line, &m) == nil && m.Ref != "" && m.Old != m.New {
			l = append(l, m)
		}
	}
	return l
}

// Explains says whether lane's own moves since a moment lead from the change's
// Before to its After, and which run made the last of them.
func (j *Journal) Explains(c Change, since time.Time) (run string, ok bool) {
	return explains(j.Moves(), c, since)
}

// explains follows the moves in the order they were noted. A note whose move
// failed is a dead end, so every value that can be reached is kept.
func explains(moves []Move, c Change, since time.Time) (run string, ok bool) {
	if c.Name == "" || c.Before == c.After {
		return "", false
	}
	reached := map[string]string{c.Before: ""}
	for _, m := range moves {
		if m.Ref != string(c.Name) || m.Time.Before(since.Add(-intentSlack)) {
			continue
		}
		if _, ok := reached[refText(m.Old)]; ok {
			reached[refText(m.New)] = m.Run
		}
	}
	run, ok = reached[c.After]
	return run, ok
}

// explain marks a change that is lane's own: one that would trip is only
// reported then.
func explain(moves []Move, c Change, since time.Time) Change {
	if c.Kind != OwnBranch && c.Kind != Head && c.Kind != Ref {
		return c
	}
	run, ok := explains(moves, c, since)
	if !ok {
		return c
	}
	c.Run = run
	if tripping[c.Kind] {
		c.Kind = ByLane
	}
	return c
}
