package dialect

func init() {
	planned("antigravity", map[string]string{
		"run_command": "Bash", "write_to_file": "Write", "write_file": "Write", "replace_file_content": "Edit", "multi_replace_file_content": "MultiEdit",
		"edit_file": "Edit", "create_file": "Write", "delete_file": "Delete", "view_file": "Read", "read_file": "Read", "view_file_outline": "Read",
		"grep_search": "Grep", "find_by_name": "Glob", "list_dir": "LS", "codebase_search": "Grep",
	}, mcpCall)
}
