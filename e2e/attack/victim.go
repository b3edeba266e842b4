package attack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// victim is a process of the same user outside: it has a secret in its
// environment, a file with another open, and writes down a signal.
type victim struct {
	cmd  *exec.Cmd
	life io.Closer // the end of its standard input that it waits at
}

const victimMark = "got-signal"

// keep prepares what lies in the kernel rather than on disk.
func (f *Fixture) keep() error {
	f.victim = &victim{}
	f.undoAll = append(f.undoAll, f.victim.end)
	return system.keep(f)
}

// ensure starts the victim unless it lives, and tells the layout.
func (v *victim) ensure(f *Fixture) error {
	if v.cmd != nil && syscall.Kill(v.cmd.Process.Pid, 0) == nil {
		return nil
	}
	v.end()
	c := f.again("+victim")
	c.Env = append(f.environ(), "VICTIM_SECRET="+f.secrets["victim"])
	c.Dir = f.Home
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := c.StdoutPipe()
	if err == nil {
		v.life, err = c.StdinPipe()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return fmt.Errorf("victim: %w", err)
	}
	v.cmd = c
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		f.VictimFD, err = strconv.Atoi(strings.TrimSpace(line))
	}
	f.Victim = c.Process.Pid
	return err
}

func (v *victim) end() {
	if v.cmd != nil {
		_ = v.cmd.Process.Kill() // it may be gone
		_ = v.cmd.Wait()
		v.cmd = nil
	}
}

// beVictim is the victim. It ends when its starter has, however that ended.
func beVictim(l Layout) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	secret, err := os.CreateTemp(filepath.Dir(l.Canary), "")
	if err != nil {
		return err
	}
	_, err = secret.WriteString(os.Getenv("VICTIM_SECRET"))
	if err = errors.Join(err, os.Remove(secret.Name())); err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	fmt.Println(secret.Fd())
	for range signals {
		if err := os.WriteFile(filepath.Join(filepath.Dir(l.Canary), victimMark), nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func init() { modes["+victim"] = beVictim }
