package seal

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"lane/gitdiscover"
)

// What kinds of things a sweep finds. Each is a stable word.
const (
	// FoundRepository is a nested .git: git commands below it obey it.
	FoundRepository = "repository"
	// FoundBare is a directory that git takes for a repository by its content.
	FoundBare = "bare-repository"
	// FoundLookAlike is a name that is .git on other file systems.
	FoundLookAlike = "dotgit-look-alike"
	// FoundAttributes is a .gitattributes that names filters or drivers.
	FoundAttributes = "attributes"
	// FoundSubmodules is a .gitmodules.
	FoundSubmodules = "submodules"
	// FoundWiring makes an agent, an editor or a shell run code, here or in
	// any directory below.
	FoundWiring = "wiring"
	// FoundHook is a file in a directory that core.hooksPath names.
	FoundHook = "hook"
	// FoundSetuid runs with the rights of its owner or group.
	FoundSetuid = "setuid"
	// FoundSpecial is a FIFO, socket or device: to open it can wait for ever.
	FoundSpecial = "special"
	// FoundLinkOutside is a symbolic link that leaves the worktree.
	FoundLinkOutside = "link-outside"
)

// Finding is one thing to look at before anything touches the worktree.
type Finding struct {
	Path Name   `json:"path"` // relative to the worktree
	Kind string `json:"kind"`
	// Was is "appeared" or "changed".
	Was    string `json:"was"`
	Detail string `json:"detail,omitempty"`
	// Runs are, for a repository, what in it makes git run something or
	// look elsewhere: config keys, hooks, core.worktree.
	Runs []string `json:"runs,omitempty"`
}

// SweepReport is what a sweep found. It is clean only if there is nothing in
// it: no finding and no reason why there may be more.
type SweepReport struct {
	Findings []Finding `json:"findings"`
	// More counts findings beyond the list.
	More int `json:"more,omitempty"`
	// Entries is how many names were looked at.
	Entries int `json:"entries"`
	// Incomplete says why there may be more: a cap that was hit, a directory
	// that could not be read.
	Incomplete []string `json:"incomplete,omitempty"`
}

// Clean says that everything was looked at and nothing found.
func (r SweepReport) Clean() bool { return len(r.Findings) == 0 && len(r.Incomplete) == 0 }

const maxFindings = 1000 // of a kind: a thousand of one must not hide another

// SweepOptions say what was there before, and what else to look for.
type SweepOptions struct {
	// Before is what the worktree held before the run; what has the same
	// stamp now is no finding. Without it everything counts as appeared.
	Before *Tree
	// Wiring are names as in [Options]; here they count in every directory.
	Wiring []string
	// Hooks are directories of the worktree that core.hooksPath names, see
	// [Seal.HooksPaths].
	Hooks []string
	// CommonDir is the repository's own git directory: a .git file that names a
	// worktree of it, and is named by it in turn, is what git worktree add made.
	CommonDir string
	// Skip are absolute paths that are not entered: other worktrees below
	// this one. They were not the agent's to write.
	Skip []string
	// Caps bound the sweep. The zero value is [DefaultCaps].
	Caps Caps
}

// HooksPaths are the directories of the worktree that core.hooksPath named
// when the seal was taken, relative to it.
func (s Seal) HooksPaths() []string { return append([]string(nil), s.hooks...) }

// Sweep looks through a worktree once the last process that could write it is
// gone, and lists what appeared or changed that acts when it is next touched.
// It follows no link, opens no special file, and reads only .gitattributes and
// what makes a nested repository run something.
//
// What it does not list is what is code in plain sight: build files, scripts,
// tests. They are the agent's work, and to run them is to run it.
func Sweep(ctx context.Context, worktree string, opt SweepOptions) SweepReport {
	s := &sweep{scan: newScan(ctx, opt.Caps, gitdiscover.Repo{Worktree: worktree}, opt.Skip), opt: opt, wiring: map[string][]string{}, kinds: map[string]int{}, report: SweepReport{Findings: []Finding{}}}
	for _, w := range opt.Wiring {
		s.wiring[path.Base(w)] = append(s.wiring[path.Base(w)], w)
	}
	d, err := openFolder(worktree, false)
	if err != nil {
		s.miss("%s", closedText(err))
	} else {
		defer d.close()
		s.root = d
		s.dir(d, "", place{})
	}
	if s.report.More > 0 {
		s.miss("%d findings beyond %d of a kind are not listed", s.report.More, maxFindings)
	}
	s.report.Entries, s.report.Incomplete = s.entries, s.incomplete
	return s.report
}

type sweep struct {
	scan
	opt    SweepOptions
	root   *folder
	wiring map[string][]string // by last component
	kinds  map[string]int
	report SweepReport
}

// place is what is known of a directory from those above it.
type place struct {
	depth int
	// inside is the kind of finding that every new file here is, "" for none:
	// a directory of wiring or hooks that was there before. In one that is a
	// finding itself, files are listed only for what they are on their own;
	// that they always are, or a harmless-looking directory would hide them.
	inside string
}

func (s *sweep) add(f Finding) {
	if s.kinds[f.Kind]++; s.kinds[f.Kind] > maxFindings {
		s.report.More++
		return
	}
	s.report.Findings = append(s.report.Findings, f)
}

// dir looks at one directory: at its entries one by one, and at whether they
// are together what git takes for a repository.
func (s *sweep) dir(d *folder, rel string, at place) {
	var bare bareLook
	var subdirs []string
	s.list(d, ".", rel, at.depth, func(in *folder, e fs.DirEntry) {
		if rel == "" && e.Name() == ".git" {
			return // the worktree's own, which the seal is of
		}
		bare.see(e)
		if e.IsDir() {
			subdirs = append(subdirs, e.Name())
			return
		}
		s.file(in, e.Name(), childPath(rel, e.Name()), at)
	})
	if bare.is() && path.Base(rel) != ".git" && rel != "" {
		s.repository(d, rel, FoundBare, bare.present)
	}
	for _, sub := range subdirs {
		if s.stopped {
			return
		}
		s.subdir(d, sub, childPath(rel, sub), at)
	}
}

// subdir goes into a directory with what its name says about it.
func (s *sweep) subdir(d *folder, name, rel string, at place) {
	if s.skip[s.top+"/"+rel] {
		return
	}
	in, err := d.child(name)
	if err != nil {
		if !isGone(err) {
			s.miss("%s cannot be entered: %s", Name(shortened(rel)), closedMark(err).why)
		}
		return
	}
	defer in.close()
	at.depth++
	switch {
	case name == ".git":
		if s.opt.Before != nil && s.opt.Before.Repositories[rel] {
			return // it was protected during the run
		}
		s.repository(in, rel, FoundRepository, gitFiles)
	case looksLikeDotGit(name):
		s.newDir(rel, FoundLookAlike)
	case s.isHooks(rel):
		at.inside = s.newDir(rel, FoundHook)
	case s.isWiring(name, rel):
		at.inside = s.newDir(rel, FoundWiring)
	}
	s.dir(in, rel, at)
}

// newDir lists a directory that was not there before, as a whole. For one that
// was it returns the kind that new files in it are.
func (s *sweep) newDir(rel, kind string) (inside string) {
	if s.had(rel) {
		return kind
	}
	s.add(Finding{Path: Name(rel), Kind: kind, Was: "appeared", Detail: dir.String()})
	return ""
}

// had says that a directory was there before the run.
func (s *sweep) had(rel string) bool { return s.opt.Before != nil && s.opt.Before.Dirs[rel] }

// since says whether a file appeared or changed since before, "" for neither.
func (s *sweep) since(rel string, now Stamp) string {
	if s.opt.Before == nil {
		return "appeared"
	}
	switch was, ok := s.opt.Before.Files[rel]; {
	case !ok && !s.opt.Before.Repositories[rel]:
		return "appeared"
	case was != now && ok:
		return "changed"
	}
	return ""
}

func (s *sweep) isHooks(rel string) bool {
	for _, h := range s.opt.Hooks {
		if h == rel {
			return true
		}
	}
	return false
}

func (s *sweep) isWiring(base, rel string) bool {
	for _, w := range s.wiring[base] {
		if rel == w || strings.HasSuffix(rel, "/"+w) {
			return true
		}
	}
	return false
}

// file looks at one entry that is no directory. What is to be said about it is
// told by its name first, then by what kind of thing it is.
func (s *sweep) file(in *folder, name, rel string, at place) {
	var st unix.Stat_t
	if err := unix.Fstatat(in.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if !isGone(err) {
			s.miss("%s: %s", Name(shortened(rel)), closedMark(err).why)
		}
		return
	}
	was := s.since(rel, stampOf(&st))
	if was == "" {
		return
	}
	f := Finding{Path: Name(rel), Was: was}
	m := markOf(&st)
	switch {
	case name == ".git":
		f.Kind, f.Detail = FoundRepository, pointerText(in, m)
		if s.leadsOut(in, rel, m) {
			f.Runs = []string{"leads out of the worktree"}
		}
	case looksLikeDotGit(name):
		f.Kind = FoundLookAlike
	case at.inside != "":
		f.Kind = at.inside
	case s.isWiring(name, rel):
		f.Kind = FoundWiring
	case s.isHookFile(rel):
		f.Kind = FoundHook
	case strings.EqualFold(name, ".gitmodules"):
		f.Kind = FoundSubmodules
	case strings.EqualFold(name, ".gitattributes"):
		f.Kind, f.Detail = s.attributes(in, name, rel, m)
	}
	if f.Kind != "" {
		s.add(f)
	}
	s.byForm(in, name, f, m)
}

// isHookFile is for core.hooksPath that is the worktree itself.
func (s *sweep) isHookFile(rel string) bool {
	if !s.isHooks(".") {
		return false
	}
	for _, h := range hookNames {
		if h == rel {
			return true
		}
	}
	return false
}

// byForm lists what acts by what it is, wherever it lies.
func (s *sweep) byForm(in *folder, name string, f Finding, m mark) {
	switch {
	case m.form == special:
		f.Kind, f.Detail = FoundSpecial, m.form.String()
	case m.form == file && (m.mode&unix.S_ISUID != 0 || m.mode&unix.S_ISGID != 0 && m.mode&0o010 != 0):
		f.Kind, f.Detail = FoundSetuid, fmt.Sprintf("mode %04o", m.mode)
	case m.form == link:
		target, outside := s.leaves(in, name, string(f.Path))
		if !outside {
			return
		}
		f.Kind, f.Detail, f.Runs = FoundLinkOutside, "to "+shown(target), nil
	default:
		return
	}
	s.add(f)
}
