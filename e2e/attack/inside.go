package attack

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Lines that the inside prints. The launcher may print others.
const (
	sayStarted = "attack: started"
	sayThrough = "attack: through"
	sayFailed  = "attack: failed: "
)

// modes are further programs that attacks are made of, by name.
var modes = map[string]func(Layout) error{}

// Inside tries one attack: args are its id and the layout. It returns the
// exit code.
func Inside(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "attack: want an id and a layout")
		return 2
	}
	var l Layout
	if err := json.Unmarshal([]byte(args[1]), &l); err != nil {
		fmt.Fprintln(os.Stderr, "attack: layout:", err)
		return 2
	}
	load()
	if mode, ok := modes[args[0]]; ok {
		if err := mode(l); err != nil {
			fmt.Fprintln(os.Stderr, "attack:", err)
			return 1
		}
		return 0
	}
	a, ok := Find(args[0])
	if !ok {
		fmt.Fprintln(os.Stderr, "attack: no such attack:", args[0])
		return 2
	}
	fmt.Println(sayStarted)
	if err := a.Try(l); err != nil {
		fmt.Println(sayFailed + short(err.Error()))
		return 1
	}
	fmt.Println(sayThrough)
	return 0
}

// heartTime is how long a heart beats at most.
const heartTime = time.Minute

// beat shows, outside, that this process lives. What got away ends when the
// fixture is put back and its file is gone.
func beat(l Layout) error {
	f, err := os.OpenFile(l.Worktree+"/"+heartFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	own, err := f.Stat()
	if err != nil {
		return err
	}
	for end := time.Now().Add(heartTime); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(own, now) {
			return nil
		}
		if _, err := f.WriteString(strconv.Itoa(os.Getpid()) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func init() { modes["+beat"] = beat }
