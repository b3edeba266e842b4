package dialect

import (
	"encoding/json"
	"os"
	"strings"

	"lane/hookguard"
)

// LogLine is one line of a run's log of answers: that the guard was asked at
// all, and what it refused. Most harnesses tell neither in their output.
//
// The log lies where the agent could write it, so it is no evidence against
// an agent: it shows a guard that was never asked, and it fills the record.
type LogLine struct {
	Event  string `json:"event"`
	Tool   string `json:"tool,omitempty"`
	Target string `json:"target,omitempty"` // path or command, shortened
	Denied bool   `json:"denied,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// maxLogText bounds one text of a line, so that a line is one write.
const maxLogText = 400

// note adds a line. A log that cannot be written changes no answer: the run
// then looks as if the guard had not been asked, which is said.
func note(file string, ev hookguard.Event, v hookguard.Verdict) {
	if file == "" {
		return
	}
	line := LogLine{Event: ev.Kind, Tool: ev.Tool, Target: logTarget(ev.Input)}
	if v.Decision == hookguard.Deny || v.Decision == hookguard.Ask {
		line.Denied, line.Rule, line.Reason = true, v.Rule, shortened(v.Reason)
	}
	b, err := json.Marshal(line)
	if err != nil {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(b, '\n'))
}

// logTarget is what a call is about, for people.
func logTarget(input json.RawMessage) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	for _, key := range []string{"file_path", "notebook_path", "path", "command", "pattern", "url", "description"} {
		var s string
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			return shortened(s)
		}
	}
	return ""
}

func shortened(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxLogText {
		s = strings.ToValidUTF8(s[:maxLogText], "") + "…"
	}
	return s
}
