package shell

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// state is what a shell process carries: a subshell gets a copy.
type state struct {
	dir     string
	oldDir  string
	pwd     string   // what PWD was set to since the last cd; the shell stays where it is
	stack   []string // pushd
	vars    map[string]variable
	funcs   map[string]*syntax.Stmt
	aliases map[string]string
	params  []string // $1 …; nil when they are not known
	name    string   // $0
	locals  []map[string]*variable
}

// variable is a shell variable. More than one value means that any of them is
// possible, after an if or a case.
type variable struct {
	values   []string
	list     []string // an indexed array; then values is empty
	keys     map[string]string
	ref      string // declare -n
	unset    bool
	exported bool
}

// maxValues bounds the possible values kept of one variable.
const maxValues = 8

func newState(req Request) *state {
	st := &state{
		dir:     req.Dir,
		oldDir:  holeVar,
		vars:    map[string]variable{},
		funcs:   map[string]*syntax.Stmt{},
		aliases: map[string]string{},
		name:    "bash",
	}
	for name, value := range req.Vars {
		st.vars[name] = variable{values: []string{value}, exported: true}
	}
	return st
}

// fork is the state of a subshell: changes to it stay in it.
func (st *state) fork() *state {
	c := *st
	c.vars = maps.Clone(st.vars)
	c.funcs = maps.Clone(st.funcs)
	c.aliases = maps.Clone(st.aliases)
	c.stack = append([]string(nil), st.stack...)
	c.locals = append([]map[string]*variable(nil), st.locals...)
	return &c
}

// join takes over what a branch that may have run changed: its directory, and
// its values beside the ones there were.
func (st *state) join(branch *state) {
	if branch.dir != st.dir {
		st.dir, st.oldDir = branch.dir, branch.oldDir
	}
	for name, theirs := range branch.vars {
		ours, had := st.vars[name]
		if had && sameValues(ours, theirs) {
			continue
		}
		if had && len(ours.list) == 0 && len(theirs.list) == 0 {
			for _, v := range ours.values {
				if len(theirs.values) < maxValues && !contains(theirs.values, v) {
					theirs.values = append(theirs.values[:len(theirs.values):len(theirs.values)], v)
				}
			}
			theirs.unset = theirs.unset && ours.unset
		}
		st.vars[name] = theirs
	}
	maps.Copy(st.funcs, branch.funcs)
	maps.Copy(st.aliases, branch.aliases)
}

func sameValues(a, b variable) bool {
	if len(a.values) != len(b.values) || len(a.list) != len(b.list) || a.unset != b.unset {
		return false
	}
	for i := range a.values {
		if a.values[i] != b.values[i] {
			return false
		}
	}
	for i := range a.list {
		if a.list[i] != b.list[i] {
			return false
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// set gives a scalar its value, through a name reference if there is one.
func (st *state) set(name, value string) {
	if len(value) > maxValue {
		panic(errLimit)
	}
	name = st.deref(name)
	switch name {
	case "OLDPWD":
		st.oldDir = value
		return
	case "PWD":
		st.pwd = value
		return
	}
	old := st.vars[name]
	st.vars[name] = variable{values: []string{value}, exported: old.exported}
}

func (st *state) deref(name string) string {
	for range 8 {
		v, ok := st.vars[name]
		if !ok || v.ref == "" {
			return name
		}
		name = v.ref
	}
	return name
}

// values of a name, nil when it is not known at all.
func (st *state) get(name string) (variable, bool) {
	name = st.deref(name)
	switch name {
	case "PWD":
		if st.pwd != "" {
			return variable{values: []string{st.pwd}}, true
		}
		return variable{values: []string{st.dir}}, true
	case "OLDPWD":
		return variable{values: []string{st.oldDir}}, true
	case "PPID":
		return variable{values: []string{holeParent}}, true
	case "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "UID", "EUID", "LINENO", "HOSTNAME", "BASH_VERSION", "OSTYPE", "HOSTTYPE", "MACHTYPE", "SHLVL", "BASH_SUBSHELL", "COLUMNS", "LINES":
		if _, assigned := st.vars[name]; !assigned {
			return variable{values: []string{holeSeg}}, true
		}
	}
	v, ok := st.vars[name]
	return v, ok
}

// enter and leave bracket a function's body, so that local variables end
// with it.
func (st *state) enter() { st.locals = append(st.locals, map[string]*variable{}) }

func (st *state) leave() {
	last := st.locals[len(st.locals)-1]
	st.locals = st.locals[:len(st.locals)-1]
	for name, old := range last {
		if old == nil {
			delete(st.vars, name)
		} else {
			st.vars[name] = *old
		}
	}
}

// local remembers what a name was outside the function.
func (st *state) local(name string) {
	if len(st.locals) == 0 {
		return
	}
	scope := st.locals[len(st.locals)-1]
	if _, done := scope[name]; done {
		return
	}
	if old, ok := st.vars[name]; ok {
		scope[name] = &old
	} else {
		scope[name] = nil
	}
}

// chdir moves to dir as the shell's logical cd does.
func (st *state) chdir(dir string) {
	st.oldDir, st.pwd = st.dir, ""
	if strings.HasPrefix(dir, "/") || leadsAnywhere(dir) {
		st.dir = fold(dir)
	} else {
		st.dir = fold(st.dir + "/" + dir)
	}
}

// fold removes "." and ".." from a path by its text alone, which is what the
// shell's own cd does. A hole is kept, and so is a ".." after one.
func fold(p string) string {
	var out []string
	rooted := strings.HasPrefix(p, "/")
	for _, name := range strings.Split(p, "/") {
		switch {
		case name == "" || name == ".":
		case name == ".." && len(out) > 0 && out[len(out)-1] != ".." && OneName(out[len(out)-1]):
			out = out[:len(out)-1]
		case name == ".." && rooted && len(out) == 0:
		default:
			out = append(out, name)
		}
	}
	s := strings.Join(out, "/")
	if rooted {
		return "/" + s
	}
	return s
}
