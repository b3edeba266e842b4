package gitdiscover

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRandomLayouts makes valid layouts by chance, of main and linked
// worktrees, submodules, bare hubs and repositories nested in one another, and
// starts from every place in them. Where git opens one, Discover names the
// same three paths, or refuses for a reason that is ours; where git does not,
// neither does Discover. LANE_SEED repeats a run.
func TestRandomLayouts(t *testing.T) {
	seed := rand.Uint64()
	if v, err := strconv.ParseUint(os.Getenv("LANE_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("LANE_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	accepted, asked := 0, 0
	for range 6 {
		s := newSite(t)
		g := &generator{site: s, rng: rng}
		g.build()
		for _, dir := range g.starts {
			repo, says, err := s.agree(t, dir)
			asked++
			switch r, _ := err.(*RefusedError); {
			case err == nil:
				accepted++
				if err := repo.Same(discovered(t, dir, Options{})); err != nil {
					t.Errorf("asked twice: %v", err)
				}
			case says.ok && !ours(r.Class):
				t.Errorf("%s: %v; git: %s", dir, r, says.text)
			}
			if t.Failed() {
				t.Fatalf("layout: %s", strings.Join(g.log, "\n"))
			}
		}
	}
	t.Logf("%d of %d starts accepted", accepted, asked)
	if accepted*3 < asked {
		t.Error("most layouts are refused: they are meant to be valid")
	}
}

// generator builds one random layout and collects places to start from.
type generator struct {
	*site
	rng    *rand.Rand
	repos  []string // directories where git -C works
	starts []string
	log    []string
	n      int
}

func (g *generator) pick(from []string) string { return from[g.rng.IntN(len(from))] }

// path returns a new path below the root or below a place made before.
func (g *generator) path() string {
	g.n++
	parent := g.root
	if len(g.starts) > 0 && g.rng.IntN(3) == 0 {
		parent = g.pick(g.starts)
	}
	name := g.pick([]string{"r", "a b", "é", "it's", "-x", "$v", "x;y", "日本", "w.git", "#1", "a*", "!b"})
	if g.rng.IntN(4) > 0 && strings.ContainsAny(name, globCharacters) {
		name = "plain"
	}
	return fmt.Sprintf("%s/%s%d", parent, name, g.n)
}

// do runs git and says whether it did as told: not every step fits every
// repository (a worktree of a hub whose core.bare reaches all is none), and one
// that does not is part of the layout all the same.
func (g *generator) do(args ...string) bool {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.root, g.gitEnv()
	out, err := cmd.CombinedOutput()
	g.log = append(g.log, fmt.Sprintf("git %q: %v %s", args, err, out))
	return err == nil
}

func (g *generator) build() {
	g.repo()
	for range 3 + g.rng.IntN(5) {
		g.step()
	}
	for range 3 {
		d := fmt.Sprintf("%s/deep%d/er", g.pick(g.starts), g.rng.IntN(100))
		g.must(os.MkdirAll(d, 0o755))
		g.starts = append(g.starts, d)
	}
	g.starts = append(g.starts, g.root)
}

func (g *generator) add(path string, made bool) {
	if made {
		g.repos = append(g.repos, path)
		g.starts = append(g.starts, path)
	}
}

func (g *generator) repo() {
	p := g.path()
	g.add(p, g.do("init", "-q", p) && g.do("-C", p, "commit", "-q", "--allow-empty", "-m", "x"))
}

func (g *generator) step() {
	from, p := g.pick(g.repos), g.path()
	worktree := func(of string) bool { return g.do("-C", of, "worktree", "add", "-q", "--detach", p) }
	switch g.rng.IntN(11) {
	case 0:
		g.repo()
	case 1, 2:
		g.add(p, worktree(from))
	case 3:
		g.add(p, worktree(from) && g.relative(p))
	case 4: // a bare hub and a worktree of it
		hub := g.path()
		g.add(p, g.do("clone", "-q", "--bare", from, hub) && worktree(hub))
		g.starts = append(g.starts, filepath.Dir(hub))
	case 5:
		g.add(p, g.do("clone", "-q", "--shared", from, p))
	case 6:
		g.do("-C", from, "config", "extensions.worktreeConfig", g.pick([]string{"true", "1", "YES"}))
		g.do("-C", from, "config", "--worktree", "user.name", "w")
	case 7:
		g.do("-C", from, "sparse-checkout", "set", "x")
	case 8:
		g.do("-C", from, "checkout", "-q", "-b", fmt.Sprintf("b/%d", g.n))
	case 9:
		name := fmt.Sprintf("sub%d", g.n)
		g.add(from+"/"+name, g.do("-C", from, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", g.pick(g.repos), name))
	case 10:
		g.add(p, g.do("init", "-q", "--separate-git-dir", fmt.Sprintf("%s/sep%d", g.root, g.n), p) &&
			g.do("-C", p, "commit", "-q", "--allow-empty", "-m", "x") && g.do("-C", p, "config", "core.worktree", p))
	}
}

// relative rewrites a worktree's pointer to the relative form.
func (g *generator) relative(p string) bool {
	data, err := os.ReadFile(p + "/.git")
	g.must(err)
	rel, err := filepath.Rel(p, strings.TrimSpace(strings.TrimPrefix(string(data), "gitdir: ")))
	g.must(err)
	g.write(p+"/.git", "gitdir: "+rel+"\n")
	return true
}
