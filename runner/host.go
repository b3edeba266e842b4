package runner

import (
	"time"

	"lane/gitdiscover/owngit"
	"lane/sandbox"
	"lane/sandbox/confine"
)

// Host is what Survey found on this machine. Build reads it and nothing
// else. It is the same for the same machine, so tests write it by hand.
type Host struct {
	UID, GID int
	User     string // the caller's login name
	Cwd      string // where a command starts: the request's directory, resolved
	Home     string // the caller's home, resolved; "" when there is none to hide
	Lane     string // lane's own executable, resolved
	Inside   string // what is the confined child and answers hooks: Lane, or the lane-inside beside it
	LaneHome string // directory of lane's own files
	Run      string // the new run's id
	Started  time.Time

	EnvNames  []string // the caller's variables
	CallerTmp string   // the caller's TMPDIR
	Shell     string   // /bin/bash, or /bin/sh

	Layer       confine.Probe
	OtherLayers []confine.Probe // of this system, which were not asked for
	// Cgroup is looked for when limits are asked for that it could bind.
	Cgroup  confine.Delegation
	Helpers map[string]string // program -> absolute path, "" when missing

	Program Program
	Login   LoginState

	Path         []PathEntry       // the caller's PATH, in order
	Exists       map[string]string // path asked for -> resolved path, for those that exist
	TopDirs      []string          // names of the directories in /
	Toolchains   []sandbox.Row     // below Home, those that exist
	Secrets      []sandbox.Row     // what a readable home must not show, those that exist
	Masked       []sandbox.Row     // files that --mask names
	Obeyed       []string          // files of the repository's by which it configures the agent
	Notes        []string          // what the user should know of the request
	Certificates []string          // files and directories named by certificateVars, resolved
	CertFiles    map[string]bool   // which of them are files
	Resolv       string            // what /etc/resolv.conf resolves to
	Sockets      []string          // sockets of this host that can be connected to, and any in the worktree, resolved

	Tree   Tree          // what the worktree holds at launch
	Wiring []sandbox.Row // files that configure agents and editors, those that exist
	// Steered is what git's config names in the worktree and is not there.
	Steered []Steered
	// WiringLink is the first of them that is, or lies behind, a link.
	WiringLink string
	IDs        []confine.PathID // of Wiring and of the tree's repositories
	Overlap    sandbox.Overlap
	// OwnGit is what a git directory of the lane's own is planned from; empty
	// when none was asked for.
	OwnGit owngit.Facts
	Text   Text     // the repository's instructions for the agent
	MCP    []byte   // the user's MCP configuration
	Extra  []string // Request.Reads then Request.Writes, resolved, in order

	// values holds the caller's variables and the login's token. It is never
	// printed and never written.
	values map[string]string
}

// Program is the agent's executable.
type Program struct {
	Path        string   // as found
	Real        string   // resolved
	Interpreter string   // resolved, "" for a binary
	Shows       []string // directories or files that must be readable for it to run
	Missing     string   // why it cannot be started, "" if it can
	NotExec     bool     // it exists but cannot be executed
	Version     string   // what its package says it is, "" if nothing does
}

// LoginState says where the agent's credentials come from.
type LoginState struct {
	Source string // "env NAME" or "file PATH", "" for none
	Reason string // stable word when there is none: auth-missing, auth-expired, auth-unreadable
	Detail string
}

// PathEntry is one directory of the caller's PATH.
type PathEntry struct {
	Dir     string // as written
	Real    string // resolved, "" when it does not exist
	Dropped string // why it cannot be used, "" if it can
}

// Text is a file of the repository that goes to the agent as text.
type Text struct {
	Name    string
	Content string
	Cut     bool // it was longer than lane hands over
}
