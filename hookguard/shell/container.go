package shell

import "strings"

// containerValued are options of docker run and its kin that take a word.
var containerValued = wordSet(`-e --env -p --publish --name -w --workdir -u --user --network --net --entrypoint -l --label --memory -m --cpus -h --hostname
	--platform --restart --log-driver --log-opt --device --cap-add --cap-drop --security-opt --add-host --dns --ip --ipc --pid --shm-size --ulimit --tmpfs --gpus
	--health-cmd --stop-signal --volumes-from --link --expose --runtime --userns --uts --cgroupns --group-add --annotation --pull -a --attach --detach-keys`)

// container interprets docker and its kin. Paths inside a container are its
// own; what is mounted into it from here, and what is copied out, is not.
func (in *interp) container(args []string, st *state, io stdio) {
	words := args[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		takes := words[0] == "-H" || words[0] == "--host" || words[0] == "-c" || words[0] == "--context" || words[0] == "--config" || words[0] == "-l" || words[0] == "--log-level"
		words = words[1:]
		if takes && len(words) > 0 {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return
	}
	sub := words[0]
	rest := words[1:]
	if (sub == "container" || sub == "image" || sub == "buildx" || sub == "builder" || sub == "volume") && len(rest) > 0 {
		sub, rest = rest[0], rest[1:]
	}
	by := args[0] + " " + sub
	switch sub {
	case "run", "create":
		in.containerRun(rest, by, st)
	case "cp":
		if ops := operandsOf(rest); len(ops) == 2 {
			in.apply("rout", ops[1], by, st, io)
		}
	case "compose":
		in.compose(rest, by, st)
	case "save", "export", "build", "bake", "sbom", "scout":
		for i := 0; i < len(rest); i++ {
			name, value, inline := strings.Cut(rest[i], "=")
			switch name {
			case "-o", "--output", "--iidfile", "--metadata-file", "--cidfile", "--cache-to":
				if !inline && i+1 < len(rest) {
					i++
					value = rest[i]
				}
				in.keyed(value, by+" "+name, st)
			}
		}
	}
	in.printTool(args, st, io)
}

func (in *interp) containerRun(words []string, by string, st *state) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			return // the image: what follows runs inside
		}
		name, value, inline := strings.Cut(w, "=")
		if strings.HasPrefix(w, "-v") && len(w) > 2 && !strings.HasPrefix(w, "--") {
			name, value, inline = "-v", strings.TrimPrefix(w[2:], "="), true
		}
		if !inline && (containerValued.has(name) || name == "-v" || name == "--volume" || name == "--mount" || name == "--cidfile" || name == "--env-file" || name == "--label-file") {
			if i++; i == len(words) {
				return
			}
			value = words[i]
		}
		switch name {
		case "-v", "--volume":
			in.volume(value, by, st)
		case "--mount":
			in.mountOption(value, by, st)
		case "--cidfile":
			in.effect(Write, value, by+" --cidfile", st)
		case "--device":
			if host, _, _ := strings.Cut(value, ":"); strings.HasPrefix(host, "/dev/sd") || strings.HasPrefix(host, "/dev/nvme") || strings.HasPrefix(host, "/dev/vd") {
				in.effect(Write, host, by+" --device", st)
			}
		}
	}
}

// volume is SOURCE:TARGET[:OPTIONS]. A source without a slash is a volume of
// the engine's own; a socket is no directory.
func (in *interp) volume(value, by string, st *state) {
	parts := strings.Split(value, ":")
	if len(parts) < 2 || !strings.Contains(parts[0], "/") && parts[0] != "." && parts[0] != ".." {
		return
	}
	if len(parts) > 2 {
		for _, o := range strings.Split(parts[2], ",") {
			if o == "ro" || o == "readonly" {
				return
			}
		}
	}
	if strings.HasSuffix(parts[0], ".sock") {
		return
	}
	in.effect(Write, parts[0], by+" --volume", st)
}

func (in *interp) mountOption(value, by string, st *state) {
	source, bind, readonly := "", false, false
	for _, part := range strings.Split(value, ",") {
		key, v, _ := strings.Cut(part, "=")
		switch key {
		case "type":
			bind = v == "bind"
		case "source", "src":
			source = v
		case "readonly", "ro":
			readonly = v != "false"
		}
	}
	if bind && !readonly && !strings.HasSuffix(source, ".sock") {
		in.effect(Write, source, by+" --mount", st)
	}
}

func (in *interp) compose(words []string, by string, st *state) {
	for i, w := range words {
		if w == "run" {
			for j := i + 1; j+1 < len(words); j++ {
				if words[j] == "-v" || words[j] == "--volume" {
					in.volume(words[j+1], by+" run", st)
				}
			}
			return
		}
		if w == "cp" {
			if ops := operandsOf(words[i+1:]); len(ops) == 2 {
				in.apply("rout", ops[1], by+" cp", st, stdio{in: given(holeInput)})
			}
			return
		}
	}
}

// parallel is GNU parallel: a command template and what to fill in.
func (in *interp) parallel(args []string, st *state, io stdio) {
	var template, items []string
	words := args[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && !strings.HasPrefix(words[0], ":::") {
		name, value, inline := strings.Cut(words[0], "=")
		words = words[1:]
		switch name {
		case "-j", "--jobs", "--results", "--joblog", "--tmpdir", "-a", "--arg-file", "-S", "--sshlogin", "-I", "-n", "-N", "-d", "--delimiter", "-C", "--colsep", "--wd", "--workdir", "--timeout", "--retries", "--delay", "-P", "--tempdir", "--max-args":
			if !inline && len(words) > 0 {
				value, words = words[0], words[1:]
			}
			if name == "--results" || name == "--joblog" || name == "--tmpdir" || name == "--tempdir" {
				in.effect(Write, value, args[0]+" "+name, st)
			}
		}
	}
	source := ""
	for i, w := range words {
		if w == ":::" || w == "::::" || w == ":::+" {
			source = w
			if w != "::::" {
				items = append(items, words[i+1:]...)
			}
			break
		}
		template = append(template, w)
	}
	if source == "" {
		items = xargsItems(io.text(), true)
	} else if source == "::::" {
		items = []string{holeOut}
	}
	code := strings.Join(template, " ")
	for i, item := range items {
		if i == maxRounds {
			panic(errLimit)
		}
		if item == ":::" {
			continue
		}
		filled := code + " " + quoteAll([]string{item})
		if code == "" { // each item is a command line
			filled = item
		}
		if strings.Contains(code, "{}") || strings.Contains(code, "{.}") || strings.Contains(code, "{/}") {
			q := quoteAll([]string{item})
			filled = strings.NewReplacer("{}", q, "{.}", q, "{/}", q, "{/.}", q, "{//}", q).Replace(code)
		}
		in.code(filled, st.fork(), io, args[0])
	}
}

// gh is GitHub's command line: clones and downloads land here.
func (in *interp) gh(args []string, st *state, io stdio) {
	ops := operandsOf(args[1:])
	if len(ops) > 1 && (ops[0] == "repo" || ops[0] == "gist") && (ops[1] == "clone" || ops[1] == "fork") {
		if len(ops) > 3 {
			in.effect(Write, ops[3], "gh "+ops[0]+" clone", st)
		} else if len(ops) > 2 {
			in.effect(Write, ".", "gh "+ops[0]+" clone", st)
		}
	}
	if home := in.req.Vars["HOME"]; len(ops) > 1 && home != "" {
		switch ops[0] + " " + ops[1] {
		case "auth setup-git":
			in.effect(Write, home+"/.gitconfig", "gh auth setup-git", st)
		case "config set", "alias set", "alias delete", "extension install", "extension remove":
			in.effect(Write, home+"/.config/gh", "gh "+ops[0]+" "+ops[1], st)
		}
	}
	if len(ops) > 1 && ops[0] == "api" {
		io.print(holeNet)
		return
	}
	in.toolAs("gh", args, st, io)
	in.printTool(args, st, io)
}

// azure is the az command line: a download names the file it writes.
func (in *interp) azure(args []string, st *state, io stdio) {
	download := contains(args, "download") || contains(args, "download-batch")
	for i, w := range args {
		name, value, inline := strings.Cut(w, "=")
		if !inline && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--file", "-f", "--destination", "-d", "--dest":
			if download {
				in.effect(Write, value, "az download", st)
			}
		}
	}
	io.print(holeNet)
}

// cmakeE is cmake -E: small file commands for every system.
func (in *interp) cmakeE(words []string, st *state, io stdio) {
	if len(words) == 0 {
		return
	}
	tools := map[string]string{
		"copy": "cp", "copy_directory": "cp", "copy_if_different": "cp", "copy_directory_if_different": "cp", "remove": "rm", "rm": "rm", "remove_directory": "rm", "rename": "mv",
		"make_directory": "mkdir", "touch": "touch", "touch_nocreate": "touch", "create_symlink": "ln -s", "create_hardlink": "ln", "tar": "tar", "env": "env", "time": "nice",
	}
	if words[0] == "chdir" && len(words) > 2 {
		sub := st.fork()
		sub.chdir(words[1])
		in.run(words[2:], sub, io, false)
		return
	}
	if tool, ok := tools[words[0]]; ok {
		in.run(append(strings.Fields(tool), words[1:]...), st, io, false)
	}
}
