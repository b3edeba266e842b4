package dialect

func init() {
	planned("gemini-cli", map[string]string{
		"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "read_file": "Read", "read_many_files": "Read",
		"glob": "Glob", "grep_search": "Grep", "search_file_content": "Grep", "list_directory": "LS", "web_fetch": "WebFetch",
		"google_web_search": "WebSearch", "save_memory": "Memory", "write_todos": "TodoWrite",
	}, mcpJoined("_"))
}
