package confine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"lane/sandbox"
)

// sandboxExec starts a program under a profile. It belongs to macOS and lies
// on its sealed system volume.
const sandboxExec = "/usr/bin/sandbox-exec"

// seatbeltProfile renders a policy that Fit has made as a profile of macOS's
// sandbox. It is pure and compiled on every system, so that it is tested where
// no Mac is; no Mac has run what it makes (the gap unverified-seatbelt).
//
// Of the rules that match, the last one decides, so rows with parents before
// children say what Policy.Decide says. Paths are literals: no pattern and no
// regular expression is ever made from one.
//
// Not given: Apple events, other processes' information, IOKit, the services
// of the session but those listed, and Unix sockets but the resolver's.
func seatbeltProfile(p sandbox.Policy) (string, error) {
	if err := sandbox.Validate(p); err != nil {
		return "", err
	}
	if p.Nesting {
		return "", errors.New("seatbelt: no sandbox can start inside another")
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("(version 1)")
	line("(deny default)")
	for _, rule := range seatbeltBase {
		line("; %s", rule.reason)
		line("%s", rule.rule)
	}
	for _, row := range p.Sorted() {
		rules, err := seatbeltRow(row)
		if err != nil {
			return "", err
		}
		for _, rule := range append(seatbeltWay(p, row), rules...) {
			line("%s", rule)
		}
	}
	for _, pin := range p.Pins() {
		line("; %s", pin.Reason)
		line("(deny file-write-unlink (literal %s))", seatbeltQuote(pin.Path))
	}
	if p.Terminal {
		line("; job control on the private terminal, which is open already")
		line(`(allow file-ioctl (subpath "/dev"))`)
	}
	if p.Network == sandbox.NetworkHost {
		line("; the host's network, without its Unix sockets")
		line("(allow network*)")
		line("(allow system-socket)")
		line("(deny network-outbound (remote unix-socket))")
		line(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`)
	}
	return b.String(), nil
}

// seatbeltBase is what every program needs before it can do anything.
var seatbeltBase = []struct{ rule, reason string }{
	{"(allow process-fork)", "agents and builds start programs"},
	{"(allow signal (target same-sandbox))", "signals stay inside"},
	{"(allow process-info* (target same-sandbox))", "as does the look at other processes"},
	{"(allow sysctl-read)", "the C library asks for the machine's properties"},
	{`(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))`, "user names"},
	{`(allow mach-lookup (global-name "com.apple.trustd.agent"))`, "certificates of TLS"},
}

// seatbeltWay lets the directories be named that lead through what is hidden
// to what is shown below it: a program asks for each on its way. What else
// lies in them is not named.
func seatbeltWay(p sandbox.Policy, row sandbox.Row) []string {
	if row.Access == sandbox.Hide || row.Path == "/" {
		return nil
	}
	over, ok := p.RowFor(filepath.Dir(row.Path))
	if !ok || over.Access != sandbox.Hide {
		return nil
	}
	var rules []string
	for dir := filepath.Dir(row.Path); sandbox.Contains(over.Path, dir); dir = filepath.Dir(dir) {
		rules = append(rules, "(allow file-read-metadata (literal "+seatbeltQuote(dir)+"))")
	}
	return rules
}

// seatbeltRow renders one row.
func seatbeltRow(row sandbox.Row) ([]string, error) {
	if row.Source != "" {
		return nil, fmt.Errorf("seatbelt: cannot show %+q at %+q", row.Source, row.Path)
	}
	at := "(subpath " + seatbeltQuote(row.Path) + ")"
	if row.File {
		at = "(literal " + seatbeltQuote(row.Path) + ")"
	}
	// The validator has refused control characters: the reason is one line.
	rules := []string{"; " + row.Reason}
	add := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }
	switch row.Access {
	case sandbox.Read, sandbox.Protect:
		add("(allow file-read* process-exec %s)", at)
		add("(deny file-write* %s)", at)
	case sandbox.Write:
		add("(allow file-read* file-write* process-exec %s)", at)
		// The directory itself is not the lane's to rename or remove.
		add("(deny file-write-unlink (literal %s))", seatbeltQuote(row.Path))
	case sandbox.Hide:
		add("(deny file-read* file-write* process-exec %s)", at)
	case sandbox.Processes:
		// macOS has no /proc.
		add("(deny file-read* file-write* %s)", at)
	case sandbox.Devices:
		add("(deny file-read* file-write* process-exec %s)", at)
		for _, name := range seatbeltDevices {
			add("(allow file-read* file-write-data (literal %s))", seatbeltQuote(filepath.Join(row.Path, name)))
		}
	default:
		return nil, fmt.Errorf("seatbelt: cannot say %s of %+q", row.Access, row.Path)
	}
	return rules, nil
}

// seatbeltDevices are the nodes that are given. The user's terminals are none.
var seatbeltDevices = []string{"null", "zero", "random", "urandom", "tty"}

// seatbeltQuote makes a string literal of the profile's language. Only the
// quote and the backslash mean something in one; what could end a line, and so
// a comment, has been refused.
func seatbeltQuote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

func seatbeltArgv(p sandbox.Policy, child []string) ([]string, error) {
	if len(child) == 0 {
		return nil, errors.New("seatbelt: no child")
	}
	profile, err := seatbeltProfile(p)
	if err != nil {
		return nil, err
	}
	return append([]string{sandboxExec, "-p", profile, "--"}, child...), nil
}

func seatbeltGaps(p sandbox.Policy, root bool) []sandbox.Gap {
	gaps := []sandbox.Gap{
		{Name: "unverified-seatbelt", Detail: "the profile is rendered and compared as text only: no Mac has run it"},
		{Name: "orphans", Detail: "a process that left the agent's session lives on when lane itself is killed"},
		{Name: "host-processes-visible", Detail: "the names of the host's processes can be listed"},
	}
	if p.Network == sandbox.NetworkHost {
		gaps = append(gaps, sandbox.Gap{Name: "network: host", Detail: "the lane shares the host's network: any host and services on loopback can be reached"})
	}
	return append(gaps, limitGaps(p.Limits, root)...)
}
