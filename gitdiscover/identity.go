package gitdiscover

import (
	"os"
	"strconv"
	"strings"
)

// Identity is whose files are one's own.
type Identity struct {
	// EUID is the effective user id.
	EUID int
	// SudoUID is the text of SUDO_UID. It is heard when EUID is 0, as git
	// does: root through sudo may work in the caller's repository.
	SudoUID string
}

// CurrentIdentity returns the identity of this process.
func CurrentIdentity() Identity {
	return Identity{EUID: os.Geteuid(), SudoUID: os.Getenv("SUDO_UID")}
}

// owns says whether a file of uid is this identity's own.
func (i Identity) owns(uid uint32) bool {
	if int64(uid) == int64(i.EUID) {
		return true
	}
	if i.EUID != 0 {
		return false
	}
	sudo, err := strconv.ParseUint(strings.TrimLeft(i.SudoUID, " \t"), 10, 32)
	return err == nil && uint64(uid) == sudo
}

// mayRead says whether a file could be read without root's privileges. For an
// ordinary user the kernel decides and the answer here is yes. Root opens
// everything, but the agent it starts has no capabilities: what only they open
// would be missing in the lane, so root is asked as an ordinary process.
func (i Identity) mayRead(uid, gid, mode uint32) bool { return i.may(uid, gid, mode, 4) }

// maySearch is mayRead for entering a directory.
func (i Identity) maySearch(uid, gid, mode uint32) bool { return i.may(uid, gid, mode, 1) }

func (i Identity) may(uid, gid, mode, bit uint32) bool {
	switch {
	case i.EUID != 0:
		return true
	case uid == 0:
		return mode&(bit<<6) != 0
	case gid == 0:
		return mode&(bit<<3) != 0
	}
	return mode&bit != 0
}
