package cmd

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"lane/e2e/feature"
	"lane/runner"
)

// call runs lane with its streams caught.
func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	catch := func(stream **os.File) func() string {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		was := *stream
		*stream = f
		return func() string {
			*stream = was
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			return string(b)
		}
	}
	o, e := catch(&os.Stdout), catch(&os.Stderr)
	code = Main(args)
	return code, o(), e()
}

// Input that means nothing is refused with a sentence about the flag at fault:
// none of it may pass for the default, the current directory or no limit.
func TestBadInputIsUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	const plan = "plan --writer claude "
	for line, says := range map[string]string{
		"exec --dir= -- true":                           "--dir",
		"exec --read= -- true":                          "--read",
		"exec --write= -- true":                         "--write",
		"exec --git= -- true":                           "--git",
		"exec --layer= -- true":                         "--layer",
		"exec --timeout 0 -- true":                      "--timeout",
		"exec --timeout -1s -- true":                    "--timeout",
		"exec --max-procs 0 -- true":                    "--max-procs",
		"exec --max-procs -1 -- true":                   "--max-procs",
		"exec --cpu-time 1ms -- true":                   "--cpu-time",
		"exec --accept bogus -- true":                   "bogus",
		"exec --git read-only --take-in always -- true": "exclude each other",
		"exec --git read-only --keep-refs -- true":      "exclude each other",
		"exec --git read-only --git-hooks -- true":      "exclude each other",
		"exec --take-in never --keep-refs -- true":      "exclude each other",
		"exec --":                              "no command",
		"exec -- ''":                           "no command",
		plan + "--accept network":              "network: host",
		plan + "--timeout 0":                   "--timeout",
		"plan --writer nobody":                 "claude",
		"run --writer claude --sign / -- x":    "--sign",
		"runs take-in --accept hardlinks last": "gitlinks",
		"runs show":                            "the id of a run",
		"runs show a b":                        "the id of a run",
		"runs list more":                       "no argument",
		"why read ''":                          "a path",
		"why run ''":                           "a shell command",
		"discover ''":                          "a directory",
		"doctor more":                          "no argument",
		"help nothing":                         "no help about nothing",
		"help run more":                        "no help about run more",
		"gate --junit /nowhere/at/all.xml":     "--junit",
		"gate --only=":                         "--only",
		"gate --sign /dev/null/key":            "--sign",
		"receipt verify":                       "the receipt's file",
		"hook install --harness claude-code --scope= --user": "--scope",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		code, out, errs := call(t, args...)
		if code != runner.ExitUsage || out != "" || !strings.Contains(errs, says) || !strings.Contains(errs, "hint: ") {
			t.Errorf("lane %s: exit %d, said %q, printed %q; want exit 2 and %q", line, code, errs, out, says)
		}
	}
}

// With --json standard output is one document whatever is wrong, and nothing
// without it.
func TestEveryRefusalIsOneDocument(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("LANE_HOME", dir+"/lane")
	for line, reason := range map[string]string{
		"run --json":                                                  "no-writer",
		"run --json --bogus":                                          "flag",
		"run --writer claude --json":                                  "no-prompt",
		"run --writer nobody --json -- x":                             "unknown-writer",
		"run --writer claude --json hi":                               "prompt-dash",
		"run --writer claude --json --prompt-file /nowhere":           "prompt-file",
		"run --writer claude --json -- x":                             "not-a-repository",
		"plan --writer nobody --json":                                 "unknown-writer",
		"plan --writer claude --json --timeout -1s":                   "limit",
		"plan --writer claude --json":                                 "not-a-repository",
		"discover --json":                                             "not-a-repository",
		"discover --json a b":                                         "arguments",
		"runs show --json last":                                       "no-such-run",
		"runs show --json":                                            "arguments",
		"runs take-in --json nothing":                                 "no-such-run",
		"why read --json x":                                           "not-a-repository",
		"why write --json":                                            "arguments",
		"doctor --json more":                                          "arguments",
		"receipt verify --json /nowhere --signers /nowhere":           "receipt",
		"gate --json --only no-such":                                  "gate",
		"gate --json --junit /nowhere/at/all.xml --only write-main":   "place",
		"hook test --json /nowhere":                                   "rows",
		"exec --json -- true":                                         "", // has no such flag: standard output is the command's
		"run --writer claude -- --json":                               "",
		"run --writer claude --prompt-file /nowhere --json=false -- ": "",
	} {
		code, out, _ := call(t, strings.Fields(line)...)
		if reason == "" {
			if out != "" || code == 0 {
				t.Errorf("lane %s: exit %d, printed %q", line, code, out)
			}
			continue
		}
		var doc struct {
			Reason  string
			Exit    int
			Refused struct {
				Reason, Class string
				Exit          int
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Errorf("lane %s: %v in %q", line, err, out)
			continue
		}
		if got := doc.Reason + doc.Refused.Reason; got != reason && doc.Refused.Class != reason {
			t.Errorf("lane %s: reason %q, want %q", line, got, reason)
		}
		if exit := doc.Exit + doc.Refused.Exit; exit != code && doc.Refused.Class == "" {
			t.Errorf("lane %s: exit %d, the document says %d", line, code, exit)
		}
	}
}

// What could not be printed is no success.
func TestFullOutputIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		feature.Missing(t, "dev-full", err.Error())
	}
	defer full.Close()
	t.Setenv("LANE_HOME", t.TempDir())
	was := os.Stdout
	defer func() { os.Stdout = was }()
	for _, line := range []string{"--help", "--version", "help run", "layers", "runs list --json", "doctor --json"} {
		os.Stdout = full
		code := Main(strings.Fields(line))
		os.Stdout = was
		if code != runner.ExitFailed {
			t.Errorf("lane %s: exit %d, want %d", line, code, runner.ExitFailed)
		}
	}
	if code, out, errs := call(t, "runs", "list", "--json"); code != runner.ExitDone || out == "" || errs != "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

// A line of lane's own is one line, fit to print, and of a bounded length.
func TestOneLine(t *testing.T) {
	if got := oneLine("a path \x1b[31m"); strings.ContainsRune(got, 0x1b) || !strings.HasPrefix(got, "a path") {
		t.Errorf("%q", got)
	}
	got := oneLine(strings.Repeat("ü", maxLine))
	if len(got) > maxLine+30 || !strings.HasSuffix(got, "ü... (8000 bytes)") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-30:])
	}
}
