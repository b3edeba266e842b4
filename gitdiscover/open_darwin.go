package gitdiscover

import "golang.org/x/sys/unix"

// dirFlags open a directory as a place to look from. There is no O_PATH here:
// a directory that can be searched but not listed is refused.
const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY

// onProcfs is false: this system has none.
func onProcfs(int) bool { return false }

// openNoLinks always answers no: nothing here refuses links on the way.
func openNoLinks(string) (fd int, ok bool) { return -1, false }
