package owngit

import (
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// change is a file, link or gitlink that is not the same in two trees. An
// entry with mode 0 is one that is not there.
type change struct {
	path     string
	old, now treeEntry
}

// maxChanges bounds how many differences are looked through.
const maxChanges = 1_000_000

// diff calls fn for every difference below two trees; zero is an empty one.
func (o *objects) diff(old, now plumbing.Hash, fn func(change) error) error {
	n := 0
	return o.diffAt(old, now, "", func(c change) error {
		if n++; n > maxChanges {
			return refuse(TooLarge, "", "more than %d files are changed", maxChanges)
		}
		return fn(c)
	})
}

func (o *objects) diffAt(old, now plumbing.Hash, prefix string, fn func(change) error) error {
	if old == now {
		return nil
	}
	before, err := o.entries(old)
	if err != nil {
		return err
	}
	after, err := o.entries(now)
	if err != nil {
		return err
	}
	was := make(map[string]treeEntry, len(before))
	for _, e := range before {
		was[e.name] = e
	}
	for _, e := range after {
		w := was[e.name]
		delete(was, e.name)
		if err := o.diffEntry(w, e, prefix+e.name, fn); err != nil {
			return err
		}
	}
	for _, e := range before {
		if w, gone := was[e.name]; gone {
			if err := o.diffEntry(w, treeEntry{}, prefix+e.name, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *objects) entries(h plumbing.Hash) ([]treeEntry, error) {
	if h.IsZero() {
		return nil, nil
	}
	list, _, err := o.tree(h)
	return list, err
}

func (o *objects) diffEntry(old, now treeEntry, path string, fn func(change) error) error {
	if old == now {
		return nil
	}
	var oldTree, nowTree plumbing.Hash
	if old.isTree() {
		oldTree, old = old.hash, treeEntry{}
	}
	if now.isTree() {
		nowTree, now = now.hash, treeEntry{}
	}
	if old.mode != 0 || now.mode != 0 {
		if err := fn(change{path, old, now}); err != nil {
			return err
		}
	}
	return o.diffAt(oldTree, nowTree, path+"/", fn)
}

// policy is what of a lane's work needs somebody's word before it is taken
// into the repository.
type policy struct {
	wiring         []string // folded, as the names compared with them
	acceptGitlinks bool
	acceptWiring   bool
	wiringBelow    func(path string) bool
}

func newPolicy(in TakeInInputs) policy {
	p := policy{acceptGitlinks: in.AcceptGitlinks, acceptWiring: in.AcceptWiring, wiringBelow: in.WiringBelow}
	for _, w := range in.Wiring {
		p.wiring = append(p.wiring, hfsName(w))
	}
	return p
}

// objection says why a change is not taken in as it is; "" when it is.
func (p *policy) objection(c change) (Reason, string) {
	if !p.acceptGitlinks {
		switch {
		case c.now.mode == modeGitlink:
			return Gitlink, "is a repository of its own, whose programs git status may run"
		case c.old.mode == modeGitlink && c.now.mode != 0:
			return Gitlink, "was a submodule"
		case looksLikeModules(path.Base(c.path)):
			return Gitmodules, "says where submodules come from"
		}
	}
	if !p.acceptWiring && p.isWiring(c.path) {
		return WiringCommitted, "makes an agent, an editor or a shell run code"
	}
	return "", ""
}

// isWiring says whether a path is wiring, lies below it, or stands where a
// directory of it would (as a link to somewhere else).
func (p *policy) isWiring(name string) bool {
	name = hfsName(name)
	for _, w := range p.wiring {
		if name == w || strings.HasPrefix(name, w+"/") || strings.HasPrefix(w, name+"/") {
			return true
		}
	}
	for at := name; p.wiringBelow != nil && at != "."; at = path.Dir(at) {
		if p.wiringBelow(at) {
			return true
		}
	}
	return false
}

// Seen lists what is taken in all the same and should be looked at.
type Seen struct {
	// Links point out of the worktree.
	Links []string `json:"links,omitempty"`
	// Workflows are run by a forge once they are pushed.
	Workflows []string `json:"workflows,omitempty"`
	// Attributes give files to filters, diff or merge drivers.
	Attributes []string `json:"attributes,omitempty"`
	// Accepted are the gitlinks, .gitmodules and wiring that were accepted.
	Accepted []string `json:"accepted,omitempty"`
}

// maxSeen bounds each of the lists.
const maxSeen = 1000

func note(list *[]string, name string) {
	if len(*list) < maxSeen {
		*list = append(*list, name)
	}
}

// workflows are the names of what a forge runs.
var workflows = []string{".github/workflows", ".github/actions", ".gitlab-ci.yml", ".gitlab", ".circleci", ".forgejo", ".gitea", ".woodpecker", ".woodpecker.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile", ".buildkite"}

// look notes a change that was not objected to.
func (s *Seen) look(o *objects, p *policy, c change) error {
	strict := policy{wiring: p.wiring}
	if why, _ := strict.objection(c); why != "" {
		note(&s.Accepted, c.path)
	}
	for _, w := range workflows {
		if c.path == w || strings.HasPrefix(c.path, w+"/") {
			note(&s.Workflows, c.path)
			break
		}
	}
	switch {
	case c.now.mode == modeLink:
		target, _, err := o.read(c.now.hash, plumbing.BlobObject)
		if err != nil {
			return err
		}
		if leaves(c.path, string(target)) {
			note(&s.Links, c.path)
		}
	case c.now.mode != 0 && strings.EqualFold(path.Base(c.path), ".gitattributes"):
		data, _, err := o.read(c.now.hash, plumbing.BlobObject)
		if err != nil {
			return err
		}
		if steers(data) {
			note(&s.Attributes, c.path)
		}
	}
	return nil
}

// leaves says whether a link at a path points out of the worktree, by its
// text; what other links make of it is not followed.
func leaves(at, target string) bool {
	if path.IsAbs(target) {
		return true
	}
	to := path.Join(path.Dir(at), target)
	return to == ".." || strings.HasPrefix(to, "../") || to == ".git" || strings.HasPrefix(to, ".git/")
}

// steers says whether an attributes file names a filter or driver.
func steers(data []byte) bool {
	for word := range strings.FieldsSeq(string(data)) {
		for _, key := range []string{"filter=", "diff=", "merge="} {
			if strings.HasPrefix(word, key) {
				return true
			}
		}
	}
	return false
}
