package shell

import (
	"path"
	"strconv"
	"strings"
	"sync"
)

// printTool is what the interpreter knows of a program's output.
func (in *interp) printTool(args []string, st *state, io stdio) {
	if io.out == nil {
		return
	}
	if setsUpShell(args) {
		io.print(holeInit)
		return
	}
	if f, ok := printer(args[0]); ok {
		f(in, args, st, io)
		return
	}
	io.print(holeOut)
}

// setsUpShell reports whether a program prints shell code for eval, as its
// documentation says to use it: completions, version managers, agents.
func setsUpShell(args []string) bool {
	switch args[0] {
	case "ssh-agent", "keychain", "dircolors", "gdircolors", "lesspipe", "lesspipe.sh", "getopt", "resize", "register-python-argcomplete", "direnv", "starship", "zoxide", "atuin", "fnm", "rbenv", "pyenv", "nodenv", "goenv", "jenv", "nvm", "mise", "rtx", "asdf", "opam", "thefuck", "luarocks", "brew", "gpg-agent", "minikube", "docker-machine", "mcfly", "fzf", "oh-my-posh", "sheldon", "antibody", "pkgx", "devbox", "vfox", "locale", "stty", "lmod", "modulecmd", "pipx", "perlbrew", "plenv", "rustup", "carapace", "navi", "tv", "gh", "glab", "op":
		return true
	}
	for _, a := range args[1:] {
		switch a {
		case "completion", "completions", "shellenv", "shell-init", "shell.bash", "shell.zsh", "hook", "--completion", "generate-shell-completion", "activate", "--print-completion", "complete", "gen-completions":
			return true
		case "env":
			return args[0] == "go" || args[0] == "docker" || args[0] == "podman" || args[0] == "cargo" || args[0] == "opam"
		}
	}
	return false
}

var (
	printers     map[string]command
	printersOnce sync.Once
)

func fillPrinters() {
	segment := func(_ *interp, _ []string, _ *state, io stdio) { io.print(holeSeg + "\n") }
	foreign := func(_ *interp, _ []string, _ *state, io stdio) { io.print(holeNet) }
	pass := func(in *interp, args []string, st *state, io stdio) { in.passThrough(args, st, io) }
	filter := func(in *interp, args []string, st *state, io stdio) { in.filter(args, st, io) }
	printers = map[string]command{
		"cat": pass, "gcat": pass, "tac": pass, "bat": pass, "batcat": pass, "head": pass, "tail": pass, "sort": pass, "uniq": pass, "tee": pass, "nl": pass, "fold": pass, "fmt": pass, "shuf": pass, "column": pass, "less": pass, "more": pass, "pv": pass, "sponge": pass, "iconv": pass, "dos2unix": pass, "expand": pass, "unexpand": pass, "paste": pass, "envsubst": pass, "stdbuf": pass,
		"grep": (*interp).printGrep, "egrep": (*interp).printGrep, "fgrep": (*interp).printGrep, "rg": (*interp).printGrep, "ag": (*interp).printGrep, "ack": (*interp).printGrep, "ggrep": (*interp).printGrep,
		"cut": filter, "jq": filter, "yq": filter, "xmllint": filter, "comm": filter, "join": filter, "strings": filter,
		"tr": (*interp).printTr, "rev": foreign, "base64": (*interp).printBase64, "base32": (*interp).printBase64, "gbase64": (*interp).printBase64, "xxd": (*interp).printXxd, "openssl": (*interp).printBase64,
		"gunzip": foreign, "zcat": foreign, "bzcat": foreign, "xzcat": foreign, "zstdcat": foreign, "gzip": foreign, "bzip2": foreign, "xz": foreign, "zstd": foreign, "uudecode": foreign, "gpg": foreign, "age": foreign, "lz4": foreign, "brotli": foreign, "nc": foreign, "ncat": foreign, "netcat": foreign, "socat": foreign, "curl": foreign, "wget": foreign, "aria2c": foreign, "http": foreign, "https": foreign, "xh": foreign, "lynx": foreign, "w3m": foreign, "ftp": foreign, "ssh": foreign, "aws": foreign, "gsutil": foreign, "rclone": foreign, "dig": foreign, "nslookup": foreign, "pbpaste": foreign, "xclip": foreign, "xsel": foreign, "wl-paste": foreign, "fetch": foreign,
		"date": segment, "gdate": segment, "wc": segment, "nproc": segment, "uname": segment, "arch": segment, "hostname": segment, "whoami": segment, "id": segment, "expr": (*interp).printExpr, "md5sum": segment, "sha1sum": segment, "sha256sum": segment, "shasum": segment, "cksum": segment, "stat": segment, "du": segment, "uuidgen": segment, "tty": segment, "tput": segment, "pgrep": segment, "pidof": segment, "getconf": segment, "bc": segment, "dc": segment, "lsb_release": segment, "sw_vers": segment, "locale": segment, "umask": segment, "jot": segment, "logname": segment, "numfmt": segment, "sysctl": segment, "ps": (*interp).printPs, "lsof": segment, "factor": segment, "cal": segment, "random": segment,
		"seq": (*interp).printSeq, "gseq": (*interp).printSeq, "basename": (*interp).printBase, "gbasename": (*interp).printBase, "dirname": (*interp).printDir, "gdirname": (*interp).printDir,
		"realpath": (*interp).printReal, "grealpath": (*interp).printReal, "readlink": (*interp).printReal, "greadlink": (*interp).printReal,
		"which": (*interp).printWhich, "type": (*interp).printWhich, "whereis": (*interp).printWhich, "ls": (*interp).printLs, "gls": (*interp).printLs, "printenv": (*interp).printEnvironment, "yes": (*interp).printYes,
		"npm": (*interp).printVariable, "pnpm": (*interp).printVariable, "yarn": (*interp).printVariable, "go": (*interp).printVariable, "pkg-config": (*interp).printVariable, "llvm-config": (*interp).printVariable, "python3-config": (*interp).printVariable, "cargo": (*interp).printVariable, "rustc": (*interp).printVariable, "xcrun": (*interp).printVariable, "java_home": (*interp).printVariable, "getent": (*interp).printVariable, "nix": (*interp).printVariable, "poetry": (*interp).printVariable, "pipenv": (*interp).printVariable, "uv": (*interp).printVariable, "conda": (*interp).printVariable, "gcc": (*interp).printVariable, "docker": (*interp).printContainer, "podman": (*interp).printContainer, "kubectl": (*interp).printContainer,
		"tree": (*interp).printLs, "locate": foreign, "cygpath": (*interp).printReal,
	}
}

// filesOf are the operands that name files, for tools without a subcommand.
func filesOf(args []string) []string {
	var out []string
	for _, a := range args[1:] {
		if a == "-" || !strings.HasPrefix(a, "-") {
			out = append(out, a)
		}
	}
	return out
}

func (in *interp) printSeq(args []string, _ *state, io stdio) {
	ops := filesOf(args)
	if len(ops) == 0 {
		return
	}
	from, to := 1, 0
	n, err := strconv.Atoi(ops[len(ops)-1])
	if err != nil {
		io.print(holeSeg + "\n")
		return
	}
	to = n
	if len(ops) > 1 {
		from, _ = strconv.Atoi(ops[0])
	}
	if to-from > 16 || to < from {
		io.print(holeSeg + "\n")
		return
	}
	for ; from <= to; from++ {
		io.print(strconv.Itoa(from) + "\n")
	}
}

func (in *interp) printBase(args []string, _ *state, io stdio) {
	for _, f := range filesOf(args)[:min(1, len(filesOf(args)))] {
		name := f[strings.LastIndexByte(strings.TrimRight(f, "/"), '/')+1:]
		if HasHole(name) {
			name = holeSeg
		}
		io.print(strings.TrimRight(name, "/") + "\n")
	}
}

func (in *interp) printDir(args []string, _ *state, io stdio) {
	for _, f := range filesOf(args) {
		switch i := strings.LastIndexByte(strings.TrimRight(f, "/"), '/'); {
		case i < 0 && Unknown(f):
			io.print(f[:2] + "\n")
		case i < 0:
			io.print(".\n")
		case i == 0:
			io.print("/\n")
		default:
			io.print(f[:i] + "\n")
		}
	}
}

func (in *interp) printReal(args []string, st *state, io stdio) {
	for _, f := range filesOf(args) {
		io.print(fold(in.physical(in.abs(f, st))) + "\n")
	}
}

func (in *interp) printWhich(args []string, _ *state, io stdio) {
	for _, f := range filesOf(args) {
		io.print("/usr/bin/" + path.Base(f) + "\n")
	}
}

// printLs lists names; a named file or pattern is printed as it is.
func (in *interp) printLs(args []string, st *state, io stdio) {
	files := filesOf(args)
	if len(files) == 0 {
		io.print(holeName + "\n")
		return
	}
	for _, f := range files {
		if contains(args, "-d") || HasWildcard(f) {
			io.print(f + "\n")
		} else {
			io.print(holeName + "\n")
		}
	}
}

func (in *interp) printEnvironment(args []string, st *state, io stdio) {
	for _, name := range filesOf(args) {
		v, _ := in.lookup(name, st)
		io.print(v + "\n")
	}
}

func (in *interp) printYes(args []string, _ *state, io stdio) {
	word := "y"
	if len(args) > 1 {
		word = strings.Join(args[1:], " ")
	}
	io.print(word + "\n")
}

// printVariable is a tool that prints one of its settings: as unknown as a
// variable, and as little suspicious.
func (in *interp) printVariable(args []string, _ *state, io stdio) {
	for _, a := range args[1:] {
		switch a {
		case "get", "bin", "root", "prefix", "env", "info", "config", "list", "metadata", "--prefix", "--print", "path", "--variable", "--cflags", "--libs", "passwd", "--bindir", "--version", "--show-sdk-path", "eval", "--dumpmachine", "-dumpmachine", "--print-sysroot", "version", "pkgid", "mod":
			io.print(holeVar + "\n")
			return
		}
	}
	io.print(holeOut)
}

func (in *interp) printContainer(args []string, _ *state, io stdio) {
	for _, a := range args[1:] {
		switch a {
		case "ps", "inspect", "images", "port", "create", "volume", "network", "get", "container", "image":
			io.print(holeSeg + "\n")
			return
		}
	}
	io.print(holeOut)
}

// printer finds what is known of a program's output; the table is built at
// its first use.
func printer(name string) (command, bool) {
	printersOnce.Do(fillPrinters)
	f, ok := printers[name]
	return f, ok
}

// printExpr: one operand is printed as it is.
func (in *interp) printExpr(args []string, _ *state, io stdio) {
	if len(args) == 2 {
		io.print(args[1] + "\n")
		return
	}
	io.print(holeSeg + "\n")
}

func (in *interp) printPs(args []string, _ *state, io stdio) {
	if strings.Contains(strings.Join(args, " "), "ppid=") {
		io.print(holeParent + "\n")
		return
	}
	io.print(holeSeg + "\n")
}
