package cmd

import (
	"fmt"
	"strings"

	"lane/hookguard/dialect"
)

// harnessesText is the capability matrix, from the dialects themselves.
func harnessesText() string {
	var b strings.Builder
	b.WriteString(`What each agent program lets a hook do, and what becomes of a call when the hook
goes wrong. The guard denies, asks, hints or keeps silent; it never allows. An
ask is a deny with the way on wherever nobody can be asked.
`)
	for _, name := range dialect.Names() {
		d, _ := dialect.Lookup(name)
		can := d.Can
		fmt.Fprintf(&b, "\n  %s (measured: %s)\n", name, can.Measured)
		line := func(what, text string) {
			if text != "" {
				fmt.Fprintf(&b, "      %-8s %s\n", what, text)
			}
		}
		line("judges", strings.Join(can.Events, ", "))
		line("passes", strings.Join(can.Silent, ", "))
		line("deny", can.Deny)
		line("ask", can.Ask)
		line("hint", can.Tell)
		line("prompt", can.Prompt)
		for _, m := range dialect.Mishaps() {
			line("fails", fmt.Sprintf("%s: %s", m, can.Failure[m]))
		}
		line("note", can.Note)
		for _, text := range can.Unseen {
			line("unseen", text)
		}
		for _, diff := range can.Differs {
			line("differs", fmt.Sprintf("not: %s. It is: %s", diff.Wanted, diff.Does))
		}
	}
	return b.String()
}
