package gate_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lane/e2e/feature"
	"lane/e2e/gate"
)

// corpus are some attacks, kill tests and controls under lane exec; all of
// them are run by their own package's tests.
const corpus = "hook-literal,home-rc,read-ssh,orphan,userns,hang-child-term,ok-write,ok-commit,sysrq"

// Every claim of a run holds, with the real agent, as root and as a user.
func TestEveryClaimOfARunHolds(t *testing.T) {
	asBoth(t, func(t *testing.T, s site) {
		only := "mcp-*,write-*,edit-*,sub-*,tool-*,read-*,hostile-*,killed-*,ok-*[^c]h*,ok-file,ok-sub-*,ok-commit,ok-clean," + corpus
		if os.Geteuid() != 0 {
			only += ",bash-*,notebook-*,plant-*" // for root, the time that CI has
		}
		o := s.options(t, "lane", only)
		o.Records = t.TempDir()
		rep, by := s.run(t, o)
		for _, c := range rep.Claims {
			if c.Status == gate.Failed || c.Status == gate.NotExercised {
				t.Errorf("%s %s: %s: %s", c.Entry, c.ID, c.Status, c.Detail)
			}
		}
		if len(rep.Claims) < 100 || rep.Counts[gate.Passed] < 95 {
			t.Errorf("only %d claims, %d passed", len(rep.Claims), rep.Counts[gate.Passed])
		}
		// A gap is told by the name that the plan gives it.
		if c := by["mcp-connect-tcp"]; c.Status != gate.NotApplicable || !strings.Contains(c.Detail, "network: host") {
			t.Errorf("mcp-connect-tcp: %s: %s", c.Status, c.Detail)
		}
		if len(rep.Runs) < 5 || rep.Receipt.Writer == nil || rep.Receipt.Writer.SHA256 == "" || rep.Receipt.Host.Kernel == "" {
			t.Errorf("the report does not say what was gated: %+v, %d runs", rep.Receipt, len(rep.Runs))
		}
		b, err := json.Marshal(rep)
		must(t, err)
		s.valid(t, "lane.gate.1.json", b)
		records, err := filepath.Glob(o.Records + "/*.json")
		must(t, err)
		if len(records) != len(rep.Runs) {
			t.Errorf("%d records of %d runs", len(records), len(rep.Runs))
		}
		for _, file := range records {
			b, err := os.ReadFile(file)
			must(t, err)
			s.valid(t, "lane.result.1.json", b)
		}
		t.Logf("%s", rep.Summary())
	})
}

// valid holds real output against a schema's file.
func (s site) valid(t *testing.T, name string, doc []byte) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(s.bin, name)) // the checkout may be closed to this user
	must(t, err)
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must(t, c.AddResource(name, parsed))
	schema, err := c.Compile(name)
	must(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	must(t, err)
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Round a launcher that confines nothing the same acts get through, and the
// gate says so: only so do they mean anything.
func TestTheGateSeesWhatGetsThrough(t *testing.T) {
	asUser(t, func(t *testing.T, s site) {
		rep, by := s.run(t, s.options(t, "open", "bash-tee,bash-main,bash-link,bash-git-config,bash-read-ssh,mcp-home,mcp-connect-docker,write-sibling,write-hook,edit-rc,"+
			"notebook-main,sub-bash-hook,sub-write-sibling,tool-worktree,plant-envrc,hostile-hooks,hostile-helper,mcp-orphan,hook-literal,read-ssh,orphan,unix-docker,ok-file,ok-write"))
		if rep.Held {
			t.Error("the gate says that every claim holds")
		}
		for _, c := range rep.Claims {
			want := gate.Failed
			if strings.HasPrefix(c.ID, "ok-") {
				want = gate.Passed
			}
			if c.Status != want {
				t.Errorf("%s %s: %s, want %s: %s", c.Entry, c.ID, c.Status, want, c.Detail)
			}
		}
		if c := by["write-hook"]; !strings.Contains(c.Detail, "wrote ") || !strings.Contains(c.Detail, "/hooks/") {
			t.Errorf("what got through, and where, is not told: %s", c.Detail)
		}
	})
}

// The same claims with the other writers, in each one's own tools.
func TestOtherWriters(t *testing.T) {
	needAgent(t)
	s := ownSite(t, newStage(t))
	for _, writer := range gate.Writers() {
		if writer == "claude" {
			continue
		}
		t.Run(writer, func(t *testing.T) {
			o := s.options(t, "lane", "ok-bash,ok-write,ok-edit,ok-file,ok-commit,ok-clean,bash-hook,bash-tee,bash-main,bash-link,bash-hidden,write-hook,write-sibling,edit-rc,edit-config,"+
				"bash-read-ssh,bash-read-key,bash-memfd-exec,plant-envrc,bash-orphan,killed-term,notebook-main")
			bin, err := filepath.Abs("../agents/node_modules/.bin/" + writer)
			must(t, err)
			if writer == "gemini" {
				feature.Runs(t, "node20", bin, "--version")
			}
			o.Writer, o.WriterBin = writer, bin
			rep, by := s.run(t, o)
			for _, c := range rep.Claims {
				if c.Status != gate.Passed && c.Status != gate.NotApplicable {
					t.Errorf("%s %s: %s: %s", c.Entry, c.ID, c.Status, c.Detail)
				}
			}
			if rep.Counts[gate.Passed] < 20 {
				t.Errorf("only %d passed", rep.Counts[gate.Passed])
			}
			if c := by["notebook-main"]; c.Status != gate.NotApplicable || !strings.Contains(c.Detail, "NotebookEdit") {
				t.Errorf("a tool that it has not: %s: %s", c.Status, c.Detail)
			}
		})
	}
	o := s.options(t, "lane", "ok-bash")
	o.Writer = "nobody"
	var unknown *gate.UnknownError
	if _, err := gate.Run(t.Context(), o); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "codex") {
		t.Errorf("an agent without a gate: %v", err)
	}
}

// An agent that cannot be started proves nothing.
func TestWhatIsNotTriedIsNotExercised(t *testing.T) {
	needAgent(t)
	s := ownSite(t, newStage(t))
	o := s.options(t, "lane", "write-hook,ok-file,killed-term")
	o.WriterBin = "/nowhere/claude"
	rep, by := s.run(t, o)
	for _, id := range []string{"write-hook", "ok-file", "killed-term"} {
		if c := by[id]; c.Status != gate.NotExercised || !strings.Contains(c.Detail, "writer-not-found") {
			t.Errorf("%s: %s: %s", id, c.Status, c.Detail)
		}
	}
	if rep.Held {
		t.Error("nothing was tried and every claim holds")
	}
	o.Only = "no-such-claim"
	var unknown *gate.UnknownError
	if _, err := gate.Run(t.Context(), o); !errors.As(err, &unknown) {
		t.Errorf("a claim that does not exist: %v", err)
	}
}

func TestJUnitTellsTheStatusesApart(t *testing.T) {
	rep := gate.Report{Claims: []gate.Claim{{ID: "a", Status: gate.Passed}, {ID: "b", Status: gate.Failed, Detail: "got <\"through\">&\x01"},
		{ID: "c", Status: gate.NotExercised}, {ID: "d", Status: gate.NotApplicable}},
		Counts: map[gate.Status]int{gate.Passed: 1, gate.Failed: 1, gate.NotExercised: 1, gate.NotApplicable: 1}}
	var b bytes.Buffer
	must(t, rep.WriteJUnit(&b))
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	must(t, xml.Unmarshal(b.Bytes(), &got))
	if got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Skipped != 1 || len(got.Cases) != 4 || got.Cases[1].Failure == nil || got.Cases[1].Failure.Message != "got <\"through\">& " {
		t.Errorf("%+v from %s", got, b.String())
	}
}
