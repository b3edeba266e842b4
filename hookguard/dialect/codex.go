package dialect

func init() {
	planned("codex", map[string]string{
		"Bash": "Bash", "shell": "Bash", "exec_command": "Bash", "local_shell": "Bash", "apply_patch": "apply_patch",
		"view_image": "Read", "write_stdin": "Bash", "update_plan": "TodoWrite", "spawn_agent": "Task",
	}, mcpJoined())
}
