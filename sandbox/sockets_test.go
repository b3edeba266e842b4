package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The header, an unnamed socket, a listener, a connected end of it, a bound
// datagram socket, an abstract one, names with blanks, relative and broken.
const procNetUnix = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000003 00000000 00000000 0001 03  1056
0000000000000000: 00000002 00000000 00010000 0001 01 10565 /run/docker.sock
0000000000000000: 00000002 00000000 00010000 0001 01 10566 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 10567 /run/connected.sock
0000000000000000: 00000002 00000000 00000000 0002 01 10568 /srv/log
0000000000000000: 00000002 00000000 00010000 0001 01 10569 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0005 01 10570 /srv/my service/a  b.sock
0000000000000000: 00000002 00000000 00010000 0001 01 10571 run/relative.sock
0000000000000000: 00000002 00000000 00010000 0001 01 10572 /srv/../unclean.sock
0000000000000000: 00000002 00000000 00010000 0001 01 10573 /srv/new
line.sock
0000000000000000: 00000002 00000000 zzz 0001 01 10574 /srv/broken
`

func TestSockets(t *testing.T) {
	paths, unusable := Sockets([]byte(procNetUnix))
	// A name cut by a newline is taken for its first half; the caller finds
	// no socket there.
	if diff := cmp.Diff([]string{"/run/docker.sock", "/srv/log", "/srv/my service/a  b.sock", "/srv/new"}, paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/srv/../unclean.sock", "run/relative.sock"}, unusable); diff != "" {
		t.Error(diff)
	}
}

// Only what the lane could reach gets a row, and each once.
func TestSocketRows(t *testing.T) {
	p := policy(Row{Path: "/w", Access: Write}, Row{Path: "/hidden", Access: Hide}, Row{Path: "/srv/known", Access: Hide, File: true})
	rows := SocketRows([]string{
		"/run/docker.sock", "/tmp/x", "/hidden/s", "/srv/known", "/state/run/1/proxy", // out of reach or lane's own
		"/w/dev.sock", "/srv/log", "/srv/log", "/home/u/.git/fsmonitor--daemon.ipc",
	}, p, "/state/run/1")
	var got []string
	for _, row := range rows {
		got = append(got, row.Path)
		if row.Access != Hide || !row.File {
			t.Errorf("%+v", row)
		}
	}
	if diff := cmp.Diff([]string{"/w/dev.sock", "/srv/log", "/home/u/.git/fsmonitor--daemon.ipc"}, got); diff != "" {
		t.Error(diff)
	}
	p.Rows = append(p.Rows, rows...)
	if err := Validate(p); err != nil {
		t.Error(err)
	}
}

func FuzzSockets(f *testing.F) {
	f.Add([]byte(procNetUnix))
	f.Fuzz(func(t *testing.T, text []byte) {
		paths, _ := Sockets(text)
		for _, row := range SocketRows(paths, policy()) {
			if err := Validate(policy(row)); err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(text), row.Path) {
				t.Errorf("%q is not in the text", row.Path)
			}
		}
	})
}
