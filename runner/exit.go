package runner

// Exit codes of lane. The table in `lane help exit-codes` and in the manual
// is made from ExitCodes.
const (
	ExitDone          = 0   // the run ended and the agent's own record says success
	ExitFailed        = 1   // the agent failed; its own exit code is in the record
	ExitUsage         = 2   // the command line cannot be understood
	ExitTripwire      = 122 // something protected changed during the run
	ExitNotTaken      = 123 // the agent succeeded, its commits are kept but were not taken in
	ExitTimeout       = 124 // the time or the budget ran out
	ExitRefused       = 125 // refused, or failed before the agent ran
	ExitNotExecutable = 126 // the agent's program cannot be executed
	ExitNotFound      = 127 // the agent's program was not found
	ExitSignal        = 128 // plus n: ended by signal n
)

// ExitCode is one row of the table.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists what lane's exit codes mean, in order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitDone, "done: the run ended and the agent's own record says success"},
		{ExitFailed, "the agent failed; its own exit code is in the record (an agent's own 2 and 120-127 are reported as 1)"},
		{ExitUsage, "usage: the command line cannot be understood"},
		{ExitTripwire, "tripwire: something protected changed during the run"},
		{ExitNotTaken, "the agent succeeded, its work is kept but was not taken in"},
		{ExitTimeout, "the time or the budget ran out"},
		{ExitRefused, "refused, or failed before the agent ran"},
		{ExitNotExecutable, "the agent's program cannot be executed"},
		{ExitNotFound, "the agent's program was not found"},
		{ExitSignal, "plus n: ended by signal n"},
	}
}

// exitOfAgent maps an agent's own exit code to lane's.
func exitOfAgent(code int) int {
	if code == ExitUsage || code >= 120 && code <= 127 {
		return ExitFailed
	}
	return code
}
