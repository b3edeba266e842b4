package confine

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"lane/sandbox"
)

// Two records in a row are read one by one; then there is the end.
func TestReports(t *testing.T) {
	var b bytes.Buffer
	want := []ChildReport{
		{OK: true, Checks: []Check{{Name: "write", Path: "/w", Want: "created", Got: "created", OK: true}}},
		{Reason: "not-found", Exit: 127, Detail: "exec \"/none\""},
	}
	for _, r := range want {
		must(t, writeReport(&b, r))
	}
	for _, w := range want {
		got, err := ReadReport(&b)
		if err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("got %+v, %v, want %+v", got, err, w)
		}
	}
	if _, err := ReadReport(&b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// What is not a record is an error and never a report that is OK.
func TestReportsBounded(t *testing.T) {
	for _, text := range []string{
		"0", "00000002\n", "00000002\n{", "0000000g\n{}", "ffffffff\n{}", "00400001\n{}", "00000002 {}", "+0000002\n{}", "00000002\n{x",
	} {
		r, err := ReadReport(strings.NewReader(text))
		// io.EOF would say that the program had been started.
		if err == nil || err == io.EOF || r.OK {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

// A verdict gets through even when there is too much to tell.
func TestReportTooLong(t *testing.T) {
	r := ChildReport{Reason: "write-got-through", Exit: 125}
	for range 5000 {
		r.Checks = append(r.Checks, Check{Name: "no-write", Path: "/" + strings.Repeat("x", 1000)})
	}
	var b bytes.Buffer
	must(t, writeReport(&b, r))
	got, err := ReadReport(&b)
	if err != nil || got.Reason != r.Reason || got.Exit != 125 {
		t.Errorf("%v %s", err, got.Reason)
	}
}

// A plan that is cut off, too long, of another version or without an
// absolute program is refused.
func TestReadPlan(t *testing.T) {
	good := ChildPlan{Version: PlanVersion, Argv: []string{"sh"}, Path: "/bin/sh", Dir: "/"}
	var b bytes.Buffer
	must(t, WritePlan(&b, good))
	must(t, Go(&b))
	in := bufio.NewReader(&b)
	got, err := readPlan(in)
	if err != nil || !reflect.DeepEqual(got, good) {
		t.Errorf("%+v, %v", got, err)
	}
	if line, err := in.ReadString('\n'); err != nil || line != goLine {
		t.Errorf("go: %q, %v", line, err)
	}
	for _, text := range []string{"", "{}", "{}\n", `{"version":1,"argv":["x"],"path":"x"}` + "\n", `{"version":2,"argv":["x"],"path":"/x"}` + "\n",
		`{"version":1,"argv":[],"path":"/x"}` + "\n", `{"version":1,"argv":["x"],"path":"/x"}`, strings.Repeat("x", maxPlan+2) + "\n"} {
		if _, err := readPlan(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%.40q was taken for a plan", text)
		}
	}
}

// What the child tries follows from the rows.
func TestProbes(t *testing.T) {
	p := sandbox.Policy{Nesting: true, Terminal: true, Limits: sandbox.Limits{Procs: 3}, Rows: []sandbox.Row{
		{Path: "/", Access: sandbox.Read},
		{Path: "/w", Access: sandbox.Write},
		{Path: "/w/file", Access: sandbox.Write, File: true},
		{Path: "/w/.git", Access: sandbox.Protect, File: true},
		{Path: "/tmp", Access: sandbox.Private},
		{Path: "/hidden", Access: sandbox.Hide},
		{Path: "/state", Access: sandbox.Hide},
		{Path: "/state/run", Access: sandbox.Write},
		{Path: "/w/.env", Access: sandbox.Hide, File: true},
		{Path: "/dev", Access: sandbox.Devices},
		{Path: "/proc", Access: sandbox.Processes},
	}}
	want := ChildPlan{Version: PlanVersion, Seccomp: "nesting", Terminal: true, Limits: p.Limits,
		MustWrite:    []string{"/state/run", "/tmp", "/w"},
		MustOpen:     []string{"/w/file"},
		MustNotWrite: []string{"/", "/hidden", "/state"},
		MustNotOpen:  []string{"/proc/sys/kernel/panic", "/w/.env", "/w/.git"},
		MustBeHidden: []string{"/hidden", "/w/.env"},
	}
	if got := Probes(p); !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", toJSON(got), toJSON(want))
	}
	p.Nesting = false
	if got := Probes(p).Seccomp; got != "exec" {
		t.Errorf("table %q", got)
	}
}

func FuzzReadReport(f *testing.F) {
	f.Add([]byte("00000002\n{}"))
	f.Add([]byte("0000000b\n{\"ok\":true}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		report, err := ReadReport(r)
		if err != nil && report.OK && len(report.Checks) == 0 && report.Reason == "" {
			return // the caller looks at the error first
		}
		if err == nil && r.Len() > len(b)-frameHeader {
			t.Error("a record without a header")
		}
	})
}
