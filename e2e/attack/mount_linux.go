package attack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Mounts: what the lane is made of.

func init() { lazily(addMount) }

func addMount() {
	const claim = "the lane's mounts cannot be changed from inside"
	sees := "a mount is seen only in its own namespace"
	register(
		Attack{ID: "userns", Claim: claim, What: "make a user namespace and mount in it", Try: func(l Layout) error {
			return inNamespace(l, "+mount")
		}, Inside: sees, Missing: noUserNamespaces},
		Attack{ID: "userns-clone3", Claim: claim, What: "make a user namespace with unshare(1)", Try: func(Layout) error {
			return shell("unshare -Urm mount -t tmpfs t /mnt")
		}, Inside: sees, Missing: noUserNamespaces},
		Attack{ID: "mount-api", Claim: claim, What: "fsopen, fsmount, open_tree and move_mount, with what rights it has", Plain: Plain{Root, "it takes CAP_SYS_ADMIN"},
			Try: mountAPI, Inside: sees},
		Attack{ID: "mount-api-userns", Claim: claim, What: "the same in a user namespace", Try: func(l Layout) error {
			return inNamespace(l, "+mountapi")
		}, Inside: sees, Missing: noUserNamespaces},
		Attack{ID: "remount", Claim: claim, What: "remount the lane's read-only mounts writable, and write", Plain: Plain{Root, "it takes CAP_SYS_ADMIN"}, Try: remount,
			Judge: func(f *Fixture) Finding { return f.planted(f.Common + "/hooks/post-checkout") }},
		Attack{ID: "umount-cover", Claim: claim, What: "unmount what covers the home directory and /tmp, and look below",
			Try: uncover, Judge: func(f *Fixture) Finding { return f.looted("ssh") }},
		Attack{ID: "mount-over-git", Claim: claim, What: "bind a directory of its own over .git", Plain: Plain{Root, "it takes CAP_SYS_ADMIN"}, Try: func(l Layout) error {
			if err := os.Mkdir("own", 0o755); err != nil {
				return err
			}
			return syscall.Mount("own", l.Common, "", syscall.MS_BIND, "")
		}, Inside: sees},
	)
	modes["+mount"] = func(Layout) error { return syscall.Mount("none", "/mnt", "tmpfs", 0, "") }
	modes["+mountapi"] = mountAPI
}

func noUserNamespaces(*Fixture) string {
	if err := exec.Command("unshare", "-Urm", "true").Run(); err != nil {
		return "user namespaces are off on this host"
	}
	return ""
}

// inNamespace runs a mode in a new user and mount namespace, as its root.
func inNamespace(l Layout, mode string) error {
	c := l.again(mode)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}}
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, short(string(out)))
	}
	return nil
}

// mountAPI makes a file system and a copy of the tree without mount(2).
func mountAPI(Layout) error {
	const create = 6 // FSCONFIG_CMD_CREATE
	fs, err := call(sysFsopen, text("tmpfs"), 0)
	if err == nil {
		_, err = call(sysFsconfig, fs, create, 0, 0, 0)
	}
	var mount uintptr
	if err == nil {
		mount, err = call(sysFsmount, fs, 0, 0)
	}
	const emptyFrom = 4 // MOVE_MOUNT_F_EMPTY_PATH
	if err == nil {
		_, err = call(sysMoveMount, mount, text(""), at(), text("/mnt"), emptyFrom)
	}
	const clone, recursive = 1, 0x8000 // OPEN_TREE_CLONE, AT_RECURSIVE
	return anyOf(err, opened(call(sysOpenTree, at(), text("/"), clone|recursive)))
}

// remount tries every mount that has to do with the fixture.
func remount(l Layout) error {
	points := []string{"/", "/proc/sys", l.Common, l.Repo}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], l.Dir) {
				points = append(points, fields[4])
			}
		}
	}
	var tries []error
	for _, p := range points {
		tries = append(tries, syscall.Mount("none", p, "", syscall.MS_REMOUNT|syscall.MS_BIND, ""))
	}
	if err := anyOf(tries...); err != nil {
		return err
	}
	return os.WriteFile(l.Common+"/hooks/post-checkout", l.payload(), 0o755)
}

func uncover(l Layout) error {
	var tries []error
	for _, p := range []string{l.Home, filepath.Dir(l.Tmp), l.Home + "/.ssh", "/"} {
		tries = append(tries, syscall.Unmount(p, syscall.MNT_DETACH))
	}
	if err := carry(l, l.Home+"/.ssh/id_ed25519"); err != nil {
		return errors.Join(anyOf(tries...), err)
	}
	return nil
}
