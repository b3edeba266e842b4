package confine

import "golang.org/x/sys/unix"

func init() {
	pathOnly = func(flags int) bool { return flags&unix.O_PATH != 0 }
}
