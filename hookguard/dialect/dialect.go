// Package dialect speaks with each harness: it turns the harness's hook
// payload into an Event, asks the guard, and turns the Verdict into the
// answer that harness obeys. One file per harness, which registers itself.
//
// A harness differs in tool names, in the form of an answer, and above all in
// what it does when a hook goes wrong. Every error of the guard's own (bad
// input, a panic, no time left) therefore becomes that harness's own refusal;
// it never becomes silence, which means "go on" to all of them.
package dialect

import (
	"sort"

	"lane/hookguard"
)

// Dialect is one harness's words.
type Dialect struct {
	Name string
	// Read turns a payload into an event. handled is false for an event the
	// guard has nothing to say about. An error refuses the call.
	Read func(payload []byte) (ev hookguard.Event, handled bool, err error)
	// Write turns a verdict on an event into an answer.
	Write func(ev hookguard.Event, v hookguard.Verdict, headless bool) Answer
	// Fail is the answer that refuses, without having judged.
	Fail func(reason string) Answer
	// Tool gives a tool its canonical name and, where its input does not speak
	// for itself, its canonical input.
	Tool func(name string, input []byte) (string, []byte)
	// Wire and Unwire edit the harness's settings for use without a lane; nil
	// where that is not supported.
	Wire   func(settings []byte, lane, facts string) ([]byte, error)
	Unwire func(settings []byte) ([]byte, error)
	// Planned dialects have a tool table only; every event of theirs is
	// refused.
	Planned bool
}

// Answer is what a hook process prints and how it ends.
type Answer struct {
	Stdout, Stderr string
	Exit           int
}

var registry = map[string]Dialect{}

// register adds a dialect; it panics when the name is taken.
func register(d Dialect) {
	if _, taken := registry[d.Name]; taken {
		panic("dialect " + d.Name + " registered twice")
	}
	registry[d.Name] = d
}

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
