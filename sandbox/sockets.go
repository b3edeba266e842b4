package sandbox

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// acceptsConnections is SO_ACCEPTCON as /proc/net/unix prints it (__SO_ACCEPTCON).
const acceptsConnections = 1 << 16

const typeDatagram = 2

// Sockets returns the pathname sockets that can be reached in a text of the
// form of /proc/net/unix: those that listen, and bound datagram sockets
// (/dev/log), which need not listen to be sent to. Each name comes once.
//
// The text does not tell everything: a socket whose name was changed after
// bind stands under the old one, and sockets of processes in other network
// namespaces are missing although their names can be connected to. Private
// rows for /run, /tmp and home are what closes most names; this closes the
// rest that is known. Names that are relative or that cannot be a row are
// returned apart, to be counted.
func Sockets(procNetUnix []byte) (paths, unusable []string) {
	for line := range strings.Lines(string(procNetUnix)) {
		path, ok := reachable(strings.TrimSuffix(line, "\n"))
		switch {
		case !ok:
		case usable(path):
			paths = append(paths, path)
		default:
			unusable = append(unusable, path)
		}
	}
	slices.Sort(paths)
	slices.Sort(unusable)
	return slices.Compact(paths), slices.Compact(unusable)
}

// reachable takes one line apart: Num RefCount Protocol Flags Type St Inode
// Path. The path is the rest of the line and may hold blanks.
func reachable(line string) (path string, ok bool) {
	var fields [7]string
	for i := range fields {
		line = strings.TrimLeft(line, " ")
		var more bool
		fields[i], line, more = strings.Cut(line, " ")
		if !more {
			return "", false
		}
	}
	flags, err := strconv.ParseUint(fields[3], 16, 32)
	if err != nil {
		return "", false
	}
	kind, err := strconv.ParseUint(fields[4], 16, 16)
	if err != nil {
		return "", false
	}
	if flags&acceptsConnections == 0 && kind != typeDatagram {
		return "", false
	}
	// An abstract name is printed with @ for its first NUL. A relative
	// pathname could begin with @ as well; it is of no use here either.
	return line, line != "" && line[0] != '@'
}

func usable(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && utf8.ValidString(path) &&
		strings.IndexFunc(path, unicode.IsControl) < 0
}

// SocketRows returns a Hide row for every socket that the policy would
// otherwise leave within reach: anywhere but where the lane sees only its own
// files, and not below own (directories that lane made for this run).
//
// Paths must exist and be free of symbolic links: the caller resolves what
// Sockets returned.
func SocketRows(paths []string, p Policy, own ...string) []Row {
	taken := map[string]bool{}
	for _, row := range p.Rows {
		taken[row.Path] = true
	}
	var rows []Row
	for _, path := range paths {
		if !usable(path) || slices.ContainsFunc(own, func(dir string) bool { return Contains(dir, path) }) {
			continue
		}
		d := p.Decide(path, Read)
		if d.Own || !d.Allowed || taken[path] {
			continue
		}
		taken[path] = true
		rows = append(rows, Row{Path: path, Access: Hide, File: true, Reason: "a service of the host listens here"})
	}
	return rows
}
