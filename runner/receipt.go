package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"lane/sandbox/confine"
)

// Receipt says what a lane was made of: which lane, on which host, round which
// agent. It is part of every record and of the gate's report.
type Receipt struct {
	Lane   LaneInfo      `json:"lane"`
	Host   HostInfo      `json:"host"`
	Writer *WriterResult `json:"writer"` // null when no agent was run
}

// LaneInfo says which lane it was.
type LaneInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of lane's source
	Modified bool   `json:"modified,omitempty"` // the source was not that revision's
	Go       string `json:"go"`
}

// HostInfo says on what it ran.
type HostInfo struct {
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernel   string `json:"kernel"`
	Landlock int    `json:"landlock_abi"` // 0 without it
}

// NewReceipt describes this lane on this host.
func NewReceipt(version string) Receipt {
	return Receipt{Lane: laneInfo(version), Host: HostInfo{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernelRelease(), Landlock: confine.LandlockABI()}}
}

func laneInfo(version string) LaneInfo {
	l := LaneInfo{Version: version, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return l
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			l.Revision = s.Value
		case "vcs.modified":
			l.Modified = s.Value == "true"
		}
	}
	return l
}

// Receipt is what the record says of lane, host and agent.
func (r Result) Receipt() Receipt {
	writer := r.Writer
	return Receipt{Lane: r.Lane, Host: r.Host, Writer: &writer}
}

// hashing is a file's sum that is made beside other work. An agent is some
// hundred megabytes, and nobody is to wait for that.
type hashing struct {
	sum  string
	done chan struct{}
}

// hashFile opens the file now, so that it is the one that is started, and
// reads it later.
func hashFile(path string) *hashing {
	h := &hashing{done: make(chan struct{})}
	f, err := os.Open(path)
	if err != nil {
		close(h.done) // the start says so too
		return h
	}
	go func() {
		defer close(h.done)
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err == nil {
			h.sum = hex.EncodeToString(sum.Sum(nil))
		}
	}()
	return h
}

func (h *hashing) wait() string {
	<-h.done
	return h.sum
}
