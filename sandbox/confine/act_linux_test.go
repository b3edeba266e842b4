package confine

import (
	"encoding/json"
	"fmt"
	"os"

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
