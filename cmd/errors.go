package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lane/gitdiscover"
	"lane/runner"
	"lane/runner/agent"
)

// exitError carries an exit code for something that was already told.
type exitError int

func (e exitError) Error() string { return "exit " + strconv.Itoa(int(e)) }

// exitCode tells err, once, and maps it. This file alone knows how errors
// become hints and exit codes. c is the verb that was called, args its line.
func exitCode(c *cobra.Command, args []string, err error) int {
	var done exitError
	var usage *runner.UsageError
	var unknown *agent.UnknownError
	how := c.CommandPath() + " --help shows how"
	switch {
	case err == nil:
		return runner.ExitDone
	case errors.As(err, &done):
		return int(done)
	case errors.As(err, &usage):
		return tellUsage(c, args, usage, how)
	case errors.As(err, &unknown):
		return tellUsage(c, args, &runner.UsageError{Reason: "unknown-writer", Detail: unknown.Error()}, "--writer takes one of: "+strings.Join(unknown.Known, ", "))
	case isCobraUsage(err):
		return tellUsage(c, args, &runner.UsageError{Reason: "usage", Detail: err.Error()}, how)
	}
	r := refusal(err)
	tellRefusal(os.Stderr, r)
	refuseJSON(c, args, r)
	return r.ExitCode()
}

func tellUsage(c *cobra.Command, args []string, u *runner.UsageError, how string) int {
	tell(os.Stderr, "%s", u.Detail)
	hint(os.Stderr, "%s", how)
	refuseJSON(c, args, &runner.Refusal{Reason: u.Reason, Detail: u.Detail, Hint: how, Exit: runner.ExitUsage})
	return runner.ExitUsage
}

// isCobraUsage: cobra reports unknown commands and wrong arguments as plain
// errors; everything lane itself returns has a type.
func isCobraUsage(err error) bool {
	var r *runner.Refusal
	var d *gitdiscover.RefusedError
	return !errors.As(err, &r) && !errors.As(err, &d)
}

// refusal is any error of lane's as a refusal.
func refusal(err error) *runner.Refusal {
	var r *runner.Refusal
	if errors.As(err, &r) {
		return r
	}
	var d *gitdiscover.RefusedError
	if errors.As(err, &d) {
		r := &runner.Refusal{Reason: string(d.Class), Path: d.Path, Detail: d.Detail, Hint: d.Hint}
		if d.Vouch != "" {
			r.Hint += " If the layout is meant: --vouch " + string(d.Vouch) + " (lane help vouching)."
		}
		return r
	}
	return &runner.Refusal{Reason: "internal", Detail: err.Error(), Hint: "this is a fault of lane's; please report it"}
}

func tellRefusal(w io.Writer, r *runner.Refusal) {
	tell(w, "refused: %v", r)
	if r.Hint != "" {
		hint(w, "%s", r.Hint)
	}
}

// tell prints one line; control characters of what it is about are gone.
func tell(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "lane: %s\n", oneLine(fmt.Sprintf(format, args...)))
}

// maxLine bounds a line of lane's own: an agent makes a path of any length. The
// record has it whole.
const maxLine = 4000

func oneLine(text string) string {
	text = runner.Printable(text)
	if len(text) <= maxLine {
		return text
	}
	return strings.ToValidUTF8(text[:maxLine], "") + fmt.Sprintf("... (%d bytes)", len(text))
}

func hint(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "lane: hint: %s\n", oneLine(fmt.Sprintf(format, args...)))
}
