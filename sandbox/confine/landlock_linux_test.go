package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lane/e2e/feature"
	"lane/sandbox"
)

func requireLandlock(t testing.TB) Probe {
	t.Helper()
	probe := landlock{}.Probe(t.Context())
	if !probe.OK {
		feature.Missing(t, "landlock", probe.Reason+": "+probe.Detail)
	}
	return probe
}

// newLandlock is a fixture for the landlock layer. It has a temporary
// directory of its own, where the other layer has a private /tmp.
func newLandlock(t testing.TB) *fixture {
	t.Helper()
	f := newHost(t, &fixture{Layer: landlock{}, Probe: requireLandlock(t)})
	tmp := filepath.Join(f.Dir, "tmp")
	must(t, os.Mkdir(tmp, 0o700))
	f.row(tmp, sandbox.Write, false)
	f.Env = []string{"TMPDIR=" + tmp, "HOME=" + tmp}
	return f
}

// A lane starts, its probes hold, and what it wrote stays.
func TestLandlockRuns(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newLandlock(t)
		o := f.sh(t, `echo made > new.txt; ls -l /proc/self/fd; grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status; ps -o sid= -p $$; echo $$; exit 7`)
		if o.Code != 7 || o.Second != nil {
			t.Errorf("code %d, second record %+v\n%s", o.Code, o.Second, o.Out)
		}
		if b, err := os.ReadFile(f.Worktree + "/new.txt"); err != nil || string(b) != "made\n" {
			t.Errorf("new.txt: %q, %v", b, err)
		}
		for _, want := range []string{"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
			if !strings.Contains(o.Out, want) {
				t.Errorf("no %q in\n%s", want, o.Out)
			}
		}
		if os.Geteuid() == 0 && !strings.Contains(o.Out, "CapBnd:\t0000000000000000") {
			t.Errorf("root can still gain capabilities:\n%s", o.Out)
		}
		if n := strings.Count(o.Out, " -> "); n != 4 {
			t.Errorf("%d descriptors inside, want 4:\n%s", n, o.Out)
		}
	})
}

// Property: what Policy.Decide says of a policy that the layer has fitted is
// what a lane does.
func TestLandlockOracle(t *testing.T) {
	asBoth(t, func(t *testing.T) { oracleRounds(t, newLandlock(t)) })
}

// Work goes on, and what the layer's price is does not: should one of those
// work after all, SECURITY.md is to say so.
func TestLandlockWork(t *testing.T) {
	asBoth(t, func(t *testing.T) {
		f := newLandlock(t)
		for _, work := range []struct {
			name, script, want string
			host               bool // with the host's network
		}{
			{name: "go build", script: `export GOCACHE=$TMPDIR/c GOFLAGS=-mod=mod GOTOOLCHAIN=local; printf 'module x\ngo 1.20\n' > go.mod; go build -o x . && ./x && echo built`, want: "built"},
			{name: "node", script: `echo 'process.send(7)' > c.js; node -e '
				const os=require("os"),cp=require("child_process"),{Worker}=require("worker_threads");
				os.networkInterfaces(); cp.execFileSync("/bin/true");
				new Worker("0",{eval:true}).on("exit",()=>cp.fork("./c.js").on("message",m=>console.log("child said "+m)))'`, want: "child said 7"},
			{name: "node server", host: true, script: `node -e '
				const net=require("net");net.createServer(s=>s.end("hi")).listen(0,"127.0.0.1",function(){
				net.connect(this.address().port,"127.0.0.1").on("data",d=>{console.log("got "+d);process.exit(0)})})'`, want: "got hi"},
			{name: "python", script: `/usr/bin/python3 -c '
import tempfile,subprocess,socket,os,shutil
tempfile.TemporaryFile().write(b"x"); subprocess.run(["true"],check=True); socket.socketpair()
d=tempfile.mkdtemp(); open(d+"/a","w").write("x"); os.rename(d+"/a","moved"); shutil.rmtree(d); print("moved", os.path.exists("moved"))'`, want: "moved True"},
			{name: "gcc", script: `echo 'int main(void){return 0;}' > t.c && gcc -o t t.c && ./t && echo compiled`, want: "compiled"},
			{name: "git", script: `cd $TMPDIR && git init -q g && cd g && echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm m && git log --oneline | wc -l`, want: "1"},
			{name: "tar", script: `tar cf $TMPDIR/t.tar main.go && mkdir -p $TMPDIR/x && tar xf $TMPDIR/t.tar -C $TMPDIR/x && ls $TMPDIR/x`, want: "main.go"},
			{name: "chmod", script: `cp main.go m && chmod 755 m && mkdir -p d/e && cp -a d d2 && stat -c %a m`, want: "755"},
			{name: "setuid", script: `cp main.go s; chmod 4755 s 2>/dev/null; install -m 4755 main.go s2 2>/dev/null; find . -perm /4000 | wc -l`, want: "0"},
			{name: "links", script: `ln main.go hard && ln -s main.go soft && mkfifo pipe && mkdir sub && mv main.go sub/m && mv sub/m main.go && rm hard soft pipe && rmdir sub && echo moved`, want: "moved"},
			{name: "devices", script: `head -c 4 /dev/urandom >/dev/null && echo x >/dev/null && echo out >/dev/stdout && cat /dev/zero | head -c 1 | wc -c`, want: "1"},
			{name: "jobs", script: `sleep 20 & kill $! && wait $!; echo code $?`, want: "code 143"},

			{name: "no pty", script: `script -qec 'echo in a pty' /dev/null </dev/null || echo none`, want: "none"},
			{name: "no /tmp", script: `touch /tmp/x || ls /tmp || echo none`, want: "none"},
			{name: "no shared memory", script: `/usr/bin/python3 -c 'import multiprocessing as m; m.Lock()' 2>&1 | tail -1`, want: "PermissionError"},
			{name: "no loopback", script: `/usr/bin/python3 -c 'import socket; socket.socket()' 2>&1 | tail -1`, want: "OSError"},
			{name: "no listing above what is hidden", script: `ls / 2>&1`, want: "Permission denied"},
		} {
			program, _, _ := strings.Cut(work.script, " ")
			if name, ok := map[string]string{"export": "go", "echo": "node"}[program]; ok {
				program = name
			}
			if work.name == "go build" && (os.Geteuid() == 0 || testing.Short()) {
				continue // half a minute from an empty cache: once is enough
			}
			if _, err := exec.LookPath(program); err != nil && slices.Contains([]string{"go", "node", "/usr/bin/python3", "script"}, program) {
				t.Logf("%s: no %s here", work.name, program)
				continue
			}
			f.Policy.Network = sandbox.NetworkNone
			if work.host {
				f.Policy.Network = sandbox.NetworkHost
			}
			if o := f.sh(t, work.script); !strings.Contains(o.Out, work.want) {
				t.Errorf("%s: code %d\n%s", work.name, o.Code, o.Out)
			}
		}
	})
}
