// Package shell says what a shell command would do to files, without running
// it: which paths it writes, removes and reads, in which directory each part
// runs, and what it does that no path can show (a variable re-pointed, git
// told to run a program, text executed that nobody can read beforehand).
//
// It parses with mvdan.cc/sh and interprets the tree abstractly. Variables,
// functions, aliases, pipes, here-documents, substitutions, files and links
// made in the same call are followed; what is not known stays a hole in an
// otherwise known text, so "/srv/$x" still begins with "/srv/".
//
//	rep := shell.Analyze(shell.Request{Command: "cd /srv && touch a", Dir: "/wt"})
//	// rep.Effects[0] is {Write "/srv/a" by "touch"}
//
// It does not decide anything, opens no file but the links its caller lends
// it, starts nothing, and does not know what a program it has no table row
// for does inside. Prose is never a command: the words of a commit message or
// a here-document count only when something executes them.
package shell

import (
	"bytes"
	"errors"
	"strings"
	"time"
)

// Request is one command to look at.
type Request struct {
	Command string
	Dir     string            // absolute; where it starts
	Vars    map[string]string // exported variables whose values are known
	Zsh     bool              // the harness runs commands with zsh
	// Readlink, if set, tells where a link of the file system points.
	Readlink func(name string) (string, bool)
	// GitDir and CommonDir are the worktree's git directories, Worktree its
	// root: what git itself would find from inside it.
	Worktree, GitDir, CommonDir string
}

// The interpreter's limits. Each ends the work with the finding TooMuch: an
// input that needs more is not a command somebody typed.
const (
	maxSource  = 512 << 10 // bytes parsed, all nested code together
	maxCode    = 64 << 10  // of these, bytes that are no here-document
	maxValue   = 64 << 10  // bytes of one variable
	maxText    = 512 << 10 // bytes of one here-document, or of what one command prints
	maxFields  = 4096      // words of one command
	maxSteps   = 20_000    // simple commands
	maxTicks   = 200_000   // expressions of scripts
	maxDepth   = 60        // nested code: functions, substitutions, sh -c
	maxNesting = 400       // brackets within brackets in the source
	maxEffects = 4000
	maxWorlds  = 16 // combinations of a variable's possible values tried per command
	// maxTime, of the processor, ends what the other limits do not. Nothing
	// that people type comes near it.
	maxTime = 40 * time.Millisecond
	// unhurried is how many steps, or bytes, the time is not looked at.
	unhurried = 2048
)

// errLimit unwinds the interpreter when a limit is reached.
var errLimit = errors.New("limit reached")

type interp struct {
	req    Request
	report Report
	start  time.Duration // of processor time

	parsed, coded int // bytes
	steps, ticks  int // of work
	depth, nested int // of code in code, and of statements in statements
	lenient       int

	files map[string]string // written by this call, by absolute path
	fds   map[string]string // content readable at /dev/fd/N
	procs int               // process substitutions so far
	repos []string          // git repositories made by this call
	// sockets are descriptors opened to the network.
	sockets map[string]bool

	// pick holds the possible values chosen for this round of a simple
	// command, wide the variables that had several.
	pick map[string]int
	wide map[string]int
}

// Analyze interprets the command. It never panics and always answers within
// its limits; what stopped it, if anything, is among the findings.
func Analyze(req Request) (rep Report) {
	in := newInterp(req)
	defer func() {
		rep = in.report
		switch r := recover(); r {
		case nil:
		case errLimit:
			rep.Findings = append(rep.Findings, Finding{Kind: TooMuch, By: "the command"})
		default:
			rep.Findings = append(rep.Findings, Finding{Kind: Unreadable, By: "the command"})
		}
	}()
	command := req.Command
	if HasHole(command) { // no shell word can hold a NUL, and here it would be a hole
		in.find(Unreadable, "the command", "")
		command = strings.ReplaceAll(command, "\x00", "")
	}
	in.code(command, newState(req), stdio{in: given(holeInput)}, "the command")
	return in.report
}

func newInterp(req Request) *interp {
	return &interp{
		req:     req,
		start:   busy(),
		files:   map[string]string{},
		fds:     map[string]string{},
		sockets: map[string]bool{},
		pick:    map[string]int{},
		wide:    map[string]int{},
	}
}

// stdio is what a command reads and where its known output goes.
type stdio struct {
	in  *input
	out *bytes.Buffer // nil when nobody looks
}

// input is the rest of what a command can read. All commands that share it
// take from it: "while read" sees one line after the other.
type input struct{ rest string }

func given(text string) *input { return &input{text} }

func (io stdio) text() string { return io.in.rest }

// line takes the next line. Text that is not known never ends.
func (io stdio) line() string {
	if io.in.rest == holeInput {
		return holeVar
	}
	line, rest, more := strings.Cut(io.in.rest, "\n")
	if more {
		io.in.rest = rest
	} else if !HasHole(line) {
		io.in.rest = ""
	}
	return line
}

func (io stdio) print(text string) {
	if io.out == nil {
		return
	}
	if io.out.Len()+len(text) > maxText {
		panic(errLimit)
	}
	io.out.WriteString(text)
}

// code parses and runs shell text in st. Text with a hole in it is run as far
// as it can be read; foreign text is a finding.
func (in *interp) code(src string, st *state, io stdio, by string) {
	in.descend()
	defer in.ascend()
	src, hidden := readable(src)
	if hidden && in.lenient == 0 {
		in.find(UnknownCode, by, "")
	}
	in.admit(src)
	file, err := in.parse(src)
	if err != nil && in.lenient == 0 {
		in.find(Unreadable, by, "")
	}
	if file != nil {
		in.stmts(file.Stmts, st, io)
	}
}

// leniently runs code that may be no shell, or a part of some: keys typed
// into a terminal, the recipe of a makefile. That it cannot be parsed says
// nothing.
func (in *interp) leniently(src string, st *state, io stdio, by string) {
	in.lenient++
	defer func() { in.lenient-- }()
	in.code(src, st, io, by)
}

// descend and ascend bracket nested code.
func (in *interp) descend() {
	if in.depth++; in.depth > maxDepth {
		panic(errLimit)
	}
}

func (in *interp) ascend() { in.depth-- }

// step counts work and gives up when there is too much of it.
func (in *interp) step() {
	if in.steps++; in.steps > maxSteps {
		panic(errLimit)
	}
	if in.steps%64 == 0 && in.steps > unhurried && busy()-in.start > maxTime {
		panic(errLimit)
	}
}

func (in *interp) find(kind Kind, by, detail string) {
	f := Finding{Kind: kind, By: Show(by), Detail: Show(detail)}
	for _, old := range in.report.Findings {
		if old == f {
			return
		}
	}
	if len(in.report.Findings) >= maxEffects {
		panic(errLimit)
	}
	in.report.Findings = append(in.report.Findings, f)
}

// effect records what the command by does to the path it spells given.
func (in *interp) effect(op Op, given, by string, st *state) {
	if given == "" {
		return
	}
	if len(in.report.Effects) >= maxEffects {
		panic(errLimit)
	}
	e := Effect{Op: op, Path: in.abs(given, st), Given: given, By: Show(by), Dir: st.dir, Links: len(in.report.Links)}
	if n := len(in.report.Effects); n > 0 && in.report.Effects[n-1] == e {
		return
	}
	in.report.Effects = append(in.report.Effects, e)
}

// abs joins a path to the state's directory. A hole that may be anything,
// at the front, stays there.
func (in *interp) abs(given string, st *state) string {
	if given == "" || given[0] == '/' || leadsAnywhere(given) {
		return given
	}
	if st.dir == "/" {
		return "/" + given
	}
	return st.dir + "/" + given
}
