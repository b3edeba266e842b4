package attack

import (
	"encoding/json"
	"os"
	"os/exec"
	"time"
)

// Layout is where things are in a fixture: all that the inside is told. It
// holds no secret.
type Layout struct {
	Dir      string   // of the fixture
	Self     []string // argv by which this program becomes the inside
	Home     string
	Repo     string // the main checkout
	Common   string // its git directory
	Worktree string // the agent's own
	GitDir   string // its git directory
	Other    string // another agent's worktree
	Store    string // a package store whose files a worktree may share
	Shared   string // a directory of the host that everybody may write
	Tmp      string // somebody's directory in /tmp
	VarTmp   string // somebody's directory in /var/tmp
	Shm      string // a name in /dev/shm
	Link     string // a link to the directory that holds Repo
	Canary   string // a file that exists once code ran outside
	Runtime  string // the user's runtime directory

	Docker, Agent, Bus string // sockets that listen in Runtime
	Service            string // one that listens in no directory of sockets
	Datagram           string // one that takes packets there
	Late               string // one that listens there only after the launch
	Abstract           string
	TCP, UDP           int // ports on 127.0.0.1

	Victim    int    // a process of the same user
	VictimFD  int    // the number of a descriptor it holds
	Segment   int    // a System V shared memory segment, -1 for none
	KeyName   string // a key in the user's keyring, "" for none
	KeyHandle string // the file handle of ~/.ssh/id_ed25519, in hex, "" for none
	Setuid    string // a program of root's that runs as root and prints who it is, "" for none
	UID       int    // outside
}

// Names below the worktree by which inside and outside talk.
const (
	lootFile  = ".loot"
	readyFile = ".ready"
	heartFile = ".heartbeat"
)

// again is this program as the inside in another mode.
func (l Layout) again(mode string) *exec.Cmd {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and numbers only
	}
	argv := append(append([]string{}, l.Self...), mode, string(b))
	return exec.Command(argv[0], argv[1:]...)
}

// await waits until ok, at most limit.
func await(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); ; {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// short is the last part of a program's output on one line.
func short(s string) string {
	const most = 300
	b := []rune{}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		b = append(b, r)
	}
	if len(b) > most {
		b = b[len(b)-most:]
	}
	return string(b)
}
