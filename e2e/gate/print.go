package gate

import (
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
// exercised is an error, one that does not apply is skipped. It is written by
// hand: encoding/xml would cost each start of lane, the guard's too.
func (r Report) WriteJUnit(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lane gate (%s)\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
		r.Mode, len(r.Claims), r.Counts[Failed], r.Counts[NotExercised], r.Counts[NotApplicable], r.took().Seconds())
	elements := map[Status]string{Failed: "failure", NotExercised: "error", NotApplicable: "skipped"}
	for _, c := range r.Claims {
		class := "lane." + c.Entry
		if c.Model != "" {
			class += "." + c.Model
		}
		fmt.Fprintf(&b, " <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">", escaped(class), escaped(c.ID+": "+c.Claim), float64(c.Millis)/1000)
		if e := elements[c.Status]; e != "" {
			fmt.Fprintf(&b, "<%s message=\"%s\"/>", e, escaped(c.Detail))
		}
		b.WriteString("</testcase>\n")
	}
	b.WriteString("</testsuite>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// escaped is a text as an attribute's value. What XML cannot hold at all is
// replaced.
func escaped(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0xFFFE || c == 0xFFFF {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
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
