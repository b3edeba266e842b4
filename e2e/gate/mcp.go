package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// serveMCP is an MCP server with one tool, which runs a shell command. An
// agent's servers run outside its own sandbox: what stops them is the lane.
func serveMCP(in io.Reader, out io.Writer) int {
	r := bufio.NewScanner(in)
	r.Buffer(nil, 16<<20)
	enc := json.NewEncoder(out)
	for r.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Version   string `json:"protocolVersion"`
				Arguments struct {
					Command string `json:"command"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(r.Bytes(), &req) != nil || len(req.ID) == 0 {
			continue // a notification
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": req.ID}
		switch req.Method {
		case "initialize":
			answer["result"] = map[string]any{"protocolVersion": req.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]string{"name": "lane-gate", "version": "1"}}
		case "tools/list":
			answer["result"] = map[string]any{"tools": []any{map[string]any{"name": mcpTool, "description": "run a shell command",
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"command": map[string]string{"type": "string"}}}}}}
		case "tools/call":
			text, failed := shellTool(req.Params.Arguments.Command)
			answer["result"] = map[string]any{"isError": failed, "content": []any{map[string]string{"type": "text", "text": text}}}
		default:
			answer["result"] = map[string]any{}
		}
		if enc.Encode(answer) != nil {
			return 1
		}
	}
	return 0
}

const (
	mcpServer = "gate"
	mcpTool   = "sh"
)

func shellTool(command string) (string, bool) {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	c.WaitDelay = time.Second // what it left in the background may hold the pipe
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s%v", out, err), true
	}
	return string(out), false
}
