package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bwrapPlaces are where a distribution puts bubblewrap. The caller's PATH is
// never asked: a `bwrap` of the agent's or the repository's first in PATH
// would be the sandbox (measured against Claude Code).
var bwrapPlaces = []string{
	"/usr/bin/bwrap",
	"/bin/bwrap",
	"/usr/local/bin/bwrap",
	"/run/current-system/sw/bin/bwrap",
	"/nix/var/nix/profiles/default/bin/bwrap",
}

// ProbeFor is Find, and then starts bubblewrap with every namespace a lane
// uses.
func (b bwrap) ProbeFor(ctx context.Context, need Need) Probe {
	p := b.Find(ctx, need)
	if !p.OK {
		return p
	}
	p.OK = false
	return tryBwrap(ctx, p, need.UID == 0)
}

// Find finds bubblewrap, checks that nobody but root can change it, and asks
// its version.
func (b bwrap) Find(ctx context.Context, need Need) Probe {
	p := Probe{Layer: b.Name(), Scopes: LandlockABI() >= scopesABI}
	path, err := findBwrap(need.BwrapPath)
	if err != nil {
		p.Path = need.BwrapPath
		p.Reason, p.Detail = "unsafe-bwrap", err.Error()
		p.Hint = "install bubblewrap from the distribution; it must be owned by root and writable by root only"
		if errors.Is(err, fs.ErrNotExist) {
			p.Reason = "missing-bwrap"
			p.Hint = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap)"
		}
		return p
	}
	p.Path = path
	out, err := runProbe(ctx, []string{path, "--version"}, nil)
	if err != nil {
		p.Reason, p.Detail = "unsafe-bwrap", fmt.Sprintf("%s --version: %v: %s", path, err, out)
		p.Hint = "reinstall bubblewrap"
		return p
	}
	p.Version = strings.TrimPrefix(strings.TrimSpace(out), "bubblewrap ")
	if !versionAtLeast(p.Version, 0, 8) {
		p.Reason, p.Detail = "old-bwrap", "bubblewrap "+p.Version+" is too old for --disable-userns"
		p.Hint = "install bubblewrap 0.8.0 or newer"
		return p
	}
	p.OK = true
	return p
}

// tryBwrap starts the sandbox with bubblewrap itself as the program inside:
// the one program that is known to exist.
func tryBwrap(ctx context.Context, p Probe, root bool) Probe {
	argv := []string{p.Path, "--unshare-user"}
	if root {
		argv = append(argv, "--uid", "1000", "--gid", "1000")
	}
	argv = append(argv, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--unshare-net", "--disable-userns", "--die-with-parent", "--new-session",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--chdir", "/",
		"--", p.Path, "--version")
	own := &syscall.SysProcAttr{}
	bwrap{}.Attr(own)
	out, err := runProbe(ctx, argv, own)
	if err == nil {
		p.OK = true
		return p
	}
	p.Reason = "userns-refused"
	if _, without := runProbe(ctx, argv, nil); without == nil {
		// bubblewrap alone may and lane may not: an AppArmor profile that
		// names bubblewrap, or root without CAP_SYS_ADMIN.
		p.Reason = "own-mounts-refused"
	}
	p.Detail = fmt.Sprintf("%v: %s", err, out)
	p.Blocker, p.Hint = blocker(out, root, readSetting)
	return p
}

// runProbe runs argv for at most five seconds with an empty environment and
// returns the first bytes it printed.
func runProbe(ctx context.Context, argv []string, attr *syscall.SysProcAttr) (string, error) {
	// --die-with-parent fires when the parent THREAD ends (bubblewrap#529).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if len(out) > 400 {
		out = out[:400]
	}
	return string(bytes.TrimSpace(out)), err
}

// blocker names the setting of this host that refuses user namespaces and
// what to do about it. The order is that of certainty: settings that forbid
// by themselves before those that only may.
func blocker(output string, root bool, setting func(string) string) (word, hint string) {
	switch {
	case setting("/proc/sys/user/max_user_namespaces") == "0":
		return "max_user_namespaces", "allow user namespaces: sysctl -w user.max_user_namespaces=15000"
	case setting("/proc/sys/kernel/unprivileged_userns_clone") == "0" && !root:
		return "unprivileged_userns_clone", "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1"
	case setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1" && !root:
		return "apparmor", "let AppArmor allow lane and bubblewrap user namespaces: a profile with userns for each, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	case strings.Contains(output, "mount proc"):
		return "proc-masked", "a container hides parts of /proc: start it with --security-opt systempaths=unconfined"
	case setting("seccomp") == "2":
		return "seccomp", "a container's seccomp filter refuses unshare: start it with --security-opt seccomp=unconfined, or give lane a host of its own"
	case strings.Contains(output, "No space left"):
		return "max_user_namespaces", "the limit of user namespaces is used up: raise user.max_user_namespaces, or leave the sandbox that lane was started in"
	}
	return "unknown", "the kernel or a security module refuses user namespaces; see the detail"
}

// readSetting reads a sysctl file, or lane's own seccomp mode.
func readSetting(name string) string {
	if name != "seccomp" {
		b, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	return statusField("Seccomp")
}

// findBwrap returns the resolved path of a bubblewrap that only root can
// change. An explicit path is used instead of the search.
func findBwrap(explicit string) (string, error) {
	places := bwrapPlaces
	if explicit != "" {
		if !filepath.IsAbs(explicit) {
			return "", fmt.Errorf("bwrap path %+q is not absolute", explicit)
		}
		places = []string{explicit}
	}
	for _, place := range places {
		resolved, err := filepath.EvalSymlinks(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := rootOwned(resolved); err != nil {
			return "", err
		}
		return resolved, nil
	}
	return "", fmt.Errorf("bwrap: %w in %s", fs.ErrNotExist, strings.Join(places, ", "))
}

// rootOwned checks a program and every directory above it: who can write one
// of these decides what runs as the sandbox.
func rootOwned(path string) error {
	for p := path; ; p = filepath.Dir(p) {
		var st unix.Stat_t
		if err := unix.Lstat(p, &st); err != nil {
			return &fs.PathError{Op: "lstat", Path: p, Err: err}
		}
		if p == path && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0) {
			return fmt.Errorf("%+q is not an executable regular file", p)
		}
		if st.Uid != 0 {
			return fmt.Errorf("%+q is owned by uid %d, not by root", p, st.Uid)
		}
		// The Nix store is 1775 root:nixbld: with the sticky bit, only the
		// owner of an entry replaces it.
		sticky := p != path && st.Mode&unix.S_ISVTX != 0
		if st.Mode&0o022 != 0 && !sticky {
			return fmt.Errorf("%+q is writable by others than root (mode %#o)", p, st.Mode&0o7777)
		}
		if p == "/" {
			return nil
		}
	}
}

func versionAtLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	x, errX := strconv.Atoi(parts[0])
	y, errY := strconv.Atoi(parts[1])
	return errX == nil && errY == nil && slices.Compare([]int{x, y}, []int{major, minor}) >= 0
}

// statusField reads one field of the calling thread's /proc status.
func statusField(name string) string { return statusFieldOf(ownStatus, name) }

// ownStatus is the calling thread's: the process' is that of its first thread.
const ownStatus = "/proc/thread-self/status"

func statusFieldOf(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return fieldIn(b, name)
}

// fieldIn returns one field of a /proc status, "" when it is missing.
func fieldIn(status []byte, name string) string {
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte(name+":")); ok {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
