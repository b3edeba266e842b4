package cmd

import (
	"fmt"
	"strings"
)

// layerTopics are the layers of every system, so that the manual is the same
// on each; a test holds them against what the layers themselves say.
var layerTopics = []struct{ name, text string }{
	{"bwrap", "Linux, the default. bubblewrap: a view of files, processes and sockets of the\n      lane's own. Needs user namespaces. Commits work (--git own)."},
	{"landlock", "Linux 6.2 or newer, for hosts that refuse user namespaces. No view of its own:\n      what is not given is refused. The worktree can be written and nothing else;\n      /tmp, other terminals, Unix sockets and, in lane exec, every network socket\n      are out of reach. The agent's own sandbox is off, git is read-only, a main\n      worktree is refused."},
	{"seatbelt", "macOS, the default there. Rendered and tested as text only: no Mac has run it."},
}

// gapTopics are the names for --accept, in the order of layers.
var gapTopics = []struct{ name, layers, text string }{
	{"network: host", "all", "the host's network; open in every lane run of this version, and listed"},
	{"nested-namespaces", "bwrap", "user namespaces, for an agent whose own sandbox needs them; listed, and closed in lane exec"},
	{"hardlinks", "all", "files of the worktree that have a further name outside it"},
	{"repository-config", "all", "an agent's settings in the repository that it obeys and that may switch the guard off"},
	{"wiring", "all", "leaves files in place that configure agents, editors or shells and appeared"},
	{"gitlinks", "bwrap", "takes in commits that add or change a submodule"},
	{"late-sockets", "bwrap", "a socket that begins to listen where the lane sees the host's files; listed"},
	{"host-mounts", "bwrap", "what the host mounts during the lane appears inside"},
	{"abstract-sockets", "bwrap", "abstract sockets of the host, before Linux 6.12"},
	{"memory-per-process", "all", "the memory limit binds each process, not the lane; not with a cgroup"},
	{"cpu-per-process", "all", "the processor limit binds each process, not the lane"},
	{"procs-as-root", "all", "root is exempt from the limit on processes; not with a cgroup"},
	{"protect-inside", "landlock", "the .git pointer and wiring in the worktree can be written (found afterwards)"},
	{"hide-inside", "landlock", "files of the worktree named by --mask can be read"},
	{"metadata", "landlock", "names, sizes, times of any file are seen; modes and times of the user's files change"},
	{"orphans", "landlock, seatbelt", "processes that left the session outlive a lane that is killed itself"},
	{"host-processes-visible", "landlock, seatbelt", "the host's processes with their command lines"},
	{"signals", "landlock", "signals to the user's other processes, before Linux 6.12"},
	{"root-owner", "landlock", "started by root, the lane keeps root's uid, without capabilities"},
	{"agent-credentials", "all", "commands of the agent can read the agent's own login; listed for gemini and copilot, asked for elsewhere"},
	{"unverified-seatbelt", "seatbelt", "the layer as a whole: nobody has tried it"},
}

func layersText() string {
	var b strings.Builder
	b.WriteString("A layer is what the operating system confines with. --layer names one; another is\nnever taken in its place. lane doctor tries those of this machine.\n")
	for _, l := range layerTopics {
		fmt.Fprintf(&b, "\n  %s\n      %s\n", l.name, l.text)
	}
	b.WriteString("\nA gap is what a layer leaves open. lane plan lists those of a request with their\ndetails; each refuses the lane unless it is accepted by name:\n\n")
	for _, g := range gapTopics {
		fmt.Fprintf(&b, "  --accept %-24s %s\n      %s\n", g.name, g.layers, g.text)
	}
	return b.String()
}
