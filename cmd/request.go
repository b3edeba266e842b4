package cmd

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lane/runner"
	"lane/runner/agent"
)

// requestFlags are the flags of run and plan.
type requestFlags struct {
	req        runner.Request
	tools      string
	promptFile string
	json       bool
	limits     limitFlags
}

func (f *requestFlags) register(c *cobra.Command) {
	fl := c.Flags()
	// Flags end at the first argument: everything after it is prompt.
	fl.SetInterspersed(false)
	fl.StringVar(&f.req.Writer, "writer", "", "the agent that writes: "+strings.Join(agent.Names(), ", "))
	fl.StringVar(&f.req.WriterBin, "writer-bin", "", "the agent's executable (default: found on PATH, outside the worktree)")
	fl.StringVar(&f.req.Dir, "dir", ".", "a directory in the worktree")
	fl.StringVar(&f.req.Model, "model", "", "opus, sonnet, haiku or a model's id")
	fl.StringVar(&f.tools, "tools", "", "the agent's tools, separated by commas (default: its editing and shell tools)")
	fl.StringVar(&f.promptFile, "prompt-file", "", "read the prompt from this file")
	fl.DurationVar(&f.req.Timeout, "timeout", 0, "end the run after this time, e.g. 30m")
	registerLane(fl, &f.req)
	f.limits.register(fl)
	fl.StringVar(&f.req.MCP, "mcp", "", "a JSON file with MCP servers, confined like all else")
	fl.BoolVar(&f.req.Verify, "verify", false, "before the agent starts, make canaries in earnest where none may come to be, and look for them on the host")
	fl.BoolVar(&f.req.RequireChanges, "require-changes", false, "a run that changes no file fails")
	fl.BoolVar(&f.json, "json", false, "print one JSON record on standard output")
}

// finish completes the request from the arguments.
func (f *requestFlags) finish(c *cobra.Command, args []string, needPrompt bool) (runner.Request, error) {
	req := f.req
	if req.Writer == "" {
		return req, &runner.UsageError{Reason: "no-writer", Detail: "--writer is missing: lane run --writer claude -- PROMPT"}
	}
	if err := checkLane(req); err != nil {
		return req, err
	}
	if err := f.limits.apply(&req); err != nil {
		return req, err
	}
	for _, t := range strings.Split(f.tools, ",") {
		if t = strings.TrimSpace(t); t != "" {
			req.Tools = append(req.Tools, t)
		}
	}
	if len(args) > 0 && c.ArgsLenAtDash() < 0 && !(len(args) == 1 && args[0] == "-") {
		return req, &runner.UsageError{Reason: "prompt-dash", Detail: "the prompt goes after --: lane run --writer " + req.Writer + " -- PROMPT"}
	}
	prompt, err := f.prompt(c, args)
	if err != nil {
		return req, err
	}
	if needPrompt && len(strings.TrimSpace(string(prompt))) == 0 {
		return req, &runner.UsageError{Reason: "no-prompt", Detail: "no prompt: give it after --, with --prompt-file FILE, or - to read standard input"}
	}
	req.Prompt = prompt
	return req, nil
}

// maxPrompt bounds a prompt: far above any model's window.
const maxPrompt = 64 << 20

// prompt takes the prompt's bytes from exactly one place. Standard input is
// read only when it was asked for: a silent open one would be waited for
// without end.
func (f *requestFlags) prompt(c *cobra.Command, args []string) ([]byte, error) {
	fromStdin := len(args) == 1 && args[0] == "-" && c.ArgsLenAtDash() < 0
	if f.promptFile != "" && len(args) > 0 {
		return nil, &runner.UsageError{Reason: "two-prompts", Detail: "the prompt comes from --prompt-file or from the arguments, not from both"}
	}
	switch {
	case f.promptFile == "-" || fromStdin:
		return readPrompt(os.Stdin, "standard input")
	case f.promptFile != "":
		file, err := os.Open(f.promptFile)
		if err != nil {
			return nil, &runner.UsageError{Reason: "prompt-file", Detail: "--prompt-file: " + err.Error()}
		}
		defer file.Close()
		return readPrompt(file, f.promptFile)
	}
	return []byte(strings.Join(args, " ")), nil
}

func readPrompt(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPrompt+1))
	if err != nil {
		return nil, &runner.UsageError{Reason: "prompt-file", Detail: "read prompt: " + err.Error()}
	}
	if len(b) > maxPrompt {
		return nil, &runner.UsageError{Reason: "prompt-long", Detail: "the prompt from " + name + " is longer than 64 MiB"}
	}
	return b, nil
}
