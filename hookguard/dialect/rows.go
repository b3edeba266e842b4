package dialect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"lane/hookguard"
)

// Row is one tool call with the answer somebody expects, as `lane hook test`
// reads them: one JSON object a line.
type Row struct {
	ID       string          `json:"id"`
	Harness  string          `json:"harness"`
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Cwd      string          `json:"cwd"`
	Expected string          `json:"expected"` // deny, ask, or allow: no opinion
	// Symlinks exist before the call: where, and what they point at. A row
	// describes a machine of its own; the host's links are not asked.
	Symlinks map[string]string `json:"symlinks,omitempty"`
}

// RowFacts are what a file of rows assumes when no facts are given with it.
func RowFacts() hookguard.Facts {
	return hookguard.Facts{
		Worktree: "/wt/proj", GitDir: "/srv/repo/.git/worktrees/proj", CommonDir: "/srv/repo/.git",
		Tmp: "/wt/.lane/tmp", Home: "/home/dev", User: "dev", LaneHome: "/home/dev/.lane",
	}
}

// RowResult is the guard's answer to a row.
type RowResult struct {
	ID       string             `json:"id"`
	Decision hookguard.Decision `json:"decision"`
	Rule     string             `json:"rule"`
	Reason   string             `json:"reason"`
}

// RowReport is what `lane hook test --json` prints.
type RowReport struct {
	Rows []RowResult `json:"rows"`
}

// maxRow bounds one line of a rows file.
const maxRow = 4 << 20

// ReadRows reads rows, one JSON object a line; empty lines are skipped.
func ReadRows(r io.Reader) ([]Row, error) {
	var rows []Row
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxRow)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		var row Row
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("rows line %d: %w", n, err)
		}
		if row.Tool == "" {
			return nil, fmt.Errorf("rows line %d: no tool", n)
		}
		rows = append(rows, row)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return rows, nil
}

// Judge answers the row by the facts. A call of a harness nobody knows is
// refused, as the hook itself would refuse it.
func (r Row) Judge(facts hookguard.Facts) RowResult {
	d, ok := Lookup(r.Harness)
	if !ok {
		return RowResult{ID: r.ID, Decision: hookguard.Deny, Rule: "lane/unknown-harness", Reason: fmt.Sprintf("The harness %+q is not known.", r.Harness)}
	}
	tool, input := d.Tool(r.Tool, r.Input)
	cwd := r.Cwd
	if cwd == "" {
		cwd = facts.Worktree
	}
	v := hookguard.JudgeOn(hookguard.LinkMap(r.Symlinks), hookguard.Event{Harness: r.Harness, Kind: "PreToolUse", Tool: tool, Input: input, Cwd: cwd, Unseen: d.Unseen, Dirs: d.Dirs}, facts)
	return RowResult{ID: r.ID, Decision: v.Decision, Rule: v.Rule, Reason: v.Reason}
}

// Right reports whether the answer is the expected one. A row that expects
// "allow" expects silence: no opinion, or a mere hint. One without an
// expectation cannot be wrong.
func (r Row) Right(got RowResult) bool {
	switch r.Expected {
	case "":
		return true
	case "allow", "none", "guidance":
		return got.Decision == hookguard.None || got.Decision == hookguard.Guidance
	}
	return string(got.Decision) == r.Expected
}

// JudgeRows answers all rows in their order.
func JudgeRows(rows []Row, facts hookguard.Facts) RowReport {
	report := RowReport{Rows: []RowResult{}}
	for _, r := range rows {
		report.Rows = append(report.Rows, r.Judge(facts))
	}
	return report
}
