package shell

import (
	"strings"
)

// ed edits by commands from its input: w writes, ! runs.
func (in *interp) ed(args []string, st *state, io stdio) {
	file := ""
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "-p":
			i++
		case !strings.HasPrefix(args[i], "-"):
			file = args[i]
		}
	}
	in.edScript(io.text(), file, args[0], st, io)
}

func (in *interp) edScript(text, file, by string, st *state, io stdio) {
	inserting := false
	for _, line := range strings.Split(text, "\n") {
		if inserting {
			inserting = strings.TrimSpace(line) != "."
			continue
		}
		line = strings.TrimLeft(strings.TrimSpace(line), "0123456789,.$%;'+- ")
		switch {
		case strings.HasSuffix(line, "a") || strings.HasSuffix(line, "i") || strings.HasSuffix(line, "c"):
			inserting = len(line) == 1
		case strings.HasPrefix(line, "!"):
			in.code(line[1:], st.fork(), io, by+" !")
		case line == "w" || line == "wq" || line == "W" || line == "x" || line == "w!":
			in.effect(Write, file, by, st)
		case strings.HasPrefix(line, "w !"):
			in.code(line[3:], st.fork(), io, by+" w !")
		case strings.HasPrefix(line, "w ") || strings.HasPrefix(line, "W ") || strings.HasPrefix(line, "wq "):
			_, name, _ := strings.Cut(line, " ")
			in.effect(Write, strings.TrimSpace(name), by, st)
		case strings.HasPrefix(line, "f "):
			file = strings.TrimSpace(line[2:])
		}
	}
}

// vim takes commands from its options and, as ex, from its input.
func (in *interp) vim(args []string, st *state, io stdio) {
	var commands, files []string
	silent := args[0] == "ex"
	for i := 1; i < len(args); i++ {
		w := args[i]
		switch {
		case (w == "-c" || w == "--cmd" || w == "-S" || w == "-u") && i+1 < len(args):
			i++
			if w == "-c" || w == "--cmd" {
				commands = append(commands, args[i])
			}
		case w == "-w" || w == "-W" || w == "-i" || w == "--startuptime" || w == "--log" || w == "-V":
			if i++; i < len(args) {
				in.effect(Write, args[i], args[0]+" "+w, st)
			}
		case w == "-T" || w == "-s" && i+1 < len(args) && !silent && !strings.HasPrefix(args[i+1], "-"):
			i++
		case len(w) > 2 && w[0] == '-' && w[1] != '-' && strings.HasSuffix(w, "c") && i+1 < len(args): // -sc, -esc
			i++
			silent = true
			commands = append(commands, args[i])
		case strings.HasPrefix(w, "+"):
			commands = append(commands, w[1:])
		case strings.HasPrefix(w, "-"):
			silent = silent || strings.Contains(w, "e") && !strings.HasPrefix(w, "--")
		default:
			files = append(files, w)
		}
	}
	if silent && io.text() != holeInput {
		commands = append(commands, strings.Split(io.text(), "\n")...)
	}
	file := ""
	if len(files) > 0 {
		file = files[0]
	}
	switch {
	case len(commands) > 0 || file == "":
	case args[0] == "view" || contains(args, "-R") || contains(args, "-M"):
		in.effect(Read, file, args[0], st)
	default:
		in.effect(Write, file, args[0], st) // opened to be edited
	}
	for _, c := range commands {
		in.vimCommand(c, file, args[0], st, io)
	}
}

func (in *interp) vimCommand(text, file, by string, st *state, io stdio) {
	for _, c := range strings.Split(text, "|") {
		c = strings.TrimLeft(strings.TrimSpace(c), ":%0123456789,$.'<> ")
		for _, modifier := range []string{"silent! ", "silent ", "sil ", "noautocmd ", "keepalt ", "exe ", "execute ", "bufdo ", "argdo ", "windo "} {
			c = strings.TrimPrefix(c, modifier)
		}
		c = strings.Trim(c, `"'`)
		name, rest, _ := strings.Cut(c, " ")
		rest = strings.TrimSpace(rest)
		switch strings.TrimSuffix(name, "!") {
		case "w", "write", "wq", "x", "xit", "up", "update", "wa", "wall", "wqa", "xa", "sav", "saveas", "wri", "exit", "ZZ":
			switch {
			case strings.HasPrefix(rest, "!"):
				in.code(rest[1:], st.fork(), io, by+" :w !")
			case rest != "":
				in.effect(Write, strings.TrimSpace(strings.TrimPrefix(rest, ">>")), by+" :w", st)
			default:
				in.effect(Write, file, by, st)
			}
		case "redir", "mks", "mksession", "mkexrc", "mkvimrc", "mkview", "wundo", "wviminfo", "wshada", "profile":
			in.effect(Write, strings.TrimLeft(strings.TrimPrefix(rest, "start "), "!> "), by+" :"+name, st)
		case "e", "edit", "sp", "vs", "new", "tabe":
			if rest != "" {
				file = rest
			}
		case "":
		default:
			if code, ok := strings.CutPrefix(c, "!"); ok {
				in.code(code, st.fork(), io, by+" :!")
			} else if strings.HasPrefix(c, "call ") || strings.HasPrefix(c, "let ") || strings.HasPrefix(c, "echo ") || strings.HasPrefix(c, "lua ") || strings.HasPrefix(c, "py") {
				in.language("vimscript", rest, nil, by, st, io)
			} else if strings.HasPrefix(c, "r !") || strings.HasPrefix(c, "read !") {
				_, code, _ := strings.Cut(c, "!")
				in.code(code, st.fork(), io, by+" :r !")
			} else if strings.HasPrefix(c, "term") {
				in.code(strings.TrimSpace(rest), st.fork(), io, by+" :terminal")
			}
		}
	}
}

func (in *interp) emacs(args []string, st *state, io stdio) {
	for i := 1; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		switch name {
		case "--eval", "-eval", "--execute", "-execute":
			if !inline && i+1 < len(args) {
				i++
				value = args[i]
			}
			in.language("elisp", value, nil, "emacs", st, io)
		}
	}
}

// tmux runs what it is given in a server that was there before: shell text
// for a new window, keys typed into another.
func (in *interp) tmux(args []string, st *state, io stdio) {
	words := args[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		takes := words[0] == "-L" || words[0] == "-S" || words[0] == "-f" || words[0] == "-c"
		if words[0] == "-c" && len(words) > 1 {
			in.code(words[1], st.fork(), io, "tmux -c")
		}
		words = words[1:]
		if takes && len(words) > 0 {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return
	}
	sub := words[0]
	var ops []string
	for i := 1; i < len(words); i++ {
		w := words[i]
		if len(w) == 2 && w[0] == '-' && strings.IndexByte("cstnFxyetpbPIlLMr", w[1]) >= 0 && !(sub == "send-keys" && w == "-l") {
			i++
			continue
		}
		if !strings.HasPrefix(w, "-") {
			ops = append(ops, w)
		}
	}
	switch sub {
	case "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawn-window", "run-shell", "run", "popup", "display-popup", "pipe-pane", "if-shell", "if":
		in.code(strings.Join(ops, " "), st.fork(), io, "tmux "+sub)
	case "send-keys", "send":
		var typed strings.Builder
		for _, op := range ops {
			switch op {
			case "Enter", "C-m", "KPEnter":
				typed.WriteByte('\n')
			case "Space":
				typed.WriteByte(' ')
			default:
				typed.WriteString(op)
			}
		}
		in.leniently(typed.String(), st.fork(), io, "tmux "+sub)
	case "save-buffer", "saveb":
		if len(ops) > 0 {
			in.effect(Write, ops[len(ops)-1], "tmux "+sub, st)
		}
	}
}

func (in *interp) screen(args []string, st *state, io stdio) {
	words := args[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		w := words[0]
		words = words[1:]
		switch {
		case w == "-X":
			for i, x := range words {
				if (x == "stuff" || x == "exec" || x == "eval" || x == "screen") && i+1 < len(words) {
					in.leniently(ansiC(strings.Join(words[i+1:], " ")), st.fork(), io, "screen -X "+x)
				} else if (x == "hardcopy" || x == "logfile" || x == "writebuf") && i+1 < len(words) {
					in.effect(Write, words[len(words)-1], "screen -X "+x, st)
				}
			}
			return
		case w == "-Logfile":
			if len(words) > 0 {
				in.effect(Write, words[0], "screen -Logfile", st)
				words = words[1:]
			}
		case w == "-S" || w == "-c" || w == "-e" || w == "-p" || w == "-s" || w == "-t" || w == "-T" || w == "-h" || strings.HasSuffix(w, "S"):
			if len(words) > 0 {
				words = words[1:]
			}
		}
	}
	if len(words) > 0 {
		in.run(words, st.fork(), io, false)
	}
}

func (in *interp) zellij(args []string, st *state, io stdio) {
	for i, w := range args {
		if w == "--" && i+1 < len(args) {
			in.run(args[i+1:], st.fork(), io, false)
			return
		}
	}
}
