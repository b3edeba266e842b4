package gitdiscover

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lane/e2e/feature"
)

// layout is one row of testdata/layouts.json. In every string {R} stands for
// the layout's own root and {xHH} for a byte that is not UTF-8.
type layout struct {
	ID    string   `json:"id"`
	Group string   `json:"group"`
	Note  string   `json:"note"`
	Needs []string `json:"needs"`
	// Build are the steps, each a word and its arguments. ByHand replaces them
	// where no git is new enough to make the layout.
	Build      [][]string        `json:"build"`
	ByHand     [][]string        `json:"by_hand"`
	Cwd        string            `json:"cwd"`
	CwdRemoved bool              `json:"cwd_removed"`
	Env        map[string]string `json:"env"`
	// Class is the refusal wanted; without one the three paths are.
	Class     Class  `json:"class"`
	Worktree  string `json:"worktree"`
	GitDir    string `json:"gitdir"` // "*": an id of git's choosing
	CommonDir string `json:"commondir"`
	MinGit    string `json:"min_git"` // oldest git that opens it
	Basis     string `json:"basis"`   // card, git, recommended
	Git       string `json:"git"`     // yes: git says the same; stricter: we refuse more; env: differs by environment
}

func readLayouts(t *testing.T) []layout {
	t.Helper()
	data, err := os.ReadFile("testdata/layouts.json")
	if err != nil {
		t.Fatal(err)
	}
	var l []layout
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// site is where one layout is built.
type site struct {
	t      testing.TB
	root   string
	mounts []string
}

// newSite makes a root that is not inside a repository, holds no character
// that is refused, and is taken down again even when the layout closed it.
func newSite(t testing.TB) *site {
	t.Helper()
	root, err := os.MkdirTemp("", "layout-")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, root: root}
	t.Cleanup(func() { s.remove(t) })
	return s
}

func (s *site) remove(t testing.TB) {
	for i := len(s.mounts) - 1; i >= 0; i-- {
		if err := syscall.Unmount(s.mounts[i], syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %q: %v", s.mounts[i], err)
		}
	}
	filepath.WalkDir(s.root, func(p string, e os.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			os.Chmod(p, 0o700) // before it is read: WalkDir calls twice on failure
		}
		return nil
	})
	if err := os.RemoveAll(s.root); err != nil {
		t.Errorf("remove %q: %v", s.root, err)
	}
}

var byteMark = regexp.MustCompile(`\{x[0-9A-F]{2}\}`)

func (s *site) expand(v string) string {
	v = byteMark.ReplaceAllStringFunc(v, func(m string) string {
		n, _ := strconv.ParseUint(m[2:4], 16, 8)
		return string([]byte{byte(n)})
	})
	return strings.ReplaceAll(v, "{R}", s.root)
}

// gitEnv is the whole environment of a git that a test runs.
func (s *site) gitEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.root + "/home", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid",
	}
}

func (s *site) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.root, s.gitEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

func (s *site) write(path, data string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, []byte(data), 0o644))
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// made holds what git made of a step, as paths and contents below the root of
// the site ({R} in both), no content for a directory. Most of the time here
// would go into starting git for the same two steps again and again.
var made = map[string][]struct{ path, data string }{}

// once runs make the first time, and writes what came of it every later time.
func (s *site) once(key string, make func(), dirs ...string) {
	s.t.Helper()
	if files, ok := made[key]; ok {
		for _, f := range files {
			if f.data == "" {
				s.must(os.MkdirAll(s.expand(f.path), 0o755))
				continue
			}
			s.must(os.WriteFile(s.expand(f.path), []byte(strings.ReplaceAll(f.data, "{R}", s.root)), 0o644))
		}
		return
	}
	make()
	unroot := func(v string) string { return strings.ReplaceAll(v, s.root, "{R}") }
	for _, dir := range dirs {
		s.must(filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
			f := struct{ path, data string }{path: unroot(p)}
			if err == nil && !e.IsDir() {
				var data []byte
				data, err = os.ReadFile(p)
				f.data = unroot(string(data))
			}
			made[key] = append(made[key], f)
			return err
		}))
	}
}

// repo makes a repository with one commit at root/name.
func (s *site) repo(name string) {
	s.t.Helper()
	s.once("repo "+name, func() {
		s.git("init", "-q", "-b", "main", "--template=", s.root+"/"+name)
		s.git("-C", s.root+"/"+name, "commit", "-q", "--allow-empty", "-m", "x")
	}, s.root+"/"+name)
}

func (s *site) worktree() {
	s.t.Helper()
	s.git("-C", s.root+"/main", "worktree", "add", "-q", "-b", "wt", s.root+"/wt")
}

// linked makes a repository and a linked worktree.
func (s *site) linked() {
	s.t.Helper()
	s.once("linked", func() {
		s.repo("main")
		s.worktree()
	}, s.root+"/main", s.root+"/wt")
}

// build does every step of l.
func (s *site) build(l layout) {
	s.t.Helper()
	steps := l.Build
	for _, need := range l.Needs {
		if v, ok := strings.CutPrefix(need, "git-"); ok && !gitAtLeast(s.t, v) {
			if l.ByHand == nil {
				feature.Missing(s.t, need, "the installed git is older")
			}
			steps = l.ByHand
		}
	}
	if len(steps) > 1 && slices.Equal(steps[0], linked[0]) && slices.Equal(steps[1], linked[1]) {
		s.linked()
		steps = steps[2:]
	}
	for _, step := range steps {
		args := make([]string, len(step)-1)
		for i, a := range step[1:] {
			args[i] = s.expand(a)
		}
		word, _, _ := strings.Cut(step[0], "-")
		if err := s.step(word, args); err != nil {
			s.t.Fatalf("step %q: %v", step, err)
		}
	}
}

func (s *site) step(word string, a []string) error {
	number := func(i int) int { n, _ := strconv.Atoi(a[i]); return n }
	switch word {
	case "repo":
		s.repo(a[0])
	case "worktree":
		s.worktree()
	case "git":
		s.git(a...)
	case "mkdir":
		return os.MkdirAll(a[0], 0o755)
	case "write":
		s.write(a[0], a[1])
	case "fill": // up to a length in all
		s.write(a[0], a[1]+strings.Repeat(a[2], number(3)-len(a[1])))
	case "symlink":
		s.must(os.MkdirAll(filepath.Dir(a[0]), 0o755))
		return os.Symlink(a[1], a[0])
	case "hardlink":
		return os.Link(a[1], a[0])
	case "mkfifo":
		return syscall.Mkfifo(a[0], 0o644)
	case "mknod": // the minor number of a memory device: 3 is null, 5 zero
		return syscall.Mknod(a[0], syscall.S_IFCHR|0o666, 1<<8|number(1))
	case "socket":
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: a[0], Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	case "chmod":
		mode, err := strconv.ParseUint(a[1], 8, 32)
		s.must(err)
		return os.Chmod(a[0], os.FileMode(mode))
	case "chown":
		return os.Lchown(a[0], number(1), number(1))
	case "mv":
		return os.Rename(a[0], a[1])
	case "rm":
		return os.RemoveAll(a[0])
	case "cp":
		return exec.Command("cp", "-a", a[0], a[1]).Run()
	case "mount":
		s.must(os.MkdirAll(a[0], 0o755))
		return s.mount("tmpfs", a[0], "tmpfs", 0, "mode=755")
	case "bind":
		s.must(os.MkdirAll(a[1], 0o755))
		return s.mount(a[0], a[1], "", syscall.MS_BIND, "")
	default:
		return fmt.Errorf("unknown step")
	}
	return nil
}

func (s *site) mount(what, where, kind string, flags uintptr, data string) error {
	err := syscall.Mount(what, where, kind, flags, data)
	if err == syscall.EPERM || err == syscall.EACCES {
		feature.Missing(s.t, "mount", err.Error())
	}
	if err == nil {
		s.mounts = append(s.mounts, where)
	}
	return err
}

// gitSays is the installed git's answer to rev-parse in a directory.
type gitSays struct {
	ok, hung                    bool
	worktree, gitDir, commonDir string
	text                        string
}

// askGit asks the installed git in dir; "" is the current directory. No GIT_*
// name of the layout reaches it: lane strips them all, so what counts is what
// git says without.
func (s *site) askGit(dir string) gitSays { s.t.Helper(); return s.askGitFor(dir, 20*time.Second) }

func (s *site) askGitFor(dir string, patience time.Duration) gitSays {
	s.t.Helper()
	cmd := exec.Command("git", "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", "--is-inside-work-tree")
	cmd.Dir, cmd.Env = dir, s.gitEnv()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	s.must(cmd.Start())
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		return gitSays{hung: true, text: "hangs"}
	}
	lines := strings.Split(out.String(), "\n")
	if err != nil || len(lines) < 4 {
		return gitSays{text: out.String()}
	}
	if dir == "" {
		dir, err = syscall.Getwd()
		s.must(err)
	}
	common := lines[1]
	if !filepath.IsAbs(common) {
		common = dir + "/" + common
	}
	if real, err := filepath.EvalSymlinks(common); err == nil { // not for a path with a newline in it
		common = real
	}
	return gitSays{ok: true, gitDir: lines[0], commonDir: common, worktree: lines[2], text: out.String()}
}
