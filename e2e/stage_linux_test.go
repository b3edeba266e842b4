package e2e

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lane/e2e/feature"
)

// The stage is a directory of the tests' own that every user may read: the
// checkout and go's build directory may be closed to the unprivileged user
// that the scripts run as the second time.
//
//	bin/       the test binary under each of its roles' names, and the agents
//	node_modules/  what belongs to those
//	root/      work directories of the scripts run as root
//	user/      work directories of the scripts run as an unprivileged user
//	testdata/  the scripts, for the second run
const stageEnv = "LANE_E2E_STAGE"

var stage string // set by TestMain

// unprivileged is the user of the second run. It needs no entry in
// /etc/passwd: containers run with such users all the time.
const unprivileged = 1001

// newStage makes a stage. It prefers a place that lane does not replace by a
// private directory: that lanes in /tmp work is what single scripts are for.
func newStage() (string, error) {
	var errs []error
	for _, parent := range []string{"/srv", "/var/tmp", os.TempDir()} {
		sweepStages(parent)
		dir, err := os.MkdirTemp(parent, "lane-e2e-")
		if err == nil {
			return dir, errors.Join(lockStage(dir), fillStage(dir))
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no place for the stage: %w", errors.Join(errs...))
}

// stageLock is held as long as the tests run: the kernel lets go of it however
// they end.
var stageLock *os.File

func lockStage(dir string) error {
	// Locked before it gets the name that sweepers look for.
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	stageLock = f
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), os.Rename(name+".new", name))
}

// sweepStages removes what tests that were killed left behind: an agent's
// program is large, and nobody else would.
func sweepStages(parent string) {
	locks, err := filepath.Glob(filepath.Join(parent, "lane-e2e-*", "lock"))
	if err != nil {
		return
	}
	for _, lock := range locks {
		// Only our own: in a shared directory anybody can make such a name.
		info, err := os.Lstat(filepath.Dir(lock))
		if err != nil || !info.IsDir() || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) {
			continue
		}
		f, err := os.OpenFile(lock, os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue // another user's
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = removeStage(filepath.Dir(lock))
		}
		f.Close()
	}
}

func fillStage(dir string) error {
	// Explicit modes: the caller's umask may be 077.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, sub := range []string{"bin", "root", "user", "testdata"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for role := range roles {
		if err := install(self, filepath.Join(dir, "bin", role)); err != nil {
			return err
		}
	}
	if err := install(self, filepath.Join(dir, "bin", "suite")); err != nil {
		return err
	}
	if agent, err := agentProgram(); err == nil {
		if err := install(agent, filepath.Join(dir, "bin", "claude")); err != nil {
			return err
		}
	}
	if err := installAgents(dir); err != nil {
		return err
	}
	scripts, err := filepath.Glob("testdata/*/*")
	if err != nil {
		return err
	}
	for _, file := range scripts {
		to := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := install(file, to); err != nil {
			return err
		}
	}
	if os.Getuid() == 0 {
		return os.Chown(filepath.Join(dir, "user"), unprivileged, unprivileged)
	}
	return nil
}

// agentProgram is the real Claude Code that `make setup` installs.
func agentProgram() (string, error) {
	path, err := filepath.EvalSymlinks("agents/node_modules/.bin/claude")
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// install copies a program, readable by everybody. A link would do for some,
// but what a script breaks must be the copy.
func install(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Chmod(0o755); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// removeStage removes it also where a script took its own rights away.
func removeStage(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// need skips a test that cannot run here and names the feature that is
// missing.
func need(t *testing.T, features ...string) {
	t.Helper()
	for _, f := range features {
		if err := probes[f](); err != nil {
			feature.Missing(t, f, err.Error(), groups(f)...)
		}
	}
}

// groups: LANE_MUST names all agents as one.
func groups(name string) []string {
	if slices.ContainsFunc(npmAgents, func(a npmAgent) bool { return a.name == name }) {
		return []string{"agents"}
	}
	return nil
}

func TestMissingFeatureFailsWhereItMust(t *testing.T) {
	for _, c := range []struct {
		list, feature string
		want          bool
	}{
		{"bwrap,agents", "agents", true},
		{"bwrap,agents", "git", false},
		{"", "bwrap", false},
		{"agents-of-others", "agents", false},
		{"bwrap,agents", "codex", true},
		{"bwrap", "codex", false},
	} {
		if got := feature.Asked(c.list, append(groups(c.feature), c.feature)...); got != c.want {
			t.Errorf("LANE_MUST=%q, %s missing: fails is %v", c.list, c.feature, got)
		}
	}
	for suite, features := range suites {
		for _, f := range features {
			if probes[f] == nil {
				t.Errorf("suite %s needs %q, which nothing probes", suite, f)
			}
		}
	}
}

var probes = map[string]func() error{
	"git": func() error { return quietly("git", "--version") },
	"go":  func() error { return quietly("go", "version") },
	"bwrap": func() error {
		return quietly("bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/",
			"--proc", "/proc", "--dev", "/dev", "--", "true")
	},
	"socat": func() error { return quietly("socat", "-V") },
	"jq":    func() error { return quietly("jq", "--version") },
	"landlock": func() error {
		const createRuleset, askVersion, least = 444, 1, 3
		abi, _, errno := syscall.Syscall(createRuleset, 0, 0, askVersion)
		if errno != 0 {
			return errno
		}
		if abi < least {
			return fmt.Errorf("Landlock ABI %d, want %d", abi, least)
		}
		return nil
	},
	// Gemini CLI asks for it, and Debian 12 has an older one.
	"node20": func() error {
		return quietly("node", "-e", "process.exit(process.versions.node.split('.')[0] < 20 ? 1 : 0)")
	},
	"codex":   agentProbe("codex"),
	"gemini":  agentProbe("gemini"),
	"copilot": agentProbe("copilot"),
	"agents": func() error {
		if err := quietly("socat", "-V"); err != nil {
			return err
		}
		return quietly(filepath.Join(stage, "bin", "claude"), "--version")
	},
}

func quietly(argv ...string) error {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", argv[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
