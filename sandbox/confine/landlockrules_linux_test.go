package confine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// fakeHost lists directories as grantsOf asks for them.
func fakeHost(dirs map[string]string) func(string) []string {
	return func(dir string) []string { return strings.Fields(dirs[dir]) }
}

// The rules of an ordinary policy: siblings beside what is hidden, nothing
// above it, and nothing twice.
func TestGrantsOf(t *testing.T) {
	p := landlock{}.Fit(goldenPolicy())
	p.Rows = slices.DeleteFunc(p.Rows, func(r sandbox.Row) bool { return r.Source != "" })
	got, err := grantsOf(p, fakeHost(map[string]string{
		"/":         "bin dev etc home proc run srv tmp usr var",
		"/etc":      "passwd ssl",
		"/etc/ssl":  "certs private",
		"/home":     "other u",
		"/srv":      "data log",
		"/var":      "lib tmp",
		"/home/u/x": "never asked for",
	}))
	must(t, err)
	var lines []string
	for _, g := range got {
		lines = append(lines, fmt.Sprintf("%s %s must=%v", g.kind, g.path, g.must))
	}
	want := []string{
		"read /bin must=false", "read /etc/passwd must=false", "read /etc/ssl/certs must=false", "read /home/other must=false",
		"read /srv/data must=false", "read /usr must=false", "read /var/lib must=false",
		"device /dev/null must=false", "device /dev/zero must=false", "device /dev/full must=false", "device /dev/random must=false",
		"device /dev/urandom must=false", "device /dev/tty must=false",
		"read /home/u/go/bin/lane must=true", "write /home/u/src/a lane must=true", "read /home/u/src/repo must=true",
		"read /home/u/src/repo/.git must=true", "proc /proc must=true",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	for _, g := range got {
		for _, row := range p.Rows {
			if row.Access == sandbox.Hide && sandbox.Contains(g.path, row.Path) {
				t.Errorf("%s is given above %s", g.path, row.Path)
			}
		}
	}
}

func TestGrantsAreBounded(t *testing.T) {
	p := landlock{}.Fit(goldenPolicy())
	_, err := grantsOf(p, func(dir string) []string {
		names := []string{"etc", "ssl", "private"}
		for i := range maxGrants {
			names = append(names, fmt.Sprint(i))
		}
		return names
	})
	if !errors.Is(err, errTooWide) {
		t.Errorf("got %v", err)
	}
}

// What each version of Landlock is asked for, by name: never a right that it
// does not know, which the kernel would refuse the whole domain for.
func TestLandlockVersions(t *testing.T) {
	for _, c := range []struct {
		abi         int
		fs          string
		net, scoped uint64
	}{
		{3, "ioctl_dev", 0, 0}, {4, "ioctl_dev", 3, 0}, {5, "", 3, 0}, {6, "", 3, 3}, {7, "", 3, 3}, {12, "", 3, 3},
	} {
		attr := rulesetFor(c.abi, sandbox.NetworkNone)
		if missing := rightNames(handledFS(99) &^ attr.Handled_access_fs); missing != c.fs && !(c.fs == "" && missing == "none") {
			t.Errorf("ABI %d leaves out %s, want %q", c.abi, missing, c.fs)
		}
		if attr.Handled_access_net != c.net || attr.Scoped != c.scoped {
			t.Errorf("ABI %d: net %#x, scopes %#x", c.abi, attr.Handled_access_net, attr.Scoped)
		}
		if host := rulesetFor(c.abi, sandbox.NetworkHost); host.Handled_access_net != 0 {
			t.Errorf("ABI %d: the host's network is handled: %#x", c.abi, host.Handled_access_net)
		}
	}
	if handledFS(landlockMinABI)&unix.LANDLOCK_ACCESS_FS_TRUNCATE == 0 {
		t.Error("the least version cannot keep files from being truncated")
	}
}

func TestRightNames(t *testing.T) {
	for _, c := range []struct {
		kind grantKind
		dir  bool
		want string
	}{
		{grantRead, true, "execute|read_file|read_dir"},
		{grantRead, false, "execute|read_file"},
		{grantWrite, true, "execute|write_file|read_file|read_dir|remove_dir|remove_file|make_dir|make_reg|make_fifo|make_sym|refer|truncate"},
		{grantWrite, false, "execute|write_file|read_file|truncate"},
		{grantDevice, false, "write_file|read_file|truncate|ioctl_dev"},
		{grantProc, true, "read_file|read_dir"},
	} {
		if got := rightNames(c.kind.rights(c.dir)); got != c.want {
			t.Errorf("%s, directory %v: %s, want %s", c.kind, c.dir, got, c.want)
		}
	}
	if rightNames(0) != "none" || rightNames(1<<40) != "unknown" {
		t.Error(rightNames(0), rightNames(1<<40))
	}
}

// The layer takes no policy that it cannot enforce.
func TestLandlockArgvRefuses(t *testing.T) {
	argv, err := landlock{}.Argv(landlock{}.Fit(plainPolicy()), goldenChild, Options{})
	if err != nil || !slices.Equal(argv, goldenChild) {
		t.Errorf("%q, %v", argv, err)
	}
	for name, change := range map[string]func(*sandbox.Policy){
		"nesting": func(p *sandbox.Policy) { p.Nesting = true },
		"private": func(p *sandbox.Policy) {
			p.Rows = append(p.Rows, sandbox.Row{Path: "/x", Access: sandbox.Private, Reason: "x"})
		},
		"source": func(p *sandbox.Policy) {
			p.Rows = append(p.Rows, sandbox.Row{Path: "/x", Source: "/y", Access: sandbox.Read, Reason: "x"})
		},
		"taken inside": func(p *sandbox.Policy) {
			p.Rows = append(p.Rows, sandbox.Row{Path: "/home/u/src/a lane/x", Access: sandbox.Protect, Reason: "x"})
		},
		"invalid": func(p *sandbox.Policy) { p.Rows = nil },
	} {
		p := landlock{}.Fit(plainPolicy())
		change(&p)
		if argv, err := (landlock{}).Argv(p, goldenChild, Options{}); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

// plainPolicy is the golden one without what has a source.
func plainPolicy() sandbox.Policy {
	p := goldenPolicy()
	p.Rows = slices.DeleteFunc(p.Rows, func(r sandbox.Row) bool { return r.Source != "" })
	return p
}

// Each row of the layer's tables refuses what it names, with rubbish in the
// upper half of the arguments as well, and what programs need passes.
func TestLandlockTables(t *testing.T) {
	host, offline := filterMachine(t, "landlock"), filterMachine(t, "landlock-offline")
	for _, row := range slices.Concat(filterRows(), archRows, landlockRows(), offlineRows()) {
		args := hit(row)
		for i := range args {
			args[i] |= 7 << 32
		}
		if got := offline(nativeArch, row.nr, args); got&unix.SECCOMP_RET_ERRNO == 0 || got == unix.SECCOMP_RET_ALLOW {
			t.Errorf("offline: %s %x: %#x", row.name, args, got)
		}
		if row.reason == "" || row.name == "" || row.errno == 0 {
			t.Errorf("%+v", row)
		}
	}
	for _, row := range landlockRows() {
		// Another row about the same call may be met first.
		if got := host(nativeArch, row.nr, hit(row)); got == unix.SECCOMP_RET_ALLOW {
			t.Errorf("%s %x: %#x", row.name, hit(row), got)
		}
	}
	for _, c := range []struct {
		name    string
		nr      uint32
		args    [6]uint64
		offline bool
	}{
		{"socket AF_INET", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, false},
		{"socket AF_INET6", unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_STREAM}, false},
		{"socket NETLINK_ROUTE", unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW}, true},
		{"stream pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK}, true},
		{"packet pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC}, true},
		{"own limit", unix.SYS_PRLIMIT64, [6]uint64{0, 7, 1}, true},
		{"own priority", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 0, 5}, true},
		{"own affinity", unix.SYS_SCHED_SETAFFINITY, [6]uint64{0, 128, 1}, true},
		{"terminal attributes", unix.SYS_IOCTL, [6]uint64{0, unix.TCGETS, 1}, true},
		{"get flags", unix.SYS_IOCTL, [6]uint64{3, unix.FS_IOC_GETFLAGS, 1}, true},
	} {
		if got := host(nativeArch, c.nr, c.args); got != unix.SECCOMP_RET_ALLOW {
			t.Errorf("%s: %#x", c.name, got)
		}
		if got := offline(nativeArch, c.nr, c.args); (got == unix.SECCOMP_RET_ALLOW) != c.offline {
			t.Errorf("%s, offline: %#x", c.name, got)
		}
	}
}

// The layer's own rows, for the eye and for review.
func TestLandlockTableGolden(t *testing.T) {
	var b strings.Builder
	for _, table := range []struct {
		name string
		rows []filterRow
	}{{"landlock", landlockRows()}, {"landlock-offline", offlineRows()}} {
		for _, row := range table.rows {
			fmt.Fprintf(&b, "%s %s -> %s [%s] %s\n", row.name, describe(row.when), unix.ErrnoName(row.errno), table.name, row.reason)
		}
	}
	golden(t, "seccomp-landlock", b.String())
}

// openPath follows no link, wherever it stands.
func TestOpenPathFollowsNothing(t *testing.T) {
	dir := worldReadable(t)
	write(t, filepath.Join(dir, "real", "file"), "x")
	must(t, unix.Symlink("real", filepath.Join(dir, "link")))
	must(t, unix.Symlink("file", filepath.Join(dir, "real", "to-file")))
	for path, want := range map[string]error{"real/file": nil, "real": nil, "link/file": errLink, "link": errLink, "real/to-file": errLink, "none": unix.ENOENT, "real/file/x": unix.ENOTDIR} {
		fd, err := openPath(filepath.Join(dir, path))
		if err == nil {
			unix.Close(fd)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
