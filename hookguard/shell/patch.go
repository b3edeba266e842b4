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
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		for _, head := range []struct {
			prefix string
			op     Op
		}{
			{"*** Add File: ", Write}, {"*** Update File: ", Write},
			{"*** Delete File: ", Remove}, {"*** Move to: ", Write}, {"*** Rename to: ", Write},
		} {
			if name, ok := strings.CutPrefix(line, head.prefix); ok {
				files = append(files, PatchFile{head.op, strings.TrimSpace(name)})
			}
		}
	}
	return files
}
