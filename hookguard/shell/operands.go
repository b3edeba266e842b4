package shell

import (
	"strings"
)

// apply does what the options and operands mean.
func (s *sorter) apply() {
	m, ok := s.k.meanings[s.p.mode]
	if !ok {
		m = s.k.meanings[""]
	}
	if m.sub {
		s.subcommand()
		return
	}
	if s.p.none {
		return
	}
	for _, f := range s.todo {
		f()
	}
	if m.here && !s.p.place {
		s.in.effect(Write, ".", s.tool, s.st)
	}
	s.operands(m.kinds)
	s.intoDirectory(m.kinds)
	if m.stdin != "" && s.io.text() != holeInput {
		s.in.apply(m.stdin, s.io.text(), s.tool, s.st, s.io)
	}
}

// operands gives each operand its kind.
func (s *sorter) operands(kinds []string) {
	ops := s.p.operands
	for i, kind := range kinds {
		if len(ops) == 0 {
			return
		}
		many := strings.HasSuffix(kind, "*")
		kind = strings.TrimSuffix(kind, "*")
		take := 1
		if many {
			take = max(0, len(ops)-(len(kinds)-i-1))
			if s.p.place && i == len(kinds)-2 && (kinds[i+1] == "out" || kinds[i+1] == "rout") {
				take = len(ops) // -t DIR: every operand is a source
			}
		}
		switch kind {
		case "run":
			s.in.run(ops, s.st, s.io, false)
			return
		case "words":
			s.in.code(strings.Join(ops, " "), s.st, s.io, s.tool)
			return
		case "ssh":
			return // what another machine does is not the lane's
		}
		for _, op := range ops[:take] {
			s.in.apply(kind, op, s.tool, s.st, s.io)
		}
		ops = ops[take:]
	}
}

// intoDirectory names what copies and moves make in a directory: the
// directory's own name says nothing of a ".git" that is put into it.
func (s *sorter) intoDirectory(kinds []string) {
	n := len(s.p.operands)
	if len(kinds) < 2 || n < 2 || s.p.place || kinds[len(kinds)-1] != "out" && kinds[len(kinds)-1] != "rout" {
		return
	}
	target := s.p.operands[n-1]
	if isRemotePath(target) && kinds[len(kinds)-1] == "rout" {
		return
	}
	p := fold(s.in.abs(target, s.st))
	if !strings.HasSuffix(target, "/") && !strings.HasSuffix(target, "/.") && target != "." && target != ".." && !strings.HasSuffix(target, "/..") && n == 2 && p != s.in.req.Worktree && p != s.st.dir {
		return // it may be the copy's own name
	}
	for _, source := range s.p.operands[:n-1] {
		if name := baseName(source); name != "" && !strings.HasSuffix(source, "/.") {
			s.in.effect(Write, strings.TrimSuffix(target, "/")+"/"+name, s.tool, s.st)
		}
	}
}

// baseName is the last component, or nothing when it is not known.
func baseName(p string) string {
	name := strings.TrimRight(p, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if HasHole(name) || name == "." || name == ".." {
		return ""
	}
	return name
}

// subcommand hands the rest of the line to the row "tool sub".
func (s *sorter) subcommand() {
	if len(s.p.operands) == 0 {
		for _, f := range s.todo {
			f()
		}
		return
	}
	name := s.tool + " " + s.p.operands[0]
	k, ok := know(name)
	if !ok { // the tool's own options are all that is known of it
		k = &knowledge{options: map[string]option{}, meanings: map[string]meaning{"": {kinds: []string{"val*"}}}}
	}
	for option, o := range s.k.options {
		if _, own := k.options[option]; !own {
			k.options[option] = o
		}
	}
	next := &sorter{in: s.in, st: s.st, io: s.io, tool: name, k: k, todo: s.todo, p: parsed{none: s.p.none, place: s.p.place}}
	next.sort(s.p.operands[1:])
}

// apply is what one value of a kind means.
func (in *interp) apply(kind, value, by string, st *state, io stdio) {
	switch kind {
	case "val", "prog", "here", "pair":
	case "in":
		if value != "-" {
			in.effect(Read, value, by, st)
		}
	case "out":
		if i := strings.Index(value, "=/"); i > 0 && !strings.Contains(value[:i], "/") { // json=/path
			value = value[i+1:]
		}
		if value != "-" {
			in.effect(Write, value, by, st)
		}
	case "prefix": // of the names of several files
		in.effect(Write, value+holeSeg, by, st)
	case "use":
		in.effect(Use, value, by, st)
	case "del", "move":
		in.effect(Remove, value, by, st)
	case "hard":
		in.effect(HardLink, value, by, st)
	case "rin":
		if !isRemotePath(value) && value != "-" {
			in.effect(Read, value, by, st)
		}
	case "url":
		rest, _, _ := strings.Cut(value, "?")
		if _, rest, ok := strings.Cut(rest, "://"); ok {
			in.effect(Write, baseName(strings.TrimSuffix(rest, "/")), by, st)
		}
	case "rout":
		if !isRemotePath(value) && value != "-" {
			in.effect(Write, value, by, st)
		}
	case "kv":
		in.keyed(value, by, st)
	case "code":
		in.code(value, st.fork(), io, by)
	case "script":
		if text, ok := in.written(value, st); ok {
			in.script(value, text, nil, st, io)
		}
	case "netcode":
		in.remoteShell(strings.Fields(value))
		in.code(value, st.fork(), io, by)
	default:
		in.language(kind, value, nil, by, st, io)
	}
}

// keyed finds the paths of "type=local,dest=PATH" and "html:DIR", or takes
// the whole as one.
func (in *interp) keyed(value, by string, st *state) {
	found := false
	for _, part := range strings.Split(value, ",") {
		i := strings.IndexAny(part, "=:")
		if i <= 0 {
			continue
		}
		switch part[:i] {
		case "dest", "path", "file", "dst", "dir", "html", "xml", "json", "lcov", "annotate", "markdown", "term", "cyclonedx-json", "spdx-json", "sarif", "table", "text", "filename":
			found = true
			in.effect(Write, part[i+1:], by, st)
		case "type":
			found = true
		}
	}
	if !found {
		in.effect(Write, value, by, st)
	}
}

// isRemotePath reports whether a name is of another host or a service: a
// colon before the first slash.
func isRemotePath(name string) bool {
	colon := strings.IndexByte(name, ':')
	slash := strings.IndexByte(name, '/')
	return colon > 0 && (slash < 0 || colon < slash)
}
