package shell

import "strings"

// generic judges a program nobody has a row for, by what is common to all:
// an option that sounds like an output and names a path, an option that
// sounds like a command and holds one.
func (in *interp) generic(args []string, st *state, io stdio) {
	words := args[1:]
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if w == "--" {
			in.afterDashes(args, words, st, io)
			return
		}
		if len(w) < 2 || w[0] != '-' {
			continue
		}
		name, value, inline := strings.Cut(w, "=")
		if installPlaces.has(strings.TrimLeft(name, "-")) && contains(args, "install") {
			if !inline && len(words) > 0 {
				value, words = words[0], words[1:]
			}
			if looksLikePath(value) {
				in.effect(Write, value, args[0]+" install "+name, st)
			}
			continue
		}
		words = words[min(len(words), in.genericOption(args[0], name, value, inline, words, st)):]
	}
}

// installPlaces say where the subcommand install puts things; elsewhere they
// are but remembered.
var installPlaces = wordSet("prefix root home install-dir install-base install-lib install-scripts install-data install-headers")

// genericOption judges one option of a program by its name and returns how
// many further words it took.
func (in *interp) genericOption(tool, name, value string, inline bool, next []string, st *state) int {
	took := 0
	if !inline {
		if len(next) == 0 || strings.HasPrefix(next[0], "-") && len(next[0]) > 1 {
			if rest, ok := strings.CutPrefix(name, "-o"); ok && looksLikePath(rest) {
				in.effect(Write, rest, tool+" -o", st)
			}
			return 0
		}
		value = next[0]
	}
	plain := strings.ToLower(strings.TrimLeft(name, "-"))
	switch {
	case in.outputName(plain):
		if _, v, ok := strings.Cut(value, "="); ok && looksLikePath(v) { // --out json=FILE
			value = v
		}
		if looksLikePath(value) {
			in.effect(Write, value, tool+" "+name, st)
			took = 1
		}
	case commandNames[plain]:
		if strings.ContainsAny(value, " >;|&") {
			in.leniently(value, st.fork(), stdio{in: given(holeInput)}, tool+" "+name)
			took = 1
		}
	default:
		if rest, ok := strings.CutPrefix(name, "-o"); ok && !inline && looksLikePath(rest) {
			in.effect(Write, rest, tool+" -o", st)
		}
	}
	if inline {
		return 0
	}
	return took
}

// looksLikePath is for values of options nobody knows: a plain word may be a
// format or a name, one that leads somewhere is a path.
func looksLikePath(value string) bool {
	return strings.HasPrefix(value, "/") && len(value) > 1 || strings.HasPrefix(value, "../") || strings.HasPrefix(value, "~/") ||
		strings.HasPrefix(value, "./") || value == ".."
}

// commandNames are options whose value is shell text in most programs that
// have them.
var commandNames = map[string]bool{
	"exec": true, "command": true, "cmd": true, "run-command": true, "shell-command": true,
	"on-change": true, "onchange": true, "on-success": true, "on-failure": true, "hook": true,
	"pre-hook": true, "post-hook": true, "deploy-hook": true, "pre-command": true, "post-command": true,
	"setup": true, "prepare": true, "cleanup": true, "filter-command": true, "to-command": true,
}

// outputWords and outputFirsts build the option names that mean "write
// there": "output", "out-dir", "log-file", "report-path" and their kin.
var (
	outputNames = map[string]bool{
		"o": true, "out": true, "output": true, "outfile": true, "outdir": true, "outputfile": true, "outputdir": true,
		"outputpath": true, "outputdirectory": true, "dest": true, "destination": true, "destdir": true, "target-dir": true,
		"targetdir": true, "target-directory": true, "target-path": true, "logfile": true, "logdir": true, "log": false, "dump": true, "dump-to": true,
		"save": true, "save-to": true, "save-as": true, "saveto": true, "write-to": true, "export-to": true, "download-to": true,
		"basetemp": true, "tmpdir": true, "tempdir": true, "tmp-dir": true, "temp-dir": true, "tmp": true, "temp": true, "temp-directory": true, "temporary-directory": true,
		"build-dir": true, "builddir": true, "build-path": true, "dist-dir": true, "distdir": true, "distpath": true, "workpath": true, "specpath": true,
		"cache-dir": true, "cachedir": true, "cache-directory": true, "cachedirectory": true, "cache-location": true, "cache-folder": true, "cache-path": true, "cache-file": true,
		"coverage-dir": true, "coveragedirectory": true, "coverprofile": true, "cpuprofile": true, "memprofile": true, "blockprofile": true, "mutexprofile": true,
		"junitxml": true, "junit-xml": true, "junitfile": true, "jsonfile": true, "htmldir": true, "html-dir": true, "xml-file": true,
		"user-data-dir": true, "data-dir": true, "datadir": true, "dbpath": true, "logpath": true, "pidfile": true, "pid-file": true, "pidfilepath": true,
		"artifacts-dir": true, "artifacts-path": true, "artifact-dir": true, "download-dir": true, "store-dir": true, "state-dir": true, "run-dir": true,
		"stdout-path": true, "stderr-path": true, "trace-file": true, "profile-dir": true, "prof-dir": true, "screenshot": true, "har": true,
		"derivedDataPath": true, "deriveddatapath": true, "resultbundlepath": true, "local-dir": true, "unpack-dir": true, "extract-to": true, "extract-dir": true,
	}
	outputFirst = map[string]bool{"output": true, "out": true, "log": true, "report": true, "dump": true, "save": true, "export": true, "result": true, "results": true, "artifact": true, "artifacts": true, "trace": true, "record": true, "write": true, "dest": true, "destination": true, "coverage": true, "download": true}
	outputLast  = map[string]bool{"file": true, "path": true, "dir": true, "directory": true, "folder": true, "filename": true, "to": true, "out": true, "output": true, "destination": true,
		"log": true, "json": true, "xml": true, "html": true, "csv": true, "junit": true, "report": true, "root": true}
)

// outputName reports whether an option's name says that the program writes to
// its value.
func (in *interp) outputName(name string) bool {
	name = strings.ToLower(name)
	if known, ok := outputNames[name]; ok {
		return known
	}
	first, _, _ := strings.Cut(name, "-")
	last := name[strings.LastIndexByte(name, '-')+1:]
	if first == name {
		return false
	}
	return outputFirst[first] && outputLast[last] || last == "output" || last == "outfile" || last == "outdir" || last == "out"
}
