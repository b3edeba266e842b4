// Package sandbox holds the policy of a lane as plain data: which paths the
// confined process tree may read and write, what is hidden from it, its
// network and its limits. Each row carries the reason it stands for.
//
// The package makes no system call and reads no clock and no environment:
// package runner builds a Policy from what it surveyed, package confine
// enforces it, package hookguard asks it. They cannot disagree because all
// three use one rule, in this package: the row with the longest path that
// contains a file decides (see Policy.Decide).
//
// A row grants exactly what its Access says and nothing above or beside it:
// a "write" row for a directory does not make the directory itself removable,
// and no row ever makes a path exist on the host.
package sandbox

// Access is what a row gives the confined processes at and below its path.
type Access string

const (
	// Read shows the host's files, without write access.
	Read Access = "read"
	// Write shows the host's files and lets them be changed.
	Write Access = "write"
	// Protect is Read inside a directory that is otherwise writable: git's
	// pointer, wiring, nested repositories. It differs from Read only in that
	// a layer which cannot express it must declare the gap "protect-inside".
	Protect Access = "protect"
	// Hide shows an empty directory, or an empty file, instead of the host's.
	Hide Access = "hide"
	// Private shows an empty, writable directory in memory that belongs to
	// the lane alone and is gone with it.
	Private Access = "private"
	// Devices is a fresh /dev that holds the harmless nodes only (see
	// DeviceNodes). None of the host's devices is in it.
	Devices Access = "devices"
	// Processes is a fresh /proc that shows the lane's own processes only.
	Processes Access = "processes"
)

// Row is one line of the policy.
type Row struct {
	// Path is absolute, clean and free of symbolic links.
	Path string `json:"path"`
	// Access is what is given at Path and below it.
	Access Access `json:"access"`
	// Source, if set, is the host path shown at Path instead of Path itself.
	// Only Read, Write and Protect rows may have one.
	Source string `json:"source,omitempty"`
	// File says that Path is a regular file and not a directory.
	File bool `json:"file,omitempty"`
	// Reopen says that the row is meant to open a part of what a Hide row
	// above it hides. It opens nothing else that is hidden.
	Reopen bool `json:"reopen,omitempty"`
	// Size bounds a Private row, in bytes; 0 is the layer's default.
	Size int64 `json:"size,omitempty"`
	// Mode is the permission bits of a Private row's directory; 0 is 0755.
	Mode uint32 `json:"mode,omitempty"`
	// Reason is one clause for people: why the row is there.
	Reason string `json:"reason"`
}

// NetworkMode says which network the lane sees.
type NetworkMode string

const (
	// NetworkNone is a network namespace of the lane's own with loopback only.
	NetworkNone NetworkMode = "none"
	// NetworkHost shares the host's network: the gap "network: host".
	NetworkHost NetworkMode = "host"
)

// Limits bounds the whole process tree. Zero means no limit.
type Limits struct {
	Memory   int64 `json:"memory,omitempty"`    // bytes
	Procs    int64 `json:"procs,omitempty"`     // processes and threads
	FileSize int64 `json:"file_size,omitempty"` // bytes
	CPUTime  int64 `json:"cpu_time,omitempty"`  // seconds
}

// Policy is everything a layer has to enforce.
type Policy struct {
	// Rows in any order; they are judged by longest path, so order has no
	// meaning. There is exactly one row for "/".
	Rows []Row `json:"rows"`
	// Network is the lane's network.
	Network NetworkMode `json:"network"`
	// Nesting allows user namespaces inside the lane, which an agent's own
	// sandbox needs. Without it they are refused.
	Nesting bool `json:"nesting"`
	// Terminal says that the confined process gets a private pty as its
	// controlling terminal; without it the lane is a session of its own.
	Terminal bool   `json:"terminal"`
	Limits   Limits `json:"limits"`
}

// Gap is a need of the policy that the layers at hand do not meet. A gap is
// shown, recorded, and refuses the lane unless it was accepted by name.
type Gap struct {
	// Name is the stable word for --accept.
	Name string `json:"name"`
	// Detail says what is open because of it.
	Detail string `json:"detail"`
	// Accepted says that the user took it by name, or that lane's own
	// default allows it and lists it (Default).
	Accepted bool `json:"accepted"`
	// Default marks a gap that is open in every lane of this version.
	Default bool `json:"default,omitempty"`
}
