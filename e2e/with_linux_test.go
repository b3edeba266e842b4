package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// withMain starts a command in a way that a script cannot spell, and ends with
// the code that a shell would report.
//
//	with [0|1|2=null|closed|open|dir:PATH|path:PATH] [SIGNAL[@FILE]]… [setsid]
//	     [scan=TEXT] [within=DURATION] -- COMMAND…
//
// "open" is a pipe that nobody writes to and nobody closes; "path" a descriptor
// opened with O_PATH. A signal is sent once its FILE is there, or half a second
// after the one before. "scan" looks for TEXT in every process's command line
// while the command runs. A command that takes longer than "within" is killed
// and the exit code is 99.
func withMain() int {
	w := &with{within: 2 * time.Minute}
	argv, err := w.parse(os.Args[1:])
	if err == nil {
		var code int
		if code, err = w.run(argv); err == nil {
			return code
		}
	}
	fmt.Fprintln(os.Stderr, "with:", err)
	return 98
}

type with struct {
	files   [3]*os.File
	given   [3]bool
	signals []timedSignal
	setsid  bool
	scan    string
	within  time.Duration
}

type timedSignal struct {
	sig  syscall.Signal
	file string
}

var signalNames = map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
	"KILL": syscall.SIGKILL, "QUIT": syscall.SIGQUIT}

func (w *with) parse(args []string) ([]string, error) {
	for i, a := range args {
		name, value, _ := strings.Cut(a, "=")
		signame, file, _ := strings.Cut(a, "@")
		sig, isSignal := signalNames[signame]
		var err error
		switch {
		case a == "--":
			if i+1 == len(args) {
				return nil, errors.New("no command")
			}
			return args[i+1:], nil
		case name == "0" || name == "1" || name == "2":
			fd, _ := strconv.Atoi(name)
			w.given[fd] = true
			w.files[fd], err = odd(value, fd)
		case name == "scan":
			w.scan = value
		case name == "within":
			w.within, err = time.ParseDuration(value)
		case a == "setsid":
			w.setsid = true
		case isSignal:
			w.signals = append(w.signals, timedSignal{sig, file})
		default:
			err = fmt.Errorf("what is %q", a)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New(`no "--"`)
}

// odd opens a descriptor; nil stands for one that is closed.
func odd(kind string, fd int) (*os.File, error) {
	word, path, _ := strings.Cut(kind, ":")
	switch word {
	case "null":
		return os.OpenFile(os.DevNull, os.O_RDWR, 0)
	case "closed":
		return nil, nil
	case "open":
		r, w, err := os.Pipe()
		if fd != 0 {
			return nil, errors.New("only standard input can be open")
		}
		held = append(held, w)
		return r, err
	case "dir":
		return os.Open(path)
	case "path":
		const oPath = 0x200000 // O_PATH, which package syscall does not name
		n, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
		return os.NewFile(uintptr(n), path), err
	}
	return nil, fmt.Errorf("what is %q", kind)
}

var held []*os.File // ends that stay open as long as this process lives

func (w *with) run(argv []string) (int, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	for fd := range files {
		if w.given[fd] {
			files[fd] = w.files[fd]
		}
	}
	// The child dies with this thread: nothing of a test outlives it.
	runtime.LockOSThread()
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Files: files,
		Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: w.setsid, Pdeathsig: syscall.SIGKILL}})
	if err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	late := time.AfterFunc(w.within, func() { _ = p.Kill() })
	go w.send(p, ended)
	seen := make(chan map[string]bool, 1)
	go func() { seen <- scan(w.scan, p.Pid, ended) }()
	begin := time.Now()
	state, err := p.Wait()
	close(ended)
	if err != nil {
		return 0, err
	}
	if w.scan != "" {
		found := <-seen
		fmt.Fprintf(os.Stderr, "with: text seen in %d command lines %v\n", len(found), found)
	}
	if !late.Stop() {
		fmt.Fprintf(os.Stderr, "with: killed after %v\n", time.Since(begin).Round(time.Millisecond))
		return 99, nil
	}
	ws := state.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return ws.ExitStatus(), nil
}

func (w *with) send(p *os.Process, ended <-chan struct{}) {
	for _, s := range w.signals {
		wait := 500 * time.Millisecond
		for s.file != "" {
			if _, err := os.Lstat(s.file); err == nil {
				wait = 0
				break
			}
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		select {
		case <-ended:
			return
		case <-time.After(wait):
		}
		_ = p.Signal(s.sig)
	}
}

// scan reports the command lines, by their program, that held text. The
// command itself is passed over: a script may have to give it the text.
func scan(text string, self int, ended <-chan struct{}) map[string]bool {
	found := map[string]bool{}
	if text == "" {
		return found
	}
	looked := 0
	for {
		dirs, err := os.ReadDir("/proc")
		if err != nil {
			return found
		}
		for _, d := range dirs {
			pid, err := strconv.Atoi(d.Name())
			if err != nil || pid == os.Getpid() || pid == self {
				continue
			}
			line, err := os.ReadFile("/proc/" + d.Name() + "/cmdline")
			if err == nil && bytes.Contains(line, []byte(text)) {
				name, _, _ := strings.Cut(string(line), "\x00")
				found[name] = true
			}
			looked++
		}
		select {
		case <-ended:
			fmt.Fprintf(os.Stderr, "with: looked at %d command lines\n", looked)
			return found
		case <-time.After(5 * time.Millisecond):
		}
	}
}
