package seal

// Kind is the stable word for what a change is about.
type Kind string

// The kinds. The first group trips, the second is only reported; what each
// means stands in the table of [Kinds], from which the manual is made.
const (
	Pointer         Kind = "pointer"
	Head            Kind = "head"
	CommonDir       Kind = "commondir"
	BackPointer     Kind = "back-pointer"
	WorktreeConfig  Kind = "worktree-config"
	ConfigProgram   Kind = "config-program"
	ConfigRedirect  Kind = "config-redirect"
	ConfigBroken    Kind = "config-broken"
	IncludedConfig  Kind = "included-config"
	Hook            Kind = "hook"
	HooksPath       Kind = "hooks-path"
	Info            Kind = "info"
	Alternates      Kind = "alternates"
	OwnBranch       Kind = "own-branch"
	Operation       Kind = "operation"
	GitDir          Kind = "gitdir"
	Layout          Kind = "layout"
	LegacyRemote    Kind = "legacy-remote"
	SubmoduleConfig Kind = "submodule-config"
	WiringAppeared  Kind = "wiring-appeared"
	WiringChanged   Kind = "wiring-changed"
	WiringRemoved   Kind = "wiring-removed"
	Unreadable      Kind = "unreadable"

	Config        Kind = "config"
	Ref           Kind = "ref"
	WorktreeEntry Kind = "worktree-entry"
	Submodule     Kind = "submodule"
	Fetched       Kind = "fetched"
	Index         Kind = "index"
	Shallow       Kind = "shallow"
	HookSample    Kind = "hook-sample"
	HardLink      Kind = "hard-link"
	ByLane        Kind = "by-lane"
)

// KindInfo is a row of the manual's table.
type KindInfo struct {
	Kind Kind
	// Trips says that the run ends with the tripwire.
	Trips bool
	// Means says what changed and why it matters, as a clause.
	Means string
}

var kinds = []KindInfo{
	{Pointer, true, "the worktree's .git is not what it was; it decides which repository git uses here"},
	{Head, true, "HEAD of this worktree names something else; it decides where the next commit goes"},
	{CommonDir, true, "a commondir file appeared, changed or went; it decides whose config, hooks and objects are used"},
	{BackPointer, true, "the git directory points back to another worktree"},
	{WorktreeConfig, true, "this worktree's own config changed; it can name programs as any config can"},
	{ConfigProgram, true, "a key of the repository's config that makes git run a program appeared or got another value"},
	{ConfigRedirect, true, "a key of the repository's config that leads git elsewhere, or takes a check away, changed"},
	{ConfigBroken, true, "the repository's config cannot be read any more"},
	{IncludedConfig, true, "a file in the worktree that the repository's config includes changed"},
	{Hook, true, "a hook was added, changed, removed, or made executable"},
	{HooksPath, true, "a file changed in the directory of the worktree that core.hooksPath names"},
	{Info, true, "info/attributes, info/exclude, info/grafts or this worktree's info/sparse-checkout changed"},
	{Alternates, true, "the list of object directories to borrow from changed"},
	{OwnBranch, true, "this worktree's branch moved, and not by lane"},
	{Operation, true, "a rebase, merge, cherry-pick or bisect of this worktree began, ended or changed; its steps can run programs"},
	{GitDir, true, "another file of this worktree's git directory changed"},
	{Layout, true, "a directory that git relies on was replaced by another, or by a link"},
	{LegacyRemote, true, "a remote in the old form, a file of remotes/ or branches/, changed"},
	{SubmoduleConfig, true, "a submodule that was there before got a config key that runs a program, or a hook of it changed"},
	{WiringAppeared, true, "a file or directory appeared that makes an agent, editor or shell run code"},
	{WiringChanged, true, "a file or directory changed that makes an agent, editor or shell run code"},
	{WiringRemoved, true, "a file or directory went that makes an agent, editor or shell run code"},
	{Unreadable, true, "what was sealed cannot be looked at any more"},

	{Config, false, "a key of the repository's config changed that runs nothing and leads nowhere, as branch.*, user.* and the urls of remotes"},
	{Ref, false, "a branch, tag or other ref moved that is not this worktree's"},
	{WorktreeEntry, false, "another worktree was added or removed, or its HEAD or pointers moved"},
	{Submodule, false, "a submodule was added or removed, or its config changed harmlessly"},
	{Fetched, false, "FETCH_HEAD changed: somebody fetched"},
	{Index, false, "this worktree's index was written"},
	{Shallow, false, "the boundary of a shallow clone moved"},
	{HookSample, false, "a *.sample in hooks/ changed; git does not run it"},
	{HardLink, false, "a sealed file has another number of names than before: something else can reach it"},
	{ByLane, false, "a change that would trip, but that the journal shows to be lane's own"},
}

// Kinds returns every kind, in the order of the manual. The slice is the
// caller's.
func Kinds() []KindInfo { return append([]KindInfo(nil), kinds...) }

var tripping = func() map[Kind]bool {
	m := map[Kind]bool{}
	for _, k := range kinds {
		m[k.Kind] = k.Trips
	}
	return m
}()
