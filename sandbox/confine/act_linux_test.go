package confine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// act does inside a lane what a script cannot.
func act(args []string) int {
	if len(args) == 0 {
		return 2
	}
	switch args[0] {
	case "look":
		return actLook(args[1])
	case "calls":
		return actCalls(args[1])
	case "hog":
		return actHog(args[1])
	case "forks":
		return actForks(args[1])
	case "file":
		return actFile(args[1])
	case "reach":
		return actReach(args[1])
	case "wait":
		time.Sleep(time.Minute)
		return 0
	case "tiocsti":
		return actType()
	}
	fmt.Fprintln(os.Stderr, "act: unknown", args)
	return 2
}

// sight is what a path looks like from inside.
type sight struct {
	Path    string
	Content string // of a regular file
	Read    string // "ok" or the errno
	Write   string // "ok" or the errno
	Dir     bool
}

// actLook tries every path listed in a file and prints sights as JSON.
func actLook(list string) int {
	b, err := os.ReadFile(list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var paths []string
	if err := json.Unmarshal(b, &paths); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var all []sight
	for _, path := range paths {
		all = append(all, look(path))
	}
	json.NewEncoder(os.Stdout).Encode(all)
	return 0
}

func look(path string) sight {
	s := sight{Path: path, Read: "ok", Write: "ok"}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		s.Read, s.Write = errnoName(err), errnoName(err)
		return s
	}
	s.Dir = st.Mode&unix.S_IFMT == unix.S_IFDIR
	if s.Dir {
		if got := createIn(path); got != "created" {
			s.Write = got
		}
		return s
	}
	b, err := os.ReadFile(path)
	if err != nil {
		s.Read = errnoName(err)
	}
	s.Content = string(b)
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		s.Write = errnoName(err)
	} else {
		unix.Close(fd)
	}
	return s
}

// actCalls makes the call of every row of a table with arguments that the
// row refuses, and prints the errors.
func actCalls(table string) int {
	got := map[string]string{}
	for i, row := range append(filterRows(), archRows...) {
		if (table == "nesting" && !row.nested) || (table == "harmless" && doesSomething[row.name]) {
			continue
		}
		args := hit(row)
		used := map[int]bool{}
		for _, c := range row.when {
			used[c.arg] = true
		}
		for n := range args {
			if !used[n] {
				args[n] = ^uint64(0) // no descriptor, no address
			}
		}
		_, _, errno := unix.RawSyscall6(uintptr(row.nr), uintptr(args[0]), uintptr(args[1]), uintptr(args[2]),
			uintptr(args[3]), uintptr(args[4]), uintptr(args[5]))
		got[callName(i, row)] = unix.ErrnoName(errno)
	}
	json.NewEncoder(os.Stdout).Encode(got)
	return 0
}

// doesSomething are the calls that would take effect without the filter.
var doesSomething = map[string]bool{"clone": true, "clone3": true, "unshare": true, "vhangup": true}

// actHog takes that many MiB of memory and says so.
func actHog(size string) int {
	n, err := strconv.Atoi(size)
	if err != nil {
		return 2
	}
	b := make([]byte, n<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	fmt.Println("took", len(b)>>20, "MiB")
	return 0
}

// actForks starts that many processes at once and says how many there were.
func actForks(count string) int {
	n, err := strconv.Atoi(count)
	if err != nil {
		return 2
	}
	started := 0
	for range n {
		cmd := exec.Command("/proc/self/exe", "act", "wait")
		if cmd.Start() == nil {
			started++
			defer cmd.Process.Kill()
		}
	}
	fmt.Println("started", started)
	return 0
}

// actFile writes a file of that many MiB and says so.
func actFile(size string) int {
	n, err := strconv.Atoi(size)
	if err != nil {
		return 2
	}
	signal.Ignore(unix.SIGXFSZ)
	f, err := os.Create("big")
	if err == nil {
		_, err = f.Write(make([]byte, n<<20))
	}
	fmt.Println("wrote", n, "MiB:", err)
	return 0
}

// actType tries to type into the terminal on standard input.
func actType() int {
	char := [2]byte{'x'}
	for name, request := range map[string]uintptr{"TIOCSTI": unix.TIOCSTI, "TIOCLINUX": unix.TIOCLINUX, "TIOCSTI, upper half": unix.TIOCSTI | 1<<32} {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, request, uintptr(unsafe.Pointer(&char)))
		fmt.Println(name, unix.ErrnoName(errno))
	}
	return 0
}
