package confine

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// nativeArch is the audit number of the one architecture whose calls are let
// in, set by the file of that architecture. Without one there is no filter.
var nativeArch uint32

// archRows are the rows of calls that only this architecture has.
var archRows []filterRow

// x32Bit marks the calls of the x32 ABI, which share the audit number of
// amd64 and would pass a filter that compares numbers only. 0 elsewhere.
var x32Bit uint32

// filterRow refuses one system call, or some of its uses.
type filterRow struct {
	name   string
	nr     uint32
	when   []condition // all of them; none means always
	errno  unix.Errno
	nested bool // also refused where an agent's own sandbox nests
	reason string
}

// condition looks at the low 32 bits of an argument: all that the kernel
// itself uses of the arguments in these tables. Comparing all 64 was the hole
// of CVE-2019-10063: ioctl(fd, TIOCSTI | 1<<32) is TIOCSTI.
type condition struct {
	arg  int
	test test
	// values of equal and noneOf; the mask of anyBit
	values []uint32
}

type test int

const (
	equal  test = iota // the argument is values[0]
	noneOf             // the argument is none of the values
	anyBit             // the argument has a bit of values[0]
)

// Offsets in struct seccomp_data, little-endian.
const (
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// filterFor returns the rows of a table by name.
func filterFor(name string) ([]filterRow, error) {
	rows := append(filterRows(), archRows...)
	switch name {
	case "nesting":
		return slices.DeleteFunc(rows, func(row filterRow) bool { return !row.nested }), nil
	case "exec":
		return rows, nil
	case "landlock":
		return append(rows, landlockRows()...), nil
	case "landlock-offline":
		return slices.Concat(rows, landlockRows(), offlineRows()), nil
	}
	return nil, fmt.Errorf("no system-call table %q", name)
}

// compileFilter makes the program: kill what is of another architecture,
// then each row, then allow. golang.org/x/net/bpf assembles it. A library
// for whole seccomp policies (elastic/go-seccomp-bpf 1.6) was measured and
// does not fit: a table that allows by default lets every foreign
// architecture through, arguments are compared on 64 bits, and x32 gets an
// error instead of being killed.
func compileFilter(rows []filterRow) ([]bpf.RawInstruction, error) {
	if nativeArch == 0 {
		return nil, errors.New("no system-call table for this architecture")
	}
	kill := bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
	load := func(off uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: off, Size: 4} }
	program := []bpf.Instruction{
		load(offsetArch),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nativeArch, SkipTrue: 1},
		kill,
		load(offsetNr),
	}
	if x32Bit != 0 {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1}, kill)
	}
	for _, row := range rows {
		body, err := compileRow(row, load)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.name, err)
		}
		program = append(program, body...)
	}
	program = append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	return bpf.Assemble(program)
}

// compileRow expects the call's number in the accumulator and leaves it there.
func compileRow(row filterRow, load func(uint32) bpf.Instruction) ([]bpf.Instruction, error) {
	refuse := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(row.errno)}
	if len(row.when) == 0 {
		return []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: row.nr, SkipFalse: 1}, refuse}, nil
	}
	// Built from the end: each test knows how far it is to the reload that
	// follows the refusal.
	body := []bpf.Instruction{refuse}
	for i := len(row.when) - 1; i >= 0; i-- {
		c := row.when[i]
		tests, err := compileTest(c, len(body))
		if err != nil {
			return nil, err
		}
		body = append(append([]bpf.Instruction{load(uint32(offsetArgs + 8*c.arg))}, tests...), body...)
	}
	if len(body) > 250 {
		return nil, errors.New("too many conditions for one jump")
	}
	body = append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: row.nr, SkipTrue: uint8(len(body) + 1)}}, body...)
	return append(body, load(offsetNr)), nil
}

// compileTest goes on to the next instruction when c holds and skips n more
// when it does not.
func compileTest(c condition, n int) ([]bpf.Instruction, error) {
	switch c.test {
	case equal:
		return []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.values[0], SkipFalse: uint8(n)}}, nil
	case anyBit:
		return []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: c.values[0], SkipFalse: uint8(n)}}, nil
	case noneOf:
		var tests []bpf.Instruction
		for i, value := range c.values {
			left := len(c.values) - 1 - i
			tests = append(tests, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(left + n)})
		}
		return tests, nil
	}
	return nil, fmt.Errorf("unknown test %d", c.test)
}

// tryFilter puts the table on and reads back that it is. It binds the calling
// thread, which is the one that becomes the program, and everything it
// starts; there is no way back. It comes before the nested sandbox is tried,
// so that this one runs under what the agent's own will run under.
func tryFilter(plan ChildPlan) []Check {
	if plan.Seccomp == "" {
		return nil
	}
	c := Check{Name: "seccomp", Path: plan.Seccomp, Want: "on", Got: "on", OK: true}
	if err := putFilter(plan.Seccomp); err != nil {
		c.Got, c.OK = err.Error(), false
	} else if mode := statusField("Seccomp"); mode != "2" {
		c.Got, c.OK = fmt.Sprintf("mode %q after it was put on", mode), false
	}
	if plan.Landlock != nil {
		return []Check{c} // process 1 is the host's
	}
	return []Check{c, filterOf(1)}
}

// filterOf looks whether process 1 carries a filter, as it does when Prepare
// was called before it was started.
func filterOf(pid int) Check {
	c := Check{Name: "seccomp", Path: fmt.Sprintf("/proc/%d", pid), Want: "on", Got: "on", OK: true}
	if mode := statusFieldOf(c.Path+"/status", "Seccomp"); mode != "2" {
		c.Got, c.OK = fmt.Sprintf("mode %q", mode), false
	}
	return c
}

func putFilter(table string) error {
	rows, err := filterFor(table)
	if err != nil {
		return err
	}
	raw, err := compileFilter(rows)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
