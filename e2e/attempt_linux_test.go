package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// done is what became of one statement.
type done struct {
	Do    string `json:"do"`
	Error string `json:"error"`
	Out   string `json:"out,omitempty"`
}

// attempts are what the stub agent and the MCP server can be told to try, as
// "word argument…". Most are ways to change a file that a lane must not let
// change; the host's side of the test looks at the disk afterwards.
var attempts = map[string]func(args []string) (string, error){
	"write": func(a []string) (string, error) {
		return "", os.WriteFile(arg(a, 0), []byte(strings.Join(a[1:], " ")+"\n"), 0o644)
	},
	"append": func(a []string) (string, error) {
		f, err := os.OpenFile(arg(a, 0), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return "", err
		}
		_, err = f.WriteString("appended\n")
		return "", errors.Join(err, f.Close())
	},
	"read": func(a []string) (string, error) {
		b, err := os.ReadFile(arg(a, 0))
		return string(b), err
	},
	"mkdir":    func(a []string) (string, error) { return "", os.Mkdir(arg(a, 0), 0o755) },
	"remove":   func(a []string) (string, error) { return "", os.Remove(arg(a, 0)) },
	"truncate": func(a []string) (string, error) { return "", os.Truncate(arg(a, 0), 0) },
	"chmod":    func(a []string) (string, error) { return "", os.Chmod(arg(a, 0), 0o777) },
	"touch":    func(a []string) (string, error) { return "", os.Chtimes(arg(a, 0), time.Time{}, time.Unix(1, 0)) },
	"rename":   func(a []string) (string, error) { return "", os.Rename(arg(a, 0), arg(a, 1)) },
	"link":     func(a []string) (string, error) { return "", os.Link(arg(a, 0), arg(a, 1)) },
	"symlink":  func(a []string) (string, error) { return "", os.Symlink(arg(a, 0), arg(a, 1)) },

	// The ways round a check of the path's text.
	"via-symlink": func(a []string) (string, error) {
		if err := os.Symlink(filepath.Dir(arg(a, 0)), "to-there"); err != nil {
			return "", err
		}
		defer os.Remove("to-there")
		return "", os.WriteFile(filepath.Join("to-there", filepath.Base(a[0])), []byte("x"), 0o644)
	},
	"via-link": func(a []string) (string, error) {
		return "", leaving(func(own string) error { return os.Link(own, arg(a, 0)) })
	},
	"via-rename": func(a []string) (string, error) {
		return "", leaving(func(own string) error { return os.Rename(own, arg(a, 0)) })
	},
	"via-proc": func(a []string) (string, error) {
		return "", os.WriteFile("/proc/self/root"+arg(a, 0), []byte("x"), 0o644)
	},
	"via-setsid": func(a []string) (string, error) {
		cmd := exec.Command("/bin/sh", "-c", `echo x >"$0"`, arg(a, 0))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.CombinedOutput()
		return string(out), err
	},

	// What capabilities would allow.
	"remount": func(a []string) (string, error) {
		return "", syscall.Mount("", arg(a, 0), "", syscall.MS_REMOUNT|syscall.MS_BIND, "")
	},
	"bind": func(a []string) (string, error) {
		return "", syscall.Mount(arg(a, 0), arg(a, 1), "", syscall.MS_BIND, "")
	},
	"umount": func(a []string) (string, error) { return "", syscall.Unmount(arg(a, 0), syscall.MNT_DETACH) },
	"mknod": func(a []string) (string, error) {
		return "", syscall.Mknod(arg(a, 0), syscall.S_IFBLK|0o666, 254<<8) // the host's disk
	},

	"exec": func(a []string) (string, error) {
		if len(a) == 0 {
			return "", errors.New("exec: no program")
		}
		out, err := exec.Command(a[0], a[1:]...).CombinedOutput()
		return string(out), err
	},
	"sleep": func(a []string) (string, error) {
		d, err := time.ParseDuration(arg(a, 0))
		time.Sleep(d)
		return "", err
	},
	// leave FILE SECONDS: a process that does not end with the one that
	// started it.
	"leave": func(a []string) (string, error) {
		cmd := exec.Command("/bin/sh", "-c", `sleep "$1"; echo late >"$0"`, arg(a, 0), arg(a, 1))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return "", cmd.Start()
	},
}

func arg(a []string, i int) string {
	if i < len(a) {
		return a[i]
	}
	return ""
}

// leaving gives f a file of the lane's own to get out of it.
func leaving(f func(own string) error) error {
	const own = "to-leave"
	if err := os.WriteFile(own, []byte("x"), 0o644); err != nil {
		return err
	}
	defer os.Remove(own)
	return f(own)
}

// try runs statements, separated by ";" or newlines, in order. A statement
// whose word is not an attempt goes to other; if that does not know it
// either, the test is wrong and says so in the report.
func try(text string, other func(word string, args []string) bool) []done {
	var out []done
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f, ok := attempts[words[0]]
		if !ok {
			if !other(words[0], words[1:]) {
				out = append(out, done{Do: strings.Join(words, " "), Error: "the test has no such word"})
			}
			continue
		}
		d := done{Do: strings.Join(words, " ")}
		text, err := f(words[1:])
		d.Out = text
		if err != nil {
			d.Error = fmt.Sprint(err)
		}
		out = append(out, d)
	}
	return out
}
