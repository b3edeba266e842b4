package gitdiscover

import "golang.org/x/sys/unix"

// dirFlags open a directory as a place to look from. O_PATH needs search
// permission on the way, none on the directory itself, as git's own access.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY

// onProcfs is true when fd lies on a proc file system, wherever it is mounted.
func onProcfs(fd int) bool {
	var st unix.Statfs_t
	for {
		err := unix.Fstatfs(fd, &st)
		if err != unix.EINTR {
			return err == nil && int64(st.Type) == unix.PROC_SUPER_MAGIC
		}
	}
}

// openNoLinks opens the directory at an absolute path if no link is on the
// way; a kernel before 5.6, or a filter, answers no.
func openNoLinks(path string) (fd int, ok bool) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   dirFlags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	return fd, err == nil
}
