package shell

import (
	"strings"
)

// sqlite is a data base's name or what is done in it. A data base is written
// when a statement changes it; dot commands write files and run programs.
func (in *interp) sqlite(text, by string, st *state, io stdio) {
	if !strings.ContainsAny(text, " ;\n") && !strings.HasPrefix(text, ".") {
		if text != ":memory:" && text != "" && looksLikePath(text) {
			in.effect(Write, text, by, st)
		}
		return
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, ".") {
			in.sql(line, by, st)
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		rest = strings.Trim(strings.TrimSpace(rest), `'"`)
		switch name {
		case ".shell", ".system", ".sh", ".sy", ".syst", ".syste", ".she", ".shel":
			in.code(rest, st.fork(), io, by+" "+name)
		case ".output", ".once", ".backup", ".save", ".log", ".trace", ".out", ".outp", ".outpu", ".clone", ".ba":
			fields := strings.Fields(rest)
			if len(fields) == 0 {
				continue
			}
			target := strings.Trim(fields[len(fields)-1], `'"`)
			if strings.HasPrefix(rest, "|") {
				in.code(rest[1:], st.fork(), io, by+" "+name)
			} else if target != "stdout" && target != "off" && target != "stderr" {
				in.effect(Write, target, by+" "+name, st)
			}
		case ".import":
			if strings.HasPrefix(rest, "|") {
				in.code(rest[1:], st.fork(), io, by+" "+name)
			}
		case ".read":
			if strings.HasPrefix(rest, "|") {
				in.code(rest[1:], st.fork(), io, by+" "+name)
			} else if text, ok := in.written(rest, st); ok {
				in.descend()
				in.sqlite(text+"\n", by+" "+name, st, io)
				in.ascend()
			}
		case ".open":
			in.effect(Write, lastField(rest), by+" "+name, st)
		}
	}
}

// sqliteTool is the command line: statements that only read leave the data
// base alone.
func (in *interp) sqliteTool(args []string, st *state, io stdio) {
	statements, reads := 0, true
	for i, op := range operandsOf(args[1:]) {
		if i == 0 {
			continue
		}
		statements++
		first := strings.ToLower(firstField(op))
		switch {
		case strings.HasPrefix(first, "select"), first == "explain", first == "with", first == "pragma", first == ".schema", first == ".tables", first == ".dump", first == ".mode", first == ".headers", first == ".databases", first == ".indexes", first == "show", first == "describe":
		default:
			reads = false
		}
	}
	if statements > 0 && reads && io.text() == holeInput {
		args = append([]string{args[0], "-readonly"}, args[1:]...)
		for _, op := range operandsOf(args[1:])[1:] {
			in.sqlite(op, args[0], st, io)
		}
	}
	in.tool(args, st, io)
}

func lastField(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[len(f)-1], `'";`)
}

// sqlTargets are statements that name a file the server or client writes.
var sqlTargets = []string{"into outfile ", "into dumpfile ", "vacuum into ", "attach database ", "attach ", "writefile(", "load_extension(", "export database "}

func (in *interp) sql(text, by string, st *state) {
	lower := strings.ToLower(text)
	for _, head := range sqlTargets {
		for from := 0; ; {
			i := strings.Index(lower[from:], head)
			if i < 0 {
				break
			}
			from += i + len(head)
			if name, ok := firstQuoted(text[from:]); ok && name != ":memory:" {
				in.effect(Write, name, by, st)
			}
		}
	}
	if i := strings.Index(lower, "copy "); i >= 0 {
		if j := strings.Index(lower[i:], " to "); j >= 0 {
			rest := text[i+j+4:]
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(rest)), "program") {
				if code, ok := firstQuoted(rest); ok {
					in.code(code, st.fork(), stdio{in: given(holeInput)}, by+" copy to program")
				}
			} else if name, ok := firstQuoted(rest); ok {
				in.effect(Write, name, by, st)
			}
		}
	}
}

// firstQuoted is the text in the first pair of quotes.
func firstQuoted(s string) (string, bool) {
	i := strings.IndexAny(s, `'"`)
	if i < 0 || i > 16 {
		return "", false
	}
	j := strings.IndexByte(s[i+1:], s[i])
	if j < 0 {
		return "", false
	}
	return s[i+1 : i+1+j], true
}

func (in *interp) psql(text, by string, st *state, io stdio) {
	for _, line := range strings.Split(text, "\n") {
		in.sql(line, by, st)
		for {
			i := strings.IndexByte(line, '\\')
			if i < 0 {
				break
			}
			line = line[i+1:]
			name, rest, _ := strings.Cut(line, " ")
			rest = strings.TrimSpace(rest)
			switch {
			case strings.HasPrefix(line, "!"):
				in.code(line[1:], st.fork(), io, by+` \!`)
			case name == "o" || name == "out" || name == "g" || name == "gx" || name == "w" || name == "write" || name == "s":
				if code, ok := strings.CutPrefix(rest, "|"); ok {
					in.code(code, st.fork(), io, by+` \`+name)
				} else {
					in.effect(Write, firstField(rest), by+` \`+name, st)
				}
			case name == "copy":
				if i := strings.Index(rest, " to "); i >= 0 {
					target := strings.TrimSpace(rest[i+4:])
					if code, ok := strings.CutPrefix(target, "program "); ok {
						in.code(strings.Trim(code, `'`), st.fork(), io, by+` \copy`)
					} else if t := strings.Trim(firstField(target), `'`); t != "stdout" && t != "pstdout" {
						in.effect(Write, t, by+` \copy`, st)
					}
				}
			}
		}
	}
}

func firstField(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[0], `'";`)
}

func (in *interp) mysql(text, by string, st *state, io stdio) {
	for _, line := range strings.Split(text, "\n") {
		in.sql(line, by, st)
		line = strings.TrimSpace(line)
		for _, head := range []string{`\! `, "system "} {
			if i := strings.Index(line, head); i >= 0 {
				in.code(strings.TrimSuffix(line[i+len(head):], ";"), st.fork(), io, by+" system")
			}
		}
		for _, head := range []string{`\T `, "tee "} {
			if rest, ok := strings.CutPrefix(line, head); ok {
				in.effect(Write, firstField(rest), by+" tee", st)
			}
		}
	}
}

// mongo's shell is JavaScript.
func (in *interp) mongo(text, by string, st *state, io stdio) {
	in.language(langJS, text, nil, by, st, io)
}
