package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lane/gitdiscover"
	"lane/gitdiscover/seal"
	"lane/runner"
	"lane/sandbox"
)

// topic is a help text made from the code's own tables, so that it cannot
// say something else than the program does.
type topic struct {
	name, short string
	text        func() string
}

var topics = []topic{
	{"exit-codes", "What lane's exit codes mean", exitCodesText},
	{"refusals", "Why a worktree is refused, and what to do", refusalsText},
	{"vouching", "Layouts of git directories that a user can vouch for", vouchingText},
	{"environment", "Which variables reach an agent, and which never do", environmentText},
	{"tripwires", "What ends a run with exit code 122, and what is only reported", tripwiresText},
	{"wiring", "Files that a lane protects, or holds back when they appear", wiringText},
	{"repository", "What a repository itself may ask of a lane", repositoryText},
	{"home", "What --home readable hides", homeText},
	{"layers", "What confines a lane, and the gaps that can be accepted", layersText},
	{"writers", "The agents that lane run can start, their logins and what they obey", writersText},
	{"harnesses", "What each agent lets the guard's hook do, and how it fails", harnessesText},
	{"killed", "What happens when lane, or what it started, is killed", killedText},
	{"terminal", "What a command in a lane can do to your terminal", terminalText},
}

func topicCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, t := range topics {
		list = append(list, &cobra.Command{Use: t.name, Short: t.short, Long: t.text()})
	}
	return list
}

func exitCodesText() string {
	var b strings.Builder
	b.WriteString("lane's exit codes:\n\n")
	for _, c := range runner.ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Meaning)
	}
	b.WriteString("\nlane exec passes its command's own exit code through.\n")
	return b.String()
}

func refusalsText() string {
	var b strings.Builder
	b.WriteString("A worktree is refused before anything is started when its git directories\ncannot be resolved exactly. The class is the record's reason.\n")
	for _, c := range gitdiscover.Classes() {
		fmt.Fprintf(&b, "\n  %s\n      %s\n      -> %s\n", c.Class, c.Means, c.Do)
	}
	return b.String()
}

func vouchingText() string {
	var b strings.Builder
	b.WriteString("Some layouts cannot be checked, and git accepts them. Whoever means one says so\nwith --vouch; the plan and the record name it.\n")
	for _, v := range gitdiscover.Vouches() {
		fmt.Fprintf(&b, "\n  --vouch %s  (lifts %s)\n      accepts: %s\n      risk: %s\n", v.Vouch, v.Class, v.Accepts, v.Risk)
	}
	return b.String()
}

func environmentText() string {
	var b strings.Builder
	b.WriteString("The environment of a lane is an allow-list of names. --env NAME adds one.\n\nThese pass:\n\n")
	for _, v := range runner.PassedNames() {
		fmt.Fprintf(&b, "  %-24s %s\n", v.Name, v.Reason)
	}
	b.WriteString("\nThese never pass, and --env refuses them:\n\n")
	for _, v := range runner.NeverNames() {
		fmt.Fprintf(&b, "  %-24s %s\n", v.Name, v.Reason)
	}
	return b.String()
}

func tripwiresText() string {
	var b strings.Builder
	b.WriteString("What steers git is sealed before an agent starts and compared after it ended.\n\nThese end the run with 122:\n\n")
	for _, trips := range []bool{true, false} {
		if !trips {
			b.WriteString("\nThese are reported only, since others work in the repository too:\n\n")
		}
		for _, k := range seal.Kinds() {
			if k.Trips == trips {
				fmt.Fprintf(&b, "  %-18s %s\n", k.Kind, k.Means)
			}
		}
	}
	return b.String()
}

func wiringText() string {
	var b strings.Builder
	b.WriteString("These make an agent, an editor or a shell run code or take orders. Where they\nexist they are read-only in a lane; where they appear during a run they are moved\nto the run's quarantine and lane ends with 122. --accept wiring leaves them.\n\n")
	for _, w := range sandbox.Wiring() {
		name := w.Path
		if w.Dir {
			name += "/"
		}
		fmt.Fprintf(&b, "  %-30s %s: %s\n", name, w.Harness, w.Reason)
	}
	return b.String()
}

func homeText() string {
	var b strings.Builder
	b.WriteString("By default a lane sees an empty home directory with toolchains. --home readable\nshows the home read-only, but for this table. It is the weaker choice: a secret\nthat is not in the table can be read.\n\n")
	kind := ""
	for _, s := range sandbox.HomeSecrets() {
		if s.Kind != kind {
			kind = s.Kind
			fmt.Fprintf(&b, "  %s (%s)\n", s.Kind, s.Reason)
		}
		fmt.Fprintf(&b, "      ~/%s\n", s.Path)
	}
	return b.String()
}

func repositoryText() string {
	return `A repository may hold .config/lane.toml. It is read from the commit of HEAD, never
from the worktree, and may only tighten; anything else in it refuses the lane.

  mask = [".env", "*.pem"]   as --mask, added to it
  git = "read-only"          as --git read-only
  home = "private"           as --home private
  timeout = "30m"            the shorter of this and --timeout counts
  require_changes = true     as --require-changes
`
}
