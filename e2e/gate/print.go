package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Word is a status as the table shows it.
func (s Status) Word() string {
	if s == Failed {
		return "FAILED"
	}
	return strings.ReplaceAll(string(s), "-", " ")
}

// Line is a claim on one line.
func (c Claim) Line() string {
	line := fmt.Sprintf("%-14s %-5s %-24s %s", c.Status.Word(), c.Entry, c.ID, c.Claim)
	if c.Status != Passed {
		line += ": " + c.Detail
	}
	return line
}

// Summary says how it went, in one sentence.
func (r Report) Summary() string {
	word := "every claim holds"
	if !r.Held {
		word = "NOT every claim holds"
	}
	text := fmt.Sprintf("%s: %d passed, %d failed, %d not exercised, %d not applicable, in %s", word,
		r.Counts[Passed], r.Counts[Failed], r.Counts[NotExercised], r.Counts[NotApplicable], r.took().Round(100*time.Millisecond))
	if r.Mode == "live" {
		text += fmt.Sprintf(", %d retries, $%.4f", r.Retries, r.CostUSD)
	}
	return text
}

// WriteJUnit writes the report as CI systems read it: a claim that was not
// exercised is an error, one that does not apply is skipped.
func (r Report) WriteJUnit(w io.Writer) error {
	type message struct {
		Text string `xml:"message,attr"`
	}
	type testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *message `xml:"failure,omitempty"`
		Error   *message `xml:"error,omitempty"`
		Skipped *message `xml:"skipped,omitempty"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Time     string     `xml:"time,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	s := suite{Name: "lane gate (" + r.Mode + ")", Tests: len(r.Claims), Failures: r.Counts[Failed], Errors: r.Counts[NotExercised],
		Skipped: r.Counts[NotApplicable], Time: fmt.Sprintf("%.3f", r.took().Seconds())}
	for _, c := range r.Claims {
		t := testCase{Class: "lane." + c.Entry, Name: c.ID + ": " + c.Claim, Time: fmt.Sprintf("%.3f", float64(c.Millis)/1000)}
		if c.Model != "" {
			t.Class += "." + c.Model
		}
		m := &message{c.Detail}
		switch c.Status {
		case Failed:
			t.Failure = m
		case NotExercised:
			t.Error = m
		case NotApplicable:
			t.Skipped = m
		}
		s.Cases = append(s.Cases, t)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// WriteTable writes one line a claim; of the live gate, the models are the
// columns.
func (r Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(r.Models) == 0 {
		for _, c := range r.Claims {
			text := c.Claim
			if c.Status != Passed {
				text += ": " + c.Detail
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Status.Word(), c.Entry, c.ID, text)
		}
		return t.Flush()
	}
	fmt.Fprintf(t, "claim\t%s\n", strings.Join(r.Models, "\t"))
	var ids []string
	cell := map[[2]string]string{}
	for _, c := range r.Claims {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
		cell[[2]string{c.ID, c.Model}] = c.Status.Word()
	}
	for _, id := range ids {
		fmt.Fprint(t, id)
		for _, m := range r.Models {
			fmt.Fprint(t, "\t", cell[[2]string{id, m}])
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
