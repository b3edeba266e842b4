package hookguard

// Rules lists every rule, in the order in which the guard asks them.
func Rules() []*Rule {
	return append(pathRules(),
		worktreeTool, noPath, hiddenPath, hiddenCode, unreadable, tooMuch, typedLater, tempMoved,
		gitProgram, gitConfig, gitWorktree, guardOff, remoteShell, escape, secretPrompt)
}
