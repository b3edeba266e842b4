package confine

import (
	"os"
	"strings"
	"testing"

	"lane/sandbox"
)

// Each limit binds, and ordinary work fits into generous ones.
func TestLimits(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		for _, c := range []struct {
			name, script, want string
			limits             sandbox.Limits
		}{
			{"memory", `python3 -c 'b=bytearray(1<<30); print("allocated")' 2>&1 | tail -1`, "MemoryError", sandbox.Limits{Memory: 512 << 20}},
			{"memory for node", `node -e 'console.log("node", 1+1)'`, "node 2", sandbox.Limits{Memory: 512 << 20}},
			{"file size", `head -c 2000000 /dev/zero > big; stat -c %s big`, "1048576", sandbox.Limits{FileSize: 1 << 20}},
			{"cpu time", `sh -c 'while :; do :; done'; echo ended $?`, "ended 137", sandbox.Limits{CPUTime: 1}},
			{"core", `ulimit -c; ulimit -H -c`, "0\n0", sandbox.Limits{}},
			{"raise", `ulimit -t 100; echo no`, "no", sandbox.Limits{CPUTime: 1}},
			{"processes", `for i in 1 2 3 4 5 6 7 8 9 10; do sleep 2 & done 2>&1 | tail -1; wait; echo done`, "fork", sandbox.Limits{Procs: 6}},
			{"generous", `sh -c 'sleep 0 & wait' && head -c 2000 /dev/zero > small && echo fits`, "fits", sandbox.Limits{Memory: 1 << 32, Procs: 512, FileSize: 1 << 30, CPUTime: 600}},
		} {
			f.Policy.Limits = c.limits
			o := f.sh(t, c.script)
			if c.name == "processes" && os.Geteuid() == 0 {
				// The gap procs-as-root, should a kernel ever close it.
				if o.Out != "done\n" {
					t.Errorf("the limit binds root: %q; drop the gap", o.Out)
				}
				continue
			}
			if !strings.Contains(o.Out, c.want) {
				t.Errorf("%s: code %d, want %q in\n%s", c.name, o.Code, c.want, o.Out)
			}
		}
	})
}

// The same under the landlock layer, where there is no process 1 to bind.
func TestLandlockLimits(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newLandlock(t)
		for _, c := range []struct {
			name, want string
			limits     sandbox.Limits
			argv       []string
		}{
			{"file above", "file too large", sandbox.Limits{FileSize: 1 << 20}, []string{"file", "2"}},
			{"file below", "wrote 1 MiB: <nil>", sandbox.Limits{FileSize: 2 << 20}, []string{"file", "1"}},
			// How a runtime says that it gets none is its own affair.
			{"memory above", "", sandbox.Limits{Memory: 256 << 20}, []string{"hog", "400"}},
			{"memory below", "took 20 MiB", sandbox.Limits{Memory: 512 << 20}, []string{"hog", "20"}},
		} {
			f.Policy.Limits = c.limits
			o := f.start(t, nil, append([]string{f.Lane, "act"}, c.argv...)...)
			if c.name == "memory above" && (o.Code == 0 || strings.Contains(o.Out, "took")) {
				t.Errorf("%s: code %d\n%s", c.name, o.Code, o.Out)
			}
			if !o.Report.OK || !strings.Contains(o.Out, c.want) {
				t.Errorf("%s: %s code %d, want %q in\n%s", c.name, toJSON(o.Report), o.Code, c.want, o.Out)
			}
		}
	})
}
