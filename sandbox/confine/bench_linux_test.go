package confine

import (
	"os/exec"
	"runtime"
	"testing"
)

// The price of the child stage: the whole protocol against bubblewrap alone
// with the same rows, in one run. Read the ratio, not the milliseconds.
func BenchmarkStart(b *testing.B) {
	f := newFixture(b)
	b.Run("bare", func(b *testing.B) {
		argv, err := bwrap{}.Argv(f.Policy, []string{"/bin/true"}, f.options())
		must(b, err)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), argv[0], argv[1:]...).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("confined", func(b *testing.B) {
		for b.Loop() {
			if o := f.start(b, nil, "/bin/true"); o.Code != 0 {
				b.Fatal(toJSON(o.Report))
			}
		}
	})
}

// What the pure parts cost of that.
func BenchmarkArgv(b *testing.B) {
	p, opt := goldenPolicy(), goldenOptions()
	for b.Loop() {
		if _, err := (bwrap{}).Argv(p, goldenChild, opt); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	for b.Loop() {
		rows, err := filterFor("exec")
		must(b, err)
		if _, err := compileFilter(rows); err != nil {
			b.Fatal(err)
		}
	}
}
