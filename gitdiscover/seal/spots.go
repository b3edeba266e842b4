package seal

import "strings"

// spot is one name, or one directory with all in it, of a git directory.
type spot struct {
	name string
	kind Kind
	how  how
	// why is for the reader of this table; what a kind means is in Kinds.
	why string
}

// how says how a spot is looked at.
type how uint8

const (
	content  how = iota // content decides
	text                // content decides, and is shown
	stamp               // size, times and inode decide; nothing is read
	standing            // it must stay the directory (or link, or absence) it is
	shape               // only what kind of thing it is: its content is for all
	tree                // all that is in it, by content
)

// ownSpots are in this worktree's own git directory.
var ownSpots = []spot{
	{"HEAD", Head, text, "names the branch"},
	{"commondir", CommonDir, text, "names config, hooks, refs and objects; obeyed in a plain .git too"},
	{"gitdir", BackPointer, text, "names the worktree"},
	{"config.worktree", WorktreeConfig, content, "config that overrides the shared one"},
	{"info/sparse-checkout", Info, content, "which files are there"},
	{"ORIG_HEAD", GitDir, text, "what reset and merge came from"},
	{"logs", GitDir, shape, "git appends to what it finds there, through a link too"},
	{"logs/HEAD", GitDir, shape, "git appends to what it finds there, through a link too"},
	{"rebase-merge", Operation, tree, "the todo list has exec lines"},
	{"rebase-apply", Operation, tree, "patches that the next step applies"},
	{"sequencer", Operation, tree, "the todo list of cherry-pick and revert"},
	{"MERGE_HEAD", Operation, text, "the next commit's parents"},
	{"CHERRY_PICK_HEAD", Operation, text, "the next commit's author and message"},
	{"REVERT_HEAD", Operation, text, "the next commit's message"},
	{"BISECT_LOG", Operation, content, "what bisect replays"},
	{"BISECT_START", Operation, text, "where bisect reset goes"},
	{"BISECT_NAMES", Operation, content, "what bisect looks at"},
	{"FETCH_HEAD", Fetched, stamp, "written by every fetch, an editor's too"},
	{"index", Index, stamp, "written by every status, an editor's too"},
	{"locked", WorktreeEntry, content, "keeps a worktree from being pruned"},
}

// sharedSpots are in the directory shared by all worktrees. The config and the
// refs are not here: they are compared by keys and names.
var sharedSpots = []spot{
	{"hooks", Hook, tree, "programs that git runs"},
	{"info/attributes", Info, content, "attaches filters and diff drivers to paths"},
	{"info/exclude", Info, content, "hides files"},
	{"info/grafts", Info, content, "gives commits other parents"},
	{"objects", Layout, standing, "where objects are"},
	{"objects/info", Layout, shape, "where the list of alternates is"},
	{"objects/info/alternates", Alternates, text, "where more objects are"},
	{"objects/info/http-alternates", Alternates, text, "where more objects are"},
	{"refs", Layout, standing, "where refs are"},
	{"worktrees", Layout, shape, "where the entries of worktrees are; comes and goes with them"},
	{"info", Layout, shape, "a link here would take attributes from elsewhere"},
	{"remotes", LegacyRemote, tree, "a url and refspecs in git's oldest form"},
	{"branches", LegacyRemote, tree, "a url in git's oldest form"},
	{"shallow", Shallow, stamp, "where history ends; a fetch moves it"},
}

// mainSpots are the main worktree's own files as a linked worktree sees them:
// somebody else's, but for those that would redirect the main worktree.
var mainSpots = []spot{
	{"commondir", CommonDir, text, "would send the main worktree to another repository"},
	{"HEAD", WorktreeEntry, text, "the main worktree's branch"},
	{"config.worktree", WorktreeEntry, stamp, "the main worktree's own config"},
	{"info/sparse-checkout", WorktreeEntry, stamp, "the main worktree's files"},
	{"FETCH_HEAD", Fetched, stamp, "written by every fetch, an editor's too"},
}

// entryFiles are what is looked at of every other worktree's entry.
var entryFiles = []string{"HEAD", "commondir", "gitdir", "config.worktree"}

// sampleSuffix marks files of hooks/ that git never runs: the name of a hook
// has no suffix.
const sampleSuffix = ".sample"

// kindOfEntry is the kind of one name in a tree: as its spot's, but for the
// samples that git init leaves in hooks/.
func kindOfEntry(s spot, name string) Kind {
	if s.kind == Hook && strings.HasSuffix(name, sampleSuffix) {
		return HookSample
	}
	return s.kind
}

// hookNames are the names that git runs. They are asked for by name where
// core.hooksPath is the worktree itself, which holds much else.
var hookNames = []string{"applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
	"p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge", "post-receive",
	"post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase",
	"pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout", "reference-transaction", "sendemail-validate", "update"}
