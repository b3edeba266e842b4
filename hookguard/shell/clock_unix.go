package shell

import (
	"syscall"
	"time"
)

// busy is the processor time this process has used. The interpreter's limit
// counts it and not the time of day: on a machine full of work a process
// stands still for longer than any command takes to read, and an answer must
// not depend on that.
func busy() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
