// Package seal says what changed in everything that steers git, between two
// looks at a worktree: before an agent starts in it and after its last process
// is gone.
//
// [Take] looks, [Compare] looks again and sorts the differences in two: what
// trips (this worktree's pointers, hooks, the config keys that run programs or
// lead elsewhere, its own branch, wiring of agents and editors) and what is
// only reported, because people, editors and other lanes work in the same
// repository and may do so at any time (other branches, fetches, other
// worktrees, branch.* and remote.* values). [Kinds] is the table of both.
//
//	before, err := seal.Take(repo, opt) // err: do not start
//	// … the agent runs and ends …
//	report := seal.Compare(ctx, before, opt)
//	for _, c := range report.Tripped {
//		fmt.Println(c.Kind, c.Path, c.Before, "->", c.After)
//	}
//	ledger := seal.ReadLedger(ctx, before, report.After, seal.LedgerOptions{})
//	found := seal.Sweep(ctx, repo.Worktree, seal.SweepOptions{})
//
// [ReadLedger] lists what moved and which commits were made, [Sweep] what
// appeared in the worktree that runs or redirects something on the next touch,
// and a [Journal] lets lanes tell their own writes from a stranger's.
//
// What it refuses: to run anything, git least of all; to find a repository
// (it works on the paths of a [gitdiscover.Repo] and nothing else); to open a
// FIFO, socket or device, to read without a bound, and to follow a link in the
// worktree. Where git itself follows a link (a linked hook, config or info
// file), the link's text and what is behind it are both sealed.
//
// What it does not promise: it sees two moments, so what was changed and put
// back in between left no trace but a time; content that is larger than is
// hashed is judged by size, times and inode; config that is included from
// elsewhere is named, not read; with more than a thousand loose refs, a ref of
// somebody else's that was written in place (git never does) is not seen; keys
// of other programs than git and git-lfs are only reported.
package seal
