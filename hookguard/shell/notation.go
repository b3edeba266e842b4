package shell

import (
	"strings"
)

// notations are small languages that appear as one value or operand: what in
// them writes a file or starts a program.
var notations map[string]func(in *interp, text, by string, st *state, io stdio)

func init() { // in a function, because notations run commands
	notations = map[string]func(*interp, string, string, *state, stdio){
		"patch": (*interp).patchText, "pdftk": (*interp).pdftk, "sqlite": (*interp).sqlite, "psql": (*interp).psql, "mysql": (*interp).mysql,
		"expect": (*interp).tcl, "gdb": (*interp).gdb, "gnuplot": (*interp).gnuplot,
		"osascript": (*interp).quotedCode, "elisp": (*interp).lisp, "vimscript": (*interp).vimscript, "ex": (*interp).quotedCode,
		"groovy": (*interp).quotedCode, "pwsh": (*interp).powershell,
		"curlw": (*interp).curlFormat, "sshopt": (*interp).sshOption, "socat": (*interp).socat,
		"npmconfig": (*interp).npmConfig, "goenv": (*interp).goEnv,
		"pout": (*interp).protocOut, "pyini": (*interp).pytestOption, "mvnprop": (*interp).property,
		"sassin": (*interp).sassPair, "wgetrc": (*interp).property, "makeword": (*interp).makeWord, "makecode": (*interp).makeCode,
		"imgword": (*interp).imageWord, "awsout": (*interp).localOutput, "crontab": (*interp).crontab,
	}
}

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
		case ".output", ".once", ".backup", ".save", ".log", ".trace", ".out", ".outp", ".outpu", ".clone", ".ba", ".excel_", ".dbinfo_":
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
	if statements > 0 && reads && io.in == holeVar {
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
					in.code(code, st.fork(), stdio{in: holeVar}, by+" copy to program")
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

// tcl covers Expect and Tcl: spawn and exec start programs, open writes.
func (in *interp) tcl(text, by string, st *state, io stdio) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' || r == '[' || r == ']' }) {
		f := tclWords(strings.TrimSpace(line))
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "spawn", "exec", "system":
			rest := f[1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && f[0] != "system" {
				rest = rest[1:]
			}
			if len(rest) > 0 {
				in.code(strings.Join(rest, " "), st.fork(), io, by+" "+f[0])
			}
		case "open":
			if len(f) > 2 && strings.ContainsAny(f[2], "wa+") {
				in.effect(Write, f[1], by+" open", st)
			} else if len(f) > 1 && strings.HasPrefix(f[1], "|") {
				in.code(f[1][1:], st.fork(), io, by+" open")
			}
		case "file":
			if len(f) > 2 {
				op := map[string]Op{"delete": Remove, "mkdir": Write, "copy": Write, "rename": Write}[f[1]]
				if op != Read {
					in.effect(op, f[len(f)-1], by+" file "+f[1], st)
				}
			}
		case "log_file":
			in.effect(Write, f[len(f)-1], by+" log_file", st)
		case "send":
			if len(f) > 1 {
				in.code(ansiC(f[len(f)-1]), st.fork(), io, by+" send")
			}
		}
	}
}

// tclWords splits by blanks, keeping quotes and braces together.
func tclWords(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := -1
		switch s[0] {
		case '"':
			end = strings.IndexByte(s[1:], '"')
		case '{':
			end = len(hole(s)) - 2
		}
		if end >= 0 && end+1 < len(s) {
			out = append(out, s[1:end+1])
			s = s[end+2:]
			continue
		}
		word, rest, _ := strings.Cut(s, " ")
		out, s = append(out, word), rest
	}
	return out
}

func (in *interp) gdb(text, by string, st *state, io stdio) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "shell", "!", "make", "pipe", "|", "platform":
		if _, code, ok := strings.Cut(rest, "shell "); ok && name == "platform" {
			rest = code
		}
		in.code(rest, st.fork(), io, by+" "+name)
	case "python", "py", "script":
		in.language(langPython, rest, nil, by+" "+name, st, io)
	case "set":
		if f := strings.Fields(rest); len(f) > 2 && f[0] == "logging" && f[1] == "file" {
			in.effect(Write, f[2], by, st)
		}
	case "dump", "append", "generate-core-file", "gcore", "save", "tsave":
		in.effect(Write, lastField(rest), by+" "+name, st)
	default:
		if code, ok := strings.CutPrefix(text, "!"); ok {
			in.code(code, st.fork(), io, by+" !")
		}
		if i := strings.Index(text, "system("); i >= 0 {
			if code, ok := firstQuoted(text[i+7:]); ok {
				in.code(code, st.fork(), io, by+" system")
			}
		}
	}
}

func (in *interp) gnuplot(text, by string, st *state, io stdio) {
	for _, part := range strings.Split(text, ";") {
		part = strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(part, "set output"); ok {
			if name, ok := firstQuoted(rest); ok {
				in.effect(Write, name, by+" set output", st)
			}
		}
		if rest, ok := strings.CutPrefix(part, "system"); ok {
			if code, ok := firstQuoted(rest); ok {
				in.code(code, st.fork(), io, by+" system")
			}
		}
		if rest, ok := strings.CutPrefix(part, "!"); ok {
			in.code(rest, st.fork(), io, by+" !")
		}
	}
}

// quotedCode finds the shell text and the file that a few calls of rarer
// languages take as their first text.
func (in *interp) quotedCode(text, by string, st *state, io stdio) {
	for _, head := range []string{"do shell script ", "system(", "unix(", "popen(", "System.cmd(", "System.shell(", ":os.cmd('", ":os.cmd(~c", "os.cmd("} {
		for rest := text; ; {
			i := strings.Index(rest, head)
			if i < 0 {
				break
			}
			rest = rest[i+len(head):]
			if code, ok := firstQuoted(rest); ok {
				in.code(code, st.fork(), io, by)
			}
		}
	}
	for _, head := range []string{"File.write", "File.write!", "File.touch", "File.rm", "File.rm_rf", "File.mkdir_p", "File.mkdir", "new File(", "Files.write(Paths.get(", "open for access POSIX file"} {
		if i := strings.Index(text, head); i >= 0 {
			if name, ok := firstQuoted(text[i+len(head):]); ok && (head != "new File(" || strings.ContainsAny(text, "<") || strings.Contains(text, "write") || strings.Contains(text, "delete") || strings.Contains(text, ".text =") || strings.Contains(text, "mkdir") || strings.Contains(text, "append") || strings.Contains(text, "createNewFile")) {
				in.effect(Write, name, by, st)
			}
		}
	}
	for rest := text; ; {
		i := strings.Index(rest, "fopen(")
		if i < 0 {
			break
		}
		rest = rest[i+len("fopen("):]
		if texts := quotedAny(rest, 2); len(texts) == 2 && strings.ContainsAny(texts[1], "wa+") {
			in.effect(Write, texts[0], by+" fopen", st)
		}
	}
	if i := strings.Index(text, ".execute()"); i > 0 {
		if j := strings.IndexAny(text, `'"`); j >= 0 && j < i {
			if code, ok := firstQuoted(text[j:]); ok {
				in.code(code, st.fork(), io, by)
			}
		}
	}
}

// lispWrites are functions whose last or first text is a file.
var lispWrites = words("write-region append-to-file delete-file delete-directory make-directory copy-file rename-file with-temp-file write-file find-file open-output-file call-with-output-file display-to-file with-output-to-file spit delete-directory/files io/delete-file make-symbolic-link set-file-modes")

func (in *interp) lisp(text, by string, st *state, io stdio) {
	for i := 0; i < len(text); i++ {
		if text[i] != '(' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != ' ' && text[end] != ')' && text[end] != '(' && text[end] != '\n' {
			end++
		}
		name := text[i+1 : end]
		rest := text[end:]
		switch {
		case lispWrites[name]:
			for _, s := range quotedTexts(rest, 4) {
				if looksLikePath(s) {
					in.effect(Write, s, by+" "+name, st)
				}
			}
		case name == "shell-command" || name == "shell-command-to-string" || name == "system" || name == "async-shell-command" || name == "compile" || name == "call-process-shell-command" || name == "sh" || name == "shell":
			if code, ok := firstQuoted(rest); ok {
				in.code(code, st.fork(), io, by+" "+name)
			}
		case name == "call-process" || name == "start-process" || name == "process-file" || name == "system*" || name == "shell/sh" || name == "run-program":
			in.run(append(quotedTexts(rest, 16), holeVar), st.fork(), io, false)
		}
	}
}

// quotedTexts lists the double-quoted texts up to the bracket that closes.
func quotedTexts(s string, limit int) []string {
	var out []string
	depth := 1
	for i := 0; i < len(s) && len(out) < limit && depth > 0; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '"':
			j := strings.IndexByte(s[i+1:], '"')
			if j < 0 {
				return out
			}
			out = append(out, s[i+1:i+1+j])
			i += j + 1
		}
	}
	return out
}

// quotedAny lists the first texts in either kind of quotes.
func quotedAny(s string, limit int) []string {
	var out []string
	for len(out) < limit {
		i := strings.IndexAny(s, `'"`)
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i+1:], s[i])
		if j < 0 {
			break
		}
		out = append(out, s[i+1:i+1+j])
		s = s[i+j+2:]
	}
	return out
}

// pdftk writes what follows the word "output".
func (in *interp) pdftk(text, by string, st *state, _ stdio) {
	if looksLikePath(text) && strings.HasPrefix(text, "/") || strings.HasPrefix(text, "../") {
		if text != "" && !strings.HasSuffix(strings.ToLower(text), ".fdf") {
			in.effect(Write, text, by, st)
		}
	}
}

func (in *interp) vimscript(text, by string, st *state, io stdio) {
	for _, head := range []string{"system(", "systemlist(", "jobstart(", "job_start(", "term_start("} {
		if i := strings.Index(text, head); i >= 0 {
			if code, ok := firstQuoted(text[i+len(head):]); ok {
				in.code(code, st.fork(), io, by+" "+head)
			}
		}
	}
	if i := strings.Index(text, "writefile("); i >= 0 {
		if j := strings.LastIndexByte(text, ','); j > i {
			if name, ok := firstQuoted(text[j:]); ok {
				in.effect(Write, name, by+" writefile", st)
			}
		}
	}
	for _, head := range []string{"delete(", "mkdir(", "rename("} {
		if i := strings.Index(text, head); i >= 0 {
			if name, ok := firstQuoted(text[i+len(head):]); ok {
				in.effect(Write, name, by+" "+head, st)
			}
		}
	}
	if strings.HasPrefix(by, "nvim") || strings.Contains(text, "os.execute") || strings.Contains(text, "io.open") {
		in.language(langLua, text, nil, by, st, io)
	}
}

func (in *interp) powershell(text, by string, st *state, io stdio) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' || r == '|' }) {
		f := tclWords(strings.ReplaceAll(strings.TrimSpace(line), "'", `"`))
		if len(f) == 0 {
			continue
		}
		switch strings.ToLower(f[0]) {
		case "set-content", "add-content", "out-file", "new-item", "remove-item", "copy-item", "move-item", "clear-content", "export-csv", "tee-object", "mkdir", "rm", "del", "ri", "ni", "sc", "ac", "cp", "mv", "copy", "move", "md":
			for i, w := range f[1:] {
				if looksLikePath(w) && !(i == 0 && strings.HasPrefix(strings.ToLower(f[0]), "copy")) {
					in.effect(Write, w, by+" "+f[0], st)
				}
			}
		}
		for i, w := range f {
			if (w == ">" || w == ">>") && i+1 < len(f) {
				in.effect(Write, f[i+1], by+" >", st)
			}
		}
	}
}
