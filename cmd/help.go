package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lane/runner"
	"lane/runner/agent"
)

// exitCodesTopic is `lane help exit-codes`, made from the constants.
func exitCodesTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("lane's exit codes:\n\n")
	for _, c := range runner.ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Meaning)
	}
	return &cobra.Command{Use: "exit-codes", Short: "What lane's exit codes mean", Long: b.String()}
}

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
