package dialect

import (
	"bytes"
	"encoding/json"
	"os"

	"lane/hookguard"
)

// text is a verdict's reason as every harness gets it.
func text(v hookguard.Verdict) string { return "lane (" + v.Rule + "): " + v.Reason }

// speaks reports whether a decision is one that is said; what is neither of
// them is no opinion.
func speaks(d hookguard.Decision) bool {
	return d == hookguard.Guidance || d == hookguard.Ask || d == hookguard.Deny
}

// unasked turns an ask into a deny where nobody can be asked. The reason says
// already how to go on.
func unasked(v hookguard.Verdict) hookguard.Verdict {
	v.Decision = hookguard.Deny
	v.Reason += " Nobody is there to approve it, so it was not run."
	return v
}

// failText is what is said when the guard could not judge.
func failText(reason string) string {
	return "lane: hook failed (" + reason + "); blocking (fail closed). Do not retry the call unchanged."
}

// refuse is the answer by exit code, for harnesses that obey it when there is
// text on stderr.
func refuse(reason string) Answer {
	return Answer{Stderr: reason + "\n", Exit: exitRefused}
}

// fields are the members of an answer.
type fields = map[string]any

// object is an answer of one JSON object.
func object(v fields) Answer {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a reason is read by people: "<" stays "<"
	if err := enc.Encode(v); err != nil {
		return refuse(failText("the answer could not be written"))
	}
	return Answer{Stdout: b.String()}
}

// specific is an answer in the form that Claude Code began.
func specific(event string, v fields) fields {
	out := fields{"hookEventName": event}
	for k, x := range v {
		out[k] = x
	}
	return fields{"hookSpecificOutput": out}
}

// attended reports whether somebody sits in front of the harness, as far as a
// hook can see: no CI, and a terminal to ask at.
func attended() bool {
	if os.Getenv("CI") == "true" || os.Getenv("GITHUB_ACTIONS") == "true" {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	tty.Close() // it was only opened to see whether it is there
	return true
}
