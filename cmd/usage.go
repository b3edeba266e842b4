package cmd

import (
	"errors"

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
