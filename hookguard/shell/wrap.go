package shell

import (
	"path"
	"strings"
)

// wrappers start another program and have options of their own before it that
// no row tells apart. The first word that is known as a program is where the
// other one's command line begins.
var wrappers = wordSet(`setarch linux32 linux64 i386 i486 i586 i686 x86_64 arch setpriv proot runuser capsh gpg-agent
	prlimit chpst softlimit setuidgid envuidgid s6-setuidgid s6-envdir s6-softlimit envdir with-contenv
	nvm fnm volta flox lerna ifne retry xterm rxvt urxvt st kitty foot alacritty wezterm konsole gnome-terminal xfce4-terminal terminator x-terminal-emulator
	dtach abduco rr apitrace tini dumb-init catatonit bwrap sem tsp aws-vault chamber teller doppler infisical vault-env with-env dotenv dotenvx env-cmd
	flatpak-spawn distrobox-host-exec distrobox-enter toolbox coreutils kcov sops cgexec choom uclampset coresight`)

// dashes are tools that have a row, and of which what follows "--" is a
// command that runs here.
var dashes = wordSet("onchange guix nix watchexec reflex")

// remotes take a command after "--" for another machine.
var remotes = wordSet(`heroku fly flyctl gcloud vagrant oc kubectl nomad lxc incus multipass limactl lima colima orb devcontainer eb cf coder tsh railway
	ssh mosh docker podman nerdctl finch gh az aws ibmcloud oci scw vercel netlify platform pantheon terminus`)

// startsOther reports whether a program is there to start another one. The
// dynamic linker is one: it takes the program as its operand.
func startsOther(name string) bool {
	return wrappers.has(name) || strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || strings.HasPrefix(name, "ld.so")
}

// subcommands are wrappers only when one of their words says so.
var (
	subcommands = wordSet("nvm fnm volta flox lerna aws-vault chamber teller doppler infisical sops dotenvx toolbox")
	startWords  = wordSet("exec run exec-env exec-file activate")
)

// wrapper runs what a wrapper starts.
func (in *interp) wrapper(args []string, st *state, io stdio) {
	in.toolAs(args[0], args, st, io)
	ops := operandsOf(args[1:])
	if len(ops) == 0 || subcommands.has(args[0]) && !startWords.has(ops[0]) {
		in.printTool(args, st, io)
		return
	}
	for i := 1; i < len(args); i++ {
		w := args[i]
		switch {
		case (w == "-c" || w == "--command") && i+1 < len(args):
			in.leniently(args[i+1], st.fork(), io, args[0]+" "+w)
			i++
		case strings.HasPrefix(w, "-"):
		case in.isProgram(w, st):
			in.run(args[i:], st, io, false)
			return
		case strings.ContainsAny(w, " ;|&>"): // sops exec-env FILE 'COMMAND LINE'
			in.leniently(w, st.fork(), io, args[0])
		}
	}
	in.printTool(args, st, io)
}

// isProgram reports whether a word is the name of a program that something is
// known of, or of a script that the call wrote.
func (in *interp) isProgram(word string, st *state) bool {
	if strings.Contains(word, "/") {
		if _, ok := in.written(word, st); ok {
			return true
		}
	}
	base := path.Base(word)
	if _, ok := programs[base]; ok || startsOther(base) {
		return true
	}
	_, ok := rowOf(base)
	return ok
}

// afterDashes runs what follows "--" of a tool that nobody knows, if it
// begins with a program: that is what the two dashes are for in such a place.
func (in *interp) afterDashes(args, rest []string, st *state, io stdio) {
	if len(rest) > 0 && !strings.Contains(args[0], " ") && interpreters[args[0]] == "" && !remotes.has(args[0]) && in.isProgram(rest[0], st) {
		in.run(rest, st.fork(), io, false)
	}
}
