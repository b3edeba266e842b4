package hookguard

import (
	"os"
	"path"
	"strings"

	"lane/hookguard/shell"
)

// Links is all the guard asks of a file system: where a symbolic link points.
// A path that is no link, or is not there, is not a link.
type Links interface {
	Readlink(name string) (target string, isLink bool)
}

// HostLinks reads the links of the machine the guard runs on.
type HostLinks struct{}

// Readlink implements Links.
func (HostLinks) Readlink(name string) (string, bool) {
	target, err := os.Readlink(name)
	return target, err == nil
}

// LinkMap is a file system of nothing but links, by absolute path.
type LinkMap map[string]string

// Readlink implements Links.
func (m LinkMap) Readlink(name string) (string, bool) {
	target, ok := m[name]
	return target, ok
}

// overlay is a file system with the links a command has made so far.
type overlay struct {
	Links
	made []shell.Link
}

// Readlink implements Links; the last link made at a place counts.
func (o overlay) Readlink(name string) (string, bool) {
	for i := len(o.made) - 1; i >= 0; i-- {
		if o.made[i].Path == name {
			return o.made[i].Target, o.made[i].Target != ""
		}
	}
	return o.Links.Readlink(name)
}

// maxLinks is the kernel's own limit on links in one path.
const maxLinks = 40

// resolve follows p, which must be absolute, as the kernel would: component
// by component, a link replaced by its target before a ".." after it counts.
// From the first component that is unknown (a hole of package shell) on,
// nothing is followed. Without follow a link in the last component stays: that is how unlink
// and rename see it; "link/" is followed all the same. Too many links give ok false: the kernel would refuse
// the path, and the guard does not guess.
func resolve(links Links, p, cwd string, follow bool) (resolved string, ok bool) {
	pending := splitPath(p)
	at := "/"
	for followed := 0; len(pending) > 0; {
		name := pending[0]
		pending = pending[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := join(at, name)
		if shell.HasHole(name) {
			return joinRest(next, pending), true
		}
		target, isLink := procLink(next, cwd)
		if !isLink {
			target, isLink = links.Readlink(next)
		}
		if !isLink || !follow && len(pending) == 0 { // "link/" is not the link itself
			at = next
			continue
		}
		if followed++; followed > maxLinks {
			return p, false
		}
		if strings.HasPrefix(target, "/") {
			at = "/"
		}
		pending = append(splitPath(target), pending...)
	}
	return at, true
}

// procLink knows the magic links of /proc, which must not be read from the
// guard's own process: /proc/self there is the guard.
func procLink(p, cwd string) (string, bool) {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		if p == "/dev/fd" {
			return "/proc/self/fd", true
		}
		return "", false
	}
	parts := strings.Split(rest, "/")
	if len(parts) >= 4 && parts[1] == "task" {
		parts = append(parts[:1:1], parts[3:]...)
	}
	if len(parts) != 2 {
		return "", false
	}
	switch parts[1] {
	case "root":
		return "/", true
	case "cwd":
		return cwd, true
	}
	return "", false
}

func splitPath(p string) []string { return strings.Split(p, "/") }

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// joinRest appends what follows an unknown component, folding only what is
// certain: a ".." right after a known name.
func joinRest(at string, rest []string) string {
	for _, name := range rest {
		if name == "" || name == "." {
			continue
		}
		if name == ".." && shell.OneName(path.Base(at)) {
			at = path.Dir(at)
			continue
		}
		at = join(at, name)
	}
	return at
}

// below reports whether p is dir or lies in it, by component.
func below(p, dir string) bool {
	if dir == "" {
		return false
	}
	if dir == "/" || p == dir {
		return true
	}
	return strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}
