package attack

import (
	"errors"
	"os/exec"
	"syscall"
)

// system is what each operating system does in its own way. Attacks exist for
// Linux so far; the rest is portable, so that what imports this package
// builds everywhere.
var system = struct {
	abstractSockets bool
	// privateMounts starts a process in a mount namespace of its own.
	privateMounts func(*syscall.SysProcAttr)
	// keep makes what lies in the kernel rather than on disk.
	keep func(*Fixture) error
	// handle is a file's handle as open_by_handle_at takes it, in hex.
	handle func(path string) string
	// terminal gives the command one; the function that is returned closes it.
	terminal func(c *exec.Cmd) (func() terminal, error)
}{
	privateMounts: func(*syscall.SysProcAttr) {},
	keep:          func(*Fixture) error { return nil },
	handle:        func(string) string { return "" },
	terminal:      func(*exec.Cmd) (func() terminal, error) { return nil, errors.ErrUnsupported },
}

// terminal is what a user's terminal, with the launcher on it, was left as.
type terminal struct {
	output  string // what was written to it
	typed   string // input that nobody typed
	changed bool   // its modes
}
