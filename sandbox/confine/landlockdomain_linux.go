package confine

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// domain is a set of rules, made but not necessarily entered.
type domain struct {
	abi     int
	ruleset int
	// given is what the rules give, by the file they are about: the kernel
	// keeps rules by inode, not by name.
	given map[fileID]uint64
}

type fileID struct{ dev, ino uint64 }

func newDomain(network sandbox.NetworkMode, grants []grant) (*domain, error) {
	d := &domain{abi: LandlockABI(), given: map[fileID]uint64{}}
	if d.abi < landlockMinABI {
		return nil, fmt.Errorf("landlock ABI %d, want %d", d.abi, landlockMinABI)
	}
	attr := rulesetFor(d.abi, network)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	d.ruleset = int(fd)
	for _, g := range grants {
		if err := d.addPath(g); err != nil {
			unix.Close(d.ruleset)
			return nil, err
		}
	}
	return d, nil
}

// addPath gives a path what it is granted. A path that was only found by
// listing a directory is passed over when it is gone, cannot be reached, or
// is of a kind that is not given: a link gives nothing (what it names has
// rules of its own), and devices are given by name only.
func (d *domain) addPath(g grant) error {
	fd, err := openPath(g.path)
	if err != nil {
		if g.must {
			return fmt.Errorf("open %+q: %w", g.path, err)
		}
		return nil
	}
	defer unix.Close(fd)
	return d.addFD(fd, g)
}

func (d *domain) addFD(fd int, g grant) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("fstat %+q: %w", g.path, err)
	}
	kind := st.Mode & unix.S_IFMT
	device := kind == unix.S_IFCHR
	usable := kind == unix.S_IFDIR || kind == unix.S_IFREG
	if usable && g.kind == grantDevice || !usable && !(device && g.kind == grantDevice) {
		if g.must {
			return fmt.Errorf("%+q is neither file nor directory", g.path)
		}
		return nil
	}
	allowed := g.kind.rights(kind == unix.S_IFDIR) & handledFS(d.abi)
	if allowed == 0 {
		return nil // the kernel takes no empty rule
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: allowed, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(d.ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock_add_rule %+q %s: %w", g.path, rightNames(allowed), errno)
	}
	d.given[fileID{uint64(st.Dev), st.Ino}] |= allowed
	return nil
}

// enter puts the domain on the calling thread and all that it starts. There
// is no way out of it. The thread has no_new_privs.
func (d *domain) enter() error {
	defer unix.Close(d.ruleset)
	var flags uintptr
	if d.abi >= logABI {
		// What lane tries is meant to be refused, and no news for the host's
		// log. What is started later is silent there by the kernel's default.
		flags = unix.LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(d.ruleset), flags, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// gives is what the rules give at path: the kernel's own algorithm, up from
// the file to /, over inodes. It is asked where trying proves nothing,
// because the file's own mode refused already.
func (d *domain) gives(path string) (uint64, error) {
	fd, err := openPath(path)
	if err != nil {
		return 0, err
	}
	defer func() { unix.Close(fd) }()
	var all uint64
	var last fileID
	for {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return 0, err
		}
		id := fileID{uint64(st.Dev), st.Ino}
		all |= d.given[id]
		if id == last { // the parent of / is /
			return all, nil
		}
		last = id
		up := parentOf(path)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			up = ".."
		}
		next, err := unix.Openat(fd, up, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, err
		}
		unix.Close(fd)
		fd = next
	}
}

func parentOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

var errLink = errors.New("is, or lies behind, a symbolic link")

// openPath opens a path without opening the file and follows no link. It goes
// component by component: openat2, which could do it at once, is refused in a
// lane and in some containers.
func openPath(path string) (int, error) {
	const flags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Open("/", flags, 0)
	if err != nil {
		return -1, err
	}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' }) {
		next, err := unix.Openat(fd, part, flags, 0)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = next
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			unix.Close(fd)
			return -1, err
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			unix.Close(fd)
			return -1, errLink
		}
	}
	return fd, nil
}
