package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lane/hookguard/dialect"
	"lane/runner"
)

// wireFlags say whose settings, and which of them.
type wireFlags struct {
	harness, scope, settings, facts string
	user, project, dry              bool
}

// hookWireCommand is install and uninstall: both show the change, and write
// it unless --dry-run is given.
func hookWireCommand(install bool) *cobra.Command {
	var f wireFlags
	use, short := "install", "Wire the guard into an agent's settings, for use without lane run"
	if !install {
		use, short = "uninstall", "Remove the guard from an agent's settings"
	}
	c := &cobra.Command{
		Use:   use + " --harness NAME",
		Short: short,
		Long: short + `.

Everything else in the file stays as it is, comments too where the harness reads
them. A file that cannot be parsed is refused. Without a lane nothing confines
the agent: the guard is an early no, and the agent's own permissions decide.`,
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			change, err := plannedWiring(install, f)
			if err != nil {
				return &runner.UsageError{Reason: "settings", Detail: err.Error()}
			}
			return wire(change, f.dry, install)
		},
	}
	c.Flags().StringVar(&f.harness, "harness", "", "whose settings: "+strings.Join(dialect.Names(), ", "))
	c.Flags().StringVar(&f.scope, "scope", "user", "which settings file: user, project or local")
	c.Flags().BoolVar(&f.user, "user", false, "the user's settings, as --scope user")
	c.Flags().BoolVar(&f.project, "project", false, "the project's settings, as --scope project")
	c.Flags().StringVar(&f.settings, "settings", "", "the settings file itself, instead of --scope")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "show the change and write nothing")
	if install {
		c.Flags().StringVar(&f.facts, "facts", "", "judge by the facts of this file instead of the session's")
	}
	return c
}

func wire(change dialect.SettingsChange, dry, install bool) error {
	if !change.Changed() {
		fmt.Fprintf(stdout, "%s: nothing to change\n", q(change.Path))
		return nil
	}
	fmt.Fprint(stdout, runner.Printable(change.Diff()))
	if dry {
		fmt.Fprintln(stdout, "not written (--dry-run)")
		return nil
	}
	if err := change.Apply(); err != nil {
		return &runner.Refusal{Reason: "settings", Path: change.Path, Detail: err.Error()}
	}
	fmt.Fprintf(stdout, "%s: written\n", q(change.Path))
	if install && change.Note != "" {
		fmt.Fprintln(os.Stderr, "lane: "+change.Note)
	}
	return nil
}

func plannedWiring(install bool, f wireFlags) (dialect.SettingsChange, error) {
	settings, err := f.file()
	if err != nil {
		return dialect.SettingsChange{}, err
	}
	if !install {
		return dialect.Uninstall(f.harness, settings)
	}
	if f.facts != "" {
		if f.facts, err = filepath.Abs(f.facts); err != nil {
			return dialect.SettingsChange{}, err
		}
		if _, err := dialect.FactsFile(f.facts, ""); err != nil {
			return dialect.SettingsChange{}, err
		}
	}
	lane, err := os.Executable()
	if err != nil {
		return dialect.SettingsChange{}, err
	}
	return dialect.Install(f.harness, settings, runner.InsideProgram(lane), f.facts)
}

// file is the settings file that the flags name.
func (f wireFlags) file() (string, error) {
	switch {
	case f.user && f.project:
		return "", errors.New("--user and --project exclude each other")
	case f.settings != "":
		return f.settings, nil
	case f.user:
		f.scope = "user"
	case f.project:
		f.scope = "project"
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return dialect.SettingsPath(f.harness, f.scope, home, dir)
}
