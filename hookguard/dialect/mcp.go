package dialect

import (
	"encoding/json"
	"strings"
)

// joined reads a server's tool in a harness's spelling of its name:
// "mcp__server__tool" always, and "server-tool", "server/tool" or
// "mcp_server_tool" by the separators. Where a server's own name holds the
// separator, serverName puts it right.
func joined(name string, separators ...string) (string, bool) {
	if strings.HasPrefix(name, "mcp__") {
		return name, true
	}
	for _, sep := range separators {
		plain := strings.TrimPrefix(name, "mcp"+sep)
		if sep == "_" && plain == name {
			continue // an underscore alone is in many names
		}
		if server, tool, ok := strings.Cut(plain, sep); ok && server != "" && tool != "" {
			return "mcp__" + server + "__" + tool, true
		}
	}
	return "", false
}

// serverName maps a tool's name back to the servers that are known: harnesses
// turn characters of a server's name into "_", or join names with a character
// that may be in them too. A name that fits no server stays as it is.
func serverName(tool string, servers []string) string {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return tool
	}
	best, cut := "", 0
	for _, server := range servers {
		want := plainName(server)
		for i := len(server); i < len(rest) && i <= len(server)+2; i++ {
			if isSeparator(rest[i]) && plainName(rest[:i]) == want && len(server) > len(best) {
				best, cut = server, i
			}
		}
	}
	if best == "" {
		return tool
	}
	return "mcp__" + best + "__" + strings.TrimLeft(rest[cut:], "_-/")
}

func isSeparator(c byte) bool { return c == '_' || c == '-' || c == '/' }

// plainName is a name with every other character but letters and digits as
// one "_", and no two in a row.
func plainName(name string) string {
	var b strings.Builder
	under := false
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
			under = false
		} else if !under {
			b.WriteByte('_')
			under = true
		}
	}
	return b.String()
}

// unquoted is an input that some harnesses hand over as a string of JSON.
func unquoted(input []byte) []byte {
	var s string
	if json.Unmarshal(input, &s) == nil && strings.HasPrefix(strings.TrimSpace(s), "{") {
		return []byte(s)
	}
	return input
}

// typed is the text that a tool types into a program that runs already: keys
// by their names, "{enter}". It is judged as a shell's next lines.
func typed(input []byte, key string) []byte {
	var in map[string]any
	if json.Unmarshal(input, &in) != nil {
		return input
	}
	keys, ok := in[key].(string)
	if !ok {
		return input
	}
	lines := strings.NewReplacer("{enter}", "\n", "{Enter}", "\n", "\r", "\n").Replace(keys)
	out, err := json.Marshal(map[string]string{"command": lines})
	if err != nil {
		return input
	}
	return out
}

// powershell is a call of the shell that is no POSIX shell: the guard reads
// its text as what pwsh is given.
func powershell(input []byte) []byte {
	var in map[string]any
	if json.Unmarshal(input, &in) != nil {
		return input
	}
	text, ok := in["command"].(string)
	if !ok {
		return input
	}
	in["command"] = []string{"pwsh", "-Command", text}
	out, err := json.Marshal(in)
	if err != nil {
		return input
	}
	return out
}
