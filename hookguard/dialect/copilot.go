package dialect

func init() {
	planned("copilot", map[string]string{
		"bash": "Bash", "write_bash": "Bash", "powershell": "Bash", "create": "Write", "edit": "Edit", "str_replace_editor": "Edit",
		"view": "Read", "grep": "Grep", "glob": "Glob", "task": "Task", "apply_patch": "apply_patch",
		"Bash": "Bash", "Write": "Write", "Edit": "Edit", "Read": "Read", "Grep": "Grep", "Glob": "Glob",
		"read_bash": "TaskOutput", "stop_bash": "TaskStop", "list_bash": "TaskOutput",
	}, mcpJoined("/", "-"))
}
