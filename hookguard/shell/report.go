package shell

// Op is what happens to a path.
type Op uint8

const (
	// Read opens the file without changing it.
	Read Op = iota
	// Write creates, truncates or changes the file, or files below the
	// directory; a link at the end of the path is followed.
	Write
	// Remove unlinks or renames the name itself; a link at its end stays.
	Remove
	// Name creates or replaces the name itself, as a link or a rename does.
	Name
	// Use hands the directory to a program that may write there: a variable
	// that ends in _DIR. Only what is never right is judged by it.
	Use
	// HardLink gives an existing file a second name, through which it can be
	// changed.
	HardLink
)

// Verb says the operation in a sentence: "cp writes …".
func (o Op) Verb() string {
	switch o {
	case Write:
		return "writes"
	case Remove:
		return "removes"
	case Name:
		return "creates"
	case HardLink:
		return "hard-links"
	case Use:
		return "uses"
	}
	return "reads"
}

// Follows reports whether a link in the last component is followed.
func (o Op) Follows() bool { return o == Read || o == Write || o == Use || o == HardLink }

// Effect is one thing a command would do to one path.
type Effect struct {
	Op    Op
	Path  string // absolute, or starting with a hole; links not followed
	Given string // as the command spells it after expansion
	By    string // the command or construct: "cp", "redirection >"
	Dir   string // the directory the command runs in
	Links int    // how many of the report's links existed by then
}

// Link is a symbolic link the command itself makes.
type Link struct{ Path, Target string }

// Finding is something about a command that is no path: a variable that must
// keep its value, a git key that runs a program, text nobody can read.
type Finding struct {
	Kind   Kind
	By     string // the command it was found in
	Detail string // what exactly, without secrets: a key, a variable's name
}

// Kind says what a Finding is about.
type Kind string

const (
	// TempMoved: TMPDIR and its like point away from the lane's own.
	TempMoved Kind = "temp-moved"
	// GitProgram: git is configured to run a program, or read another
	// configuration, hooks directory or repository.
	GitProgram Kind = "git-program"
	// GitConfig: git's configuration files would be changed.
	GitConfig Kind = "git-config"
	// GitWorktree: worktrees or repositories would be made or moved.
	GitWorktree Kind = "git-worktree"
	// GuardOff: lane's own processes, settings or the harness's hooks would be
	// stopped.
	GuardOff Kind = "guard-off"
	// RemoteShell: a shell's input would come from the network.
	RemoteShell Kind = "remote-shell"
	// Unreadable: the command cannot be parsed.
	Unreadable Kind = "unreadable"
	// TooMuch: a limit of the interpreter was reached.
	TooMuch Kind = "too-much"
	// UnknownCode: text that nobody can read beforehand would be run.
	UnknownCode Kind = "unknown-code"
	// Escape: the command leaves the lane's reach: a daemon, a scheduler,
	// another user.
	Escape Kind = "escape"
	// TypedLater: a shell or another interpreter is started that reads what
	// somebody types into it afterwards.
	TypedLater Kind = "typed-later"
)

// Report is everything the interpreter found, in the order of the command.
type Report struct {
	Effects  []Effect
	Findings []Finding
	Links    []Link
}
