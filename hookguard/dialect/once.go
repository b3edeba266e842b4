package dialect

import (
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"lane/hookguard"
)

// Some harnesses run every hook they find for one event, the user's and a
// project's and a plugin's. The first process that claims the event answers
// it; the others keep silent, or repeat its verdict (Dialect.Repeats).
//
// In a run there is one hook only, and the agent could write whatever a claim
// would have to be kept in: nothing is claimed there, and every process
// answers. Outside of one nothing is sealed anyway (see SessionFacts).
const (
	claimHeld   = 10 * time.Second
	claimKept   = time.Minute
	sessionKept = 7 * 24 * time.Hour
)

// key joins what makes two processes' events the same one.
func key(parts ...string) string {
	text, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return string(text)
}

// moment is a timestamp in one spelling: Copilot's shapes have milliseconds
// since 1970 and ISO 8601.
func moment(raw json.RawMessage) string {
	var iso string
	if json.Unmarshal(raw, &iso) == nil {
		if t, err := time.Parse(time.RFC3339Nano, iso); err == nil {
			raw, _ = json.Marshal(t.UnixMilli())
		}
	}
	return string(raw)
}

// sessions is the directory of what hooks keep between processes; "" keeps
// nothing.
type sessions string

func sessionsOf(f hookguard.Facts) sessions {
	if f.State != "" || !filepath.IsAbs(f.LaneHome) {
		return ""
	}
	return sessions(filepath.Join(f.LaneHome, "sessions"))
}

// file is the file of a name that may hold anything.
func (s sessions) file(name, ext string) string {
	h := fnv.New128a()
	h.Write([]byte(name))
	return filepath.Join(string(s), hex.EncodeToString(h.Sum(nil))+ext)
}

// claim is one event's claim, held while it is open.
type claim struct {
	file *os.File
	key  string
}

// claimed is what a claim's file holds. The key is there because a file's
// name is only a short hash of it.
type claimed struct {
	Key     string            `json:"key"`
	Verdict hookguard.Verdict `json:"verdict"`
}

// claim asks whether this process is the one to answer. mine is false when
// another did, with its verdict. Whatever goes wrong, this process answers:
// two answers do no harm, none would.
func (s sessions) claim(d Dialect, c Call) (held *claim, before hookguard.Verdict, mine bool) {
	if s == "" || c.Key == "" || os.MkdirAll(string(s), 0o700) != nil {
		return nil, before, true
	}
	name := s.file(d.Name+c.Key, ".claim")
	if d.Repeats {
		name = s.file(d.Name+c.Session, ".last-event.json")
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, before, true
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX) != nil {
		file.Close()
		return nil, before, true
	}
	var was claimed
	info, err := file.Stat()
	if err == nil && time.Since(info.ModTime()).Abs() < claimHeld {
		text, err := io.ReadAll(io.LimitReader(file, maxPayload*2))
		if err == nil && json.Unmarshal(text, &was) == nil && was.Key == c.Key {
			file.Close()
			return nil, was.Verdict, false
		}
	}
	return &claim{file, c.Key}, before, true
}

// settle writes the verdict and lets the next process look.
func (c *claim) settle(v hookguard.Verdict) {
	if c == nil {
		return
	}
	text, err := json.Marshal(claimed{c.key, v})
	if err == nil && c.file.Truncate(0) == nil {
		c.file.WriteAt(text, 0) // unreadable, it is no claim
	}
	c.file.Close()
}

// keep adds to what the session is told at its next chance; take is that
// chance.
func (s sessions) keep(session, text string) {
	if s == "" || text == "" || os.MkdirAll(string(s), 0o700) != nil {
		return
	}
	file, err := os.OpenFile(s.file(session, ".pending"), os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	file.WriteString(text + "\n\n") // a hint that is lost does no harm
}

func (s sessions) take(session string) string {
	if s == "" {
		return ""
	}
	name := s.file(session, ".pending")
	mine := name + ".taken"
	if os.Rename(name, mine) != nil { // one process gets it
		return ""
	}
	defer os.Remove(mine)
	file, err := os.Open(mine)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := readAll(file, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// prune removes what nobody will ask for again. It runs once a prompt.
func (s sessions) prune() {
	if s == "" {
		return
	}
	list, err := os.ReadDir(string(s))
	if err != nil {
		return
	}
	for _, entry := range list {
		age := sessionKept
		if strings.HasSuffix(entry.Name(), ".claim") {
			age = claimKept
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			os.Remove(filepath.Join(string(s), entry.Name()))
		}
	}
}
