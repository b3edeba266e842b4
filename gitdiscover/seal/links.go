package seal

import "strings"

const maxHops = 40 // symbolic links in one path, as the kernel counts

// leaves follows a symbolic link by hand, one component at a time, and says
// whether it leads out of the worktree on the way. Text alone does not tell:
// "a/../b" is elsewhere when a is a link itself. A link that leads nowhere
// stays inside.
func (s *sweep) leaves(in *folder, name, rel string) (target string, outside bool) {
	m, _ := in.read(name, 0)
	if m.form != link {
		return "", false
	}
	if strings.HasPrefix(m.link, "/") { // read from outside it is another place, wherever it leads inside
		_, ok := below(s.top, m.link)
		return m.link, !ok || !s.staysInside(strings.TrimPrefix(m.link, s.top), nil)
	}
	var dirs []string
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dirs = strings.Split(rel[:i], "/")
	}
	return m.link, !s.staysInside(m.link, dirs)
}

// staysInside walks path from the directory that dirs leads to, which is no
// link itself, both from the worktree's root.
func (s *sweep) staysInside(path string, dirs []string) bool {
	here, err := s.root.child(".")
	if err != nil {
		return false
	}
	p := pathWalk{here: here}
	defer func() { p.here.close() }()
	for _, d := range dirs {
		if !p.enter(d) {
			return false // exchanged while we looked
		}
	}
	rest := strings.Split(path, "/")
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			if !p.leave() {
				return false
			}
			continue
		}
		switch m, _ := p.here.read(part, 0); m.form {
		case dir:
			if !p.enter(part) {
				return false
			}
		case link:
			if hops++; hops > maxHops {
				return true // the kernel gives up too
			}
			next := m.link
			if strings.HasPrefix(next, "/") {
				if _, ok := below(s.top, next); !ok || !p.toRoot() {
					return false
				}
				next = strings.TrimPrefix(next, s.top)
			}
			rest = append(strings.Split(next, "/"), rest...)
		default:
			return true // a file, or nothing: the path ends here
		}
	}
	return true
}

// pathWalk is a directory in the worktree, and how deep it lies.
type pathWalk struct {
	here  *folder
	depth int
}

func (p *pathWalk) open(name string) bool {
	next, err := p.here.child(name)
	if err != nil {
		return false
	}
	p.here.close()
	p.here = next
	return true
}

func (p *pathWalk) enter(name string) bool {
	p.depth++
	return p.open(name)
}

// leave goes one up; false at the root, which is not to be left.
func (p *pathWalk) leave() bool {
	p.depth--
	return p.depth >= 0 && p.open("..")
}

func (p *pathWalk) toRoot() bool {
	for p.depth > 0 {
		if !p.leave() {
			return false
		}
	}
	return true
}
