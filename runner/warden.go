package runner

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"lane/sandbox"
)

// A warden is one small process beside lane, `lane warden`, in a session of
// its own, that outlives lane by at most two seconds. When lane ends as it
// should, it is told so and ends. When lane is killed, nobody else is left to
// do what lane would have done, and the warden does it: it ends what is left
// in the lane, gives the terminal back, and removes the empty files that the
// agent's sandbox left.
//
// It confines nothing: that everything in the lane dies with lane is the
// layer's promise. It removes no work: what it unlinks is listed before the
// agent starts, as absent, and is looked at again before it goes.
//
// What it has to know lies in one file per run, LANE_HOME/open/<run>.json,
// locked by lane and by the warden. If the lock is free both are dead, and the
// next lane command does the rest from the file (Recover).

// wardenSchema names the form of an open run's file.
const wardenSchema = "lane.open/1"

// openRun is what is known of a run that has not ended. The file holds it in
// parts, one JSON value a line, as they become known; a later part adds to the
// earlier ones.
type openRun struct {
	Schema  string `json:"schema,omitempty"`
	Run     string `json:"run,omitempty"`
	RunDir  string `json:"run_dir,omitempty"`
	Command bool   `json:"command,omitempty"` // of lane exec: it keeps no record
	Layer   string `json:"layer,omitempty"`   // path of the layer's program
	// Lane is lane itself. While its warden works, it is dead and the file is
	// locked.
	Lane *processID `json:"lane,omitempty"`
	// Record is what the record says if nobody lives to write a better one.
	Record *Result `json:"record,omitempty"`
	// Seal is there before the agent may start: without it nothing can have
	// been written in the worktree.
	Seal *openSeal `json:"seal,omitempty"`
	// First is the process with which all others in the lane end.
	First *processID `json:"first,omitempty"`
	// Terminal is the caller's, once lane has changed it.
	Terminal *openTerminalState `json:"terminal,omitempty"`
}

// openSeal says what was in the worktree at launch, of what may be removed or
// held back afterwards.
type openSeal struct {
	Worktree string `json:"worktree"`
	Dev      uint64 `json:"dev"`
	Ino      uint64 `json:"ino"`
	// Absent are names of placeholder files, Litter names of the agent's own,
	// that did not exist. Dirs are the directories on the way to them, and to
	// wiring, that did.
	Absent []string `json:"absent"`
	Litter []string `json:"litter"`
	Dirs   []string `json:"dirs"`
	// Wiring is what configured agents and editors. Unknown says that the
	// look at it was cut short, so that nothing can be said to be new.
	Wiring  []string `json:"wiring"`
	Unknown bool     `json:"unknown,omitempty"`
	Accept  []string `json:"accept,omitempty"`
	// Steered are names that git's config runs or obeys, and that were absent.
	Steered []Steered `json:"steered,omitempty"`
}

// processID names a process so that a later one with its number is not taken
// for it.
type processID struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // in ticks since the boot
	Boot  string `json:"boot"`
	Space string `json:"space"` // the pid namespace that numbers it so
}

// openTerminalState says which terminal it is, and how it was found and left.
type openTerminalState struct {
	Device   uint64           `json:"device"`
	Settings terminalSettings `json:"settings"`
}

// has says whether a directory existed at launch.
func (s *openSeal) has(dir string) bool {
	for _, d := range s.Dirs {
		if d == dir {
			return true
		}
	}
	return false
}

// tree is the part of the worktree's tree at launch that holding back asks for.
func (s *openSeal) tree() Tree {
	t := Tree{Files: map[string]Stamp{}, Dirs: map[string]bool{}}
	for _, name := range s.Wiring {
		t.Files[name] = Stamp{}
	}
	for _, dir := range s.Dirs {
		t.Dirs[dir] = true
	}
	return t
}

// wiringAtLaunch lists, of a whole tree, the entries that are wiring or lie on
// the way to it. Names are compared without case, as holding back does.
func wiringAtLaunch(t Tree) (files, dirs []string) {
	want, longest := map[string]bool{}, 0
	for _, w := range sandbox.Wiring() {
		for name := strings.ToLower(w.Path); name != ""; {
			want[name], longest = true, max(longest, len(name))
			i := strings.LastIndexByte(name, '/')
			name = name[:max(i, 0)]
		}
	}
	for name := range t.Files {
		if len(name) <= longest && want[strings.ToLower(name)] {
			files = append(files, name)
		}
	}
	for name := range t.Dirs {
		if len(name) <= longest && want[strings.ToLower(name)] {
			dirs = append(dirs, name)
		}
	}
	return files, dirs
}

// maxOpenRun bounds the file of one run.
const maxOpenRun = 8 << 20

// readOpenRun reads the parts as far as they are whole: lane may have been
// killed in the middle of one.
func readOpenRun(f *os.File) openRun {
	var o openRun
	dec := json.NewDecoder(io.NewSectionReader(f, 0, maxOpenRun))
	for {
		part := o
		if dec.Decode(&part) != nil {
			return o
		}
		o = part
	}
}
