// Package hookguard judges one tool call of a coding agent, before it runs,
// by facts the launcher sealed: which worktree the agent works in, which git
// directories that worktree shares with others, where its private temporary
// directory is.
//
//	v := hookguard.Judge(event, facts)
//	// v.Decision is Deny, v.Rule "lane/temp-block", v.Reason says what to do
//
// It is a readable, early no, never the boundary: the operating system layer
// of package confine holds whatever the guard does not see. It therefore
// denies what it can prove, asks where a command hides what it does, and
// keeps silent on ordinary uncertainty; a false alarm is a bug like a miss.
// It never allows: nothing here lifts what the harness itself would refuse.
//
// The guard opens no file and starts no process; of the file system it reads
// symbolic links only.
package hookguard
