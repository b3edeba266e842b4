package cmd

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"lane/runner"
)

// output is standard output. It remembers the first write that failed: what was
// asked for and could not be printed is no success, whatever was done.
type output struct {
	used bool
	err  error
}

// stdout is what every verb prints to; Main makes it anew.
var stdout = &output{}

func (o *output) Write(b []byte) (int, error) {
	o.used = o.used || len(b) > 0
	n, err := os.Stdout.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// printed turns the exit code of what went well into a failure where standard
// output did not take it all.
func (o *output) printed(code int) int {
	if o.err == nil {
		return code
	}
	tell(os.Stderr, "output: standard output did not take all of it: %v", cause(o.err))
	if code != runner.ExitDone {
		return code
	}
	return runner.ExitFailed
}

func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func printJSON(v any) error {
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return told(enc.Encode(v))
}

// told leaves an error of standard output to [output.printed].
func told(err error) error {
	if err != nil && stdout.err != nil {
		return exitError(runner.ExitFailed)
	}
	return err
}

// refuseJSON prints a refusal as the one document that --json promises, unless
// the verb has printed one. What the flag's parser has not come to counts as
// well: the caller reads standard output whatever is wrong with the rest.
func refuseJSON(c *cobra.Command, args []string, r *runner.Refusal) {
	if stdout.used || c.Flags().Lookup("json") == nil || !asksJSON(args) {
		return
	}
	if c.Name() == "run" && c.Parent() == c.Root() || c.Name() == "plan" {
		writer, _ := c.Flags().GetString("writer")
		if b, err := runner.RefusedResult(laneVersion(), writer, r).MarshalIndent(); err == nil {
			_, _ = stdout.Write(b) // stdout remembers
		}
		return
	}
	refused := map[string]any{"reason": r.Reason, "detail": r.Detail, "exit": r.ExitCode()}
	if c.Name() == "discover" {
		refused["class"] = r.Reason
	}
	if r.Path != "" {
		refused["path"] = r.Path
	}
	if r.Hint != "" {
		refused["hint"] = r.Hint
	}
	_ = printJSON(map[string]any{"refused": refused}) // stdout remembers
}

// asksJSON says whether --json stands among the flags.
func asksJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}
