package runner

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// withoutNamespace readies lane to end what a lane without a pid namespace
// leaves behind: processes whose parent has ended become lane's children and
// not init's. That holds as long as lane lives, which is why the layer has the
// gap "orphans".
func (r *reports) withoutNamespace() {
	r.loose = true
	// Without it, strays are out of reach and the end is not seen: it is told.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// endStrays kills what is left of the lane, generation by generation, until
// nothing is or the time is up.
func endStrays(limit time.Duration) bool {
	mark := filters("self")
	for end := time.Now().Add(limit); ; {
		left := strays(mark)
		if len(left) == 0 {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		for _, pid := range left {
			// A child that was not waited for keeps its number.
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(time.Millisecond)
	}
}

// strays are lane's children that carry more system-call filters than lane
// itself: those of the lane, for a filter cannot be taken off, and no program
// that lane starts for itself.
func strays(mark int) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var found []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err == nil && parentOf(pid) == os.Getpid() && filters(name) > mark {
			found = append(found, pid)
		}
	}
	return found
}

// filters counts the system-call filters of a process, 0 when it is gone.
func filters(pid string) int {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(b, []byte("\nSeccomp_filters:\t"))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.Atoi(string(line)) // the kernel's own number
	return n
}
