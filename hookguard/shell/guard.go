package shell

import (
	"path"
	"strings"
)

// ownProcess is what pgrep and pidof print for lane's or a harness's
// processes, so that kill can tell them from others.
const ownProcess = "lane-or-harness-process"

// ownNames are programs whose end would end the guard, or the lane.
var ownNames = []string{"lane", "claude", "codex", "gemini", "copilot", "agy", "bwrap", "antigravity"}

func namesOwn(pattern string) bool {
	words := strings.FieldsFunc(pattern, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
	for _, w := range words {
		for _, own := range ownNames {
			if w == own {
				return true
			}
		}
	}
	return false
}

// kill of the shell's parent is the end of the harness; of 1 and -1, of
// everything.
func (in *interp) kill(args []string, st *state, io stdio) {
	words := args[1:]
	for i, w := range words {
		switch {
		case w == "-s" || w == "-n" || w == "--signal":
			continue
		case i > 0 && (w == "-1" || w == "1" || w == "0" && !contains(words, "-0")), w == ownProcess, w == holeParent:
			in.find(GuardOff, "kill", "")
		case i == 0 && (w == "1" || w == ownProcess || w == holeParent):
			in.find(GuardOff, "kill", "")
		}
	}
}

func (in *interp) pkill(args []string, st *state, io stdio) {
	for i, w := range args[1:] {
		if !strings.HasPrefix(w, "-") && (namesOwn(w) || strings.Trim(w, ".*") == "") || w == "-u" || w == "-U" || w == "--euid" {
			in.find(GuardOff, args[0], "")
		}
		if (w == "-P" || w == "--parent") && i+2 < len(args) && args[i+2] == holeParent {
			in.find(GuardOff, args[0], "")
		}
	}
}

func (in *interp) pgrep(args []string, st *state, io stdio) {
	for _, w := range args[1:] {
		if !strings.HasPrefix(w, "-") && namesOwn(w) {
			io.print(ownProcess + "\n")
			return
		}
	}
	io.print(holeSeg + "\n")
}

// agentUnguarded are options that start an agent without its hooks or its
// sandbox.
var agentUnguarded = wordSet(`--dangerously-skip-permissions --allow-dangerously-skip-permissions --safe-mode --bare
	--dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --yolo`)

// agent is another agent started by this one.
func (in *interp) agent(args []string, st *state, io stdio) {
	for i, w := range args[1:] {
		switch {
		case agentUnguarded.has(w) && !(args[0] == "gemini" && w == "--yolo"):
			in.find(GuardOff, args[0], w)
		case w == "--disable" && i+2 < len(args) && args[i+2] == "hooks":
			in.find(GuardOff, args[0], "--disable hooks")
		case w == "--settings" && i+2 < len(args) && strings.Contains(args[i+2], "disableAllHooks"):
			in.find(GuardOff, args[0], w)
		}
	}
	in.agentServers(args, st)
	in.tool(args, st, io)
}

// agentServers is "claude mcp add" and its like, which write wiring.
func (in *interp) agentServers(args []string, st *state) {
	if len(args) < 3 || args[1] != "mcp" && args[1] != "plugin" && args[1] != "extensions" && args[1] != "config" {
		return
	}
	switch args[2] {
	case "list", "get", "serve", "login", "logout", "validate", "test":
		return
	}
	home := in.req.Vars["HOME"]
	file := map[string]string{"claude": home + "/.claude.json", "codex": home + "/.codex/config.toml", "gemini": ".gemini/settings.json", "copilot": home + "/.copilot/mcp-config.json"}[args[0]]
	if args[0] == "claude" && contains(args, "project") {
		file = ".mcp.json"
	}
	in.effect(Write, file, args[0]+" "+args[1], st)
}

// laneTool is lane itself: the guard's wiring is the user's to change.
func (in *interp) laneTool(args []string, st *state, io stdio) {
	if len(args) > 2 && args[1] == "hook" && (args[2] == "install" || args[2] == "uninstall") {
		in.find(GuardOff, "lane hook", args[2])
	}
	in.tool(args, st, io)
}

// ssh runs its command on another machine, or on this one by another name.
func (in *interp) ssh(args []string, st *state, io stdio) {
	for i := 1; i < len(args); i++ {
		w := args[i]
		if len(w) > 1 && w[0] == '-' {
			if len(w) == 2 && strings.IndexByte("EFiopllRDJWbBceImOQSwM", w[1]) >= 0 && w != "-M" {
				i++
			}
			continue
		}
		host := w[strings.LastIndexByte(w, '@')+1:]
		if host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "0.0.0.0" {
			sub := st.fork()
			sub.dir = in.req.Vars["HOME"]
			in.code(strings.Join(args[i+1:], " "), sub, io, "ssh "+host)
		}
		break
	}
	in.tool(args, st, io)
}

// remoteShell reports a shell whose input or output is a network connection.
func (in *interp) remoteShell(args []string) {
	if len(args) == 0 {
		return
	}
	if _, ok := programs[path.Base(args[0])]; !ok {
		return
	}
	switch path.Base(args[0]) {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish":
		in.find(RemoteShell, args[0], "")
	}
}
