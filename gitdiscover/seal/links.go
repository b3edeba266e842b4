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
	defer func() { here.close() }()
	enter := func(name string) bool {
		next, err := here.child(name)
		if err != nil {
			return false
		}
		here.close()
		here = next
		return true
	}
	for _, d := range dirs {
		if !enter(d) {
			return false // exchanged while we looked
		}
	}
	depth, hops := len(dirs), 0
	rest := strings.Split(path, "/")
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if depth--; depth < 0 {
				return false
			}
			if !enter("..") {
				return false
			}
			continue
		}
		m, _ := here.read(part, 0)
		switch m.form {
		case dir:
			if !enter(part) {
				return false
			}
			depth++
		case link:
			if hops++; hops > maxHops {
				return true // the kernel gives up too
			}
			next, ok := m.link, true
			if strings.HasPrefix(next, "/") {
				if _, ok = below(s.top, next); !ok {
					return false
				}
				next = strings.TrimPrefix(next, s.top)
				for ; depth > 0; depth-- {
					if !enter("..") {
						return false
					}
				}
			}
			rest = append(strings.Split(next, "/"), rest...)
		default:
			return true // a file, or nothing: the path ends here
		}
	}
	return true
}
