package cmd

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write MANUAL.md anew")

// The manual is what the program says of itself.
func TestManualIsWhatTheProgramSays(t *testing.T) {
	const file = "../MANUAL.md"
	got := manual(newRoot(nil))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("MANUAL.md is out of date (-file +program); go test ./cmd -update writes it anew:\n%s", diff)
	}
}

func manual(root *cobra.Command) string {
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	var b strings.Builder
	b.WriteString("# The manual of lane\n\nMade from the program by `go test ./cmd -update`; `lane help` prints the same.\n")
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			return
		}
		c.InitDefaultHelpFlag()
		text := c.Long
		if text == "" {
			text = c.Short
		}
		b.WriteString("\n## " + c.CommandPath() + "\n\n```\n" + strings.TrimSpace(text) + "\n")
		if c.Runnable() {
			b.WriteString("\n" + strings.TrimSpace(c.UsageString()) + "\n")
		}
		b.WriteString("```\n")
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return b.String()
}

// A command that is made alone is the one that lane help shows.
func TestACommandAloneIsTheSame(t *testing.T) {
	all := newRoot(nil)
	for name := range commands {
		alone := newRoot([]string{name, "--help"})
		one, _, err := alone.Find([]string{name})
		if err != nil || one.Name() != name {
			t.Fatalf("%s: %v", name, err)
		}
		whole, _, err := all.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(manual(whole), manual(one)); diff != "" {
			t.Errorf("%s (-all +alone):\n%s", name, diff)
		}
	}
}

// Every flag is explained, in words that end without a full stop.
func TestEveryFlagSaysWhatItDoes(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, line := range strings.Split(c.LocalFlags().FlagUsages(), "\n") {
			if f := strings.Fields(line); len(f) == 1 {
				t.Errorf("%s: %s is not explained", c.CommandPath(), f[0])
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(nil))
}
