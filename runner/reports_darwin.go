package runner

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// reports is lane's end of descriptor 4. On this system a layer has no pid
// namespace: the agent is reached by its process group.
type reports struct{ f *os.File }

func reportPair() (inside *os.File, mine *reports, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	return w, &reports{f: r}, nil
}

func (r *reports) SetReadDeadline(t time.Time)       { _ = r.f.SetReadDeadline(t) }
func (r *reports) Close()                            { r.f.Close() }
func (r *reports) Read(b []byte) (int, error)        { return r.f.Read(b) }
func (r *reports) end()                              {}
func (r *reports) stopped() bool                     { return false }
func (r *reports) signal(syscall.Signal) bool        { return false }
func (r *reports) signalGroup(syscall.Signal) bool   { return false }
func (r *reports) known() bool                       { return false }
func (r *reports) withoutNamespace()                 {}
func (r *reports) waitEmpty(time.Duration) (ok bool) { return false }

// dieWithLane: this system has no such request.
func dieWithLane(*syscall.SysProcAttr) {}
