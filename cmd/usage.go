package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lane/runner"
	"lane/runner/agent"
)

// asUsage says whether err is a fault of the command line.
func asUsage(err error, target **runner.UsageError) bool {
	var usage *runner.UsageError
	if errors.As(err, &usage) {
		if target != nil {
			*target = usage
		}
		return true
	}
	var unknown *agent.UnknownError
	if errors.As(err, &unknown) {
		if target != nil {
			*target = &runner.UsageError{Reason: "unknown-writer", Detail: unknown.Error()}
		}
		return true
	}
	return false
}

// one is for a verb that takes one argument, which is not empty: an unset
// variable of a script must not mean the current directory.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return &runner.UsageError{Reason: "arguments", Detail: fmt.Sprintf("%s takes one argument, %s; %s", c.CommandPath(), what, given(args))}
		}
		return nil
	}
}

// atMostOne is for a verb whose one argument may be left out, not be empty.
func atMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 || len(args) == 1 && args[0] == "" {
			return &runner.UsageError{Reason: "arguments", Detail: fmt.Sprintf("%s takes at most one argument, %s; %s", c.CommandPath(), what, given(args))}
		}
		return nil
	}
}

// none is for a verb without arguments.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &runner.UsageError{Reason: "arguments", Detail: fmt.Sprintf("%s takes no argument; %s", c.CommandPath(), given(args))}
	}
	return nil
}

func given(args []string) string {
	if len(args) == 0 {
		return "none was given"
	}
	return "given: " + strings.Join(quoteAll(args), " ")
}

// checkValues refuses what no flag of lane's means: an empty value, which is
// what an unset variable of a script leaves, and would mean the current
// directory, or the default; and a limit of nothing, which would be no limit.
func checkValues(c *cobra.Command, _ []string) error {
	var wrong error
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case wrong != nil:
			case v == "":
				wrong = &runner.UsageError{Reason: "empty-value", Detail: "--" + f.Name + " was given an empty value; leave the flag out for its default"}
			case (f.Name == "timeout" || f.Name == "cpu-time" || f.Name == "max-procs") && (v[0] == '-' || v == "0" || v == "0s"):
				wrong = &runner.UsageError{Reason: "limit", Detail: "--" + f.Name + " must be more than 0, not " + v + "; leave the flag out for no limit"}
			}
		}
	})
	return wrong
}

// checkPlace says before anything is done that a file could not be written
// where it is to go. It makes nothing.
func checkPlace(flag, file string) error {
	if file == "" {
		return nil
	}
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &runner.UsageError{Reason: "place", Detail: flag + ": " + err.Error()}
	case !info.IsDir():
		return &runner.UsageError{Reason: "place", Detail: flag + ": " + q(dir) + " is no directory"}
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return &runner.UsageError{Reason: "place", Detail: flag + " takes a file, and " + q(file) + " is a directory"}
	}
	return nil
}

// helpCommand is cobra's, but for what it says of a topic that there is not.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &runner.UsageError{Reason: "topic", Detail: "there is no help about " + strings.Join(quoteAll(args), " ")}
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
