package dialect

import (
	"encoding/json"
	"strings"
)

// planned registers a harness whose payloads are not answered yet: its tools
// have their names, and every event is refused.
func planned(name string, tools map[string]string, mcp func(name string, input []byte) (string, []byte, bool)) {
	register(Dialect{
		Name:    name,
		Fail:    failClaude,
		Planned: true,
		Tool: func(tool string, input []byte) (string, []byte) {
			if canonical, ok := tools[tool]; ok {
				return canonical, input
			}
			if server, rest, ok := mcp(tool, input); ok {
				return server, rest
			}
			return tool, input
		},
	})
}

// mcpJoined reads names such as "server-tool", "server/tool" and
// "mcp_server_tool".
func mcpJoined(separators ...string) func(string, []byte) (string, []byte, bool) {
	return func(name string, input []byte) (string, []byte, bool) {
		if strings.HasPrefix(name, "mcp__") {
			return name, input, true
		}
		for _, sep := range separators {
			plain := strings.TrimPrefix(name, "mcp"+sep)
			if server, tool, ok := strings.Cut(plain, sep); ok && server != "" && tool != "" {
				return "mcp__" + server + "__" + tool, input, true
			}
		}
		return "", nil, false
	}
}

// mcpCall reads Antigravity's call_mcp_tool, which names server and tool in
// its input.
func mcpCall(name string, input []byte) (string, []byte, bool) {
	if name != "call_mcp_tool" {
		return mcpJoined("/", "_")(name, input)
	}
	var call struct {
		ServerName, ToolName string
		Arguments            json.RawMessage
	}
	if json.Unmarshal(input, &call) != nil || call.ToolName == "" {
		return "", nil, false
	}
	var text string
	if json.Unmarshal(call.Arguments, &text) == nil { // arguments as a string of JSON
		call.Arguments = json.RawMessage(text)
	}
	return "mcp__" + call.ServerName + "__" + call.ToolName, call.Arguments, true
}
