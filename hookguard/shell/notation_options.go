package shell

import "strings"

// curlFormat is curl -w, whose format can name a file.
func (in *interp) curlFormat(text, by string, st *state, _ stdio) {
	for rest := text; ; {
		i := strings.Index(rest, "%output{")
		if i < 0 {
			return
		}
		rest = rest[i+len("%output{"):]
		if j := strings.IndexByte(rest, '}'); j >= 0 {
			in.effect(Write, strings.TrimPrefix(rest[:j], ">>"), by, st)
		}
	}
}

// sshOption is ssh -o: some settings run a command here, one writes a file.
func (in *interp) sshOption(text, by string, st *state, io stdio) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		key, value, _ = strings.Cut(strings.TrimSpace(text), " ")
	}
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "proxycommand", "localcommand", "knownhostscommand":
		if v := unquote(value); v != "none" {
			in.code(v, st.fork(), io, by+" "+key)
		}
	case "userknownhostsfile", "controlpath":
		if v := unquote(value); v != "none" && v != "/dev/null" {
			in.effect(Write, v, by+" "+key, st)
		}
	}
}

// unquote removes one pair of quotes round the whole.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// socat addresses open files, and run programs.
func (in *interp) socat(text, by string, st *state, io stdio) {
	for _, address := range strings.Split(text, "!!") {
		kind, rest, ok := strings.Cut(address, ":")
		if !ok {
			if looksLikePath(address) {
				in.effect(Write, address, by, st)
			}
			continue
		}
		target, options, _ := strings.Cut(rest, ",")
		switch strings.ToUpper(kind) {
		case "OPEN", "CREATE", "CREAT", "FILE", "GOPEN", "PIPE", "UNIX-LISTEN", "UNIX-L", "UNIX-RECVFROM", "UNIX-RECV", "PTY":
			if strings.Contains(options, "rdonly") {
				continue
			}
			if strings.ToUpper(kind) == "PTY" {
				if _, link, ok := strings.Cut(rest, "link="); ok {
					link, _, _ = strings.Cut(link, ",")
					in.effect(Write, link, by+" "+kind, st)
				}
				continue
			}
			in.effect(Write, target, by+" "+kind, st)
		case "EXEC", "SYSTEM", "SHELL":
			in.code(strings.Trim(target, `'"`), st.fork(), io, by+" "+kind)
		}
	}
}

// npmConfig set writes the user's configuration; only its reading forms do
// not.
func (in *interp) npmConfig(text, by string, st *state, _ stdio) {
	if text == "set" || text == "delete" || text == "edit" || text == "fix" || text == "unset" {
		file := "/.npmrc"
		if strings.HasPrefix(by, "pip") {
			file = "/.config/pip/pip.conf"
		}
		in.effect(Write, in.req.Vars["HOME"]+file, by+" "+text, st)
	}
}

// goEnv is go env -w NAME=value, which writes the user's configuration.
func (in *interp) goEnv(text, by string, st *state, _ stdio) {
	in.effect(Write, in.req.Vars["HOME"]+"/.config/go/env", by+" -w "+text, st)
}

// protocOut is --cpp_out=OPTIONS:DIR.
func (in *interp) protocOut(text, by string, st *state, _ stdio) {
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		text = text[i+1:]
	}
	in.effect(Write, text, by, st)
}

// pytestOption is -o cache_dir=DIR.
func (in *interp) pytestOption(text, by string, st *state, _ stdio) {
	if v, ok := strings.CutPrefix(text, "cache_dir="); ok {
		in.effect(Write, v, by, st)
	} else if v, ok := strings.CutPrefix(text, "log_file="); ok {
		in.effect(Write, v, by, st)
	}
}

// property is name=value where the name says that the value is written.
func (in *interp) property(text, by string, st *state, _ stdio) {
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.ToLower(strings.TrimSpace(name)), unquote(value)
	last := name[strings.LastIndexByte(name, '.')+1:]
	if ok && looksLikePath(strings.TrimSpace(value)) && (in.outputName(last) || last == "directory" || name == "maven.repo.local" || last == "output_document" || last == "logfile" || last == "dir_prefix" || strings.HasSuffix(last, "directory") || last == "altdeploymentrepository" || last == "builddirectory" || strings.HasSuffix(name, "tmpdir")) {
		in.effect(Write, strings.TrimSpace(value), by+" "+name, st)
	}
}

// sassPair is in:out.
func (in *interp) sassPair(text, by string, st *state, _ stdio) {
	if _, out, ok := strings.Cut(text, ":"); ok {
		in.effect(Write, out, by, st)
	}
}

// makeWord is a target or a variable of make; an install prefix is written
// by the target "install", and so is a variable that is an output elsewhere.
func (in *interp) makeWord(text, by string, st *state, io stdio) {
	name, value, ok := cutAssign(text)
	if !ok {
		return
	}
	value = strings.TrimPrefix(value, ":")
	switch {
	case isTempVar(name): // make hands it on to what it runs
		in.effect(Write, value, by+" "+name+"=", st)
	case name == "SHELL":
		in.code(value, st.fork(), io, by+" SHELL=")
	case looksLikePath(value) && (writtenVars.has(name) || endsLike(name, writtenEndings) || name == "O" || name == "B" || name == "BUILDDIR" || name == "OUT" || name == "BUILD" || name == "BINDIR" || name == "OBJDIR"):
		in.effect(Write, value, by+" "+name+"=", st)
	}
}

// imageWord is an argument of an image tool: only local layouts are written.
func (in *interp) imageWord(text, by string, st *state, _ stdio) {
	for _, scheme := range []string{"dir:", "oci:", "docker-archive:", "oci-archive:"} {
		if rest, ok := strings.CutPrefix(text, scheme); ok {
			p, _, _ := strings.Cut(rest, ":")
			in.effect(Write, p, by, st)
			return
		}
	}
	if looksLikePath(text) && strings.Contains(by, "crane") {
		in.effect(Write, text, by, st)
	}
}

// localOutput is an operand that is a file if it looks like one.
func (in *interp) localOutput(text, by string, st *state, _ stdio) {
	if looksLikePath(text) {
		in.effect(Write, text, by, st)
	}
}

// crontab installs a table that another process runs later.
func (in *interp) crontab(text, by string, st *state, io stdio) {
	body := in.content(text, st)
	if text == "-" {
		body = io.text()
	}
	in.find(Escape, by, "")
	for _, line := range strings.Split(body, "\n") {
		f := strings.Fields(line)
		if len(f) > 5 && !strings.HasPrefix(line, "#") {
			in.code(strings.Join(f[5:], " "), st.fork(), io, by)
		}
	}
}
