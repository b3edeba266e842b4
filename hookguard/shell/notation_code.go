package shell

import (
	"strings"
)

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
				in.leniently(ansiC(f[len(f)-1]), st.fork(), io, by+" send")
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
	for _, head := range []string{"File.write", "File.write!", "File.touch", "File.rm", "File.rm_rf", "File.mkdir_p", "File.mkdir", "new File(", "Files.write(Paths.get(", "open for access POSIX file",
		"FileWriter(", "PrintWriter(", "FileOutputStream(", "Files.createFile(", "Files.writeString(", "writeFile", "appendFile", "createDirectory", "removeFile", "open_out", "Sys.remove", "Sys.mkdir",
		"os.WriteFile(", "os.Create(", "os.OpenFile(", "os.Mkdir(", "os.MkdirAll(", "os.Remove(", "os.RemoveAll(", "ioutil.WriteFile(",
		"spurt", "unlink(", "file:write_file(", "file:delete(", "file:make_dir("} {
		if i := strings.Index(text, head); i >= 0 {
			if name, ok := firstQuoted(text[i+len(head):]); ok && (head != "new File(" || strings.ContainsAny(text, "<") || strings.Contains(text, "write") || strings.Contains(text, "delete") || strings.Contains(text, ".text =") || strings.Contains(text, ".text=") || strings.Contains(text, "mkdir") || strings.Contains(text, "append") || strings.Contains(text, "createNewFile")) {
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
var lispWrites = wordSet("write-region append-to-file delete-file delete-directory make-directory copy-file rename-file with-temp-file write-file find-file open-output-file call-with-output-file display-to-file with-output-to-file spit delete-directory/files io/delete-file make-symbolic-link set-file-modes")

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
		case lispWrites.has(name):
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
		case "cd", "sl", "chdir", "set-location", "push-location", "pushd":
			if len(f) > 1 {
				st.chdir(f[len(f)-1])
			}
		default:
			_, special := programs[f[0]]
			if _, row := rowOf(f[0]); special || row {
				in.program(f, st, io)
			}
		}
		for i, w := range f {
			if (w == ">" || w == ">>") && i+1 < len(f) {
				in.effect(Write, f[i+1], by+" >", st)
			}
		}
	}
}
