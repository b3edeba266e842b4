// Package cmd is lane's command line: it parses, prints, and maps errors to
// hints and exit codes. It decides nothing.
package cmd

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"lane/e2e/gate"
	"lane/hookguard/dialect"
	"lane/runner"
	"lane/sandbox/confine"
)

// version is set by the build; without it the module's own version is used.
var version string

func laneVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Main runs lane with the arguments after the program's name and returns the
// exit code.
//
// The internal modes come first, by a plain switch: no flag parser can make
// them fail open.
func Main(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "hook":
			if !hookVerb(args[1:]) {
				return dialect.Main(args[1:], os.Stdin, os.Stdout, os.Stderr)
			}
		case "confine":
			return confine.ChildMain()
		case "warden":
			return runner.WardenMain()
		case gate.Inside:
			return gate.Main(args[1:])
		}
	}
	// Not by cobra's version template: a template that is reachable keeps the
	// linker from leaving out whatever a template might call by its name, a
	// quarter of the program.
	stdout = &output{}
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(stdout, "lane", laneVersion())
		return stdout.printed(runner.ExitDone)
	}
	root := newRoot(args)
	root.SetArgs(args)
	root.SetOut(stdout)
	c, err := root.ExecuteC()
	return stdout.printed(exitCode(c, args, err))
}

// hookVerb says whether `lane hook` is called by a person: those verbs have a
// name, the harnesses' calls have flags only.
func hookVerb(args []string) bool {
	return len(args) > 0 && (args[0] == "test" || args[0] == "install" || args[0] == "uninstall" || args[0] == "help" || args[0] == "--help" || args[0] == "-h")
}

// commands make lane's commands, by their names.
var commands = map[string]func() *cobra.Command{
	"run": runCommand, "exec": execCommand, "plan": planCommand, "discover": discoverCommand, "runs": runsCommand,
	"doctor": doctorCommand, "why": whyCommand, "gate": gateCommand, "receipt": receiptCommand, "hook": hookCommand,
}

// newRoot is the command line for args. Where its first word is a command,
// that one is all there is: to make the others, with all that they say of
// themselves, took a third of the time to the start of an agent.
func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "lane",
		Short: "Run a coding agent that can write one git worktree and nothing else",
		Long: `lane starts a coding agent in a git worktree so that it can write that
worktree and nothing else, and proves it.

  lane run --writer claude -- "fix the failing test"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       laneVersion(),
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &runner.UsageError{Reason: "flag", Detail: err.Error()}
	})
	root.PersistentPreRunE = checkValues
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.HiddenDefaultCmd = true
	if len(args) > 0 {
		if one, ok := commands[args[0]]; ok {
			root.AddCommand(one())
			return root
		}
	}
	for _, make := range commands {
		root.AddCommand(make())
	}
	root.AddCommand(topicCommands()...)
	return root
}
