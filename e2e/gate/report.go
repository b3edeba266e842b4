package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lane/runner"
	"lane/sandbox"
)

// Report is what the gate found.
type Report struct {
	Schema string `json:"schema"`
	Mode   string `json:"mode"` // offline or live
	// Held says that every claim holds that applies here.
	Held    bool           `json:"held"`
	Counts  map[Status]int `json:"counts"`
	Claims  []Claim        `json:"claims"`
	Gaps    []sandbox.Gap  `json:"gaps"` // that the lanes' plans declare
	Runs    []RunProof     `json:"runs"`
	Started time.Time      `json:"started"`
	Ended   time.Time      `json:"ended"`
	// Receipt says what was gated, as the first run recorded it.
	Receipt runner.Receipt `json:"receipt"`
	// Models and cost, of the live gate.
	Models  []string `json:"models,omitempty"`
	CostUSD float64  `json:"cost_usd"`
	Retries int      `json:"retries"`
}

// RunProof is one `lane run` of the gate: what its record says of itself.
type RunProof struct {
	Session        string               `json:"session"`
	Model          string               `json:"model,omitempty"`
	Run            string               `json:"run"`
	Status         runner.Status        `json:"status"`
	Reason         string               `json:"reason,omitempty"`
	Exit           int                  `json:"exit"`
	PlanSHA256     string               `json:"plan_sha256,omitempty"`
	SettingsSHA256 string               `json:"settings_sha256,omitempty"`
	Layers         []runner.LayerResult `json:"layers"` // with each probe
	CostUSD        float64              `json:"cost_usd"`
	Durations      runner.Durations     `json:"durations_ms"`
}

func newReport(o Options) Report {
	r := Report{Schema: Schema, Mode: "offline", Counts: map[Status]int{}, Claims: []Claim{}, Gaps: []sandbox.Gap{}, Runs: []RunProof{},
		Started: time.Now().UTC(), Receipt: runner.NewReceipt(o.Version)}
	if o.Live != nil {
		r.Mode, r.Models = "live", o.Live.Models
	}
	return r
}

// finish sorts and counts. Claims that were never tried do not hold.
func (r *Report) finish() {
	r.Ended = time.Now().UTC()
	slices.SortStableFunc(r.Claims, func(a, b Claim) int {
		// Run before exec; within them by model and id, the same each time.
		return cmp.Or(strings.Compare(b.Entry, a.Entry), strings.Compare(a.Model, b.Model), strings.Compare(a.ID, b.ID))
	})
	for _, c := range r.Claims {
		r.Counts[c.Status]++
	}
	r.Held = r.Counts[Failed] == 0 && r.Counts[Passed] > 0
	if r.Mode == "offline" {
		r.Held = r.Held && r.Counts[NotExercised] == 0
		return
	}
	// A real model may decline; that it did is in the report. But one that did
	// nothing at all showed nothing.
	for _, m := range r.Models {
		r.Held = r.Held && slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Model == m && c.Status == Passed && strings.HasPrefix(c.ID, "ok-") })
	}
}

// took is the time from start to end.
func (r Report) took() time.Duration { return r.Ended.Sub(r.Started) }
