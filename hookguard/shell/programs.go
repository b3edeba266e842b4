package shell

import (
	"path"
	"strings"
)

// programs are the tools whose command lines no table row can describe.
var programs map[string]command

func init() { // in a function, because programs run other programs
	programs = map[string]command{
		"git": (*interp).git, "env": (*interp).env, "genv": (*interp).env,
		"sh": (*interp).sh, "bash": (*interp).sh, "dash": (*interp).sh, "zsh": (*interp).sh, "ksh": (*interp).sh, "mksh": (*interp).sh, "ash": (*interp).sh, "rbash": (*interp).sh, "fish": (*interp).sh,
		"find": (*interp).findFiles, "gfind": (*interp).findFiles, "fd": (*interp).fd, "fdfind": (*interp).fd,
		"xargs": (*interp).xargs, "gxargs": (*interp).xargs,
		"tee": (*interp).tee, "gtee": (*interp).tee, "cp": (*interp).cp, "gcp": (*interp).cp, "mv": (*interp).mv, "install": (*interp).mv,
		"go": (*interp).goTool, "just": (*interp).justTool, "pytest": (*interp).pytest, "py.test": (*interp).pytest, "unittest": (*interp).pytest,
		"make": (*interp).makeTool, "gmake": (*interp).makeTool, "bmake": (*interp).makeTool,
		"sqlite3": (*interp).sqliteTool, "sqlite": (*interp).sqliteTool, "duckdb": (*interp).sqliteTool,
		"pre-commit": (*interp).hookInstaller, "lefthook": (*interp).hookInstaller, "overcommit": (*interp).hookInstaller, "git-secrets": (*interp).hookInstaller,
		"exiftool": (*interp).exiftool, "magick": (*interp).magick, "gm": (*interp).magick,
		"az": (*interp).azure,
		"ln": (*interp).ln, "gln": (*interp).ln, "link": (*interp).ln, "tar": (*interp).tar, "gtar": (*interp).tar, "bsdtar": (*interp).tar,
		"ar": (*interp).ar, "gar": (*interp).ar, "llvm-ar": (*interp).ar, "jar": (*interp).ar,
		"7z": (*interp).sevenZip, "7za": (*interp).sevenZip, "7zr": (*interp).sevenZip, "7zz": (*interp).sevenZip,
		"mktemp": (*interp).mktemp, "gmktemp": (*interp).mktemp, "tempfile": (*interp).mktemp,
		"sed": (*interp).sed, "gsed": (*interp).sed, "ssed": (*interp).sed,
		"awk": (*interp).awk, "gawk": (*interp).awk, "mawk": (*interp).awk, "nawk": (*interp).awk,
		"ed": (*interp).ed, "red": (*interp).ed, "ex": (*interp).vim, "vim": (*interp).vim, "vi": (*interp).vim, "nvim": (*interp).vim, "view": (*interp).vim, "gvim": (*interp).vim, "vimdiff": (*interp).vim,
		"emacs": (*interp).emacs, "tmux": (*interp).tmux, "screen": (*interp).screen, "zellij": (*interp).zellij,
		"apply_patch": (*interp).applyPatch, "applypatch": (*interp).applyPatch,
		"kill": (*interp).kill, "pkill": (*interp).pkill, "killall": (*interp).pkill, "pgrep": (*interp).pgrep, "pidof": (*interp).pgrep,
		"lane": (*interp).laneTool, "npm": (*interp).packageScript, "pnpm": (*interp).packageScript, "yarn": (*interp).packageScript, "bun": (*interp).bunTool,
		"ssh": (*interp).ssh, "claude": (*interp).agent, "codex": (*interp).agent, "copilot": (*interp).agent, "gemini": (*interp).agent,
		"docker": (*interp).container, "podman": (*interp).container, "nerdctl": (*interp).container, "finch": (*interp).container,
		"parallel": (*interp).parallel, "gparallel": (*interp).parallel, "rush": (*interp).parallel, "gh": (*interp).gh,
		"cross-env": (*interp).env, "cross-env-shell": (*interp).env, "busybox": (*interp).multiCall, "toybox": (*interp).multiCall,
		"echo": (*interp).echo, "printf": (*interp).printf, "pwd": (*interp).pwd,
	}
	for name := range interpreters {
		if _, own := programs[name]; !own {
			programs[name] = (*interp).interpreter
		}
	}
}

// program runs something that is not part of the shell.
func (in *interp) program(args []string, st *state, io stdio) {
	name := args[0]
	switch {
	case Hidden(name) && len(name) == 2:
		in.find(UnknownCode, "a command name from another command's output", "")
		io.print(holeOut)
		return
	case Unknown(name):
		in.generic(args, st, io)
		io.print(holeOut)
		return
	}
	if text, ok := in.written(name, st); ok && strings.Contains(name, "/") {
		in.script(name, text, args[1:], st, io)
		return
	}
	if text, file, ok := in.onPath(name, st); ok {
		in.script(file, text, args[1:], st, io)
		return
	}
	base := path.Base(name)
	if f, ok := programs[base]; ok {
		f(in, append([]string{base}, args[1:]...), st, io)
		return
	}
	if startsOther(base) {
		in.wrapper(append([]string{base}, args[1:]...), st, io)
		return
	}
	if _, row := rowOf(base); !row && strings.Contains(name, "/") && name[0] != '/' {
		// A program of the project may have a subcommand called rm: what
		// follows its "--" is its own.
		args, _, _ = cutWords(args, "--")
	}
	in.tool(append([]string{base}, args[1:]...), st, io)
}

// onPath finds a program that the call wrote where the shell will look first.
func (in *interp) onPath(name string, st *state) (text, file string, found bool) {
	if len(in.files) == 0 || strings.Contains(name, "/") {
		return "", "", false
	}
	dirs, _ := in.lookup("PATH", st)
	for dir := range strings.SplitSeq(dirs, ":") {
		if dir == "" || HasHole(dir) {
			continue
		}
		if text, ok := in.written(dir+"/"+name, st); ok {
			return text, dir + "/" + name, true
		}
	}
	return "", "", false
}

// magick may be given the name of one of its tools first.
func (in *interp) magick(args []string, st *state, io stdio) {
	if len(args) > 1 {
		switch args[1] {
		case "identify", "mogrify", "convert", "compare", "composite", "montage":
			in.tool(args[1:], st, io)
			return
		}
	}
	in.tool(args, st, io)
}

// exiftool reads, unless a tag is set or a file is named that it writes.
func (in *interp) exiftool(args []string, st *state, io stdio) {
	for _, w := range args[1:] {
		if strings.HasPrefix(w, "-") && strings.Contains(w, "=") || w == "-o" || w == "-w" || w == "-TagsFromFile" || w == "-tagsFromFile" {
			in.tool(args, st, io)
			return
		}
	}
	for _, file := range operandsOf(args[1:]) {
		in.effect(Read, file, args[0], st)
	}
	io.print(holeOut)
}

// hookInstaller is a tool whose "install" writes git's hooks.
func (in *interp) hookInstaller(args []string, st *state, io stdio) {
	for _, w := range args[1:] {
		if (w == "install" || w == "--install" || w == "uninstall" || w == "init-templatedir") && in.req.CommonDir != "" {
			in.effect(Write, in.req.CommonDir+"/hooks", args[0]+" "+w, st)
			return
		}
	}
	in.tool(args, st, io)
}

// multiCall is busybox: its first word is the tool.
func (in *interp) multiCall(args []string, st *state, io stdio) {
	if len(args) > 1 {
		in.run(args[1:], st, io, false)
	}
}

func (in *interp) sevenZip(args []string, st *state, io stdio) {
	if len(args) < 3 {
		return
	}
	dir := "."
	var ops []string
	for _, w := range args[2:] {
		switch {
		case strings.HasPrefix(w, "-o"):
			dir = w[2:]
		case !strings.HasPrefix(w, "-"):
			ops = append(ops, w)
		}
	}
	switch args[1] {
	case "x", "e":
		in.effect(Write, dir, args[0], st)
	case "a", "u", "d", "rn":
		if len(ops) > 0 {
			in.effect(Write, ops[0], args[0], st)
		}
	}
}
