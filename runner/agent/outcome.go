package agent

import "strings"

// MaxDenied bounds the list of refused calls in a record.
const MaxDenied = 200

// deny lists a refused call and tells of it, as long as the list has room.
func (o *Outcome) deny(c Call, progress func(string)) {
	if len(o.Denied) >= MaxDenied {
		return
	}
	o.Denied = append(o.Denied, c)
	progress("denied: " + c.Tool + " " + c.Target + " (" + c.By + ": " + shorten(c.Reason, 160) + ")")
}

// toolEnd is how a tool call ended, in an agent's account of it.
type toolEnd struct {
	text    string // all that the tool and the agent said
	message string // the agent's own words for a failure
	failed  bool
	byHook  bool // the guard refused it
	byAgent bool // the agent itself did
}

// ended counts a tool call that failed, and lists one that was refused.
func (o *Outcome) ended(c Call, e toolEnd, progress func(string)) {
	closed := bySandbox(e.text)
	if !e.failed && !closed {
		return
	}
	if e.failed {
		o.ToolFails++
	}
	switch {
	case e.byHook:
		// The hook's own note tells it in full, and is counted.
		o.ToolCalls--
		o.ToolFails--
		return
	case closed:
		c.By, c.Reason = "sandbox", shorten(e.text, 400)
	case e.byAgent:
		c.By, c.Reason = "agent", shorten(e.message, 400)
	default:
		return
	}
	o.deny(c, progress)
}

// closed is the outcome once the agent's output has ended.
func (o Outcome) closed() Outcome {
	if !o.Ended {
		o.Failed, o.Reason, o.Detail = true, "no-result", "the agent ended without its final record"
	}
	return o
}

// bySandbox says that a tool's text tells of the lane's own refusal.
func bySandbox(text string) bool {
	return strings.Contains(text, "Read-only file system") || strings.Contains(text, "EROFS") || strings.Contains(text, "Device or resource busy")
}
