package shell

import "sync"

// notations are small languages that appear as one value or operand: what in
// them writes a file or starts a program.
var (
	notations     map[string]func(in *interp, text, by string, st *state, io stdio)
	notationsOnce sync.Once
)

func fillNotations() {
	notations = map[string]func(*interp, string, string, *state, stdio){
		"mongo": (*interp).mongo, "patch": (*interp).patchText, "pdftk": (*interp).pdftk, "sqlite": (*interp).sqlite, "psql": (*interp).psql, "mysql": (*interp).mysql,
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

// notation finds one by its kind; the table is built at its first use.
func notation(kind string) (func(in *interp, text, by string, st *state, io stdio), bool) {
	notationsOnce.Do(fillNotations)
	f, ok := notations[kind]
	return f, ok
}
