// Package dialect speaks with each harness: it turns the harness's hook
// payload into an Event, asks the guard, and turns the Verdict into the
// answer that harness obeys. One file per harness, which registers itself;
// nothing else names one. A sixth harness is one more file with a Dialect in
// it (package sixth has a made-up one); to be started by lane run it takes a
// second, in runner/agent.
//
// A harness differs in tool names, in the form of an answer, and above all in
// what it does when a hook goes wrong (see Capabilities). Every error of the
// guard's own (bad input, a panic, no time left) therefore becomes that
// harness's own refusal; it never becomes silence, which means "go on" to all
// of them. No dialect ever allows: what the harness itself would ask or
// refuse stays so. Antigravity alone has no other spelling of "no opinion".
package dialect

import (
	"sort"

	"lane/hookguard"
)

// Dialect is one harness's words.
type Dialect struct {
	Name string
	// Whose returns the name of another harness that this payload is of, or
	// "": some harnesses run the hooks of another's settings.
	Whose func(payload []byte) string
	// Read turns a payload into a call. event is what --event said. On an
	// error, which refuses the call, Native is what could still be told.
	Read func(payload []byte, event string) (Call, error)
	// Write turns a verdict on a call into an answer. An ask that nobody
	// could answer comes as a deny.
	Write func(c Call, v hookguard.Verdict) Answer
	// CanAsk reports whether this harness would put an ask to somebody here.
	CanAsk func(c Call, f hookguard.Facts) bool
	// Silent is the answer of no opinion; nil is no output at all.
	Silent func(c Call) Answer
	// Fail is the answer that refuses, without having judged. event is the
	// harness's own name of the event, or "" when it cannot be told.
	Fail func(event, reason string) Answer
	// Unreadable is Fail for a payload that could not be read; nil is Fail.
	Unreadable func(event, reason string) Answer
	// Tool gives a tool its canonical name and, where its input does not speak
	// for itself, its canonical input.
	Tool func(name string, input []byte) (string, []byte)
	// Repeats says that a second process for one event gives the first one's
	// verdict again, for harnesses that run hooks one after the other and obey
	// the last. The others get silence from the second.
	Repeats bool
	// Unseen says that the agent can type into a program that it started
	// without any hook being asked.
	Unseen bool
	// Dirs are the fields of a shell call's input that say where it runs; nil
	// is any usual name, an empty list none.
	Dirs []string

	Can    Capabilities
	Wiring Wiring
}

// Call is one hook call, read.
type Call struct {
	hookguard.Event
	Native  string // the event in the harness's words
	Judged  bool   // the guard has an opinion about such events
	Form    string // which of the harness's payload shapes this is
	Session string
	// Key is the same for two processes that were started for one event, and
	// for nothing else; "" when that cannot be told.
	Key string
	// Pending is what was kept for this moment when it could not be told.
	Pending string
}

// Answer is what a hook process prints and how it ends.
type Answer struct {
	Stdout, Stderr string
	Exit           int
	// Keep is to be told at the session's next chance.
	Keep string
}

var registry = map[string]Dialect{}

// register adds a dialect; it panics when the name is taken.
func register(d Dialect) {
	if _, taken := registry[d.Name]; taken {
		panic("dialect " + d.Name + " registered twice")
	}
	registry[d.Name] = d
}

// Register adds a dialect from another package: a harness of a team's own. It
// panics when the name is taken.
func Register(d Dialect) { register(d) }

// Lookup finds a harness's dialect.
func Lookup(name string) (Dialect, bool) {
	d, ok := registry[name]
	return d, ok
}

// Names lists the harnesses, sorted.
func Names() []string {
	var names []string
	for name := range registry {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
