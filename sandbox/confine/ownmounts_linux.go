package confine

import (
	"os"
	"strings"
	"syscall"
)

// Attr has bubblewrap start in a mount namespace that nothing propagates
// into. bubblewrap itself only makes the mounts of the host slaves of its
// own, and with / shared, as systemd has it, whatever is mounted on the host
// while the lane runs (a stick, an automount, a container's disk) appears
// inside, writable, at any place that no row covers (measured). The price is
// that what the host unmounts stays in use until the lane ends.
//
// A user needs a user namespace for it, in which it is still itself; os/exec
// makes the mounts private when Unshareflags has CLONE_NEWNS.
func (bwrap) Attr(attr *syscall.SysProcAttr) {
	attr.Unshareflags |= syscall.CLONE_NEWNS
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
}

// tryOwnMounts looks for a mount that events of another namespace reach.
func tryOwnMounts(plan ChildPlan) []Check {
	c := Check{Name: "own-mounts", Want: "no mount of the host's can appear"}
	if plan.HostMounts || plan.Landlock != nil { // mounts give no right past a domain
		return nil
	}
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		c.Got = errnoName(err)
		return []Check{c}
	}
	if at, found := propagates(string(b)); found {
		c.Path, c.Got = at, "a mount that follows the host's"
		return []Check{c}
	}
	c.Got, c.OK = c.Want, true
	return []Check{c}
}

// propagates returns the first mount point in a text of the form of
// /proc/PID/mountinfo whose optional fields, which end at a lone dash, make
// it a peer or a slave of another.
func propagates(mountinfo string) (mountPoint string, found bool) {
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		for i := 6; i < len(fields) && fields[i] != "-"; i++ {
			if strings.HasPrefix(fields[i], "shared:") || strings.HasPrefix(fields[i], "master:") {
				return fields[4], true
			}
		}
	}
	return "", false
}
