package attack_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lane/cmd"
	"lane/e2e/attack"
	"lane/e2e/feature"
	"lane/e2e/stage"
	"lane/sandbox/confine"
)

// The binary under test is this test binary under another name; so are the
// inside of every attack and the suite of the unprivileged user.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "lane":
		os.Exit(cmd.Main(os.Args[1:]))
	case "inside":
		os.Exit(attack.Inside(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(m.Run())
}

var only = flag.String("only", "", "run the attacks whose id matches this expression")

// attacks are those that -only asks for.
func attacks(t *testing.T) []attack.Attack {
	t.Helper()
	wanted, err := regexp.Compile("^(?:" + *only + ")$")
	must(t, err)
	return slices.DeleteFunc(attack.All(), func(a attack.Attack) bool { return *only != "" && !wanted.MatchString(a.ID) })
}

// core are tried again where the fixture lies in other places.
var core = []string{"hook-literal", "gitfile-repoint", "commondir-repoint", "sibling-worktree", "main-checkout", "home-rc", "home-chmod", "read-ssh",
	"tmp-shared", "wt-dir-swap", "agent-settings-new", "unix-service", "orphan", "ok-write", "ok-git-status", "ok-tmp", "ok-unixpair"}

// No attack gets through a lane, nothing outlives one, and work goes on: as
// root and as a user, wherever the repository lies.
func TestAttacks(t *testing.T) {
	asBoth(t, func(t *testing.T, s *site) {
		for _, place := range []struct {
			name, parent string
			apart        bool
			only         []string
		}{
			{"home", s.dir, false, nil},
			{"apart", s.dir, true, core},
			{"tmp", "/tmp", false, core},
		} {
			t.Run(place.name, func(t *testing.T) {
				f := s.fixture(t, place.parent, place.apart)
				table := &table{}
				for _, a := range attacks(t) {
					if place.only != nil && !slices.Contains(place.only, a.ID) {
						continue
					}
					r := f.Run(t.Context(), a, s.lane())
					table.add(r)
					s.judge(t, r)
				}
				t.Log(table)
			})
		}
	})
}

// throughLandlock are the attacks that get through a lane of the landlock
// layer, each by a gap that the layer declares and the user accepted by name,
// and the controls that it breaks, each by what it says it has not.
var throughLandlock = map[string]string{
	"home-chmod":           "metadata",
	"gitlink-nested":       "protect-inside",
	"nested-git-swap":      "protect-inside",
	"sibling-nested":       "protect-inside",
	"agent-settings-write": "protect-inside",
	"agent-settings-swap":  "protect-inside",
	"hookspath-worktree":   "protect-inside",
	"hang-child-kill9":     "orphans",

	"ok-commit":   "no git directory of the lane's own",
	"ok-tmp-hard": "no /tmp",
	"ok-unixpair": "no sockets",
	"ok-loopback": "no sockets",
}

// In the layer without namespaces exactly what it declares is open.
func TestAttacksOnLandlock(t *testing.T) {
	asBoth(t, func(t *testing.T, s *site) {
		if confine.LandlockABI() <= 0 {
			feature.Missing(t, "landlock", "this kernel has none")
		}
		f := s.fixture(t, s.dir, false)
		lane := s.lane()
		lane.Argv = []string{lane.Argv[0], "exec", "--layer", "landlock"}
		for _, gap := range []string{"protect-inside", "hide-inside", "metadata", "orphans", "host-processes-visible", "root-owner"} {
			lane.Argv = append(lane.Argv, "--accept", gap)
		}
		lane.Argv = append(lane.Argv, "--")
		table := &table{}
		for _, a := range attacks(t) {
			r := f.Run(t.Context(), a, lane)
			table.add(r)
			gap, open := throughLandlock[r.ID]
			if r.Verdict != attack.Skipped && r.Verdict.Good() == open {
				t.Errorf("%s: %s, gap %q: %s; claimed: %s", r.ID, r.Verdict, gap, r.Detail, r.Claim)
			}
		}
		t.Log(table)
	})
}

// Without a launcher the attacks get through: only so does it mean anything
// that a lane stops them. Those that do not are listed with their reason.
//
// What only root can do, root does, in a mount namespace of its own; all else
// is shown by the user.
func TestAttacksAreReal(t *testing.T) {
	asBoth(t, func(t *testing.T, s *site) {
		f := s.fixture(t, s.dir, false)
		root := os.Geteuid() == 0
		table := &table{}
		for _, a := range attacks(t) {
			if root && a.Plain.By != attack.Root {
				continue
			}
			if a.Within > time.Minute {
				continue // a build from nothing: a minute for what nobody doubts
			}
			r := f.Run(t.Context(), a, attack.Launcher{PrivateMounts: root})
			table.add(r)
			want := a.Plain.By == attack.Anyone || a.Plain.By == attack.Root && root
			got := r.Verdict == attack.Escaped || r.Verdict == attack.Works
			if r.Verdict != attack.Skipped && got != want {
				t.Errorf("%s (%s) without a launcher: %s, want success %v: %s", a.ID, a.What, r.Verdict, want, r.Detail)
			}
		}
		t.Log(table)
	})
}

// expected are outcomes that are known and not yet as they should be: each is
// an open finding. A row that no longer holds fails the test, so that it goes
// when its cause goes.
var expected = map[string]finding{}

type finding struct {
	verdict attack.Verdict
	chance  bool // it may also go well
	user    bool // it does, when root runs it
	why     string
}

func (s *site) judge(t *testing.T, r attack.Result) {
	t.Helper()
	e, known := expected[r.ID]
	known = known && !(e.user && os.Geteuid() == 0)
	switch {
	case r.Verdict == attack.Skipped:
	case known && (r.Verdict == e.verdict || e.chance && r.Verdict.Good()):
	case known:
		t.Errorf("%s: %s, where %s is expected (%s): is the row still right? %s", r.ID, r.Verdict, e.verdict, e.why, r.Detail)
	case !r.Verdict.Good():
		t.Errorf("%s: %s: %s; claimed: %s", r.ID, r.Verdict, r.Detail, r.Claim)
	}
}

type table struct {
	rows  []string
	count map[attack.Verdict]int
}

func (b *table) add(r attack.Result) {
	if b.count == nil {
		b.count = map[attack.Verdict]int{}
	}
	b.count[r.Verdict]++
	b.rows = append(b.rows, fmt.Sprintf("%-29s %-9s %5d ms  %s", r.ID, r.Verdict, r.Took.Milliseconds(), r.Detail))
}

func (b *table) String() string { return fmt.Sprintf("%v\n%s", b.count, strings.Join(b.rows, "\n")) }

// Environment of the suite that runs as that user.
const (
	suiteEnv   = "LANE_ATTACK_STAGE"
	runtimeEnv = "LANE_ATTACK_RUNTIME"
)

// site is where one user's tests run.
type site struct {
	dir, runtime string // of this user
	bin          string
}

// asBoth runs the test as whoever runs it and, when that is root, beside it
// as an ordinary user in a process of its own.
func asBoth(t *testing.T, f func(*testing.T, *site)) {
	if raced {
		t.Skip("under the race detector: all of it happens between processes, which make test runs")
	}
	feature.Bwrap(t)
	feature.Runs(t, "git", "git", "--version")
	if dir := os.Getenv(suiteEnv); dir != "" {
		f(t, &site{dir: filepath.Join(dir, "user"), bin: filepath.Join(dir, "bin"), runtime: os.Getenv(runtimeEnv)})
		return
	}
	both := newStage(t)
	own := &site{dir: both.Folder(t, "own", os.Geteuid()), bin: both.Bin}
	if os.Geteuid() != 0 {
		f(t, own)
		return
	}
	name := t.Name()
	own.runtime = runtimeDir(t, 0)
	t.Run("root", func(t *testing.T) { t.Parallel(); f(t, own) })
	t.Run("user", func(t *testing.T) { t.Parallel(); asUser(t, both, name) })
}

func asUser(t *testing.T, both stage.Stage, name string) {
	args := []string{"-only=" + *only}
	if end, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+time.Until(end).String())
	}
	out := both.AsUser(t, both.Folder(t, "user", stage.Unprivileged), name,
		[]string{suiteEnv + "=" + both.Dir, runtimeEnv + "=" + runtimeDir(t, stage.Unprivileged)}, args...)
	if strings.Contains(out, "--- SKIP") {
		t.Skipf("skipped as uid %d", stage.Unprivileged)
	}
}

// runtimeDir is below /run, as a session's is.
func runtimeDir(t *testing.T, uid int) string {
	t.Helper()
	dir, err := os.MkdirTemp("/run", "lane-attack-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chown(dir, uid, uid))
	return dir
}

// sweep removes what runs left that were killed, by a timeout for instance.
func sweep() {
	const old = 2 * time.Hour // longer than any run
	for _, parent := range []string{"/srv", "/var/lib", "/var/tmp", "/run", "/tmp", "/dev/shm"} {
		left, _ := filepath.Glob(parent + "/lane-attack-*") // the pattern is well formed
		for _, dir := range left {
			if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > old {
				_ = os.RemoveAll(dir) // it may be another user's
			}
		}
	}
}

func newStage(t *testing.T) stage.Stage {
	t.Helper()
	sweep()
	s := stage.New(t, "lane-attack-", "lane", "inside")
	if os.Geteuid() == 0 {
		id, err := exec.LookPath("id")
		must(t, err)
		stage.Install(t, id, filepath.Join(s.Bin, "who"), 0o755|os.ModeSetuid)
	}
	return s
}

// fixture makes one that goes with the test.
func (s *site) fixture(t *testing.T, parent string, apart bool) *attack.Fixture {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "lane-attack-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	p := attack.Place{Dir: dir, Runtime: s.runtime, Apart: apart, Self: []string{filepath.Join(s.bin, "inside")}}
	if who := filepath.Join(s.bin, "who"); exists(who) {
		p.Setuid = who
	}
	f, err := attack.NewFixture(p)
	must(t, err)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (s *site) lane() attack.Launcher {
	return attack.Launcher{Argv: []string{filepath.Join(s.bin, "lane"), "exec", "--"}, Env: []string{"LANE_HOME=" + filepath.Join(s.dir, "lanehome")}}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
