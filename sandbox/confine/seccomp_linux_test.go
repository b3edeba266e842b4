package confine

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"lane/sandbox"
)

// filterMachine runs a table in the BPF machine of golang.org/x/net.
func filterMachine(t *testing.T, table string) func(arch, nr uint32, args [6]uint64) uint32 {
	t.Helper()
	rows, err := filterFor(table)
	must(t, err)
	raw, err := compileFilter(rows)
	must(t, err)
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("not a program")
	}
	vm, err := bpf.NewVM(program)
	must(t, err)
	return func(arch, nr uint32, args [6]uint64) uint32 {
		// struct seccomp_data, each word in the byte order of this machine
		// (network order), in the layout of the kernel's (little-endian).
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[0:], nr)
		binary.BigEndian.PutUint32(data[4:], arch)
		for i, arg := range args {
			binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
			binary.BigEndian.PutUint32(data[20+8*i:], uint32(arg>>32))
		}
		verdict, err := vm.Run(data)
		must(t, err)
		return uint32(verdict)
	}
}

// hit makes arguments that meet every condition of a row.
func hit(row filterRow) (args [6]uint64) {
	for _, c := range row.when {
		switch c.test {
		case equal, anyBit:
			args[c.arg] = uint64(c.values[0])
		case noneOf:
			args[c.arg] = uint64(slices.Max(c.values)) + 1
		}
	}
	return args
}

// miss meets all conditions but the last.
func miss(row filterRow) [6]uint64 {
	args := hit(row)
	if len(row.when) == 0 {
		return args
	}
	switch c := row.when[len(row.when)-1]; c.test {
	case equal:
		args[c.arg] = uint64(c.values[0]) + 1
	case anyBit:
		args[c.arg] = 0
	case noneOf:
		args[c.arg] = uint64(c.values[0])
	}
	return args
}

func refusal(row filterRow) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(row.errno) }

// Each row refuses what it names, with rubbish in the upper half of the
// argument as well (CVE-2019-10063), and nothing else.
func TestSeccompRows(t *testing.T) {
	for _, table := range []string{"exec", "nesting"} {
		run := filterMachine(t, table)
		for _, row := range append(filterRows(), archRows...) {
			in := table == "exec" || row.nested
			args := hit(row)
			got := run(nativeArch, row.nr, args)
			if in != (got == refusal(row)) {
				t.Errorf("%s: %s %x: %#x", table, row.name, args, got)
			}
			for i := range args {
				args[i] |= 1 << 32
			}
			if got := run(nativeArch, row.nr, args); in != (got == refusal(row)) {
				t.Errorf("%s: %s %x: %#x", table, row.name, args, got)
			}
			if got := run(nativeArch, row.nr, miss(row)); len(row.when) > 0 && got != unix.SECCOMP_RET_ALLOW {
				t.Errorf("%s: %s %x: %#x, want allowed", table, row.name, miss(row), got)
			}
			if row.reason == "" || row.name == "" || row.errno == 0 {
				t.Errorf("%+v", row)
			}
		}
	}
}

// Foreign architectures and x32 are killed, whatever the call.
func TestSeccompArchitectures(t *testing.T) {
	for _, table := range []string{"exec", "nesting"} {
		run := filterMachine(t, table)
		for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, 0} {
			want := uint32(unix.SECCOMP_RET_KILL_PROCESS)
			if arch == nativeArch {
				want = unix.SECCOMP_RET_ALLOW
			}
			if got := run(arch, unix.SYS_GETPID, [6]uint64{}); got != want {
				t.Errorf("%s: architecture %#x: %#x, want %#x", table, arch, got, want)
			}
		}
		if x32Bit != 0 {
			for _, nr := range []uint32{x32Bit, x32Bit + 1, x32Bit | 0x1ff, ^uint32(0)} {
				if got := run(nativeArch, nr, [6]uint64{}); got != unix.SECCOMP_RET_KILL_PROCESS {
					t.Errorf("%s: x32 call %#x: %#x", table, nr, got)
				}
			}
		}
	}
}

// Property: the program agrees with the rows read one by one.
func TestSeccompAgreesWithRows(t *testing.T) {
	for _, table := range []string{"exec", "nesting"} {
		run := filterMachine(t, table)
		rows, err := filterFor(table)
		must(t, err)
		for range 20000 {
			row := rows[rand.IntN(len(rows))]
			nr, args := row.nr, hit(row)
			for i := range args {
				if rand.IntN(3) == 0 {
					args[i] = rand.Uint64() >> rand.IntN(64)
				}
			}
			if rand.IntN(4) == 0 {
				nr = uint32(rand.IntN(500))
			}
			if got, want := run(nativeArch, nr, args), readRows(rows, nr, args); got != want {
				t.Fatalf("%s: call %d %x: %#x, want %#x", table, nr, args, got, want)
			}
		}
	}
}

func readRows(rows []filterRow, nr uint32, args [6]uint64) uint32 {
	for _, row := range rows {
		holds := row.nr == nr
		for _, c := range row.when {
			arg := uint32(args[c.arg])
			switch c.test {
			case equal:
				holds = holds && arg == c.values[0]
			case anyBit:
				holds = holds && arg&c.values[0] != 0
			case noneOf:
				holds = holds && !slices.Contains(c.values, arg)
			}
		}
		if holds {
			return refusal(row)
		}
	}
	return unix.SECCOMP_RET_ALLOW
}

// The whole of both tables, for the eye and for review.
func TestSeccompGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden file is that of amd64")
	}
	var b strings.Builder
	for _, row := range append(filterRows(), archRows...) {
		tables := "exec"
		if row.nested {
			tables = "exec, nesting"
		}
		fmt.Fprintf(&b, "%s %s -> %s [%s] %s\n", row.name, describe(row.when), unix.ErrnoName(row.errno), tables, row.reason)
	}
	golden(t, "seccomp-amd64", b.String())
}

func describe(when []condition) string {
	var parts []string
	for _, c := range when {
		words := map[test]string{equal: "is", noneOf: "is none of", anyBit: "has a bit of"}
		parts = append(parts, fmt.Sprintf("arg%d %s %#x", c.arg, words[c.test], c.values))
	}
	if parts == nil {
		return "always"
	}
	return strings.Join(parts, " and ")
}

// Every row is met by the kernel's own filter, in a lane, as root and user.
func TestSeccompInside(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		for _, table := range []string{"exec", "nesting"} {
			f := newFixture(t)
			f.Policy.Nesting = table == "nesting"
			o := f.start(t, nil, f.Lane, "act", "calls", table)
			var got map[string]string
			if err := json.Unmarshal([]byte(o.Out), &got); err != nil {
				t.Fatalf("%v: %s\n%s", err, toJSON(o.Report), o.Out)
			}
			for i, row := range append(filterRows(), archRows...) {
				want := unix.ErrnoName(row.errno)
				answer, tried := got[callName(i, row)]
				switch {
				case tried && answer != want:
					t.Errorf("%s: %s: %s, want %s", table, callName(i, row), answer, want)
				case !tried && (table == "exec" || row.nested):
					t.Errorf("%s: %s was not tried", table, callName(i, row))
				}
			}
		}
	})
}

func callName(i int, row filterRow) string {
	return fmt.Sprintf("%d %s %s", i, row.name, describe(row.when))
}

// Without the table those calls say something else: the test above sees the
// filter and not the kernel's own refusals. Left out are the calls that the
// kernel refuses with the same word, and those that would do something.
func TestSeccompControl(t *testing.T) {
	f := newFixture(t)
	f.Unprepared = true
	o := f.start(t, func(p *ChildPlan) { p.Seccomp = "" }, f.Lane, "act", "calls", "harmless")
	var got map[string]string
	if err := json.Unmarshal([]byte(o.Out), &got); err != nil {
		t.Fatalf("%v: %s\n%s", err, toJSON(o.Report), o.Out)
	}
	different := 0
	for i, row := range append(filterRows(), archRows...) {
		if answer, tried := got[callName(i, row)]; tried && answer != unix.ErrnoName(row.errno) {
			different++
		}
	}
	if different < 25 {
		t.Errorf("only %d calls answer otherwise without the table: %s", different, toJSON(got))
	}
}

// Process 1 of the lane can be traced, and is no way round the table or the
// limits: it carries them too. Without Prepare it would not, and the child
// refuses.
func TestProcessOneIsFiltered(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newFixture(t)
		for _, f.Policy.Nesting = range []bool{false, true} {
			f.Policy.Limits = sandbox.Limits{FileSize: 12345}
			o := f.sh(t, "grep ^Seccomp: /proc/1/status; grep -E 'file size|core file' /proc/1/limits")
			if !strings.Contains(o.Out, "Seccomp:\t2\n") || strings.Count(o.Out, "12345") != 2 || strings.Contains(o.Out, "unlimited") {
				t.Error(o.Out)
			}
		}
		f.Unprepared = true
		o := f.start(t, nil, "/bin/true")
		if statusField("Seccomp") == "0" && o.Report.Reason != "seccomp-refused" {
			t.Error(toJSON(o.Report))
		}
	})
}

// A 32-bit program is killed and the 64-bit one beside it goes on.
func TestSeccompKills32Bit(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs a 32-bit program of amd64")
	}
	f := newFixture(t)
	src := filepath.Join(f.Dir, "m32.go")
	write(t, src, "package main\n\nfunc main() { println(\"ran\") }\n")
	prog := filepath.Join(f.Dir, "m32")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", prog, src)
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("no 386 toolchain: %v %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), prog).CombinedOutput(); err != nil {
		t.Skipf("this kernel runs no 32-bit programs: %v %s", err, out)
	}
	o := f.sh(t, prog+"; echo code $?")
	// 128 + SIGSYS
	if !strings.Contains(o.Out, "code 159") || strings.Contains(o.Out, "ran") {
		t.Error(o.Out)
	}
}

// Work goes on under each table: what builds and tests use every day.
func TestSeccompWork(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		for _, nesting := range []bool{false, true} {
			t.Run(fmt.Sprintf("nesting-%v", nesting), func(t *testing.T) { workRound(t, nesting) })
		}
	})
}

func workRound(t *testing.T, nesting bool) {
	f := newFixture(t)
	f.Policy.Nesting = nesting
	for _, work := range []struct{ name, script, want string }{
		{"go build", `export HOME=/tmp GOCACHE=/tmp/c GOFLAGS=-mod=mod GOTOOLCHAIN=local; printf 'module x\ngo 1.20\n' > go.mod; go build -o x . && ./x && echo built`, "built"},
		{"node", `node -e '
			const os=require("os"),net=require("net"),cp=require("child_process"),{Worker}=require("worker_threads");
			os.networkInterfaces();
			cp.execFileSync("/bin/true");
			new Worker("0",{eval:true}).on("exit",()=>net.createServer(s=>s.end("hi")).listen(0,"127.0.0.1",function(){
				net.connect(this.address().port,"127.0.0.1").on("data",d=>{console.log("got "+d);process.exit(0)})}))'`, "got hi"},
		{"python", `python3 -c '
import multiprocessing,tempfile,subprocess,socket,os
tempfile.TemporaryFile().write(b"x"); subprocess.run(["true"],check=True); socket.socketpair()
with multiprocessing.Pool(2) as p: print("sum", sum(p.map(abs,[1,-2])))'`, "sum 3"},
		{"gcc", `echo 'int main(void){return 0;}' > t.c && gcc -o t t.c && ./t && echo compiled`, "compiled"},
		{"git", `cd /tmp && git init -q g && cd g && echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm m && git log --oneline | wc -l`, "1"},
		{"file", `file main.go`, "main.go"},
		{"pty", `script -qec 'echo in a pty' /dev/null </dev/null`, "in a pty"},
		{"tar", `tar cf /tmp/t.tar main.go && mkdir -p /tmp/x && tar xf /tmp/t.tar -C /tmp/x && ls /tmp/x`, "main.go"},
		{"chmod", `cp main.go m && chmod 755 m && chmod g+s . && mkdir -p d/e && cp -a d d2 && stat -c %a m`, "755"},
		{"setuid", `cp main.go s; chmod 4755 s 2>/dev/null; install -m 4755 main.go s2 2>/dev/null; find . -perm /4000 | wc -l`, "0"},
	} {
		if work.name == "go build" && (nesting || os.Geteuid() == 0 || testing.Short()) {
			continue // half a minute from an empty cache: once is enough
		}
		program, _, _ := strings.Cut(work.name, " ")
		if map[string]bool{"pty": true, "setuid": true}[program] {
			program = "script"
		}
		if _, err := exec.LookPath(program); err != nil && program != "python" {
			t.Logf("no %s here", program)
			continue
		}
		o := f.sh(t, work.script)
		if !strings.Contains(o.Out, work.want) {
			t.Errorf("%s: code %d\n%s", work.name, o.Code, o.Out)
		}
	}
}
