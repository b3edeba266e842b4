package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// report is what the stub agent tells of itself: it is the text of its final
// record, so `lane run` prints it.
type report struct {
	Argv     []string          `json:"argv"`
	Env      map[string]string `json:"env"`
	Prompt   string            `json:"prompt_sha256"`
	Bytes    int               `json:"prompt_bytes"`
	Cwd      string            `json:"cwd"`
	UID      int               `json:"uid"`
	Caps     string            `json:"caps"` // CapEff of /proc/self/status
	FDs      []string          `json:"fds"`
	Pointer  string            `json:"pointer"` // the .git file
	Settings json.RawMessage   `json:"settings,omitempty"`
	System   string            `json:"system,omitempty"` // the text of --append-system-prompt-file
	Log      []done            `json:"log"`
}

// stubMain is an agent without a model. A prompt that begins with "stub " is a
// list of statements, separated by ";" or newlines: those of attempts, and
//
//	ready FILE        make FILE, for whoever waits for it
//	on-term FILE      on SIGTERM or SIGINT make FILE, then end as the signal would
//	deaf              ignore SIGTERM and SIGINT
//	wait              until a signal comes
//	report FILE       also write the report to FILE
//	failed            the final record says failure
//	denied            the final record lists refused calls
//	broken-tools      every tool call came back with a sandbox's error
//	no-result         end without a final record
//	exit N            end with that code
//
// Any other prompt is only hashed.
func stubMain() int {
	if slices.Contains(os.Args[1:], "--version") {
		fmt.Println("2.1.332 (Claude Code)")
		return 0
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "stub:", err)
		return 1
	}
	s := &stubAgent{report: describe(prompt)}
	s.emit(map[string]any{"type": "system", "subtype": "init", "session_id": "stub", "cwd": s.report.Cwd,
		"model": "stub-1", "claude_code_version": "2.1.332", "tools": []string{"Bash", "Write"}})
	if text, ok := strings.CutPrefix(string(prompt), "stub "); ok {
		s.report.Log = try(text, s.word)
	}
	return s.end()
}

type stubAgent struct {
	report   report
	reportTo string
	code     int
	failed   bool
	denied   bool
	silent   bool
}

func describe(prompt []byte) report {
	r := report{Argv: os.Args[1:], Env: map[string]string{}, Prompt: fmt.Sprintf("%x", sha256.Sum256(prompt)),
		Bytes: len(prompt), UID: os.Getuid(), Log: []done{}}
	r.Cwd, _ = os.Getwd()
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		r.Env[name] = value
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, rest, _ := strings.Cut(string(status), "CapEff:")
		r.Caps, _, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, fd := range fds {
			// The listing's own descriptor is gone by now, the runtime's are
			// anonymous or name its cgroup: what is left came from outside.
			to, err := os.Readlink("/proc/self/fd/" + fd.Name())
			if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
				r.FDs = append(r.FDs, fd.Name()+" "+to)
			}
		}
	}
	if b, err := os.ReadFile(".git"); err == nil {
		r.Pointer = string(b)
	}
	r.Settings = json.RawMessage(fileOf("--settings"))
	if !json.Valid(r.Settings) {
		r.Settings = nil
	}
	r.System = fileOf("--append-system-prompt-file")
	return r
}

// fileOf reads the file that a flag names.
func fileOf(flag string) string {
	i := slices.Index(os.Args, flag)
	if i < 0 || i+1 >= len(os.Args) {
		return ""
	}
	b, err := os.ReadFile(os.Args[i+1])
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (s *stubAgent) word(word string, args []string) bool {
	switch word {
	case "ready":
		return os.WriteFile(arg(args, 0), nil, 0o644) == nil
	case "report":
		s.reportTo = arg(args, 0)
	case "on-term":
		ch := make(chan os.Signal, 1)
		signal.Notify(ch, syscall.SIGTERM, syscall.SIGINT)
		go func() {
			sig := (<-ch).(syscall.Signal)
			_ = os.WriteFile(arg(args, 0), []byte(sig.String()), 0o644)
			os.Exit(128 + int(sig))
		}()
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "wait":
		time.Sleep(5 * time.Minute) // whoever waits for the end gives up long before
	case "failed":
		s.failed = true
	case "denied":
		s.denied = true
	case "broken-tools":
		for i := range 3 {
			s.brokenCall(i)
		}
	case "no-result":
		s.silent = true
	case "exit":
		code, err := strconv.Atoi(arg(args, 0))
		s.code = code
		return err == nil
	default:
		return false
	}
	return true
}

// brokenCall is a tool call as it comes back when the sandbox is broken.
func (s *stubAgent) brokenCall(i int) {
	id := fmt.Sprintf("toolu_stub_%d", i)
	s.emit(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": "touch x"}}}}})
	s.emit(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": true,
			"content": "bwrap: Can't create file at /x: Read-only file system"}}}})
}

func (s *stubAgent) emit(event map[string]any) {
	b, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b))
}

func (s *stubAgent) end() int {
	text, err := json.Marshal(s.report)
	if err != nil {
		panic(err)
	}
	if s.reportTo != "" {
		if err := os.WriteFile(filepath.Clean(s.reportTo), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "stub:", err)
			return 1
		}
	}
	if s.silent {
		return s.code
	}
	result := map[string]any{"type": "result", "subtype": "success", "is_error": s.failed, "result": string(text),
		"num_turns": 1, "session_id": "stub", "total_cost_usd": 0.0125, "permission_denials": []any{},
		"usage": map[string]int{"input_tokens": 7, "output_tokens": 5}}
	if s.failed {
		result["subtype"] = "error_during_execution"
	}
	if s.denied {
		result["permission_denials"] = []any{map[string]any{"tool_name": "Write", "tool_use_id": "toolu_stub_denied",
			"tool_input": map[string]any{"file_path": "/elsewhere"}}}
	}
	s.emit(result)
	return s.code
}
