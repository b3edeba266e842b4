package gitdiscover

import (
	"os"
	"slices"
	"testing"

	"lane/e2e/feature"
)

// Shorthands for the steps of the rows below.
var (
	mainRepo = [][]string{{"repo", "main"}}
	linked   = [][]string{{"repo", "main"}, {"worktree"}}
	other    = []string{"repo", "other"}
)

func steps(base [][]string, more ...[]string) [][]string { return slices.Concat(base, more) }

// config returns the step that replaces the main repository's config.
func config(text string) []string { return []string{"write", "{R}/main/.git/config", text} }

const (
	v0 = "[core]\n\trepositoryformatversion = 0\n"
	v1 = "[core]\n\trepositoryformatversion = 1\n"
	id = "{R}/main/.git/worktrees/wt"
)

// accepted fills in the three paths of a main or a linked worktree.
func accepted(l layout) layout {
	if l.Cwd == "" {
		l.Cwd = "{R}/wt"
	}
	if l.Worktree == "" {
		l.Worktree = l.Cwd
	}
	if l.CommonDir == "" {
		l.CommonDir = "{R}/main/.git"
	}
	if l.GitDir == "" {
		l.GitDir = id
		if l.Cwd == "{R}/main" {
			l.GitDir = l.CommonDir
		}
	}
	l.Basis, l.Git = "git", "yes"
	return l
}

// refused says that git fails too; stricter, that git would go on.
func refused(c Class, cwd string, build [][]string) layout {
	return layout{Build: build, Cwd: cwd, Class: c, Basis: "git", Git: "yes"}
}

func stricter(c Class, cwd string, build [][]string) layout {
	return layout{Build: build, Cwd: cwd, Class: c, Basis: "recommended", Git: "stricter"}
}

func onMain(build ...[]string) layout {
	return accepted(layout{Cwd: "{R}/main", Build: steps(mainRepo, build...)})
}
func onLinked(build ...[]string) layout { return accepted(layout{Build: steps(linked, build...)}) }

// TestRules pins the rules of git's discovery and of ours on top, each in the
// smallest layout that shows it, with the installed git asked as well.
func TestRules(t *testing.T) {
	for name, rows := range map[string]map[string]layout{
		"walk": walkRules, "pointer": pointerRules, "head": headRules, "commondir": commonDirRules,
		"config": configRules, "back": backRules, "shapes": shapeRules,
	} {
		for rule, l := range rows {
			t.Run(name+"/"+rule, func(t *testing.T) {
				if slices.Contains(l.Needs, "root") && os.Geteuid() != 0 {
					feature.Missing(t, "root", "this is another user")
				}
				s := newSite(t)
				s.build(l)
				s.judge(l)
			})
		}
	}
}

var walkRules = map[string]layout{
	"start below, through a directory of patterns": accepted(layout{Cwd: "{R}/main/[slug]/*", Worktree: "{R}/main", GitDir: "{R}/main/.git",
		Build: steps(mainRepo, []string{"mkdir", "{R}/main/[slug]/*"})}),
	"start through a link named like a pattern": accepted(layout{Cwd: "{R}/l*", Worktree: "{R}/wt",
		Build: steps(linked, []string{"symlink", "{R}/l*", "wt"})}),
	"a broken .git directory twice is still no repository": refused(NotARepository, "{R}/a/b", [][]string{{"mkdir", "{R}/a/.git"}, {"mkdir", "{R}/a/b/.git"}}),
	"a broken .git directory below a worktree is not passed over": stricter(SkippedDotgit, "{R}/wt/sub",
		steps(linked, []string{"mkdir", "{R}/wt/sub/.git"})),
	"a dangling pointer above a broken .git is git's answer": refused(DanglingGitdir, "{R}/a/b",
		[][]string{{"write", "{R}/a/.git", "gitdir: none\n"}, {"mkdir", "{R}/a/b/.git"}}),
	"a socket named .git":                          refusedAlone("socket", NotRegular),
	"a link to a good .git directory":              stricter(SymlinkDotgit, "{R}/d", steps(mainRepo, []string{"symlink", "{R}/d/.git", "{R}/main/.git"})),
	"a link to a device":                           stricter(SymlinkDotgit, "{R}/main/sub", steps(mainRepo, []string{"symlink", "{R}/main/sub/.git", "/dev/zero"})),
	"a link to a directory that is none":           stricter(SymlinkDotgit, "{R}/main/sub", steps(mainRepo, []string{"mkdir", "{R}/e"}, []string{"symlink", "{R}/main/sub/.git", "{R}/e"})),
	"in .git/refs/heads":                           refused(InsideGitdir, "{R}/main/.git/refs/heads", mainRepo),
	"in worktrees/<id>":                            refused(InsideGitdir, id, linked),
	"in worktrees/<id> of a bare repository":       refused(InsideGitdir, "{R}/b.git/worktrees/wt", bareHub("{R}/wt")),
	"below a bare repository":                      refused(Bare, "{R}/b.git/refs", [][]string{{"git", "init", "-q", "--bare", "{R}/b.git"}}),
	"a bare repository inside a worktree":          refused(Bare, "{R}/main/b.git", steps(mainRepo, []string{"git", "init", "-q", "--bare", "{R}/main/b.git"})),
	"HEAD alone does not make a bare repository":   accepted(layout{Cwd: "{R}/main/sub", Worktree: "{R}/main", GitDir: "{R}/main/.git", Build: steps(mainRepo, []string{"write", "{R}/main/sub/HEAD", "ref: refs/heads/main\n"})}),
	"a FIFO named HEAD on the way up":              stricter(NotRegular, "{R}/main/sub", steps(mainRepo, []string{"mkdir", "{R}/main/sub"}, []string{"mkfifo", "{R}/main/sub/HEAD"})),
	"a directory named HEAD on the way up":         accepted(layout{Cwd: "{R}/main/sub", Worktree: "{R}/main", GitDir: "{R}/main/.git", Build: steps(mainRepo, []string{"mkdir", "{R}/main/sub/HEAD"})}),
	"a worktree that is a mount point":             accepted(layout{Needs: []string{"root"}, Build: steps(mainRepo, []string{"mount", "{R}/wt"}, []string{"worktree"})}),
	"a .git directory that is a mount point":       accepted(layout{Needs: []string{"root"}, Cwd: "{R}/main", Build: steps([][]string{{"mount", "{R}/main/.git"}, {"repo", "main"}})}),
	"a bind mount of a subdirectory ends the walk": refusedRoot(NotARepository, "{R}/out", steps(mainRepo, []string{"mkdir", "{R}/main/sub"}, []string{"bind", "{R}/main/sub", "{R}/out"})),
}

func refusedAlone(step string, c Class) layout {
	return refused(c, "{R}/d", [][]string{{"mkdir", "{R}/d"}, {step, "{R}/d/.git"}})
}

func refusedRoot(c Class, cwd string, build [][]string) layout {
	l := refused(c, cwd, build)
	l.Needs = []string{"root"}
	return l
}

func pointer(text string) []string { return []string{"write", "{R}/wt/.git", text} }

var pointerRules = map[string]layout{
	"relative":                      onLinked(pointer("gitdir: ../main/.git/worktrees/wt\n")),
	"many newlines behind it":       onLinked(pointer("gitdir: " + id + "\n\n\n\r\r\n")),
	"blanks before the path":        refused(DanglingGitdir, "{R}/wt", steps(linked, pointer("gitdir:  "+id+"\n"))),
	"only newlines":                 refused(InvalidGitfile, "{R}/wt", steps(linked, pointer("gitdir: \r\n\r\n"))),
	"only the key":                  refused(InvalidGitfile, "{R}/wt", steps(linked, pointer("gitdir:"))),
	"NUL at once":                   refused(ControlCharacter, "{R}/wt", steps(linked, pointer("gitdir: \x00"))),
	"a comment behind it":           refused(DanglingGitdir, "{R}/wt", steps(linked, pointer("gitdir: "+id+" # x\n"))),
	"8 KiB":                         accepted(layout{Build: steps(linked, []string{"fill", "{R}/wt/.git", "gitdir: " + id, "\n", "8192"})}),
	"one byte more":                 stricter(TooLarge, "{R}/wt", steps(linked, []string{"fill", "{R}/wt/.git", "gitdir: " + id, "\n", "8193"})),
	"longer than a path":            refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"fill", "{R}/wt/.git", "gitdir: " + id, "/.", "2300"})),
	"just short enough for a path":  accepted(layout{Build: steps(linked, []string{"fill", "{R}/wt/.git", "gitdir: " + id, "/", "4080"})}),
	"a pattern that dangles":        refused(GlobCharacter, "{R}/wt", steps(linked, pointer("gitdir: ../no*ne\n"))),
	"a pattern that resolves clean": stricter(GlobCharacter, "{R}/wt", steps(linked, []string{"symlink", "{R}/l?", "main"}, pointer("gitdir: ../l?/.git/worktrees/wt\n"))),
	"clean, resolves to a pattern":  stricter(GlobCharacter, "{R}/wt", steps([][]string{{"repo", "a*b/main"}}, []string{"symlink", "{R}/l", "a*b"}, []string{"git", "-C", "{R}/l/main", "worktree", "add", "-q", "{R}/wt"}, pointer("gitdir: ../l/main/.git/worktrees/wt\n"))),
	"through a link":                onLinked([]string{"symlink", "{R}/l", "main"}, pointer("gitdir: {R}/l/.git/worktrees/wt\n")),
	"through /dev/fd":               refused(UnstablePath, "{R}/wt", steps(linked, pointer("gitdir: /dev/fd/0\n"))),
	"through a link into /proc":     stricter(UnstablePath, "{R}/wt", steps(linked, []string{"symlink", "{R}/l", "/proc/self/root"}, pointer("gitdir: ../l{R}/main/.git/worktrees/wt\n"))),
	"up out of /proc":               stricter(UnstablePath, "{R}/wt", steps(linked, pointer("gitdir: /proc/..{R}/main/.git/worktrees/wt\n"))),
	"the root directory":            refused(DanglingGitdir, "{R}/wt", steps(linked, pointer("gitdir: /\n"))),
	"the worktree itself":           refused(DanglingGitdir, "{R}/wt", steps(linked, pointer("gitdir: .\n"))),
	"a directory missing before ..": refused(DanglingGitdir, "{R}/wt", steps(linked, pointer("gitdir: none/../../main/.git/worktrees/wt\n"))),
	"a file before ..":              refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"write", "{R}/wt/f", "x"}, pointer("gitdir: f/../../main/.git/worktrees/wt\n"))),
	"a FIFO as git directory":       refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"mkfifo", "{R}/p"}, pointer("gitdir: ../p\n"))),
	"a hard link of a pointer":      stricter(PointerMismatch, "{R}/evil", steps(linked, []string{"mkdir", "{R}/evil"}, []string{"hardlink", "{R}/evil/.git", "{R}/wt/.git"})),
}

func head(text string) []string { return []string{"write", "{R}/main/.git/HEAD", text} }

var headRules = map[string]layout{
	"64 hex digits":                     onMain(head("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")),
	"upper case hex":                    onMain(head("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")),
	"39 hex digits":                     refused(NotARepository, "{R}/main", steps(mainRepo, head("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"))),
	"no blank behind ref:":              onMain(head("ref:refs/heads/main")),
	"newlines behind ref:":              onMain(head("ref:\n\n refs/heads/main\n")),
	"a form feed behind ref:":           refused(NotARepository, "{R}/main", steps(mainRepo, head("ref:\frefs/heads/main\n"))),
	"REF:":                              refused(NotARepository, "{R}/main", steps(mainRepo, head("REF: refs/heads/main\n"))),
	"a blank before ref:":               refused(NotARepository, "{R}/main", steps(mainRepo, head(" ref: refs/heads/main\n"))),
	"a NUL in the ref":                  refused(NotARepository, "{R}/main", steps(mainRepo, head("ref: \x00refs/heads/main\n"))),
	"refs/ alone":                       onMain(head("ref: refs/\n")),
	"a huge HEAD":                       onMain([]string{"fill", "{R}/main/.git/HEAD", "ref: refs/heads/main\n", "x\n", "1000000"}),
	"blanks up to the 255th byte":       refused(NotARepository, "{R}/main", steps(mainRepo, head("ref:"+spaces(250)+"refs/heads/main\n"))),
	"blanks up to what is looked at":    onMain(head("ref:" + spaces(246) + "refs/heads/main\n")),
	"a link that does not start refs/":  refused(NotARepository, "{R}/main", steps(mainRepo, []string{"mv", "{R}/main/.git/HEAD", "{R}/h"}, []string{"symlink", "{R}/main/.git/HEAD", "{R}/h"})),
	"a socket":                          refused(NotRegular, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/HEAD"}, []string{"socket", "{R}/main/.git/HEAD"})),
	"a link to objects":                 onMain([]string{"mv", "{R}/main/.git/objects", "{R}/o"}, []string{"symlink", "{R}/main/.git/objects", "{R}/o"}),
	"a link to refs":                    onMain([]string{"mv", "{R}/main/.git/refs", "{R}/o"}, []string{"symlink", "{R}/main/.git/refs", "{R}/o"}),
	"objects as an executable file":     onMain([]string{"rm", "{R}/main/.git/objects"}, []string{"write", "{R}/main/.git/objects", ""}, []string{"chmod", "{R}/main/.git/objects", "755"}),
	"objects as a FIFO":                 refused(NotARepository, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/objects"}, []string{"mkfifo", "{R}/main/.git/objects"})),
	"objects as a dangling link":        refused(NotARepository, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/objects"}, []string{"symlink", "{R}/main/.git/objects", "none"})),
	"refs of a linked worktree missing": refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"rm", "{R}/main/.git/refs"})),
	"HEAD of a worktree as a device":    {Needs: []string{"root"}, Cwd: "{R}/wt", Class: NotRegular, Git: "yes", Build: steps(linked, []string{"rm", id + "/HEAD"}, []string{"mknod", id + "/HEAD", "3"})},
	"HEAD of a worktree as a FIFO":      stricter(NotRegular, "{R}/wt", steps(linked, []string{"rm", id + "/HEAD"}, []string{"mkfifo", id + "/HEAD"})),
}

func spaces(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ' '
	}
	return string(b)
}

func common(text string) []string { return []string{"write", id + "/commondir", text} }

var commonDirRules = map[string]layout{
	"empty":                            refused(InvalidCommondir, "{R}/wt", steps(linked, common(""))),
	"names a missing last component":   refused(DanglingGitdir, "{R}/wt", steps(linked, common("{R}/none\n"))),
	"the same, with a slash behind it": refused(InvalidCommondir, "{R}/wt", steps(linked, common("{R}/none/\n"))),
	"names a file":                     refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"write", "{R}/f", "x"}, common("{R}/f\n"))),
	"leads through a file":             refused(InvalidCommondir, "{R}/wt", steps(linked, []string{"write", "{R}/f", "x"}, common("{R}/f/x\n"))),
	"leads through a loop":             refused(InvalidCommondir, "{R}/wt", steps(linked, []string{"symlink", "{R}/l", "l"}, common("{R}/l/x\n"))),
	"names an empty directory":         refused(DanglingGitdir, "{R}/wt", steps(linked, []string{"mkdir", "{R}/e"}, common("{R}/e\n"))),
	"names the gitdir":                 refused(DanglingGitdir, "{R}/wt", steps(linked, common(".\n"))),
	"through a link":                   onLinked([]string{"symlink", "{R}/l", "main"}, common("{R}/l/.git\n")),
	"a blank behind it":                refused(DanglingGitdir, "{R}/wt", steps(linked, common("../.. \n"))),
	"through /proc":                    stricter(UnstablePath, "{R}/wt", steps(linked, common("/proc/self/root{R}/main/.git\n"))),
	"a link to a FIFO":                 stricter(NotRegular, "{R}/wt", steps(linked, []string{"rm", id + "/commondir"}, []string{"mkfifo", "{R}/p"}, []string{"symlink", id + "/commondir", "{R}/p"})),
	"a link to a loop":                 refused(InvalidCommondir, "{R}/wt", steps(linked, []string{"rm", id + "/commondir"}, []string{"symlink", id + "/commondir", "commondir"})),
	"a socket":                         refused(NotRegular, "{R}/wt", steps(linked, []string{"rm", id + "/commondir"}, []string{"socket", id + "/commondir"})),
	"one level up":                     refused(DanglingGitdir, "{R}/wt", steps(linked, common("..\n"))),
	"ends in an escape":                refused(ControlCharacter, "{R}/wt", steps(linked, common("../..\x1b[0m\n"))),
	"of a plain .git names itself":     onMain([]string{"write", "{R}/main/.git/commondir", ".\n"}),
	"of a plain .git hides core.worktree": onMain([]string{"write", "{R}/main/.git/commondir", "../.git\n"},
		config(v0+"\tworktree = /\n\tbare = true\n")),
	"of a plain .git is empty":   refused(InvalidCommondir, "{R}/main", steps(mainRepo, []string{"write", "{R}/main/.git/commondir", ""})),
	"of a plain .git dangles":    refused(NotARepository, "{R}/main", steps(mainRepo, []string{"write", "{R}/main/.git/commondir", "none\n"})),
	"of a copied worktrees/<id>": stricter(CommondirMismatch, "{R}/evil", steps(linked, []string{"cp", id, "{R}/id"}, []string{"write", "{R}/id/commondir", "{R}/main/.git\n"}, []string{"write", "{R}/id/gitdir", "{R}/evil/.git\n"}, []string{"write", "{R}/evil/.git", "gitdir: ../id\n"})),
}

var configRules = map[string]layout{
	"empty":                                     onMain(config("")),
	"a directory":                               refused(BadConfig, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/config"}, []string{"mkdir", "{R}/main/.git/config"})),
	"a dangling link":                           onMain([]string{"rm", "{R}/main/.git/config"}, []string{"symlink", "{R}/main/.git/config", "none"}),
	"a loop":                                    refused(BadConfig, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/config"}, []string{"symlink", "{R}/main/.git/config", "config"})),
	"a link to a FIFO":                          stricter(NotRegular, "{R}/main", steps(mainRepo, []string{"rm", "{R}/main/.git/config"}, []string{"mkfifo", "{R}/p"}, []string{"symlink", "{R}/main/.git/config", "{R}/p"})),
	"larger than 1 MiB":                         stricter(TooLarge, "{R}/main", steps(mainRepo, []string{"fill", "{R}/main/.git/config", v0, "\n", "1048577"})),
	"section and name in any case":              refused(Bare, "{R}/main", steps(mainRepo, config("[CORE]\nRepositoryFormatVersion=0\nBARE=On\n"))),
	"a name alone is true":                      refused(Bare, "{R}/main", steps(mainRepo, config(v0+"\tbare\n"))),
	"a number is true":                          refused(Bare, "{R}/main", steps(mainRepo, config(v0+"\tbare = 0x10\n"))),
	"an empty value is false":                   onMain(config(v0 + "\tbare =\n")),
	"the last one counts":                       onMain(config(v0 + "\tbare = true\n\tbare = no\n")),
	"a bad value counts at once":                refused(BadConfig, "{R}/main", steps(mainRepo, config(v0+"\tbare = maybe\n\tbare = no\n"))),
	"a bad value without a version":             refused(BadConfig, "{R}/main", steps(mainRepo, config("[core]\n\tbare = maybe\n"))),
	"a subsection is another key":               onMain(config(v0 + "[core \"x\"]\n\tbare = true\n")),
	"a version that is no number":               refused(BadConfig, "{R}/main", steps(mainRepo, config("[core]\n\trepositoryformatversion = x\n"))),
	"a version alone":                           refused(BadConfig, "{R}/main", steps(mainRepo, config("[core]\n\trepositoryformatversion\n"))),
	"a version below zero is none":              onMain(config("[core]\n\trepositoryformatversion = -1\n\tbare = true\n")),
	"version 1k":                                refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config("[core]\n\trepositoryformatversion = 1k\n"))),
	"version 2":                                 refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config("[core]\n\trepositoryformatversion = 2\n"))),
	"version 01":                                onMain(config("[core]\n\trepositoryformatversion = 01\n")),
	"an unknown extension in v0":                onMain(config(v0 + "[extensions]\n\tlaneNone = 1\n")),
	"a subsection is unknown in v1":             refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config(v1+"[extensions \"noop\"]\n\tx = 1\n"))),
	"noop, preciousObjects, partialClone":       onMain(config(v1 + "[extensions]\n\tnoop = 1\n\tpreciousObjects = true\n\tpartialClone = origin\n")),
	"preciousObjects in v0":                     onMain(config(v0 + "[extensions]\n\tpreciousObjects = true\n")),
	"objectFormat in v0":                        refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config(v0+"[extensions]\n\tobjectFormat = sha1\n"))),
	"objectFormat in v1":                        onMain(config(v1 + "[extensions]\n\tobjectFormat = sha1\n")),
	"an unknown objectFormat":                   refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config(v1+"[extensions]\n\tobjectFormat = sha3\n"))),
	"an unknown refStorage":                     refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config(v1+"[extensions]\n\trefStorage = sqlite\n"))),
	"refStorage with a directory":               refused(UnsupportedFormat, "{R}/main", steps(mainRepo, config(v1+"[extensions]\n\trefStorage = reftable:///tmp\n"))),
	"refStorage files":                          newer("2.45", onMain(config(v1+"[extensions]\n\trefStorage = files\n"))),
	"compatObjectFormat":                        newer("2.45", onMain(config(v1+"[extensions]\n\tcompatObjectFormat = sha256\n"))),
	"includes are not followed":                 onMain([]string{"write", "{R}/inc", "[core]\n\tbare = true\n\tworktree = /\n"}, config(v0+"[include]\n\tpath = {R}/inc\n")),
	"core.worktree empty":                       refused(WorktreeRedirect, "{R}/main", steps(mainRepo, config(v0+"\tworktree =\n"))),
	"core.worktree alone":                       refused(BadConfig, "{R}/main", steps(mainRepo, config(v0+"\tworktree\n"))),
	"core.worktree missing":                     refused(WorktreeRedirect, "{R}/main", steps(mainRepo, config(v0+"\tworktree = none/x\n"))),
	"core.worktree with a tilde":                refused(WorktreeRedirect, "{R}/main", steps(mainRepo, config(v0+"\tworktree = ~/x\n"))),
	"core.worktree through a link":              onMain([]string{"symlink", "{R}/l", "main"}, config(v0+"\tworktree = {R}/l\n")),
	"core.worktree one level too high":          stricter(WorktreeRedirect, "{R}/main", steps(mainRepo, config(v0+"\tworktree = ../..\n"))),
	"core.worktree and core.bare":               refused(Bare, "{R}/main", steps(mainRepo, config(v0+"\tworktree = ..\n\tbare = true\n"))),
	"core.worktree through /proc":               stricter(UnstablePath, "{R}/main", steps(mainRepo, config(v0+"\tworktree = /proc/self/cwd\n"))),
	"core.worktree with a pattern":              stricter(GlobCharacter, "{R}/main", steps(mainRepo, []string{"symlink", "{R}/l*", "main"}, config(v0+"\tworktree = {R}/l*\n"))),
	"config.worktree without the extension":     onMain(config(v0), []string{"write", "{R}/main/.git/config.worktree", "[core]\n\tbare = true\n"}),
	"config.worktree sets bare":                 refused(Bare, "{R}/main", steps(mainRepo, config(v0+"[extensions]\n\tworktreeConfig = true\n"), []string{"write", "{R}/main/.git/config.worktree", "[core]\n\tbare = true\n"})),
	"config.worktree unsets bare":               onMain(config(v0+"\tbare = true\n[extensions]\n\tworktreeConfig = true\n"), []string{"write", "{R}/main/.git/config.worktree", "[core]\n\tbare = false\n"}),
	"config.worktree of a linked one redirects": stricter(WorktreeRedirect, "{R}/wt", steps(linked, []string{"mkdir", "{R}/x"}, config(v0+"[extensions]\n\tworktreeConfig = true\n"), []string{"write", id + "/config.worktree", "[core]\n\tworktree = {R}/x\n"})),
	"config.worktree of a linked one names it":  onLinked(config(v0+"[extensions]\n\tworktreeConfig = true\n"), []string{"write", id + "/config.worktree", "[core]\n\tworktree = {R}/wt\n"}),
	"shared core.worktree reaches a linked one": stricter(WorktreeRedirect, "{R}/wt", steps(linked, []string{"mkdir", "{R}/x"}, config(v0+"\tworktree = {R}/x\n[extensions]\n\tworktreeConfig = true\n"))),
	"config.worktree with a syntax error":       refused(BadConfig, "{R}/main", steps(mainRepo, config(v0+"[extensions]\n\tworktreeConfig = true\n"), []string{"write", "{R}/main/.git/config.worktree", "[core\n"})),
	"config.worktree as a FIFO":                 stricter(NotRegular, "{R}/wt", steps(linked, config(v0+"[extensions]\n\tworktreeConfig = true\n"), []string{"mkfifo", id + "/config.worktree"})),
	"worktreeConfig in v1":                      onLinked(config(v1 + "[extensions]\n\tworktreeConfig = yes\n")),
	"worktreeConfig without a version":          onLinked(config("[core]\n\tbare = true\n[extensions]\n\tworktreeConfig = yes\n")),
	"a NUL byte":                                stricter(BadConfig, "{R}/main", steps(mainRepo, config(v0+"# \x00\n"))),
}

// newer says that the installed git may be too old to open the layout.
func newer(git string, l layout) layout {
	l.MinGit = git
	return l
}

func back(text string) []string { return []string{"write", id + "/gitdir", text} }

var backRules = map[string]layout{
	"empty":                     stricter(PointerMismatch, "{R}/wt", steps(linked, back(""))),
	"only a newline":            stricter(PointerMismatch, "{R}/wt", steps(linked, back("\n"))),
	"only .git":                 stricter(PointerMismatch, "{R}/wt", steps(linked, back(".git\n"))),
	"no newline":                onLinked(back("{R}/wt/.git")),
	"a slash behind it":         stricter(PointerMismatch, "{R}/wt", steps(linked, back("{R}/wt/.git/\n"))),
	"dangles":                   stricter(PointerMismatch, "{R}/wt", steps(linked, back("{R}/none/.git\n"))),
	"relative and wrong":        stricter(PointerMismatch, "{R}/wt", steps(linked, back("../wt/.git\n"))),
	"names a sibling":           stricter(PointerMismatch, "{R}/wt", steps(linked, []string{"git", "-C", "{R}/main", "worktree", "add", "-q", "{R}/w2"}, back("{R}/w2/.git\n"))),
	"NUL behind it":             stricter(ControlCharacter, "{R}/wt", steps(linked, back("{R}/wt/.git\x00x\n"))),
	"two lines":                 stricter(ControlCharacter, "{R}/wt", steps(linked, back("{R}/wt/.git\n{R}/wt/.git\n"))),
	"a pattern that resolves":   stricter(GlobCharacter, "{R}/wt", steps(linked, []string{"symlink", "{R}/l*", "wt"}, back("{R}/l*/.git\n"))),
	"through /proc":             stricter(UnstablePath, "{R}/wt", steps(linked, back("/proc/self/cwd/.git\n"))),
	"a directory":               stricter(PointerMismatch, "{R}/wt", steps(linked, []string{"rm", id + "/gitdir"}, []string{"mkdir", id + "/gitdir"})),
	"a dangling link":           stricter(PointerMismatch, "{R}/wt", steps(linked, []string{"rm", id + "/gitdir"}, []string{"symlink", id + "/gitdir", "none"})),
	"larger than 8 KiB":         stricter(TooLarge, "{R}/wt", steps(linked, []string{"fill", id + "/gitdir", "{R}/wt/.git", "\n", "9000"})),
	"through a link, relative":  onLinked([]string{"symlink", "{R}/alias", "wt"}, back("../../../../alias/.git\n")),
	"a dangling link elsewhere": onLinked([]string{"mkdir", "{R}/main/.git/worktrees/junk"}, []string{"symlink", "{R}/main/.git/worktrees/junk/gitdir", "none"}),
	"the worktree holds the repository": accepted(layout{Build: steps([][]string{{"repo", "wt/m"}},
		[]string{"git", "-C", "{R}/wt/m", "worktree", "add", "-q", "-f", "--no-checkout", "{R}/tmp"},
		[]string{"mv", "{R}/tmp/.git", "{R}/wt/.git"}, []string{"write", "{R}/wt/m/.git/worktrees/tmp/gitdir", "{R}/wt/.git\n"}),
		GitDir: "{R}/wt/m/.git/worktrees/tmp", CommonDir: "{R}/wt/m/.git"}),
	"a worktree inside another repository's .git": stricter(Overlap, "{R}/other/.git/x", steps(mainRepo, other, []string{"git", "-C", "{R}/main", "worktree", "add", "-q", "{R}/other/.git/x"})),
	"a worktree inside its bare repository":       stricter(Overlap, "{R}/b.git/lanes/wt", bareHub("{R}/b.git/lanes/wt")),
	"a worktree inside, mounted elsewhere": {Needs: []string{"root"}, Cwd: "{R}/out", Class: Overlap, Git: "stricter", Build: steps(bareHub("{R}/b.git/lanes/wt"),
		[]string{"bind", "{R}/b.git", "{R}/out"}, []string{"write", "{R}/b.git/.git", "gitdir: {R}/b.git/worktrees/wt\n"}, []string{"write", "{R}/b.git/worktrees/wt/gitdir", "{R}/out/.git\n"})},
}

func bareHub(wt string) [][]string {
	return [][]string{{"repo", "main"}, {"git", "clone", "-q", "--bare", "{R}/main", "{R}/b.git"}, {"git", "-C", "{R}/b.git", "worktree", "add", "-q", "-b", "wt", wt}}
}

var submodule = [][]string{{"repo", "lib"}, {"repo", "super"},
	{"git", "-C", "{R}/super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "{R}/lib", "sub"}}

var shapeRules = map[string]layout{
	"a submodule":                    accepted(layout{Cwd: "{R}/super/sub", Build: submodule, GitDir: "{R}/super/.git/modules/sub", CommonDir: "{R}/super/.git/modules/sub"}),
	"the checkout round a submodule": accepted(layout{Cwd: "{R}/super", Build: submodule, GitDir: "{R}/super/.git", CommonDir: "{R}/super/.git"}),
	"in a submodule's git directory": stricter(InsideGitdir, "{R}/super/.git/modules/sub", submodule),
	"a submodule moved by hand":      stricter(WorktreeRedirect, "{R}/evil", steps(submodule, []string{"write", "{R}/evil/.git", "gitdir: ../super/.git/modules/sub\n"})),
	"a sparse worktree":              onLinked([]string{"git", "-C", "{R}/wt", "sparse-checkout", "set", "x"}),
	"a worktree in a worktree":       accepted(layout{Cwd: "{R}/wt/in", GitDir: "{R}/main/.git/worktrees/in", Build: steps(linked, []string{"git", "-C", "{R}/wt", "worktree", "add", "-q", "{R}/wt/in"})}),
	"a bare hub with worktreeConfig": accepted(layout{GitDir: "{R}/b.git/worktrees/wt", CommonDir: "{R}/b.git", Build: steps(bareHub("{R}/wt"), []string{"git", "-C", "{R}/b.git", "config", "extensions.worktreeConfig", "true"}, []string{"git", "-C", "{R}/b.git", "config", "--unset", "core.bare"}, []string{"git", "-C", "{R}/b.git", "config", "--worktree", "core.bare", "true"})}),
	"a hub whose bare reaches all":   refused(Bare, "{R}/wt", steps(bareHub("{R}/wt"), []string{"git", "-C", "{R}/b.git", "config", "extensions.worktreeConfig", "true"})),
	"sha256, main":                   accepted(layout{Cwd: "{R}/main", Build: [][]string{{"git", "init", "-q", "--object-format=sha256", "{R}/main"}}}),
	"a linked one of a separate dir": accepted(layout{GitDir: "{R}/sep/worktrees/wt", CommonDir: "{R}/sep", Build: [][]string{{"git", "init", "-q", "--separate-git-dir", "{R}/sep", "{R}/main"}, {"git", "-C", "{R}/main", "commit", "-q", "--allow-empty", "-m", "x"}, {"worktree"}}}),
	"a separate dir named with glob": refused(GlobCharacter, "{R}/wt", [][]string{{"mkdir", "{R}/x"}, {"write", "{R}/wt/.git", "gitdir: {R}/se?p\n"}}),
	"names of every harmless kind":   accepted(layout{Cwd: "{R}/a b'c\"d$e`f", Build: steps(mainRepo, []string{"git", "-C", "{R}/main", "worktree", "add", "-q", "-b", "x", "{R}/a b'c\"d$e`f"}), GitDir: "*"}),
	"alternates as a FIFO":           stricter(NotRegular, "{R}/main", steps(mainRepo, []string{"mkdir", "{R}/main/.git/objects/info"}, []string{"mkfifo", "{R}/main/.git/objects/info/alternates"})),
	"worktrees as a file":            onMain([]string{"write", "{R}/main/.git/worktrees", "x"}),
}
