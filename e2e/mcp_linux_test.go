package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// mcpMain is an MCP server on stdio with one tool, "attempt", that runs the
// statements in its text argument. Its own arguments are statements that it
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
				Arguments       struct {
					Text string `json:"text"`
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
			result["tools"] = []any{map[string]any{
				"name": "attempt", "description": "Runs the statements in its text argument.",
				"inputSchema": map[string]any{
					"type":       "object",
					"properties": map[string]any{"text": map[string]any{"type": "string"}},
					"required":   []string{"text"},
				},
			}}
		case "tools/call":
			text, err := json.Marshal(try(r.Params.Arguments.Text, func(string, []string) bool { return false }))
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
