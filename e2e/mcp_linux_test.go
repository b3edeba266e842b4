package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// mcpMain is an MCP server on stdio with two tools: "attempt" runs the
// statements in its text argument, and "write_file" writes the text to the
// path, which says by its name and arguments what it does. Its own arguments are statements that it
// runs at once, before anybody asks: a server is started, so it has run code.
func mcpMain() int {
	for _, text := range os.Args[1:] {
		try(text, func(string, []string) bool { return false })
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
				Name            string `json:"name"`
				Arguments       struct {
					Text string `json:"text"`
					Path string `json:"path"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue // a notification
		}
		result := map[string]any{}
		switch r.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": r.Params.ProtocolVersion,
				"capabilities":    map[string]any{"tools": map[string]any{}},
				"serverInfo":      map[string]any{"name": "probe", "version": "1"},
			}
		case "tools/list":
			result["tools"] = []any{
				mcpTool("attempt", "Runs the statements in its text argument.", "text"),
				mcpTool("write_file", "Writes the text to the file at path.", "path", "text"),
			}
		case "tools/call":
			statements := r.Params.Arguments.Text
			if r.Params.Name == "write_file" {
				statements = "write " + r.Params.Arguments.Path + " " + statements
			}
			text, err := json.Marshal(try(statements, func(string, []string) bool { return false }))
			if err != nil {
				panic(err)
			}
			result["content"] = []any{map[string]any{"type": "text", "text": string(text)}}
		}
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", b)
	}
	return 0
}

// mcpTool describes a tool whose arguments are all texts.
func mcpTool(name, description string, arguments ...string) map[string]any {
	properties := map[string]any{}
	for _, a := range arguments {
		properties[a] = map[string]any{"type": "string"}
	}
	return map[string]any{"name": name, "description": description,
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": arguments}}
}
