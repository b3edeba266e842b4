package shell

import "strings"

// PatchFile is a file that a patch names.
type PatchFile struct {
	Op   Op
	Path string
}

// PatchFiles lists the files an apply_patch document changes.
func PatchFiles(text string) []PatchFile {
	var files []PatchFile
	updating := false // in a change of an existing file, lines with a blank in front are its text
	for _, line := range strings.Split(text, "\n") {
		if updating && strings.HasPrefix(line, " ") {
			continue
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "@@") {
			updating = true
		}
		for _, head := range []struct {
			prefix string
			op     Op
		}{
			{"*** Add File: ", Write}, {"*** Update File: ", Write},
			{"*** Delete File: ", Remove}, {"*** Move to: ", Write}, {"*** Rename to: ", Write},
		} {
			if name, ok := strings.CutPrefix(line, head.prefix); ok {
				files = append(files, PatchFile{head.op, strings.TrimSpace(name)})
				updating = false
			}
		}
	}
	return files
}

// patchText is what patch reads: its files, unless operands named one.
func (in *interp) patchText(text, by string, st *state, _ stdio) {
	for _, f := range DiffFiles(text, 0) {
		if strings.HasPrefix(f.Path, "a/") || strings.HasPrefix(f.Path, "b/") {
			f.Path = f.Path[2:]
		}
		in.effect(f.Op, f.Path, by, st)
	}
}

// DiffFiles lists the files a unified diff changes; strip is how many leading
// components their names lose, as patch -p has it.
func DiffFiles(text string, strip int) []PatchFile {
	var files []PatchFile
	add := func(op Op, name string) {
		name, _, _ = strings.Cut(name, "\t")
		name = strings.Trim(strings.TrimSpace(name), `"`)
		if name == "/dev/null" || name == "" {
			return
		}
		for i := 0; i < strip; i++ {
			if _, rest, ok := strings.Cut(name, "/"); ok && !strings.HasPrefix(name, "/") {
				name = rest
			}
		}
		files = append(files, PatchFile{op, name})
	}
	inHunk := 0
	for _, line := range strings.Split(text, "\n") {
		if inHunk > 0 && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")) {
			inHunk--
			continue
		}
		inHunk = 0
		switch {
		case strings.HasPrefix(line, "@@ "):
			inHunk = hunkLines(line)
		case strings.HasPrefix(line, "+++ "):
			add(Write, line[4:])
		case strings.HasPrefix(line, "--- "):
			add(Write, line[4:])
		case strings.HasPrefix(line, "rename to "):
			files = append(files, PatchFile{Write, strings.TrimSpace(line[10:])})
		case strings.HasPrefix(line, "copy to "):
			files = append(files, PatchFile{Write, strings.TrimSpace(line[8:])})
		}
		if len(files) > 512 {
			return files
		}
	}
	return files
}

// hunkLines is an upper bound of the lines a hunk header announces.
func hunkLines(header string) int {
	n := 0
	for _, f := range strings.Fields(header) {
		if f[0] != '-' && f[0] != '+' {
			continue
		}
		count := 1
		if _, c, ok := strings.Cut(f, ","); ok {
			count = atoi(c)
		}
		n += count
	}
	return n
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1_000_000 {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}
